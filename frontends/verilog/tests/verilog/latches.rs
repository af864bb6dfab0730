//! Latches: their blocks, their warnings, and mutants of designs with latches and interfaces, which mean the same alone and in the family.

use hyperkill_core::product::Variant;
use hyperkill_core::system::Translation;
use hyperkill_frontend::{Diagnostic, Frontend, SourceFile};
use hyperkill_verilog::VerilogFrontend;

use crate::alone::{Asked, Compared, blasted, compare, options, outputs};

const LATCHES: [&str; 5] = [
    "module m(input clk, input [3:0] i, output [3:0] o); logic [3:0] r = 1, l = 2, k = 3;
     always_ff @(posedge clk) r <= l + i; always_latch if (i[0]) l = r ^ i; else if (r[1]) l[2:1] <= i[3:2];
     always_latch case (i[3:2]) 0: k = l; 3: k = l - r; default: ; endcase assign o = k + l; endmodule",
    "module m(input clk, e, f, input [1:0] d, output logic [1:0] q); logic [1:0] a = 0, b = 0;
     always_latch begin if (e & ~f) a = d; if (f) a = {b[0], d[0]} & d; end
     always_latch if (e) b <= d + 1; always_ff @(posedge clk) q <= b ^ a; endmodule",
    "module gate(input c, e, output g); logic on; always_latch if (!c) on = e; assign g = c & on; endmodule
     module m(input clk, e, f, input [1:0] d, output logic [1:0] q); logic g; logic [1:0] a = 1;
     gate u(clk, e & ~d[0] | f, g); always_ff @(posedge g) a <= a + d; always_latch if (f) q = a; endmodule",
    "module gate(input c, e, output g); reg on; always @(c or e) if (!c) on = e; assign g = c & on; endmodule
     module m(input clk, e, f, input [1:0] d, output reg [1:0] q); wire g; reg [1:0] a, t; initial begin a = 1; q = 0; end
     gate u(clk, e & ~d[0] | f, g); always @(posedge g) a <= a + d; always @* begin t = a ^ d; if (f) q = t; end endmodule",
    "module m(input [1:0] s, input [3:0] d, output reg [3:0] q, p, output reg [1:0] r, output reg set);
     initial begin q = 0; p = 0; r = 0; set = 0; end
     always @* begin case (s) 0: q = d; 1: q[2:1] = d[3:2] + 1; endcase p = q ^ d; if (q[0]) r <= d[1:0] - s; end
     always @* set = d[0] | set & ~d[1]; endmodule",
];

fn translate(text: &str, asked: Asked) -> Result<Translation, Vec<Diagnostic>> {
    VerilogFrontend.translate(&[SourceFile::new("m.sv", text)], &options(asked, false))
}

#[test]
fn a_block_that_leaves_a_variable_unassigned_is_the_latch_that_always_latch_makes() {
    let text =
        "module m(input clk, input [3:0] i, output [3:0] o); logic [3:0] r = 1, l = 2, k = 3;
         always_ff @(posedge clk) r <= l + i;
         HEAD if (i[0]) l = r ^ i; else if (r[1]) l[2:1] = i[3:2];
         HEAD begin k[i[1:0]] = i[3]; if (i[2]) k[3] = l[0]; end
         assign o = k + l; endmodule";
    let circuit = |head: &str| {
        let found = translate(&text.replace("HEAD", head), Asked::Alone);
        outputs(&blasted(&found.expect("a design")), Variant::Original, 3)
    };
    let expected = circuit("always_latch");
    for head in ["always @*", "always @(*)", "always @(i or r or l)"] {
        assert_eq!(circuit(head), expected, "{head}");
    }
}

