// A machine that sells at three coins, with change; its parameters are computed by a constant function.
module vending #(parameter PRICE = 3) (input clk, input rst, input [1:0] coin, output reg served, output reg [1:0] change);
  function integer log2(input integer n);
    begin
      log2 = 0;
      while (n > 0) begin
        log2 = log2 + 1;
        n = n >> 1;
      end
    end
  endfunction
  localparam BITS = log2(PRICE + 2);
  reg [BITS-1:0] paid;
  wire [BITS:0] sum = paid + coin;
  always @(posedge clk)
    if (rst) begin
      paid <= 0; served <= 0; change <= 0;
    end else if (sum >= PRICE) begin
      paid <= 0; served <= 1; change <= sum - PRICE;
    end else begin
      paid <= sum[BITS-1:0]; served <= 0; change <= 0;
    end
endmodule
