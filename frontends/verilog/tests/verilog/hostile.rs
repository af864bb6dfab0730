//! Texts that would take forever or all memory: the front end refuses them quickly, with a reason.

use std::time::{Duration, Instant};

use hyperkill_frontend::{Frontend, FrontendOptions, NamePredicate, SourceFile};
use hyperkill_verilog::VerilogFrontend;

/// The time limit for a refusal on a slow machine.
const SOON: Duration = Duration::from_secs(60);

/// Returns the reason why a text is refused; `None` if it is a model.
fn refusal(text: &str) -> Option<String> {
    let start = Instant::now();
    let sources = [SourceFile::new("m.v", text)];
    let found = VerilogFrontend.translate(&sources, &FrontendOptions::default());
    let took = start.elapsed();
    let head: String = text.chars().take(200).collect();
    assert!(took < SOON, "{took:?}: {head}");
    let errors = found.err()?;
    let message = errors[0].message.clone();
    assert_ne!(message, "the translation failed", "{head}");
    Some(message)
}

/// Returns a module with this body.
fn module(inside: &str) -> String {
    format!("module m (input clk, input [7:0] a, output [7:0] y);\n{inside}\nendmodule\n")
}

#[test]
fn sizes_beyond_all_bounds_are_refused() {
    for inside in [
        "wire [1000000000:0] w = 0; assign y = w;",
        "wire [2147483647:-2147483648] w = 0; assign y = w;",
        "reg [7:0] w [1000000000:0]; assign y = w[a];",
        "reg [7:0] w [0:99999][0:99999]; assign y = w[a][a];",
        "assign y = {1000000{a}};",
        "assign y = {1000{{1000{{1000{a}}}}}};",
        "wire [7:0] w; assign w = {1000000000000{1'b1}}; assign y = w;",
        "assign y = 1000000000'd1;",
        "assign y = a[1000000000 +: 1000000000];",
        "wire [65535:0] w = {8192{a}}; wire [65535:0] v = w * w; assign y = v / w;",
    ] {
        assert!(refusal(&module(inside)).is_some(), "{inside}");
    }
    // The value has 32 bits, although the power is large.
    let power = module("parameter P = 2 ** 1000000000; assign y = P;");
    assert_eq!(refusal(&power), None);
}

#[test]
fn loops_without_end_are_refused() {
    let nested: String = (0..6)
        .map(|i| format!("for (i{i} = 0; i{i} < 1000; i{i} = i{i} + 1) begin : b{i}\n"))
        .collect();
    let variables: String = (0..6).map(|i| format!("genvar i{i};\n")).collect();
    let ends = "end\n".repeat(6);
    let generated =
        format!("{variables} generate {nested} wire w; {ends} endgenerate assign y = a;");
    let counters: String = (0..6).map(|i| format!("integer i{i};\n")).collect();
    let executed = format!(
        "{counters} reg [7:0] q; assign y = q; always @* begin q = a; {nested} q = q + 1; {ends} end"
    );
    for inside in [
        generated.as_str(),
        executed.as_str(),
        "genvar i; generate for (i = 0; i < 10; i = i) begin : b end endgenerate assign y = a;",
        "genvar i; generate for (i = 0; i < 1000000000; i = i + 1) begin : b assign y = a; end endgenerate",
        "integer i; reg [7:0] q; assign y = q; always @* begin q = a; i = 0; while (i < 9) q = q + 1; end",
        "reg [7:0] q; assign y = q; always @* begin q = a; repeat (1000000000) q = q + 1; end",
        "reg [7:0] q; assign y = q; always @* begin q = a; forever q = q + 1; end",
    ] {
        assert!(refusal(&module(inside)).is_some(), "{inside}");
    }
}

