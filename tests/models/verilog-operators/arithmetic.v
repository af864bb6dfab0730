// Sums, differences, products and signs, with spaces and without.
module arithmetic (
  input clk, input [4:0] a, b, input signed [3:0] s, t,
  output [4:0] sum, difference, product, glued, twice, output [7:0] wide,
  output signed [5:0] minus, both, output reg [4:0] count
);
  assign sum = a + b + 5'd3;
  assign difference = a - b;
  assign product = a * b;
  assign glued=a+-b;
  assign twice=a-+b;
  assign wide = {a[3:0], 4'd9} + -a * 8'h1_f;
  assign minus = -s;
  assign both = s * t - 4'sd3 - (-t);
  always @(posedge clk) begin
    count <= count - 1;
    if (a == 'h1f) count <= -count;
  end
endmodule
