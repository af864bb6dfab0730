//! Clocks and resets of a design read as Verilog and as the netlist that yosys makes of it: inferred, requested and refused in the same
//! way.

use std::collections::BTreeSet;

use hyperkill_core::bit_blast::bit_blast;
use hyperkill_frontend::{
    Frontend, FrontendOptions, Hardware, HardwareOptions, NamePredicate, ResetOption, SourceFile,
};
use hyperkill_netlist::NetlistFrontend;
use hyperkill_tests::miter::proved_equal;
use hyperkill_tests::peers::Yosys;
use hyperkill_verilog::VerilogFrontend;

/// Designs with inputs `clk`, `tick`, `rst` and `clear`, with a description of their clocks and resets.
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

/// The designs among these with several clocks, both edges, or a derived clock. The Verilog front end reads them; the netlist front end
/// does not.
const SEVERAL: [&str; 3] = ["both edges", "two clocks", "a made clock"];

fn reset(name: &str, active: Option<bool>, steps: Option<usize>) -> ResetOption {
    ResetOption {
        name: name.to_owned(),
        active,
        steps,
    }
}

/// Returns options of a front end, each with a description.
fn asked() -> Vec<(&'static str, FrontendOptions)> {
    let plain = FrontendOptions::default;
    let resets = |resets: Vec<ResetOption>| FrontendOptions {
        hardware: HardwareOptions {
            resets,
            ..plain().hardware
        },
        ..plain()
    };
    let none = FrontendOptions {
        hardware: HardwareOptions {
            infer_no_resets: true,
            ..plain().hardware
        },
        ..plain()
    };
    let one_clock = FrontendOptions {
        hardware: HardwareOptions {
            one_clock: true,
            ..plain().hardware
        },
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

/// Returns the clocks and resets that a front end finds, or its error. The error is without names of signals that only one of the texts
/// has.
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

/// Returns the netlists that yosys makes of these texts.
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

/// `p` shows the number of active steps of `clear` before the first step; `q` shows whether `rst` is active longer.
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
            operators: Some(NamePredicate::new(|_| false)),
            hardware: HardwareOptions {
                resets: vec![
                    reset("rst", None, Some(long)),
                    reset("clear", None, Some(short)),
                ],
                ..HardwareOptions::default()
            },
            ..FrontendOptions::default()
        };
        let circuit = |frontend: &dyn Frontend, text: &str| {
            let found = frontend.translate(&[SourceFile::new("design", text)], &options);
            let found = found.unwrap_or_else(|errors| panic!("{errors:?}"));
            bit_blast(&found.system).expect("a circuit").model.aig
        };
        let (verilog, other) = (
            circuit(&VerilogFrontend, COUNTED),
            circuit(&NetlistFrontend::Yosys, &netlist),
        );
        proved_equal(&verilog, &other).unwrap_or_else(|what| panic!("{long} {short}: {what}"));
        let resets = verilog.latches().iter().map(|latch| latch.reset);
        first_states.push(resets.collect::<Vec<_>>());
    }
    // Different numbers of reset steps give different first states.
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
    let (mut same, mut refused, mut several) = (0, 0, 0);
    for (((name, _), text), netlist) in DESIGNS.iter().zip(&texts).zip(netlists) {
        for (how, options) in asked() {
            let verilog = seen(&VerilogFrontend, text, &options);
            let other = seen(&NetlistFrontend::Yosys, &netlist, &options);
            if SEVERAL.contains(name) && how != "--one-clock" {
                assert!(other.is_err(), "{name}, {how}");
                several += usize::from(verilog.is_ok());
                continue;
            }
            assert_eq!(verilog, other, "{name}, {how}\n{text}");
            match verilog {
                Ok(_) => same += 1,
                Err(_) => refused += 1,
            }
        }
    }
    println!("{same} alike, {refused} refused alike, {several} as Verilog only");
    assert!(
        same > 40 && refused > 15 && several > 6,
        "{same} {refused} {several}"
    );
}