#[test]
fn what_calls_itself_is_refused() {
    let chain: String = (0..40)
        .map(|i| format!("`define M{i} `M{n} `M{n}\n", n = i + 1))
        .collect();
    let instances: String = (0..30)
        .map(|i| {
            format!(
                "module n{i} (input a); n{n} x (a); n{n} y (a); endmodule\n",
                n = i + 1
            )
        })
        .collect();
    let functions: String = (0..30)
        .map(|i| {
            let n = i + 1;
            format!(
                "function [7:0] f{i}(input [7:0] x); f{i} = f{n}(x) + f{n}(x + 1); endfunction\n"
            )
        })
        .collect();
    let last = "function [7:0] f30(input [7:0] x); f30 = x; endfunction\n";
    for text in [
        format!("`define A `B\n`define B `A\n{}", module("assign y = `A;")),
        format!("`define A(x) `A(x) `A(x)\n{}", module("assign y = `A(1);")),
        format!("{chain}`define M40 1 +\n{}", module("assign y = `M0 1;")),
        module("`include \"m.v\"\nassign y = a;"),
        module("function [7:0] f(input [7:0] x); f = f(x); endfunction assign y = f(a);"),
        module(
            "function integer f(input integer x); f = f(x + 1); endfunction localparam P = f(0); assign y = P;",
        ),
        module(&format!("{functions}{last} assign y = f0(a);")),
        module("m again (clk, a, y);"),
        format!(
            "{instances}module n30 (input a); endmodule\n{}",
            module("n0 x (clk); assign y = a;")
        ),
    ] {
        assert!(refusal(&text).is_some(), "{text}");
    }
}

#[test]
fn deep_nesting_is_read_or_refused() {
    let deep = |open: &str, inside: &str, close: &str, count: usize| {
        format!("{}{inside}{}", open.repeat(count), close.repeat(count))
    };
    for count in [1_000, 100_000] {
        for inside in [
            format!("assign y = {};", deep("(", "a", ")", count)),
            format!("assign y = {};", deep("~", "a", "", count)),
            format!("assign y = {};", deep("{", "a", "}", count)),
            format!("assign y = {};", deep("a ? a : ", "a", "", count)),
            format!("assign y = {};", deep("a + ", "a", "", count)),
            format!(
                "reg [7:0] q; assign y = q; always @* {} ;",
                deep("begin ", "q = a;", " end", count)
            ),
            format!(
                "reg [7:0] q; assign y = q; always @* begin q = a; {} end",
                deep("if (a) ", "q = 1;", "", count)
            ),
            format!(
                "generate {} endgenerate assign y = a;",
                deep("if (1) begin ", "", " end", count)
            ),
        ] {
            let _ = refusal(&module(&inside));
        }
    }
}

#[test]
fn loops_that_come_back_to_where_they_were_are_refused_at_once() {
    for (inside, at) in [
        ("while (1);", "while"),
        ("while (1) q = a;", "while"),
        ("for (i = 0; i < 4; i = i) q = a;", "for"),
        ("for (i = 0; i < 4; i = 1 - i) q = a;", "for"),
        (
            "i = 0; while (i < 9) begin q = a; i = (i + 3) % 7; end",
            "while",
        ),
        (
            "i = 0; while (i < 4) begin : b if (i < 4) disable b; i = i + 1; end",
            "while",
        ),
    ] {
        let text = module(&format!(
            "integer i; reg [7:0] q; assign y = q; always @* begin q = a;\n{inside} end"
        ));
        let sources = [SourceFile::new("m.v", text.as_str())];
        let errors = VerilogFrontend.translate(&sources, &FrontendOptions::default());
        let error = errors.expect_err(inside).remove(0);
        assert!(
            error.message.contains("never ends"),
            "{inside}: {}",
            error.message
        );
        let span = error.span.expect("a place");
        assert!(span.of(&text).starts_with(at), "{inside}");
    }
}

#[test]
fn mutants_that_never_end_are_set_aside_at_once() {
    let text = module(
        "integer i; reg [7:0] q; assign y = q;
         always @* begin q = a; i = 0; while (i < 4) begin q = ~a; i = i + 1; end end",
    );
    let sources = [SourceFile::new("m.v", text)];
    let found = VerilogFrontend.translate(&sources, &FrontendOptions::default());
    let found = found.expect("a design");
    let reasons = found
        .catalogue
        .iter()
        .filter_map(|(_, reason)| reason.as_ref());
    let endless = reasons.filter(|reason| reason.contains("never ends"));
    assert!(endless.count() >= 2);
}

#[test]
fn nested_loops_do_not_turn_for_ever() {
    let nested = |depth: usize, turns: usize, body: &str| {
        let heads = (0..depth).map(|i| format!("for (i{i} = 0; i{i} < {turns}; i{i} = i{i} + 1) "));
        let heads: String = heads.collect();
        module(&format!(
            "integer i0, i1, i2, i3, i4; reg [7:0] q; reg [4095:0] w; assign y = q ^ w;
             always @* begin q = a; w = a; {heads} {body} end"
        ))
    };
    for body in [";", "q = q + 1;", "w = w + a;"] {
        assert!(refusal(&nested(5, 60_000, body)).is_some(), "{body}");
    }
}

