//! Interfaces of SystemVerilog. Each text has the meaning that yosys gives it, or the meaning of an equivalent plain text. Refused texts
//! are refused at their line with a message that names the construct.

use hyperkill_tests::miter::proved_equal;
use hyperkill_tests::peers::Yosys;
use hyperkill_tests::verilog::{ours, refused, theirs};

/// A text, with an equivalent plain text; empty if yosys 0.23 reads the first.
const FORMS: &[(&str, &str)] = &[
    (
        "interface bus; logic [3:0] d; logic v, r; modport src(output d, v, input r); modport snk(input d, v, output r); endinterface
         module a(bus.src b, input [3:0] x, output y); assign b.d = x + 1; assign b.v = x[0]; assign y = b.r; endmodule
         module c(bus.snk b, output [3:0] z); assign b.r = b.v & b.d[3]; assign z = ~b.d; endmodule
         module m(input [3:0] x, output y, output [3:0] z); bus i(); a u(.b(i), .x(x), .y(y)); c w(.b(i), .z(z)); endmodule",
        "",
    ),
    (
        "module m(input [3:0] x, output y, output [3:0] z); a u(.b(i.src), .*); c w(.b(i), .z); bus #(4) i(); endmodule
         module a(bus.src b, input [3:0] x, output y); localparam W = b.W; for (genvar k = 0; k < W; k++) assign b.d[k] = x[W-1-k];
         assign {y, b.v} = {b.r, x[0]}; endmodule
         module c(bus b, output [b.W-1:0] z); assign b.r = b.v & b.d[3]; assign z = ~b.d; endmodule
         interface bus #(parameter W = 2); logic [W-1:0] d; logic v, r; modport src(output d, v, input r); endinterface",
        "module m(input [3:0] x, output y, output [3:0] z); assign y = x[0] & x[0]; assign z = ~{x[0], x[1], x[2], x[3]}; endmodule",
    ),
    (
        "interface bus(input logic c); logic d, q; assign q = d ^ c; function automatic logic f(logic x); return x & d; endfunction
         modport s(input q, c, output d, import f); endinterface
         module a(bus.s p, q, input x, output y, z); assign p.d = x; assign q.d = ~x; assign y = p.q; assign z = p.f(q.q); endmodule
         module m(input c, x, output y, z); bus i(c), j(.c(x)); a u(i, j.s, x, y, z); endmodule",
        "module m(input c, x, output y, z); assign y = x ^ c; assign z = (~x ^ x) & x; endmodule",
    ),
    (
        "interface bus; logic d; endinterface
         module one(bus b, input x); assign b.d = x; endmodule
         module all #(parameter N = 1)(bus b[N], bus t, input [N-1:0] x, output [N-1:0] y);
         for (genvar i = 0; i < N; i++) begin : g one u(b[i], x[i]); assign y[i] = b[i].d ^ t.d; end endmodule
         module m(input [3:0] x, output [2:0] y, output z); bus b[3](); bus t(); one u(t, x[3]); all #(3) v(b, t, x[2:0], y);
         assign z = b[1].d; endmodule",
        "module m(input [3:0] x, output [2:0] y, output z); assign y = x[2:0] ^ {3{x[3]}}; assign z = x[1]; endmodule",
    ),
    (
        "interface bus; logic d; endinterface
         module pair(bus b[2:1], input [1:0] x); assign b[1].d = x[0]; assign b[2].d = x[1]; endmodule
         module m(input [3:0] x, output [3:0] y); bus b[3:0](); pair u(b[3:2], x[3:2]); pair v(.b(b[1:0]), .x(x[1:0]));
         assign y = {b[3].d, b[2].d, b[1].d, b[0].d}; endmodule",
        "module m(input [3:0] x, output [3:0] y); assign y = x; endmodule",
    ),
    (
        "interface types #(parameter W = 2); typedef struct packed {logic [W-1:0] a; logic b;} t; endinterface
         interface bus(types k); typedef k.t t; t d; modport s(output d); endinterface
         module a(types k, bus.s b, input [3:0] x); typedef k.t t; t v; assign v = '{a: x[3:1], b: x[0]}; assign b.d = v; endmodule
         module m(input [3:0] x, output [2:0] y, output z); types #(3) k(); bus i(k); a u(k, i, x); assign y = i.d.a;
         assign z = i.d.b; endmodule",
        "module m(input [3:0] x, output [2:0] y, output z); assign y = x[3:1]; assign z = x[0]; endmodule",
    ),
    (
        "interface bus; logic d; modport s(output d); endinterface
         module a(interface.s b, input x); assign b.d = x; endmodule module c(interface b, output y); assign y = ~b.d; endmodule
         module m(input x, output y); bus i(); a u(i, x); c w(.b(i), .y); endmodule",
        "module m(input x, output y); assign y = ~x; endmodule",
    ),
    (
        "interface bus; logic [1:0] q; endinterface module a(bus b, input clk, x); always_ff @(posedge clk) b.q <= {b.q[0], x}; endmodule
         module m(input clk, x, output [1:0] y); bus i(); a u(.*, .b(i)); assign y = i.q; endmodule",
        "module m(input clk, x, output [1:0] y); reg [1:0] q; always @(posedge clk) q <= {q[0], x}; assign y = q; endmodule",
    ),
    (
        "interface bus #(parameter W = 2); logic [W-1:0] d; logic r; modport s(input d, output r); modport o(output d, input r);
         endinterface module m(bus.s s, bus.o t[2], input c); assign s.r = t[0].r & c; assign t[0].d = s.d;
         assign t[1].d = {2{t[1].r}}; endmodule",
        "module m(input [1:0] \\s.d , output \\s.r , output [1:0] \\t[0].d , input \\t[0].r , output [1:0] \\t[1].d ,
         input \\t[1].r , input c);
         assign \\s.r = \\t[0].r & c; assign \\t[0].d = \\s.d ; assign \\t[1].d = {2{\\t[1].r }}; endmodule",
    ),
    (
        "module a(input x, input [1:0] y = 2, output [2:0] z); assign z = x + y; endmodule
         module m(input x, output [2:0] z, w); a u(.x, .z); a v(.x(x), .y({x, x}), .z(w)); endmodule",
        "module m(input x, output [2:0] z, w); assign z = x + 2; assign w = x + {x, x}; endmodule",
    ),
    (
        "module m(input [7:0] x, output [7:0] z); function automatic shortint unsigned f(shortint unsigned v); typedef shortint unsigned t;
         for (shortint i = 0; i < 2; i++) v = v + t'(x[1:0]); return t'(v); endfunction assign z = f(x); endmodule",
        "module m(input [7:0] x, output [7:0] z); assign z = x + 2 * x[1:0]; endmodule",
    ),
];

