//! Clock and resets of a design are the same whether it is read as Verilog or as the netlist that yosys makes of it: inferred alike, asked
//! for alike, refused alike.

use std::collections::BTreeSet;

use hyperkill_core::bit_blast::bit_blast;
use hyperkill_frontend::{
    Frontend, FrontendOptions, Hardware, NamePredicate, ResetOption, SourceFile,
};
use hyperkill_netlist::YosysFrontend;
use hyperkill_tests::miter::proved_equal;
use hyperkill_tests::peers::Yosys;
use hyperkill_verilog::VerilogFrontend;

/// Designs with inputs `clk`, `tick`, `rst` and `clear`, by what is special about their clocks and resets.
const DESIGNS: [(&str, &str); 13] = [
    ("no clock", "always @* begin p = rst; q = clear; end"),
    (
        "rising",
        "always @(posedge clk) begin p <= rst; q <= clear; end",
    ),
    (
        "falling",
        "always @(negedge clk) begin p <= rst; q <= clear; end",
    ),
    (
        "an inverted clock and the other edge of it",
        "wire other = ~clk; always @(posedge other) p <= rst; always @(negedge clk) q <= clear;",
    ),
    (
        "both edges",
        "always @(posedge clk) p <= rst; always @(negedge clk) q <= clear;",
    ),
    (
        "two clocks",
        "always @(posedge clk) p <= rst; always @(posedge tick) q <= clear;",
    ),
    (
        "a made clock",
        "always @(posedge clk) p <= ~p; always @(posedge p) q <= ~q;",
    ),
    (
        "a gated clock",
        "wire gated = clk & tick; always @(posedge gated) begin p <= rst; q <= clear; end",
    ),
    (
        "a reset at 0",
        "always @(posedge clk or negedge rst) if (!rst) p <= 0; else p <= clear; always @(posedge clk) q <= p;",
    ),
    (
        "a reset at 1, by two inverters",
        "wire a = ~rst; wire b = ~a; \
        always @(posedge clk or posedge b) if (b) {p, q} <= 0; else {p, q} <= {q, clear};",
    ),
    (
        "two resets",
        "always @(posedge clk or negedge rst) if (!rst) p <= 0; else p <= q; \
        always @(posedge clk or posedge clear) if (clear) q <= 1; else q <= p;",
    ),
    (
        "a reset at both levels",
        "always @(posedge clk or negedge rst) if (!rst) p <= 0; else p <= clear; \
        always @(posedge clk or posedge rst) if (rst) q <= 0; else q <= clear;",
    ),
    (
        "a reset at a clock step",
        "always @(posedge clk) if (rst) {p, q} <= 0; else {p, q} <= {q, clear};",
    ),
];

fn reset(name: &str, active: Option<bool>, steps: Option<usize>) -> ResetOption {
    ResetOption {
        name: name.to_owned(),
        active,
        steps,
    }
}

/// Options in words, and as such.
fn asked() -> Vec<(&'static str, FrontendOptions)> {
    let plain = FrontendOptions::default;
    let resets = |resets: Vec<ResetOption>| FrontendOptions { resets, ..plain() };
    let none = FrontendOptions {
        infer_no_resets: true,
        ..plain()
    };
    let one_clock = FrontendOptions {
        one_clock: true,
        ..plain()
    };
    let (longer, later) = (
        reset("rst", None, Some(3)),
        reset("clear", Some(true), Some(2)),
    );
    vec![
        ("nothing", plain()),
        ("--reset none", none),
        ("--one-clock", one_clock),
        (
            "--reset rst=0",
            resets(vec![reset("rst", Some(false), None)]),
        ),
        (
            "--reset rst:3 --reset clear=1:2",
            resets(vec![longer, later]),
        ),
        ("--reset clk", resets(vec![reset("clk", None, None)])),
        ("--reset p", resets(vec![reset("p", None, None)])),
    ]
}

