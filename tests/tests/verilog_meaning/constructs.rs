//! Constructs of Verilog and SystemVerilog one by one, compared with Icarus Verilog if it supports them, otherwise with yosys, otherwise
//! with an equivalent text without the construct.

use hyperkill_frontend::{Frontend, FrontendOptions, SourceFile};
use hyperkill_tests::icarus::compare;
use hyperkill_tests::miter::proved_equal;
use hyperkill_tests::peers::{Icarus, Yosys};
use hyperkill_tests::random_verilog::{Module, Name};
use hyperkill_tests::verilog::{ours, ours_with, theirs};
use hyperkill_verilog::VerilogFrontend;

/// Returns a module `NAME` with these ports (including `clk` if it is clocked) and this body.
fn module(name: &str, inputs: &[(&str, i64)], outputs: &[(&str, i64)], body: &str) -> Module {
    let port = |(name, width): &(&str, i64)| Name {
        name: (*name).to_owned(),
        left: width - 1,
        right: 0,
        signed: false,
    };
    let ports = |direction: &str, all: &[(&str, i64)]| -> Vec<String> {
        let declared = all
            .iter()
            .map(|(name, width)| format!("{direction} [{}:0] {name}", width - 1));
        declared.collect()
    };
    let mut all = ports("input", inputs);
    all.extend(ports("output", outputs));
    let clocked = body.contains("clk");
    if clocked {
        all.push("input clk".to_owned());
    }
    let (outside, body) = body.split_once("----").unwrap_or(("", body));
    Module {
        name: name.to_owned(),
        text: format!(
            "{outside}\nmodule {name}({});\n{body}\nendmodule\n",
            all.join(", ")
        ),
        inputs: inputs.iter().map(port).collect(),
        outputs: outputs.iter().map(port).collect(),
        clocked,
    }
}

#[test]
fn constructs_mean_what_icarus_makes_of_them() {
    let Some(icarus) = Icarus::find("Verilog constructs beside Icarus") else {
        return;
    };
    let modules = [
        module(
            "left_loop",
            &[("a", 8), ("b", 4)],
            &[("first", 4), ("count", 4)],
            "reg [3:0] f, n; integer i; assign first = f; assign count = n;
             always @* begin
               f = 8; n = 0;
               begin : search
                 for (i = 0; i < 8; i = i + 1) begin : turn
                   if (i == b) disable turn;
                   n = n + 1;
                   if (a[i]) begin f = i; disable search; end
                 end
               end
             end",
        ),
        module(
            "left_task",
            &[("a", 4)],
            &[("o", 4)],
            "reg [3:0] r; assign o = r;
             task low; input [3:0] v; output [3:0] w; begin
               w = 1; if (v[0]) disable low; w = 2; if (v[1]) disable low; w = v;
             end endtask
             always @* low(a, r);",
        ),
        module(
            "remembered_in_a_block",
            &[("d", 3)],
            &[("q", 4)],
            "reg [3:0] r = 0; assign q = r;
             always @(posedge clk) begin : count
               reg [3:0] sum = 3;
               sum = sum + d;
               r <= sum;
             end",
        ),
        module(
            "names_of_values",
            &[("go", 1), ("rst", 1)],
            &[("o", 2), ("busy", 1)],
            "typedef enum logic [1:0] {IDLE, RUN = 2'd2, DONE} state_t;
             state_t state = IDLE, next;
             always_comb begin
               next = state;
               case (state) IDLE: if (go) next = RUN; RUN: next = DONE; default: next = IDLE; endcase
             end
             always_ff @(posedge clk or posedge rst) if (rst) state <= IDLE; else state <= next;
             assign o = state; assign busy = state != IDLE;",
        ),
        module(
            "from_a_package",
            &[("a", 4)],
            &[("o", 4), ("p", 4)],
            "package numbers; parameter STEP = 3; typedef logic [3:0] nibble; endpackage ----
             import numbers::*;
             nibble n; assign n = a + STEP; assign o = n; assign p = a - numbers::STEP;",
        ),
        module(
            "counted",
            &[("a", 8)],
            &[("o", 4), ("z", 6)],
            "logic [3:0] n; assign o = n; assign z = '1;
             always_comb begin n = '0; for (int i = 0; i < 8; i++) if (a[i]) n += 1; end",
        ),
        module(
            "sized_constants",
            &[("a", 8)],
            &[("o", 8)],
            "localparam [7:0] SUM = 4'd15 + 4'd1; localparam signed [7:0] LESS = -4'sd3; assign o = a + SUM + LESS;",
        ),
        module(
            "powers",
            &[("a", 3), ("n", 2), ("e", 3)],
            &[("o", 8), ("p", 8), ("q", 8), ("r", 8)],
            "assign o = a ** n; assign p = $signed(a) ** $signed(e); assign q = a ** 3 + 3 ** n; assign r = $signed(a) ** n;",
        ),
        module(
            "none_of_it",
            &[("a", 3)],
            &[("o", 3)],
            "parameter N = 0; assign o = {{N{1'b1}}, a};",
        ),
    ];
    let compared = compare(&icarus, &modules, 60);
    assert!(compared.wrong.is_empty(), "{}", compared.wrong.join("\n"));
    assert_eq!(compared.open, 0);
    assert!(compared.known > 2_500, "{}", compared.known);
}