#[test]
fn interfaces_mean_what_plain_texts_say() {
    let yosys = Yosys::find("interfaces beside yosys");
    let mut wrong = Vec::new();
    for (text, twin) in FORMS {
        let found = ours(text);
        let plain = if twin.is_empty() { text } else { twin };
        if !twin.is_empty()
            && let Err(what) = proved_equal(&found, &ours(twin))
        {
            wrong.push(format!("{what}\n{text}"));
        }
        if let Some(yosys) = &yosys
            && let Err(what) = proved_equal(&found, &theirs(yosys, &[(*plain).to_owned()])[0])
        {
            wrong.push(format!("{what}, by yosys\n{text}"));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

/// Refused texts, with the line and a part of the message.
const REFUSED: &[(&str, usize, &str)] = &[
    (
        "interface bus; logic a; endinterface\nmodule m(bus b, output o); assign o = b.a; endmodule",
        2,
        "`b` of the top module has no modport: which signals are its inputs is not known",
    ),
    (
        "interface bus; logic a; endinterface\nmodule m(interface b, output o); assign o = b.a; endmodule",
        2,
        "`b` of the top module may be any interface",
    ),
    (
        "interface bus; logic a; endinterface\nmodule s(bus.x b); endmodule\nmodule m(output o); bus b(); s u(b); endmodule",
        2,
        "`bus` has no modport `x`",
    ),
    (
        "interface bus; logic a; endinterface interface other; endinterface\nmodule s(bus b); endmodule\n\
         module m(output o); other b(); s u(b); endmodule",
        2,
        "`b` is not connected to an instance of its interface",
    ),
    (
        "interface bus; logic a; endinterface module s(bus b[1:0]); endmodule\nmodule m(output o); bus b[2](); s u(b); endmodule",
        1,
        "the bounds of `b` go the other way round than what it is connected to",
    ),
    (
        "interface bus; logic a; endinterface module s(bus b); endmodule\nmodule m(input x, output o);\ns u(.b(x)); endmodule",
        3,
        "`b` must be connected to an instance of an interface",
    ),
    (
        "interface bus; logic a; modport s(.x(a)); endinterface\nmodule m(bus.s b, output o); assign o = b.x; endmodule",
        1,
        "in the interface `bus`: an expression in a `modport` is not supported",
    ),
    (
        "interface bus; logic a; modport s(input a); endinterface\nmodule m(bus.s b, output o);\nassign b.a = 1; assign o = b.a; endmodule",
        3,
        "`b.a` is an input, but it is driven here",
    ),
];

#[test]
fn what_interfaces_may_not_be_is_refused_where_it_is() {
    let mut others = Vec::new();
    for (text, line, words) in REFUSED {
        let (found, at) = refused(text);
        if (found.as_str(), at) != (*words, *line) {
            others.push(format!("{found} in line {at}: {text}"));
        }
    }
    assert!(others.is_empty(), "{others:#?}");
}
