// Comparisons, and conditions of all kinds.
module relations (
  input clk, input [3:0] a, b, input signed [3:0] s, t, input p, q,
  output less, most, more, least, signs, same, other, cases, differ,
  output [3:0] chosen, nested, output reg [3:0] kept, first
);
  assign less = a < b;
  assign most = a <= 4'd9;
  assign more = s > t;
  assign least = s >= -4'sd2;
  assign signs=a<-b;
  assign same = a == b;
  assign other = a != b + 4'd1;
  assign cases = a === b;
  assign differ = a !== b;
  assign chosen = p ? a : b;
  assign nested = !p ? a : a > b && q ? b : 4'b0110;
  always @(posedge clk)
    if (p && !q) kept <= a;
    else if (a[0]) kept <= b;
    else if (a & b) kept <= kept ^ 4'd5;
  always @* begin
    first = 0;
    if (p || q) first = a; else first = b;
  end
endmodule
