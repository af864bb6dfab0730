// Truth values, bits, reductions and shifts, with spaces and without.
module bits (
  input [3:0] a, b, input p, q, r,
  output both, any, none, all, some, odd, even, nand_, nor_, mixed, packed_, tight, close,
  output [3:0] x, y, z, w, v, u, k, l, m, n, output signed [3:0] down
);
  assign both = p && q && r;
  assign any = p || q;
  assign none = !(p || a);
  assign all = &a;
  assign some = |a;
  assign odd = ^a;
  assign even = ~^a;
  assign nand_ = ~&b;
  assign nor_ = ~|b;
  assign mixed = p & q | r ^ p;
  assign packed_=p&&|a;
  assign tight=q||&b;
  assign close=p&^a;
  assign x = a & b;
  assign y = a | b;
  assign z = a ^ ~b;
  assign w = a ~^ b;
  assign v = ~a;
  assign u=a|&b;
  assign k=a^|b;
  assign l=a&|b;
  assign m=a&~^b;
  assign n = (a << b[1:0]) | (b >> a[1:0]);
  assign down = $signed(a) >>> b[1:0];
endmodule
