module counter #(parameter W = 4) (input clk, input rst_n, input en, output reg [W-1:0] q, output wire odd);
  assign odd = ^q;
  always @(posedge clk or negedge rst_n)
    if (!rst_n) q <= 0;
    else if (en) q <= q + 1;
endmodule