/// Clocks and resets, or what is wrong without the names of signals that only one of the texts has.
fn seen(
    frontend: &dyn Frontend,
    text: &str,
    options: &FrontendOptions,
) -> Result<Hardware, String> {
    let found = frontend.hardware(&[SourceFile::new("design", text)], options);
    let found = found.map_err(|errors| {
        let message = &errors[0].message;
        let words = message.split_whitespace();
        let (_, said): (Vec<&str>, Vec<&str>) = words.partition(|word| word.starts_with('`'));
        said.join(" ").replace("this clock", "the clock")
    });
    let Hardware { clocks, resets, .. } = found?.expect("hardware");
    Ok(Hardware {
        clocks,
        resets,
        ..Hardware::default()
    })
}

/// As netlists, by yosys.
fn netlists(yosys: &Yosys, texts: &[String]) -> Vec<String> {
    let (mut script, mut files, mut results) = (String::new(), Vec::new(), Vec::new());
    for (i, text) in texts.iter().enumerate() {
        files.push((format!("{i}.v"), text.clone().into_bytes()));
        script += &format!(
            "read_verilog {i}.v; prep -flatten -top m; write_json {i}.json; design -reset; "
        );
        results.push(format!("{i}.json"));
    }
    let netlists = yosys.make(&files, &script, &results);
    let netlists = netlists.unwrap_or_else(|error| panic!("{error}"));
    let texts = netlists.into_iter().map(String::from_utf8);
    texts.map(|text| text.expect("JSON is text")).collect()
}

/// How often `clear` is active before the first step shows in `p`, and whether `rst` is active longer shows in `q`.
const COUNTED: &str = "module m(input clk, rst, clear, output reg p, q);
    initial {p, q} = 0;
    always @(posedge clk) begin if (clear) p <= ~p; if (rst & ~clear) q <= ~q; end
    endmodule";

#[test]
fn resets_of_different_lengths_make_the_same_first_state_of_verilog_and_of_a_netlist() {
    let Some(yosys) = Yosys::find("resets of different lengths") else {
        return;
    };
    let netlist = netlists(&yosys, &[COUNTED.to_owned()]).remove(0);
    let mut first_states = Vec::new();
    for (long, short) in [(1, 1), (3, 2), (3, 1), (2, 3), (5, 2)] {
        let options = FrontendOptions {
            resets: vec![
                reset("rst", None, Some(long)),
                reset("clear", None, Some(short)),
            ],
            operators: Some(NamePredicate::new(|_| false)),
            ..FrontendOptions::default()
        };
        let circuit = |frontend: &dyn Frontend, text: &str| {
            let found = frontend.translate(&[SourceFile::new("design", text)], &options);
            let found = found.unwrap_or_else(|errors| panic!("{errors:?}"));
            bit_blast(&found.system).expect("a circuit").model.aig
        };
        let (verilog, other) = (
            circuit(&VerilogFrontend, COUNTED),
            circuit(&YosysFrontend, &netlist),
        );
        proved_equal(&verilog, &other).unwrap_or_else(|what| panic!("{long} {short}: {what}"));
        let resets = verilog.latches().iter().map(|latch| latch.reset);
        first_states.push(resets.collect::<Vec<_>>());
    }
    // They are told apart by how many steps each reset has.
    let different: BTreeSet<String> = first_states.iter().map(|s| format!("{s:?}")).collect();
    assert!(different.len() > 1, "{first_states:?}");
}

#[test]
fn a_design_has_the_same_clocks_and_resets_as_verilog_and_as_a_netlist() {
    let Some(yosys) = Yosys::find("clocks and resets of Verilog and of netlists") else {
        return;
    };
    let texts = DESIGNS.iter().map(|(_, body)| {
        format!("module m(input clk, tick, rst, clear, output reg p, q); {body}\nendmodule\n")
    });
    let texts: Vec<String> = texts.collect();
    let netlists = netlists(&yosys, &texts);
    let (mut same, mut refused) = (0, 0);
    for (((name, _), text), netlist) in DESIGNS.iter().zip(&texts).zip(netlists) {
        for (how, options) in asked() {
            let verilog = seen(&VerilogFrontend, text, &options);
            let other = seen(&YosysFrontend, &netlist, &options);
            assert_eq!(verilog, other, "{name}, {how}\n{text}");
            match verilog {
                Ok(_) => same += 1,
                Err(_) => refused += 1,
            }
        }
    }
    println!("{same} alike, {refused} refused alike");
    assert!(same > 40 && refused > 20, "{same} {refused}");
}
