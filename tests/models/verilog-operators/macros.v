// Macros for values, operators, halves of expressions and branches, and arguments that are used twice.
`define TWO 2'd2
`define SUM a +
`define REST b | c
`define NOT !
`define BRANCH y = c; 2'd1:
`define DOUBLE(x) ((x) + (x))
module macros (
  input [3:0] a, b, c, input [1:0] s, output [3:0] two, sum, rest, doubled, nested, output not_, output reg [3:0] y
);
  assign two = a ^ `TWO;
  assign sum = `SUM b;
  assign rest = a & `REST;
  assign doubled = `DOUBLE(a + 4'd1) - b;
  assign nested = s == `TWO ? `DOUBLE(b) : `SUM c;
  assign not_ = `NOT s[0];
  always @* case (s)
    0: `BRANCH y = a;
    2: y = b;
    default: y = a ^ b;
  endcase
endmodule
