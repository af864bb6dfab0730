//! Blocks without memory that assign by `=` and by `<=`. They are read if Icarus and yosys agree on their meaning, and otherwise refused
//! with the reason.
//!
//! Each row has a block, and its meaning as plain blocks.

use hyperkill_frontend::{Frontend, FrontendOptions, NamePredicate, SourceFile};
use hyperkill_tests::miter::proved_equal;
use hyperkill_tests::peers::{Icarus, Yosys};
use hyperkill_tests::random_verilog::{Module, Name};
use hyperkill_tests::verilog::{ours, theirs};
use hyperkill_verilog::VerilogFrontend;

/// The meaning of a block in simulation.
#[derive(Clone, Copy)]
enum Simulated {
    /// The meaning of this block.
    As(&'static str),
    /// A meaning that depends on the past and differs from this block.
    Unlike(&'static str),
    /// The simulation does not end, so it is not run.
    Never,
}

/// A block with its meaning in Icarus and in yosys, and the reason for a refusal.
struct Row {
    block: &'static str,
    simulated: Simulated,
    synthesised: &'static str,
    refused: Option<&'static str>,
}

fn agreed(block: &'static str, plain: &'static str) -> Row {
    Row {
        block,
        simulated: Simulated::As(plain),
        synthesised: plain,
        refused: None,
    }
}

fn refused(
    block: &'static str,
    simulated: Simulated,
    synthesised: &'static str,
    why: &'static str,
) -> Row {
    Row {
        block,
        simulated,
        synthesised,
        refused: Some(why),
    }
}

fn rows() -> Vec<Row> {
    const EITHER: &str = "always @* y = s ? a : b;";
    const THROUGH: &str = "always @* y = a & b | s;";
    const RESTLESS: &str = "never comes to rest";
    const ORDER: &str = "simulators take the first, synthesis the last";
    const UNSEEN: &str = "reads it and does not wait for it";
    const LATCH: &str = "keeps its value in some branch";
    vec![
        agreed("always @* if (s) y <= a; else y = b;", EITHER),
        agreed("always @* if (s) y = a; else y <= b;", EITHER),
        agreed("always @* begin y = b; if (s) y <= a; end", EITHER),
        agreed(
            "always @* begin y = b; y[3] <= a[0]; end",
            "always @* y = {b[7:4], a[0], b[2:0]};",
        ),
        Row {
            // yosys 0.23 crashes on this block.
            synthesised: "",
            ..agreed(
                "always @* begin y = 0; y[a[2:0]] <= s; end",
                "always @* y = s << a[2:0];",
            )
        },
        agreed(
            "reg [7:0] u; always @* begin u <= a & b; y = u | s; end",
            THROUGH,
        ),
        agreed(
            "reg [7:0] u; always @* begin y = u | s; u <= a & b; end",
            THROUGH,
        ),
        agreed(
            "reg [7:0] u; always @(a or b or s or u) begin u <= a & b; y = u | s; end",
            THROUGH,
        ),
        agreed(
            "reg [7:0] u; always @* begin if (s) u = a; else u <= b; y = u; end",
            EITHER,
        ),
        agreed(
            "reg [7:0] u; always @* begin u = b; if (s) u <= a; end always @* y = u;",
            EITHER,
        ),
        agreed(
            "always @* case (a[1:0]) 0: y = b; 1: begin if (s) y <= a; else y = 3; end default: y <= 7; endcase",
            "always @* case (a[1:0]) 0: y = b; 1: y = s ? a : 3; default: y = 7; endcase",
        ),
        refused(
            "always @* begin y <= a; y = b; end",
            Simulated::As("always @* y = a;"),
            "always @* y = b;",
            ORDER,
        ),
        refused(
            "always @* begin y <= b; y = 0; if (s) y <= a; end",
            Simulated::As(EITHER),
            "always @* y = s ? a : 0;",
            ORDER,
        ),
        refused(
            "reg [7:0] u; always @* begin u = a; if (s) u <= b; y = u; end",
            Simulated::Never,
            "always @* y = a;",
            RESTLESS,
        ),
        refused(
            "always @* begin y = a; y <= y ^ b; end",
            Simulated::Never,
            "always @* y = a ^ b;",
            RESTLESS,
        ),
        refused(
            "reg [7:0] u; always @(a or b or s) begin if (s) u = a; else u <= b; y = u; end",
            Simulated::Unlike(EITHER),
            EITHER,
            LATCH,
        ),
        refused(
            "reg [7:0] u; always_comb begin if (s) u = a; else u <= b; y = u; end",
            Simulated::Unlike(EITHER),
            EITHER,
            LATCH,
        ),
        // The block as a mutant; its original has `=`.
        refused(
            "reg [7:0] u; always_comb begin u <= a & b; y = u | s; end",
            Simulated::Unlike(THROUGH),
            THROUGH,
            UNSEEN,
        ),
        refused(
            "reg [7:0] u; always @(a, b, s) begin u <= a & b; y = u | s; end",
            Simulated::Unlike(THROUGH),
            THROUGH,
            UNSEEN,
        ),
    ]
}

fn module(name: &str, block: &str) -> Module {
    let port = |name: &str, width: i64| Name {
        name: name.to_owned(),
        left: width - 1,
        right: 0,
        signed: false,
    };
    let inputs = vec![port("a", 8), port("b", 8), port("s", 1)];
    Module {
        name: name.to_owned(),
        text: format!(
            "module {name} (input [7:0] a, input [7:0] b, input [0:0] s, output reg [7:0] y);\n{block}\nendmodule\n"
        ),
        inputs,
        outputs: vec![port("y", 8)],
        clocked: false,
    }
}

/// Returns the reason why the block is refused or why, as a mutant of the block with `=` in all places, it is set aside.
fn refusal(block: &str) -> String {
    let text = module("m", block).text;
    let translate = |text: &str| {
        let options = FrontendOptions {
            operators: Some(NamePredicate::names(["BNC"])),
            ..FrontendOptions::default()
        };
        VerilogFrontend.translate(&[SourceFile::new("m.v", text)], &options)
    };
    if let Err(errors) = translate(&text) {
        return errors[0].message.clone();
    }
    let at = text.find("<=").expect("a late assignment");
    let found = translate(&text.replacen("<=", "=", 1)).expect("a design");
    let mut mutants = found.catalogue.into_iter();
    let own = mutants.find(|(m, _)| m.place.start == at);
    own.expect("the mutant").1.unwrap_or_default()
}

#[test]
fn blocks_that_mean_the_same_to_all_are_read_and_others_are_refused_with_the_reason() {
    for row in rows() {
        match (row.refused, row.simulated) {
            (Some(why), _) => {
                let reason = refusal(row.block);
                assert!(reason.contains(why), "{}: {reason}", row.block);
            }
            (None, Simulated::As(plain)) => {
                let (mixed, plain) = (module("m", row.block), module("m", plain));
                let equal = proved_equal(&ours(&mixed.text), &ours(&plain.text));
                equal.unwrap_or_else(|error| panic!("{}: {error}", row.block));
            }
            (None, _) => panic!("{} has no meaning", row.block),
        }
    }
}

#[test]
fn yosys_makes_of_them_what_the_table_says() {
    let Some(yosys) = Yosys::find("late assignments beside yosys") else {
        return;
    };
    let known = || rows().into_iter().filter(|row| !row.synthesised.is_empty());
    let texts = |block: fn(&Row) -> &'static str| -> Vec<String> {
        known().map(|row| module("m", block(&row)).text).collect()
    };
    let mixed = theirs(&yosys, &texts(|row| row.block));
    let plain = theirs(&yosys, &texts(|row| row.synthesised));
    for ((row, mixed), plain) in known().zip(&mixed).zip(&plain) {
        let equal = proved_equal(mixed, plain);
        equal.unwrap_or_else(|error| panic!("{}: {error}", row.block));
    }
}

#[test]
fn icarus_makes_of_them_what_the_table_says() {
    let Some(icarus) = Icarus::find("late assignments beside Icarus") else {
        return;
    };
    let run = |block: &str| {
        let module = module("m", block);
        let text = module.text.clone() + &module.bench(&module.stimulus(7, 200));
        let answer = icarus.run_text(&text);
        answer.unwrap_or_else(|error| panic!("{block}: {error}"))
    };
    for row in rows() {
        match row.simulated {
            Simulated::As(plain) => assert_eq!(run(row.block), run(plain), "{}", row.block),
            Simulated::Unlike(plain) => assert_ne!(run(row.block), run(plain), "{}", row.block),
            Simulated::Never => {}
        }
    }
}
