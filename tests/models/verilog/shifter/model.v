// Variable selects in both directions, on vectors with bounds that are not 0.
module shifter (
  input  wire [11:4] up,
  input  wire [0:7]  down,
  input  wire [2:0]  at,
  output wire        one,
  output wire        other,
  output wire [1:0]  pair,
  output wire [1:0]  riap,
  output reg  [7:0]  put
);
  assign one = up[at + 4'd4];
  assign other = down[at];
  assign pair = up[{at[1:0], 1'b0} + 4'd4 +: 2];
  assign riap = down[{1'b0, at[1:0]} + 1 -: 2];
  always @* begin
    put = 8'd0;
    put[at] = 1'b1;
    put[{at[0], 2'b00} +: 2] = pair;
  end
endmodule
