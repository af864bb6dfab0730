// Shift and add, one bit a step.
module multiplier #(parameter W = 3) (
  input clk, input rst, input start, input [W-1:0] x, input [W-1:0] y,
  output reg [2*W-1:0] product, output reg ready
);
  reg [2*W-1:0] multiplicand;
  reg [W-1:0] rest;
  always @(posedge clk or posedge rst)
    if (rst) begin
      product <= 0; multiplicand <= 0; rest <= 0; ready <= 1;
    end else if (start && ready) begin
      product <= 0; multiplicand <= x; rest <= y; ready <= 0;
    end else if (!ready) begin
      if (rest[0]) product <= product + multiplicand;
      multiplicand <= multiplicand << 1;
      rest <= rest >> 1;
      ready <= rest[W-1:1] == 0;
    end
endmodule
