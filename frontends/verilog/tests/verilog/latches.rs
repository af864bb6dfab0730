//! Mutants of designs with latches and interfaces: each means the same alone and in the family.

use crate::alone::{Compared, compare};

const LATCHES: [&str; 3] = [
    "module m(input clk, input [3:0] i, output [3:0] o); logic [3:0] r = 1, l = 2, k = 3;
     always_ff @(posedge clk) r <= l + i; always_latch if (i[0]) l = r ^ i; else if (r[1]) l[2:1] <= i[3:2];
     always_latch case (i[3:2]) 0: k = l; 3: k = l - r; default: ; endcase assign o = k + l; endmodule",
    "module m(input clk, e, f, input [1:0] d, output logic [1:0] q); logic [1:0] a = 0, b = 0;
     always_latch begin if (e & ~f) a = d; if (f) a = {a[0], d[0]} & d; end
     always_latch if (e | f) b <= a + d; always_ff @(posedge clk) q <= b; endmodule",
    "module gate(input c, e, output g); logic on; always_latch if (!c) on = e; assign g = c & on; endmodule
     module m(input clk, e, f, input [1:0] d, output logic [1:0] q); logic g; logic [1:0] a = 1;
     gate u(clk, e & ~d[0] | f, g); always_ff @(posedge g) a <= a + d; always_latch if (f) q = a; endmodule",
];

const INTERFACES: [&str; 2] = [
    "interface bus; logic [1:0] d; logic v; function automatic logic f(logic x); return x ^ v; endfunction
     modport s(output d, v); modport t(input d, v, import f); endinterface
     module a(bus.s b, input [1:0] x); assign b.d = x + 1; assign b.v = x[0] & x[1]; endmodule
     module c(bus.t b, output [1:0] y); assign y = b.f(b.d[0]) ? b.d : ~b.d; endmodule
     module m(input [1:0] x, z, output [1:0] y, w); bus i[2](); a u(i[0], x); a v(i[1], z & x); c p(i[0], y); c q(i[1], w); endmodule",
    "interface bus(input logic clk); logic [1:0] q = 0; always_ff @(posedge clk) q <= q + 1; endinterface
     module a(bus b, input x, output [1:0] y); assign y = x ? b.q : b.q - 1; endmodule
     module m(input clk, x, output [1:0] y); bus i(clk); a u(.b(i), .*); endmodule",
];

#[test]
fn mutants_of_latches_and_interfaces_mean_alone_what_they_mean_together() {
    let mut compared = Compared::default();
    for text in LATCHES {
        compare("a design with latches", text, &mut compared);
    }
    for text in INTERFACES {
        compare("a design with interfaces", text, &mut compared);
    }
    assert!(compared.designs > 60, "{}", compared.designs);
}