/// An input that is inferred as a reset, its active level, and the number of its active edges.
type Found = (&'static str, bool, usize);

/// Designs with inputs `clk`, `tick`, `rst` and `clear`, with the reset that is inferred for each, if any.
const FOUND: [(&str, &str, Option<Found>); 15] = [
    (
        "a reset where zeros make all known as soon",
        "always @(posedge clk) if (rst) {p, q} <= 1; else {p, q} <= {tick, clear};",
        Some(("rst", true, 1)),
    ),
    (
        "a reset",
        "always @(posedge clk) if (rst) {p, q} <= 0; else {p, q} <= {q, clear};",
        Some(("rst", true, 1)),
    ),
    (
        "a reset at 0",
        "always @(posedge clk) if (!rst) {p, q} <= 1; else {p, q} <= {~q, p ^ clear};",
        Some(("rst", false, 1)),
    ),
    (
        "a reset that takes its time",
        "always @(posedge clk) begin p <= rst ? 0 : p ^ clear; q <= p ? ~q : q & ~rst & p | q & ~rst; end",
        Some(("rst", true, 2)),
    ),
    (
        "two that make all known, of which one says that it is a reset",
        "always @(posedge clk) if (tick | rst) {p, q} <= 0; else {p, q} <= {q, p} + clear;",
        Some(("rst", true, 1)),
    ),
    (
        "one that says nothing of the kind",
        "always @(posedge clk) if (tick) {p, q} <= {rst, clear};",
        Some(("tick", true, 1)),
    ),
    (
        "one that makes more known than its opposite, and not all",
        "always @(posedge clk) begin p <= rst ? 0 : ~p; if (tick & clear) q <= 0; end",
        Some(("rst", true, 1)),
    ),
    (
        "the same without its name",
        "always @(posedge clk) begin p <= tick ? 0 : ~p; if (rst & clear) q <= 0; end",
        None,
    ),
    (
        "registers that any input makes known",
        "always @(posedge clk) begin p <= tick; q <= p; end",
        None,
    ),
    (
        "registers that begin with a value",
        "initial {p, q} = 0; always @(posedge clk) if (rst) {p, q} <= 0; else {p, q} <= {q, clear};",
        None,
    ),
    (
        "a register without a reset that nobody sees",
        "reg unseen; always @(posedge clk) begin unseen <= ~unseen; if (rst) {p, q} <= 0; else {p, q} <= {q, clear}; end",
        Some(("rst", true, 1)),
    ),
    (
        "a reset at any time beside one at clock steps",
        "always @(posedge clk or posedge rst) if (rst) p <= 0; else p <= q; always @(posedge clk) if (clear) q <= 0; else q <= ~q;",
        Some(("rst", true, 1)),
    ),
    (
        "more edges than are tried",
        "reg [9:0] row; always @(posedge clk) begin row <= {row[8:0], tick & p | ~tick & clear & row[0]}; p <= row[9]; q <= row[8]; end",
        None,
    ),
    (
        "nothing that makes anything known",
        "always @(posedge clk) {p, q} <= {p ^ rst, q ^ clear};",
        None,
    ),
    (
        "no registers",
        "always @* begin p = rst; q = clear; end",
        None,
    ),
];

#[test]
fn a_reset_that_is_found_is_as_if_it_had_been_named_and_none_is_found_if_that_is_said() {
    for (name, body, expected) in FOUND {
        let text =
            format!("module m(input clk, tick, rst, clear, output reg p, q); {body}\nendmodule\n");
        let sources = [SourceFile::new("design.v", text)];
        let translated = |options: &FrontendOptions| {
            let found = VerilogFrontend.translate(&sources, options);
            found.unwrap_or_else(|errors| panic!("{name}: {errors:?}"))
        };
        let options = FrontendOptions::default();
        let hardware = VerilogFrontend.hardware(&sources, &options);
        let hardware = hardware.expect("a design").expect("hardware");
        let resets: Vec<_> = hardware
            .resets
            .iter()
            .map(|reset| (reset.port.as_str(), reset.active, reset.steps))
            .collect();
        assert_eq!(resets, expected.into_iter().collect::<Vec<_>>(), "{name}");
        let found = translated(&options);
        let said = match expected {
            Some((port, active, steps)) => FrontendOptions {
                hardware: HardwareOptions {
                    resets: vec![reset(port, Some(active), Some(steps))],
                    ..HardwareOptions::default()
                },
                ..FrontendOptions::default()
            },
            None => FrontendOptions {
                hardware: HardwareOptions {
                    infer_no_resets: true,
                    ..HardwareOptions::default()
                },
                ..FrontendOptions::default()
            },
        };
        let named = translated(&said);
        let circuit = |system| bit_blast(system).expect("a circuit").model.aig;
        let aig = |system| format!("{:?}", circuit(system));
        assert_eq!(aig(&found.system), aig(&named.system), "{name}");
        assert_eq!(found.catalogue, named.catalogue, "{name}");
        // The messages differ only in the origin of the reset.
        let plain = |notes: &[String]| -> Vec<String> {
            let all = notes.iter().filter(|note| !note.contains("was found"));
            all.cloned().collect()
        };
        assert_eq!(plain(&found.role_notes), plain(&named.role_notes), "{name}");
        assert_eq!(plain(&named.role_notes), named.role_notes, "{name}");
    }
}

#[test]
fn the_same_reset_is_found_in_verilog_and_in_a_netlist() {
    let Some(yosys) = Yosys::find("resets that are found") else {
        return;
    };
    let texts = FOUND.iter().map(|(_, body, _)| {
        format!("module m(input clk, tick, rst, clear, output reg p, q); {body}\nendmodule\n")
    });
    let texts: Vec<String> = texts.collect();
    let netlists = netlists(&yosys, &texts);
    for (((name, ..), text), netlist) in FOUND.iter().zip(&texts).zip(netlists) {
        let options = FrontendOptions::default();
        let verilog = seen(&VerilogFrontend, text, &options);
        let other = seen(&NetlistFrontend::Yosys, &netlist, &options);
        assert_eq!(verilog, other, "{name}\n{text}");
    }
}
