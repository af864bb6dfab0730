//! Forms of SystemVerilog and rare forms of Verilog. Each accepted form has the meaning that yosys gives it, or the meaning of an
//! equivalent plain text. Each refused form is refused at its line with a message that names it.

use hyperkill_tests::miter::proved_equal;
use hyperkill_tests::peers::Yosys;
use hyperkill_tests::verilog::{ours, refused, theirs};

/// A text, with an equivalent plain text if yosys 0.23 does not read the first.
type Form = (&'static str, &'static str);

const VALUES: &[Form] = &[
    ("module m(input [3:0] a, output [7:0] o); assign o = 8'(a) + 6'(a); endmodule", ""),
    (
        "module m(input [3:0] a, b, output [7:0] o, output [3:0] p); assign o = 5'(a + b); assign p = 2'(a * b) ; endmodule",
        "module m(input [3:0] a, b, output [7:0] o, output [3:0] p); wire [4:0] s = a + b; assign o = s;
         wire [1:0] t = a * b; assign p = t; endmodule",
    ),
    ("module m(input [3:0] a, output [7:0] o, p); assign o = signed'(a); assign p = signed'(a) >>> 1; endmodule", ""),
    ("module m(input signed [3:0] a, output [7:0] o); assign o = unsigned'(a); endmodule", ""),
    ("module m #(parameter W = 5)(input [7:0] a, output [7:0] o, p); assign o = W'(a); assign p = (W+1)'(a); endmodule", ""),
    (
        "typedef logic [2:0] t; module m(input [7:0] a, input signed [3:0] s, output [7:0] o, output [31:0] p, q);
         assign o = t'(a); assign p = int'(s); assign q = byte'(a); endmodule",
        "module m(input [7:0] a, input signed [3:0] s, output [7:0] o, output [31:0] p, q);
         assign o = a[2:0]; assign p = s; assign q = {{24{a[7]}}, a}; endmodule",
    ),
    (
        "typedef enum logic [1:0] {A, B, C} t; module m(input [7:0] a, output logic [1:0] o); t s; assign s = t'(a[1:0]); \
        assign o = s; endmodule",
        "module m(input [7:0] a, output [1:0] o); assign o = a[1:0]; endmodule",
    ),
    (
        "module m(input [3:0] a, output o, p); assign o = a inside {1, 3, [7:9], 4'b11?0}; assign p = !(a inside {2}); endmodule",
        "module m(input [3:0] a, output o, p); assign o = a == 1 || a == 3 || (a >= 7 && a <= 9) || a == 12 || a == 14;
         assign p = a != 2; endmodule",
    ),
    (
        "module m(input signed [3:0] a, input [3:0] b, output o); assign o = b > 2 && a inside {[-2:1], -5} || b == 0; endmodule",
        "module m(input signed [3:0] a, input [3:0] b, output o); assign o = b > 2 && (a >= -2 && a <= 1 || a == -5) || b == 0; endmodule",
    ),
    (
        "module m(input [3:0] a, output o, p); assign o = a ==? 4'b1?0?; assign p = a !=? 4'b1x0?; endmodule",
        "module m(input [3:0] a, output o, p); assign o = a[3] & ~a[1]; assign p = ~(a[3] & ~a[1]); endmodule",
    ),
    (
        "typedef logic [4:0] t; typedef struct packed {t a; logic b;} s_t; module m(input [3:0] a, output [7:0] o, p);
         logic [3:0] r [0:2][1:0]; assign o = $bits(a) + $bits(t); assign p = $bits(s_t) + $bits(r) + $bits({a, a}); endmodule",
        "module m(input [3:0] a, output [7:0] o, p); assign o = 9; assign p = 38; endmodule",
    ),
    (
        "module m(input [5:2] a, output [15:0] o, output p, q, output [2:0] n, output [7:0] s); logic [1:0][6:0] r [3:9];
         assign o = $left(a) + 8 * $right(a) + 64 * $size(a) + 512 * $high(a) + 4096 * $low(a);
         assign p = $onehot(a); assign q = $onehot0(a); assign n = $countones(a);
         assign s = $size(r) + $size(r, 2) + $size(r, 3) + $dimensions(r) + $unpacked_dimensions(r) + $increment(r); endmodule",
        "module m(input [5:2] a, output [15:0] o, output p, q, output [2:0] n, output [7:0] s);
         assign o = 5 + 16 + 256 + 2560 + 8192; assign n = a[2] + a[3] + a[4] + a[5];
         assign p = n == 1; assign q = n < 2; assign s = 7 + 2 + 7 + 3 + 1 - 1; endmodule",
    ),
    ("module m #(parameter N = 9)(input [$clog2(N)-1:0] a, output [7:0] o); assign o = a + $clog2(N) + $clog2(1) + \
        $clog2(8); endmodule", ""),
    (
        "module m(input [3:0] a, output [3:0] o); function [3:0] f(input [3:0] x, input [3:0] y = 2); f = x - y; endfunction
         assign o = f(a) ^ f(a, 5); endmodule",
        "module m(input [3:0] a, output [3:0] o); wire [3:0] x = a - 2, y = a - 5; assign o = x ^ y; endmodule",
    ),
    (
        "package p; function automatic logic [3:0] f(logic [3:0] x, logic c); return c ? x + 1 : x; endfunction endpackage
         module m(input [3:0] a, output [3:0] o); assign o = p::f(a, a[0]); endmodule",
        "module m(input [3:0] a, output [3:0] o); assign o = a + a[0]; endmodule",
    ),
    (
        "module m(input [7:0] a, output [7:0] o); function automatic integer fact(input integer n);
         if (n < 2) fact = 1; else fact = n * fact(n - 1); endfunction localparam F = fact(5); assign o = a + F; endmodule",
        "module m(input [7:0] a, output [7:0] o); assign o = a + 120; endmodule",
    ),
    ("module m(input [1:0] a, output reg o); always @* casex ({1'bx, a}) 3'b001: o = 1; default: o = 0; endcase endmodule",
     "module m(input [1:0] a, output o); assign o = a == 1; endmodule"),
];

