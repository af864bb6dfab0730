// A counter that wraps at a limit, with an asynchronous reset.
module counter(input clk, input rst_n, input en, input load, input [3:0] value, output reg [3:0] q, output wrap);
  localparam LIMIT = 4'd11;
  assign wrap = en & (q == LIMIT);
  always @(posedge clk or negedge rst_n)
    if (!rst_n) q <= 4'd0;
    else if (load) q <= value > LIMIT ? LIMIT : value;
    else if (en) q <= wrap ? 4'd0 : q + 4'd1;
endmodule