#[test]
fn constructs_mean_what_yosys_makes_of_them() {
    let Some(yosys) = Yosys::find("Verilog constructs beside yosys") else {
        return;
    };
    let texts = [
        "typedef enum logic [1:0] {A, B, C} t;
         module m(input clk, input [1:0] d, output logic [1:0] q);
         t s; always_ff @(posedge clk) if (d == 3) s <= C; else s <= d; assign q = s; endmodule",
        "module add(input [3:0] a, input [3:0] b, output [4:0] sum); assign sum = a + b; endmodule
         module m(input [3:0] a, input [3:0] b, output [4:0] sum); add one(.*); endmodule",
        "module add(input [3:0] a, input [3:0] b, output [4:0] sum); assign sum = a - b; endmodule
         module m(input [3:0] a, input [3:0] b, output [4:0] sum); add one(.a, .sum, .b(b)); endmodule",
        "module m(input [1:0] s, input [3:0] a, output reg y);
         always @* unique case (s) 0: y = a[0]; 1: y = a[1]; 2: y = a[2]; 3: y = a[3]; endcase endmodule",
        "module m(input clk, input [2:0] d, output reg [3:0] q);
         always @(posedge clk) begin : keep reg [3:0] sum; sum = sum + d; q <= sum; end endmodule",
        // One unsigned label makes all labels and the subject unsigned.
        "module m(input signed [0:0] b, output reg [3:0] q, output reg [3:0] p);
         always @* begin q = 0; p = 0; casex (b) 4'b000?: q = 1; 2'sd3: q = 2; 1'b1: q = 3; endcase
         case (b) 4'b0001: p = 1; 2'sd3: p = 2; 1'b1: p = 3; endcase end endmodule",
        "module m(input [7:0] a, input r, output [7:0] o); assign o = (r == 1) ? a : (r == 0) ? ~a : 8'h55; endmodule",
        // Powers of constants; yosys makes no gates of other powers.
        "module m #(parameter W = 3, parameter D = 2 ** W) (input [2:0] b, output [7:0] o, output [7:0] p, output signed \
        [15:0] r, output [7:0] t);
         localparam signed N = -3; assign o = 2 ** b; assign p = b + D; assign r = N ** 3;
         assign t = b + 2 ** -1 + (-1) ** -3 + 1 ** -2; endmodule",
        // Ports that drive slices; bits and elements indexed by a variable of `generate`.
        "module s(input a, output [1:0] o); assign o = {a, ~a}; endmodule
         module m(input [3:0] x, output [7:0] y, output [7:0] z);
         wire [1:0] one [0:3]; wire [1:0] two [0:7]; genvar i;
         generate for (i = 0; i < 4; i = i + 1) begin : g
           s u (.a(x[i]), .o(y[2*i +: 2])); s w (x[i], one[(i + 1) % 4]); s t (.a(x[3 - i]), .o(two[2*i]));
           assign z[2*i + 1 : 2*i] = one[i] ^ two[2*i];
         end endgenerate endmodule",
        "`define LOW 5\n`define HIGH 3c\nmodule m(input clk, input rst, input [2:0] d, input [3:0] n, output reg [3:0] q, \
        output reg [7:0] k);
         always @(posedge clk or negedge rst) begin : all integer i;
           if (!rst) begin for (i = 0; i < 4; i = i + 1) q[i] <= i[0]; k <= 8'd`LOW; end
           else begin for (i = 0; i < 3; i = i + 1) q[i] <= d[2 - i] ^ q[i + 1]; k <= k + 8'h`HIGH + n[$clog2(12 / 3) +: 2]; end
         end endmodule",
        "module m(input [2:0] s, input [3:0] a, output reg y, output reg z);
         always @* casez (s) 3'b0??: y = a[0]; 3'b1?0: y = a[1]; 3'b111: y = a[2]; 3'b101: y = a[3]; endcase
         always @* casex (s[1:0]) 2'b0x: z = a[0]; 2'b1x: z = a[1]; endcase endmodule",
        // A division by 0 is unknown, which matters only if it is used.
        "module m #(parameter S = 8, parameter M = 0, parameter KW = S / M, parameter R = S % M) (input [7:0] a, output [7:0] y);
         generate if (M > 0) assign y = a << KW; else if (KW) assign y = a + R; else assign y = ~a; endgenerate endmodule",
        "module m(input clk, input [3:0] a, input b, output reg [3:0] q = 0, output reg [3:0] p = 0);
         always @(posedge clk) begin q <= $past(a); p <= {$past(b, 3), $stable(a), $rose(b), $fell(b)}; end endmodule",
    ];
    let texts: Vec<String> = texts.iter().map(|text| (*text).to_owned()).collect();
    for (text, circuit) in texts.iter().zip(theirs(&yosys, &texts)) {
        if let Err(what) = proved_equal(&ours(text), &circuit) {
            panic!("{what}\n{text}");
        }
    }
}