#[test]
fn loops_that_every_turn_may_leave_grow_with_their_turns_only() {
    // Pending jumps to the end of the loop cost nothing in later iterations. Otherwise this would take minutes.
    for (leaves, arrives) in [("break", ""), ("continue", ""), ("disable out", " : out")] {
        let text = module(&format!(
            "integer i; reg [7:0] q; assign y = q;
             always @* begin{arrives} q = a; for (i = 0; i < 20000; i = i + 1) begin
             if (q == i[7:0]) {leaves}; q = q + 8'd3; end end"
        ));
        assert_eq!(refusal(&text), None, "{leaves}");
    }
}

/// Returns the number of terms of a model's translation without mutants.
fn terms(text: &str) -> usize {
    let options = FrontendOptions {
        operators: Some(NamePredicate::new(|_| false)),
        ..FrontendOptions::default()
    };
    let found = VerilogFrontend.translate(&[SourceFile::new("m.v", text)], &options);
    found.expect("a design").system.terms.len()
}

#[test]
fn large_texts_make_as_many_terms_as_they_have_parts() {
    let list = |count: usize, part: &dyn Fn(usize) -> String, between: &str| {
        let parts: Vec<String> = (0..count).map(part).collect();
        parts.join(between)
    };
    let concatenation = |count: usize| {
        let parts = list(count, &|i| format!("a[{}]", i * 5 % 8), ",");
        module(&format!("assign y = ^{{{parts}}};"))
    };
    let replication = |count: usize| module(&format!("assign y = ^{{{count}{{a[2:0]}}}};"));
    let bits = |count: usize| {
        let drivers = list(
            count,
            &|i| format!("assign w[{i}] = a[{}];", i * 5 % 8),
            "\n",
        );
        module(&format!(
            "wire [{}:0] w; {drivers} assign y = ^w;",
            count - 1
        ))
    };
    let branches = |count: usize| {
        let branches = list(count, &|i| format!("16'd{i}: q = {};", i * 37 % 256), "\n");
        module(&format!(
            "reg [7:0] q; assign y = q; always @* case ({{a, a}}) {branches} default: q = 0; endcase"
        ))
    };
    let backwards = |count: usize| {
        let wires = list(count, &|i| format!("wire [7:0] w{i};"), "\n");
        let links = |i: usize| match count - 1 - i {
            0 => "assign w0 = a;".to_owned(),
            i => format!("assign w{i} = w{} ^ {i};", i - 1),
        };
        let links = list(count, &links, "\n");
        module(&format!("{wires}\nassign y = w{};\n{links}", count - 1))
    };
    type Text<'a> = &'a dyn Fn(usize) -> String;
    let shapes: [(&str, Text<'_>, usize); 5] = [
        ("concatenation", &concatenation, 1000),
        ("replication", &replication, 1000),
        ("bits driven one by one", &bits, 500),
        ("branches", &branches, 500),
        ("assignments in reverse order", &backwards, 1000),
    ];
    for (what, text, count) in shapes {
        let (small, large) = (terms(&text(count)), terms(&text(4 * count)));
        // Parts are joined as a balanced tree, so an access costs a logarithm.
        assert!(large < 6 * small, "{what}: {small} terms, then {large}");
    }
}

#[test]
fn a_chain_that_is_too_long_is_refused_where_it_is() {
    let links: String = (1..100_000)
        .rev()
        .map(|i| format!("wire w{i}; assign w{i} = w{} ^ a[0];\n", i - 1))
        .collect();
    let text = module(&format!(
        "{links} wire w0; assign w0 = a[1]; assign y = w99999;"
    ));
    let options = FrontendOptions {
        operators: Some(NamePredicate::new(|_| false)),
        ..FrontendOptions::default()
    };
    let errors = VerilogFrontend.translate(&[SourceFile::new("m.v", text.as_str())], &options);
    let error = errors.expect_err("a long chain").remove(0);
    assert!(
        error.message.contains("more than 250000 links"),
        "{}",
        error.message
    );
    let span = error.span.expect("a place");
    assert!(span.of(&text).starts_with('w'), "{}", span.of(&text));
}