const PATTERNS: &[Form] = &[
    (
        "typedef struct packed {logic [2:0] x; logic y; logic [1:0] z;} t; module m(input [2:0] a, input b, output [5:0] o, p, q);
         t s; assign s = '{a, b, 2'd1}; assign o = s; t r; always_comb r = '{y: b, default: '1}; assign p = r;
         t n; assign n = '{z: 2, x: a, y: ~b}; assign q = n; endmodule",
        "module m(input [2:0] a, input b, output [5:0] o, p, q); assign o = {a, b, 2'd1}; assign p = {3'b111, b, 2'b11};
         assign q = {a, ~b, 2'd2}; endmodule",
    ),
    (
        "module m(input clk, rst, input [1:0] a, input [3:0] d, output [3:0] o); logic [3:0] r [0:3] = '{1, 2, 3, 4};
         always_ff @(posedge clk) if (rst) r <= '{default: '0}; else r[a] <= d; assign o = r[a]; endmodule",
        "module m(input clk, rst, input [1:0] a, input [3:0] d, output [3:0] o); reg [3:0] r0 = 1, r1 = 2, r2 = 3, r3 = 4;
         always @(posedge clk) if (rst) begin r0 <= 0; r1 <= 0; r2 <= 0; r3 <= 0; end
         else case (a) 0: r0 <= d; 1: r1 <= d; 2: r2 <= d; 3: r3 <= d; endcase
         assign o = a == 0 ? r0 : a == 1 ? r1 : a == 2 ? r2 : r3; endmodule",
    ),
    (
        "module m(input [1:0] a, output [3:0] o, p); localparam logic [3:0] T [0:3] = '{4'd1, 4'd2, 4'd4, 4'd9};
         localparam logic [3:0] U [3:0] = '{0: 7, 3: 8, default: 5}; assign o = T[a]; assign p = U[a]; endmodule",
        "module m(input [1:0] a, output [3:0] o, p); assign o = a == 0 ? 1 : a == 1 ? 2 : a == 2 ? 4 : 9;
         assign p = a == 0 ? 7 : a == 3 ? 8 : 5; endmodule",
    ),
    (
        "module m(input [3:0] d, input [1:0] i, j, output [3:0] o); logic [3:0] r [0:1][3:0];
         assign r = '{'{d, 1, 2, 5}, '{default: 3}}; assign o = r[i[0]][j]; endmodule",
        "module m(input [3:0] d, input [1:0] i, j, output [3:0] o);
         assign o = i[0] ? 3 : j == 3 ? d : j == 2 ? 1 : j == 1 ? 2 : 5; endmodule",
    ),
    (
        "module m(input clk, input [1:0] a, b, input [3:0] d, input c, output [3:0] o); logic [3:0] r [0:3] = '{default: 0}, n [3:0];
         always_comb begin n = c ? r : '{0: d, default: 1}; n[a] = d; end always_ff @(posedge clk) r <= n; assign o = r[b]; endmodule",
        "module m(input clk, input [1:0] a, b, input [3:0] d, input c, output [3:0] o); reg [15:0] r = 0; reg [15:0] n;
         wire [15:0] q = c ? {r[3:0], r[7:4], r[11:8], r[15:12]} : {4'd1, 4'd1, 4'd1, d};
         always @* begin n = q; n[{a, 2'b0} +: 4] = d; end
         always @(posedge clk) r <= {n[3:0], n[7:4], n[11:8], n[15:12]}; assign o = r[{b, 2'b0} +: 4]; endmodule",
    ),
    (
        "module s(input logic [3:0] d [0:1], output logic [3:0] o [0:1]); assign o[0] = d[0] ^ d[1]; assign o[1] = d[1]; endmodule
         module m(input [3:0] a, b, output [3:0] o, p); logic [3:0] x [0:1], y [0:1]; assign x[0] = a; assign x[1] = b;
         s u(.d(x), .o(y)); assign o = y[0]; assign p = y[1]; endmodule",
        "module m(input [3:0] a, b, output [3:0] o, p); assign o = a ^ b; assign p = b; endmodule",
    ),
    (
        "typedef struct packed {logic [3:0] h, l;} n_t; typedef union packed {logic [7:0] b; n_t n;} t;
         module m(input [7:0] a, input [3:0] d, output [3:0] o, output [7:0] p); t u; assign u.b = a; assign o = u.n.h;
         t v; always_comb begin v.b = a; v.n.l = d; end assign p = v; endmodule",
        "module m(input [7:0] a, input [3:0] d, output [3:0] o, output [7:0] p); assign o = a[7:4]; assign p = {a[7:4], d}; endmodule",
    ),
    (
        "typedef struct {logic [2:0] x; logic y;} t; module m(input [2:0] a, input b, output [3:0] o);
         t s; assign s.x = a; assign s.y = b; assign o = {s.x, s.y}; endmodule",
        "module m(input [2:0] a, input b, output [3:0] o); assign o = {a, b}; endmodule",
    ),
    (
        "typedef enum logic [2:0] {A[3], B, C[4:5]} t; module m(input [2:0] a, output o, p, q);
         assign o = a == A1; assign p = a == B; assign q = a == C5; endmodule",
        "module m(input [2:0] a, output o, p, q); assign o = a == 1; assign p = a == 3; assign q = a == 5; endmodule",
    ),
];

const STATEMENTS: &[Form] = &[
    (
        "module m(input [3:0] a, output logic [1:0] o); always_comb case (a) inside 1, 3: o = 1; [7:9]: o = 2; 4'b11?0: o = 3;
         default: o = 0; endcase endmodule",
        "module m(input [3:0] a, output [1:0] o); assign o = a == 1 || a == 3 ? 1 : a >= 7 && a <= 9 ? 2 : a == 12 || a \
        == 14 ? 3 : 0; endmodule",
    ),
    ("module m(input [1:0] a, output logic o); always_comb unique if (a == 0) o = 1; else if (a == 1) o = 0; else o = a[1]; endmodule",
     "module m(input [1:0] a, output o); assign o = a == 0 ? 1 : a == 1 ? 0 : a[1]; endmodule"),
    (
        "module m(input [7:0] a, output logic [7:0] o); always_comb for (int i = 0, j = 7; i < 8; i++, j--) o[i] = a[j]; endmodule",
        "module m(input [7:0] a, output [7:0] o); assign o = {a[0], a[1], a[2], a[3], a[4], a[5], a[6], a[7]}; endmodule",
    ),
    (
        "module m(input [7:0] a, output logic [7:0] o); always_comb begin int i; i = 0; o = a;
         do begin o = o ^ (a >> i); i++; if (a[7]) break; end while (i < 3); end endmodule",
        "module m(input [7:0] a, output [7:0] o); assign o = a[7] ? a ^ a : a ^ a ^ (a >> 1) ^ (a >> 2); endmodule",
    ),
    (
        "module m(input [7:0] a, output logic [7:0] o); always_comb foreach (o[i]) o[i] = a[7 - i]; endmodule",
        "module m(input [7:0] a, output [7:0] o); assign o = {a[0], a[1], a[2], a[3], a[4], a[5], a[6], a[7]}; endmodule",
    ),
    (
        "module m(input clk, rst, input [1:0] a, input [3:0] d, output [3:0] o); logic [1:0][3:0] r [0:1] = '{0, 0};
         always_ff @(posedge clk) if (rst) foreach (r[i, j]) r[i][j] <= 2 * i + j; else r[a[0]][a[1]] <= d; assign o = \
         r[a[1]][a[0]]; endmodule",
        "module m(input clk, rst, input [1:0] a, input [3:0] d, output [3:0] o); reg [15:0] r = 0;
         always @(posedge clk) if (rst) r <= 16'h3210; else r[{a[0], a[1], 2'b0} +: 4] <= d; assign o = r[{a[1], a[0], \
         2'b0} +: 4]; endmodule",
    ),
    ("module m(input signed [3:0] a, output logic signed [3:0] o); always_comb begin o = a; o <<<= 1; o >>>= 1; o <<= 1; \
        o >>= 1; o ^= 3; o |= 1; end endmodule",
     ""),
    (
        "module m(input [3:0] a, output logic [3:0] o); function automatic void f(input [3:0] x); o = x + 1; endfunction
         function int g(input [3:0] x); o = o ^ x; return x; endfunction always_comb begin f(a); void'(g(5)); end endmodule",
        "module m(input [3:0] a, output [3:0] o); wire [3:0] x = a + 1; assign o = x ^ 5; endmodule",
    ),
    ("module m(input [3:0] a, output reg [3:0] y, z); task t(input [3:0] i, output [3:0] o, inout [3:0] s); begin o = i + \
        s; s = s ^ i; end endtask
      always @* begin z = ~a; t(a, y, z); end endmodule", "module m(input [3:0] a, output [3:0] y, z); wire [3:0] n = ~a; \
      assign y = a + n; assign z = n ^ a; endmodule"),
    ("module m(input clk, input [3:0] a, output reg [7:0] o); reg [7:0] r [0:15]; integer i; initial for (i = 0; i < 16; \
        i = i + 1) r[i] = i * i;
      always @(posedge clk) o <= r[a]; endmodule", ""),
    (
        "module m(input clk, a, output reg o = 0); always @(posedge clk) begin o <= a; if (a) $display(\"x %d\", a); \
        $write(\"a\"); $error(\"no\"); end
         initial begin $display(\"hi\"); $finish; end endmodule",
        "module m(input clk, a, output reg o = 0); always @(posedge clk) o <= a; endmodule",
    ),
];

const STRUCTURE: &[Form] = &[
    ("module m(input a, b, c, output y, z); wand y; assign y = a; assign y = b; wor z; assign z = a; assign z = b; assign \
        z = c; endmodule", "module m(input a, b, c, output y, z); assign y = a & b; assign z = a | b | c; endmodule"),
    ("module m(input [3:0] a, b, output [3:0] y); wor [3:0] t; assign t[1:0] = a; assign t[2:1] = b; assign t[3] = a[0]; \
        assign y = t; endmodule", ""),
    ("module m(input a, b, s, output y); wire t; assign t = s ? a : 1'bz; assign t = s ? 1'bz : b; assign y = t; endmodule",
     "module m(input a, b, s, output y); assign y = s ? a : b; endmodule"),
    ("module m(input [3:0] a, b, input s, output [3:0] y); assign y = {4{s}} & t; wire [3:0] t = s ? {a[3:1], b[0]} : {4{1'bz}}; endmodule",
     "module m(input [3:0] a, b, input s, output [3:0] y); assign y = s ? {a[3:1], b[0]} : 0; endmodule"),
    ("module m(input a, b, s, output y, z); bufif1 (y, a, s); bufif0 (y, b, s); notif1 (z, a, s); notif0 (z, b, s); endmodule",
     "module m(input a, b, s, output y, z); assign y = s ? a : b; assign z = ~y; endmodule"),
    ("module m(input a, s, output y, z); tri0 t; tri1 u; assign t = s ? a : 1'bz; assign u = s ? a : 1'bz; assign y = t; \
        assign z = u; endmodule",
     "module m(input a, s, output y, z); assign y = s & a; assign z = ~s | a; endmodule"),
    ("module m(input [3:0] a, b, input c, output [3:0] y, z); and u [3:0] (y, a, b); xor v [0:3] (z, c, a); endmodule",
     "module m(input [3:0] a, b, input c, output [3:0] y, z); assign y = a & b; assign z = a ^ {4{c}}; endmodule"),
    ("module s(input a, input c, output y); assign y = a ^ c; endmodule
      module m(input [3:0] a, input c, output [3:0] y); s u [3:0] (.a(a), .c(c), .y(y)); endmodule",
     "module m(input [3:0] a, input c, output [3:0] y); assign y = a ^ {4{c}}; endmodule"),
    ("module s #(parameter W = 1, V = 2)(input [7:0] a, output [7:0] y); assign y = a + W * V; endmodule
      module m(input [7:0] a, output [7:0] y); s u(a, y); defparam u.W = 5, u.V = 7; endmodule", ""),
    ("module s(input [7:0] a, output [7:0] y); wire [7:0] t = a + 1; assign y = t * 2; endmodule
      module m(input [7:0] a, output [7:0] y, z); s u(a, y); assign z = u.t; endmodule",
     "module m(input [7:0] a, output [7:0] y, z); assign z = a + 1; assign y = z * 2; endmodule"),
    ("module m #(parameter K = 2)(input a, b, output o); generate case (K) 0: assign o = a; 1, 2: begin : two assign o = a & b; end
      default: assign o = b; endcase endgenerate endmodule", ""),
    ("module m #(parameter K = 2)(input a, output o); if (K == 0) begin : z assign o = a; end else if (K == 2) begin : t assign o = ~a; end
      else begin : u assign o = 0; end if (K > 5) $error(\"no\"); else $info(\"yes\"); endmodule",
     "module m(input a, output o); assign o = ~a; endmodule"),
    ("module s #(parameter MODE = \"SLOW\")(input a, output o); generate if (MODE == \"FAST\") assign o = a; else assign \
        o = ~a; endgenerate endmodule
      module m(input a, output o, p); s #(.MODE(\"FAST\")) x(a, o); s y(a, p); endmodule", ""),
    ("module m #(parameter string MODE = \"FAST\")(input a, output o); assign o = MODE == \"FAST\" ? a : ~a; endmodule",
     "module m(input a, output o); assign o = a; endmodule"),
    ("`timescale 1ns/1ps\n`celldefine\nmodule s(input a, output y); assign #1.5ns y = ~a; specify (a => y) = 1; (a *> y) \
        = (1, 2); specparam t = 1; endspecify
      endmodule\n`endcelldefine\nmodule m(input a, output y); timeunit 1ns; s u(a, y); endmodule",
     "module m(input a, output y); assign y = ~a; endmodule"),
    ("`define REG(n) logic n``_q, n``_d;\n`define NAME(x) `\"x`\"\nmodule m(input a, output o, p); `REG(x) assign x_d = \
        a; assign x_q = x_d; assign o = x_q;
      assign p = `NAME(fast) == \"fast\"; endmodule",
     "module m(input a, output o, p); assign o = a; assign p = 1; endmodule"),
    (
        "primitive mux(y, s, a, b); output y; input s, a, b; table\n 0 1 ? : 1;\n 0 0 ? : 0;\n 1 ? 1 : 1;\n 1 ? 0 : 0;\n \
        x 0 0 : 0;\n x 1 1 : 1;\n endtable endprimitive
         primitive one(output y, input a, b, c); table 01b:1; 10?:1; 00?:0; 11?:0; endtable endprimitive
         module m(input s, a, b, output y, z); mux #(1) (y, s, a, b); one u(z, s, a, b); endmodule",
        "module m(input s, a, b, output y, z); assign y = s ? b : a; assign z = s ^ a; endmodule",
    ),
    ("interface bus; logic a; endinterface class c; int x; endclass primitive p(y, a); output y; input a; table 0 : 1; 1 \
        : 0; endtable endprimitive
      program t; endprogram module m(input clk, a, output o); property q; @(posedge clk) a |=> a; endproperty
      clocking cb @(posedge clk); endclocking assign o = a; endmodule",
     "module m(input clk, a, output o); assign o = a; endmodule"),
    ("module m(input clk, a, b, output o); const logic [1:0] K = 2; assert property (@(posedge clk) a |-> b); label: \
        assert property (@(posedge clk) a);
      cover property (@(posedge clk) a); always_comb assert final (a | b); always_comb assert #0 (a | b); assign o = a ^ K[1]; endmodule",
     "module m(input clk, a, b, output o); assign o = ~a; endmodule"),
    ("`default_nettype none\nmodule s(input wire a, output wire y); assign y = ~a; endmodule\n`default_nettype wire\n
      module m(input a, output y); s u(a, t); assign y = t; endmodule", ""),
];

#[test]
fn forms_mean_what_plain_texts_say() {
    let yosys = Yosys::find("forms of Verilog beside yosys");
    let tables = [VALUES, PATTERNS, STATEMENTS, STRUCTURE];
    let mut wrong = Vec::new();
    for (text, twin) in tables.into_iter().flatten() {
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
        "module m(\nbus.slave b, output o); assign o = 1; endmodule",
        2,
        "a port of `bus`, which is no type that is known here: interfaces are not supported",
    ),
    (
        "module m(\n{a, b}, o); input a, b; output o; assign o = a & b; endmodule",
        2,
        "a port that is a concatenation is not supported",
    ),
    (
        "primitive p(q, c, d); output q; reg q; input c, d; table r 0 : ? : 0; r 1 : ? : 1; f ? : ? : -; endtable \
        endprimitive\nmodule m(input c, d, output o);\np u(o, c, d); endmodule",
        3,
        "`primitive p` is not supported",
    ),
    (
        "module m(input [7:0] a, output [3:0] o);\nassign o = {<<{a}}; endmodule",
        2,
        "the target of this streaming concatenation has fewer bits",
    ),
    (
        "module m(input a, output logic [3:0] o);\nalways_comb if (a) o = 3; else\no = 'z; endmodule",
        3,
        "tri-state (`z`) is not supported",
    ),
    (
        "module m(input a, output [3:0] o);\nassign o = 4'd1 + 4'bzzzz; endmodule",
        2,
        "tri-state (`z`) is not supported",
    ),
    (
        "module m(inout a, output o);\nassign o = a; endmodule",
        1,
        "`inout a`: tri-state is not supported",
    ),
    (
        "module m(input a, output y);\ntrireg t; assign t = a; assign y = t; endmodule",
        2,
        "a net that keeps its charge is not supported",
    ),
    (
        "module m(input a, s, output y);\nnmos n(y, a, s); endmodule",
        2,
        "a switch or a weak driver is not supported",
    ),
    (
        "module m(input a, output y);\npullup (y); endmodule",
        2,
        "a switch or a weak driver is not supported",
    ),
    (
        "module m(input a, output o);\nreal r;\nassign o = a; endmodule",
        2,
        "`real` is not supported",
    ),
    (
        "module m(input a, output o);\nevent e;\nassign o = a; endmodule",
        2,
        "`event` is not supported",
    ),
    (
        "module m(input a, output [3:0] o);\nlocalparam Q = 10 * 1.5; assign o = Q; endmodule",
        2,
        "real numbers are not supported",
    ),
    (
        "module m(input a, output reg o);\ninitial\nfork o = a; join endmodule",
        3,
        "`fork` is not supported",
    ),
    (
        "`default_nettype none\nmodule s(input wire a, output wire y); assign y = ~a; endmodule\nmodule m(input wire a, \
        output wire y);\ns u(a, t);\nassign y = t; endmodule",
        4,
        "`t` is not declared, and `default_nettype none` says that it must be",
    ),
    (
        "module m(input [3:0] a, output o);\nwire [3:0] b;\nalias b = a; assign o = b[0]; endmodule",
        3,
        "`alias` is not supported",
    ),
    (
        "module m(input a, output o); assign o = a; endmodule\nmodule chk(input a); endmodule\nbind m chk c(.a(a));",
        3,
        "`bind` is not supported",
    ),
    (
        "module m #(parameter int P)(input a, output o);\nassign o = a; endmodule",
        1,
        "nobody sets the parameter `P`, which has no default",
    ),
    (
        "module m(input clk, a, b, output o);\nassert property (@(posedge clk)\na |=> b); assign o = a; endmodule",
        3,
        "`|=>` here in a property is not supported: it relates several steps",
    ),
    (
        "module m #(parameter W = 1)(input a, output o);\nif (W < 2) $error(\"too narrow\"); assign o = a; endmodule",
        2,
        "the design refuses its parameters by `$error`: too narrow",
    ),
    (
        "module m(input a, output [1:0] o);\nwire [1:0] t;\nassign t = '{a, a, a}; assign o = t; endmodule",
        3,
        "the target of this pattern has 2 parts",
    ),
    (
        "module m(input a, output o);\nassign o = '{a} + 1; endmodule",
        2,
        "an assignment pattern is supported only as the value of an assignment",
    ),
    (
        "typedef union packed {logic [7:0] b; logic [3:0] c;} t;\nmodule m(input a, output o); t u; assign o = u.b[0]; endmodule",
        1,
        "a `union` of parts of several widths",
    ),
];

#[test]
fn refusals_name_the_construct_and_its_line() {
    let mut others = Vec::new();
    for (text, line, words) in REFUSED {
        let (found, at) = refused(text);
        if (found.as_str(), at) != (*words, *line) {
            others.push(format!("{found} in line {at}: {text}"));
        }
    }
    assert!(others.is_empty(), "{others:#?}");
}