/// Texts, each with an equivalent one.
const TWINS: [(&str, &str); 13] = [
    (
        "module m(input [7:0] a, output logic [3:0] o);
         always_comb begin o = 8; for (int i = 0; i < 8; i++) if (a[i]) begin o = i; break; end end endmodule",
        "module m(input [7:0] a, output reg [3:0] o); integer i;
         always @* begin o = 8; begin : s for (i = 0; i < 8; i = i + 1) if (a[i]) begin o = i; disable s; end end end endmodule",
    ),
    (
        "module m(input [7:0] a, output logic [3:0] o);
         always_comb begin o = 0; for (int i = 0; i < 8; i++) begin if (a[i]) continue; o = o + i; if (o > 9) break; end end endmodule",
        "module m(input [7:0] a, output reg [3:0] o); integer i;
         always @* begin o = 0; begin : s for (i = 0; i < 8; i = i + 1) begin : t
           if (a[i]) disable t; o = o + i; if (o > 9) disable s; end end end endmodule",
    ),
    (
        "module m(input [7:0] a, output [3:0] o);
         function [3:0] f(input [7:0] v); begin f = 1; if (v[7]) return 3; if (v[6]) begin f = 5; return; end return v[3:0]; end endfunction
         assign o = f(a) + f(~a); endmodule",
        "module m(input [7:0] a, output [3:0] o);
         function [3:0] f(input [7:0] v); f = v[7] ? 3 : v[6] ? 5 : v[3:0]; endfunction
         assign o = f(a) + f(~a); endmodule",
    ),
    (
        "module m(input clk, input [3:0] a, output reg [3:0] q);
         always @(posedge clk) begin while (1) begin q <= a; if (a[0]) break; q <= q + 1; if (a[1]) break; q <= 0; break; \
         end end endmodule",
        "module m(input clk, input [3:0] a, output reg [3:0] q);
         always @(posedge clk) q <= a[0] ? a : a[1] ? q + 1 : 0; endmodule",
    ),
    (
        "module m(input clk, input [7:0] d, input [1:0] i, input [2:0] k, output [7:0] o, output p, output [15:0] r);
         logic [3:0][7:0] a = 32'h01020304; logic [0:1][3:0] up = 8'h5a;
         always @(posedge clk) begin a[i] <= d; up[i[0]][k[1:0]] <= d[0]; a[2][3:0] <= k; end
         assign o = a[i] ^ up; assign p = a[i][k]; assign r = a[2:1]; endmodule",
        "module m(input clk, input [7:0] d, input [1:0] i, input [2:0] k, output [7:0] o, output p, output [15:0] r);
         reg [31:0] a = 32'h01020304; reg [7:0] up = 8'h5a;
         always @(posedge clk) begin a[{i, 3'b0} +: 8] <= d; up[{~i[0], k[1:0]}] <= d[0]; a[19:16] <= k; end
         assign o = a[{i, 3'b0} +: 8] ^ up; assign p = a[{i, k}]; assign r = a[23:8]; endmodule",
    ),
    (
        "module m(input clk, input [7:0] d, input [1:0] k, output [6:0] o, output v);
         typedef struct packed { logic [3:0] high; logic valid; logic [2:0] low; } word_t;
         word_t w; word_t r = 8'h00; assign w = d;
         always @(posedge clk) begin r.valid <= w.high[k]; r.high <= w.high + w.low; r.low[1:0] <= k; end
         assign o = {r.high, r.low}; assign v = r.valid; endmodule",
        "module m(input clk, input [7:0] d, input [1:0] k, output [6:0] o, output v);
         reg [7:0] r = 0;
         always @(posedge clk) begin r[3] <= d[4 + k]; r[7:4] <= d[7:4] + d[2:0]; r[1:0] <= k; end
         assign o = {r[7:4], r[2:0]}; assign v = r[3]; endmodule",
    ),
    (
        "package p; localparam W = 5; typedef struct packed { logic [W-1:0] a; logic b; } w_t;
           function w_t next(input w_t w); next = w; next.a = w.a + {4'b0, w.b}; endfunction endpackage
         module m import p::*; (input w_t i, output p::w_t o, output [4:0] n); assign o = next(i); assign n = p::W; endmodule",
        "module m(input [5:0] i, output [5:0] o, output [4:0] n); wire [4:0] a = i[5:1] + i[0];
         assign o = {a, i[0]}; assign n = 5; endmodule",
    ),
    (
        "typedef enum {RED, GREEN, BLUE} color;
         module m(input [1:0] a, output logic [31:0] o);
         color c [0:1]; assign c[0] = GREEN; assign c[1] = BLUE;
         always_comb begin automatic int n = 3; priority if (a[0]) n = c[0]; else if (a[1]) n = c[1]; o = n; end endmodule",
        "module m(input [1:0] a, output [31:0] o); assign o = a[0] ? 1 : a[1] ? 2 : 3; endmodule",
    ),
    (
        "module m(input clk, input [3:0] a, output [7:0] o);
         struct packed { logic [1:0][3:0] n; } s; always_ff @(posedge clk) begin s.n[0] <= a; s.n[1] <= s.n[0]; end
         assign o = s; endmodule",
        "module m(input clk, input [3:0] a, output reg [7:0] o); always @(posedge clk) o <= {o[3:0], a}; endmodule",
    ),
    (
        "typedef struct packed { logic [2:0] x; logic v; } pair_t;
         module queue #(parameter int D = 2, parameter type T = logic [7:0], localparam type P = logic [D-1:0])
           (input clk, input T d, input we, output T q, output P w);
           T mem [0:D-1]; initial begin for (int i = 0; i < D; i++) mem[i] = 0; end
           P at = 1; always @(posedge clk) if (we) begin mem[at] <= d; at <= ~at; end
           assign q = mem[at]; assign w = $bits(T) + at; endmodule
         module m(input clk, input [3:0] p, input we, output [3:0] q, output [7:0] r, output [4:0] s, output [1:0] w);
           pair_t o; assign q = {o.v, o.x}; wire [1:0] x, y;
           queue #(.D(2), .T(pair_t)) f(clk, p, we, o, w);
           queue g(.clk, .d({p, p}), .we, .q(r), .w(x)); queue #(2, logic [4:0]) h(clk, p, we, s, y); endmodule",
        "module queue #(parameter W = 8) (input clk, input [W-1:0] d, input we, output [W-1:0] q, output [1:0] w);
           reg [W-1:0] mem [0:1]; initial begin mem[0] = 0; mem[1] = 0; end
           reg [1:0] at = 1; always @(posedge clk) if (we) begin mem[at] <= d; at <= ~at; end
           assign q = mem[at]; assign w = W + at; endmodule
         module m(input clk, input [3:0] p, input we, output [3:0] q, output [7:0] r, output [4:0] s, output [1:0] w);
           wire [3:0] o; assign q = {o[0], o[3:1]}; wire [1:0] x, y;
           queue #(4) f(clk, p, we, o, w); queue #(8) g(clk, {p, p}, we, r, x); queue #(5) h(clk, p, we, s, y); endmodule",
    ),
    (
        "module m(input [2:0] a, input signed [2:0] s, input [1:0] n, input signed [2:0] e, output [7:0] o, output signed [7:0] p);
         assign o = a ** n; assign p = (s == 0 && e < 0) ? 8'sd0 : s ** e; endmodule",
        "module m(input [2:0] a, input signed [2:0] s, input [1:0] n, input signed [2:0] e, output [7:0] o, output signed [7:0] p);
         wire [7:0] w = a; wire signed [7:0] v = s;
         assign o = n == 0 ? 1 : n == 1 ? w : n == 2 ? w * w : w * w * w;
         assign p = e == 0 ? 8'sd1 : e == 1 ? v : e == 2 ? v * v : e == 3 ? v * v * v
           : v == 1 ? 8'sd1 : v == -1 ? (e[0] ? -8'sd1 : 8'sd1) : 8'sd0; endmodule",
    ),
    (
        "module m(input clk, input [3:0] a, output reg [3:0] q = 0, output reg c = 0);
         always @(posedge clk) begin q <= $past(a, 2); c <= $changed(a[3:1]); end endmodule",
        "module m(input clk, input [3:0] a, output reg [3:0] q = 0, output reg c = 0); reg [3:0] x, y; reg [2:0] z;
         always @(posedge clk) begin x <= a; y <= x; z <= a[3:1]; q <= y; c <= a[3:1] != z; end endmodule",
    ),
    (
        "module s(input a, output reg [1:0] o [0:1]); always @* begin o[0] = {a, ~a}; o[1] = {a, a}; end endmodule
         module m(input [1:0] x, output [7:0] y); wire [1:0] all [0:1][0:1]; genvar i;
         generate for (i = 0; i < 2; i = i + 1) begin : g s v(.a(x[i]), .o(all[1 - i])); end endgenerate
         assign y = {all[0][0], all[0][1], all[1][0], all[1][1]}; endmodule",
        "module m(input [1:0] x, output [7:0] y);
         assign y = {x[1], ~x[1], x[1], x[1], x[0], ~x[0], x[0], x[0]}; endmodule",
    ),
];

#[test]
fn refusals_name_what_is_written() {
    for (inside, expected) in [
        (
            "assert property (@(posedge clk) a |=> a);",
            "`|=>` here in a property",
        ),
        ("assert property (@(posedge clk) a ##1 a);", "`##` here"),
        ("assert property ($stable(a));", "`$stable` outside of"),
        (
            "reg [3:0] r; always @(posedge clk) begin r = a; o <= $past(r); end",
            "`$past` of `r`",
        ),
        (
            "always @* o = a ** {4{a}};",
            "with an exponent of 16 bits that is not constant",
        ),
        (
            "parameter W = 8 / 0; always @* o = a[W-1:0];",
            "must not be unknown",
        ),
    ] {
        let text = format!(
            "module m(input clk, input [3:0] a, output reg [1023:0] o); {inside} endmodule"
        );
        let files = [SourceFile::new("m.v", text.as_str())];
        let errors = VerilogFrontend.translate(&files, &FrontendOptions::default());
        let error = errors.expect_err(inside).remove(0);
        assert!(
            error.message.contains(expected),
            "{inside}: {}",
            error.message
        );
        assert!(error.span.is_some(), "{inside}");
    }
}

#[test]
fn jumps_mean_what_plain_texts_say() {
    for (text, twin) in TWINS {
        if let Err(what) = proved_equal(&ours(text), &ours(twin)) {
            panic!("{what}\n{text}");
        }
    }
}

#[test]
fn contents_of_memories_come_from_files_beside_the_source() {
    let text = "module m(input [1:0] a, output [7:0] o, output [2:0] p);
        reg [7:0] m [0:3]; reg [2:0] n [3:0];
        initial begin $readmemh(\"m.hex\", m); $readmemb(\"n.bin\", n, 1, 2); n[0] = 7; n[3] = 0; end
        assign o = m[a]; assign p = n[a]; endmodule";
    let files = [
        ("m.hex", "// words\n0a 1_1 /* one\nmore */ @3 ff @2 7"),
        ("n.bin", "101\n010"),
    ];
    let twin = "module m(input [1:0] a, output [7:0] o, output [2:0] p);
        assign o = a == 0 ? 8'h0a : a == 1 ? 8'h11 : a == 2 ? 8'h07 : 8'hff;
        assign p = a == 0 ? 7 : a == 1 ? 5 : a == 2 ? 2 : 0; endmodule";
    assert_eq!(proved_equal(&ours_with(text, &files), &ours(twin)), Ok(()));
}
