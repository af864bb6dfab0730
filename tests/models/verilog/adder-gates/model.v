// A full adder of gates, and four of them in a row: structural, with an array of instances.
module full_adder (input a, b, cin, output sum, cout);
  wire ab, p, g;
  xor x1 (p, a, b);
  xor x2 (sum, p, cin);
  and a1 (g, a, b);
  and a2 (ab, p, cin);
  or  o1 (cout, g, ab);
endmodule

module adder (input [3:0] a, b, input cin, output [3:0] sum, output cout);
  wire [4:0] carry;
  assign carry[0] = cin;
  full_adder bits [3:0] (.a(a), .b(b), .cin(carry[3:0]), .sum(sum), .cout(carry[4:1]));
  assign cout = carry[4];
endmodule