#[test]
fn a_latch_of_such_a_block_is_a_warning_at_the_missing_branch() {
    let body = "
        always @*
          if (e)
            q = d;
        always @* begin
          p = d;
          case (e)
            0: r = d;
            1: p = 0;
          endcase
        end
        always @(e or d) case (e) 1'b1:
          s = d; endcase
        endmodule";
    let text = format!("module m(input e, d, output reg q, p, r, s);{body}");
    let found = translate(&text, Asked::Alone).expect("a design");
    let latches = (found.warnings.iter()).filter(|warning| warning.message.contains("latch"));
    let said: Vec<(usize, &str)> = latches
        .map(|warning| {
            let line = text[..warning.bytes.0].matches('\n').count() + 1;
            let message = warning
                .message
                .strip_suffix(": this is a latch, as in `always_latch`");
            (line, message.expect("the same end"))
        })
        .collect();
    assert_eq!(
        said,
        [
            (3, "`q` keeps its value where this `if` has no `else`"),
            (
                9,
                "`r` keeps its value in this branch, which does not assign it"
            ),
            (12, "`s` keeps its value where this `case` has no `default`"),
        ]
    );
}

#[test]
fn a_block_that_computes_with_a_kept_value_is_no_latch() {
    let kept = "it also computes with the value that it keeps";
    let feeds = "it would feed itself while it is open";
    for (body, message) in [
        ("always @* if (e) q = q + d;", kept),
        ("always @* q = q ^ d;", kept),
        (
            "reg t; always @* begin t = q; if (e) q = d; p = t; end",
            kept,
        ),
        (
            "always @* begin if (e) q = d; p = q; if (d) q = 0; end",
            kept,
        ),
        ("always @(e or d) if (e) q = ~q;", kept),
        ("always_latch if (e) q = q + d;", feeds),
        ("always_latch begin p = q; if (e) q = d; end", feeds),
        ("always_comb if (e) q = d;", "`always_comb` makes no latch"),
        (
            "always @* begin if (e) q = d; if (d) q <= e; end",
            "a variable assigned by `=` and by `<=` makes no latch",
        ),
        (
            "always_latch if (e) q = p; always_latch if (d) p = ~q;",
            "`q` depends on itself through `p`",
        ),
        (
            "always @* if (e) q = p; always @* if (d) p = ~q;",
            "`q` depends on itself through `p`",
        ),
    ] {
        let text = format!("module m(input e, d, output logic q, p);\n{body}\nendmodule");
        let errors = translate(&text, Asked::Alone).expect_err("no latch");
        assert!(errors[0].message.contains(message), "{body}: {errors:?}");
        let line = errors[0]
            .span
            .map(|span| text[..span.start].matches('\n').count() + 1);
        assert_eq!(line, Some(2), "{body}");
    }
}

#[test]
fn a_branch_may_read_the_value_that_it_has_just_kept_or_assigned() {
    let circuit = |body: &str| {
        let ports = "input f, s, g, d, output logic q, p";
        let text = format!("module m({ports}); initial begin q = 0; p = 1; end {body} endmodule");
        let found = translate(&text, Asked::Alone).expect("a design");
        outputs(&blasted(&found), Variant::Original, 4)
    };
    let apart = "always_latch if (f & g & s) q = d; always_latch if (f & g) p = s ? d : q;";
    for head in ["always_latch", "always @*"] {
        let body = format!("{head} if (f) begin if (g) begin if (s) q = d; p = q; end end");
        assert_eq!(circuit(&body), circuit(apart), "{head}");
    }
}

#[test]
fn a_branch_that_the_original_never_takes_makes_no_latch_feed_itself() {
    let text = "module m #(parameter P = 0)(input e, d, output reg q); reg t;
        always @* begin if (P) t = t ^ d; else if (e) t = d; q = P ? e : t; end endmodule";
    let found = translate(text, Asked::Mutants).expect("a design");
    assert!(found.catalogue.iter().any(|(_, reason)| reason.is_none()));
}

#[test]
fn a_mutant_that_feeds_a_latch_by_itself_or_makes_one_is_set_aside_and_the_design_stays() {
    let text = "module m(input e, d, f, output reg q, p);
        always @* q = (q & e) | d;
        always @* if (f) p = d; else p = e;
        endmodule";
    let found = translate(text, Asked::Mutants).expect("a design");
    let reason = |ends: &str| {
        let mut reasons = found
            .catalogue
            .iter()
            .filter_map(|(_, reason)| reason.as_deref());
        reasons.any(|reason| reason.ends_with(ends))
    };
    assert!(reason("it would feed itself while it is open"));
    assert!(reason("it would make a latch of a block that is none"));
    assert!(found.catalogue.iter().any(|(_, reason)| reason.is_none()));
}

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
