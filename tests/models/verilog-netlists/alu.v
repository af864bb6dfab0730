// Arithmetic without state, on numbers with and without sign.
module alu(input [2:0] op, input [3:0] a, input [3:0] b, output reg [3:0] y, output zero, output less);
  wire signed [3:0] sa = a;
  wire signed [3:0] sb = b;
  always @* case (op)
    3'd0: y = a + b;
    3'd1: y = a - b;
    3'd2: y = a & b;
    3'd3: y = a ^ b;
    3'd4: y = a << b[1:0];
    3'd5: y = sa >>> b[1:0];
    3'd6: y = sa * sb;
    default: y = ~(a | b);
  endcase
  assign zero = y == 0;
  assign less = sa < sb;
endmodule
