//! Latches: random designs with registers and latches compared with Icarus Verilog in each step; refused designs with their messages.

use std::fmt::Write;

use hyperkill_core::bit_blast::bit_blast;
use hyperkill_core::product::Variant;
use hyperkill_core::sim::Simulator;
use hyperkill_frontend::{Frontend, FrontendOptions, NamePredicate, SourceFile};
use hyperkill_tests::peers::Icarus;
use hyperkill_tests::verilog::refused;
use hyperkill_verilog::VerilogFrontend;
use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;

/// The number of designs per simulation (`BATCH`), and of its steps (`STEPS`).
const BATCH: u64 = 25;
const STEPS: usize = 60;

/// Returns a random expression of 8 bits over these signals, nested at most `depth` deep.
fn value(rng: &mut ChaCha8Rng, signals: &[String], depth: usize) -> String {
    let leaf = |rng: &mut ChaCha8Rng| signals[rng.random_range(0..signals.len())].clone();
    if depth == 0 {
        return leaf(rng);
    }
    let a = value(rng, signals, depth - 1);
    let b = leaf(rng);
    match rng.random_range(0..6) {
        0 => format!("({a} + {b})"),
        1 => format!("({a} ^ {b})"),
        2 => format!("({a} & {b})"),
        3 => format!("(~{a} | {b})"),
        4 => format!("({a} - 8'd{})", rng.random_range(0..256)),
        _ => format!("{{{b}[3:0], {b}[7:4]}}"),
    }
}

/// Returns a random design of registers and latches. The enables of latches depend on inputs and registers, and their data on these and
/// on earlier latches. So simulators see no glitches that synthesis does not have.
fn design(seed: u64) -> String {
    let rng = &mut ChaCha8Rng::seed_from_u64(seed);
    let registers = rng.random_range(1..4);
    let latches = rng.random_range(1..4);
    let mut text = format!("module m{seed}(input clk, input [7:0] i, output [7:0] o);\n");
    let stable: Vec<String> = (0..registers)
        .map(|k| format!("r{k}"))
        .chain(["i".to_owned()])
        .collect();
    let all: Vec<String> = (0..latches)
        .map(|k| format!("l{k}"))
        .chain(stable.iter().cloned())
        .collect();
    for k in 0..registers {
        let start = rng.random_range(0..256);
        writeln!(
            text,
            "logic [7:0] r{k} = {start}; always_ff @(posedge clk) r{k} <= {};",
            value(rng, &all, 2)
        )
        .expect("a text");
    }
    for k in 0..latches {
        let start = rng.random_range(0..256);
        let mut before = stable.clone();
        before.extend((0..k).map(|k| format!("l{k}")));
        let enable = |rng: &mut ChaCha8Rng| {
            let signal = &stable[rng.random_range(0..stable.len())];
            format!("{signal}[{}]", rng.random_range(0..8))
        };
        let (first, second) = (enable(rng), enable(rng));
        let (a, b) = (value(rng, &before, 1), value(rng, &before, 1));
        let body = match rng.random_range(0..4) {
            0 => format!("if ({first}) l{k} = {a};"),
            1 => format!("if ({first}) l{k} <= {a}; else if ({second}) l{k} <= {b};"),
            2 => format!("begin if ({first}) l{k}[3:0] = {a}; if ({second}) l{k}[7:4] = {b}; end"),
            _ => format!(
                "case ({{{first}, {second}}}) 0: l{k} = {a}; 3: l{k} = {b}; default: ; endcase"
            ),
        };
        writeln!(text, "logic [7:0] l{k} = {start}; always_latch {body}").expect("a text");
    }
    writeln!(text, "assign o = {};\nendmodule", value(rng, &all, 3)).expect("a text");
    text
}

/// Returns the output of a design in each step, by our front end.
fn ours(text: &str, inputs: &[u8]) -> Vec<u8> {
    let options = FrontendOptions {
        operators: Some(NamePredicate::new(|_| false)),
        ..FrontendOptions::default()
    };
    let found = VerilogFrontend.translate(&[SourceFile::new("m.sv", text)], &options);
    let found = found.unwrap_or_else(|errors| panic!("{errors:?}\n{text}"));
    let model = bit_blast(&found.system).expect("a circuit").model;
    assert!(
        model.choices.is_empty(),
        "everything starts with a known value\n{text}"
    );
    let simulator = Simulator::for_variant(&model, Variant::Original);
    let mut lanes = simulator.lanes::<1>();
    lanes.reset(|_| [0]);
    let port = |name: &str| model.inputs.iter().find(|port| port.name == name);
    let output = model
        .outputs
        .iter()
        .find(|port| port.name == "o")
        .expect("o");
    let mut seen = Vec::new();
    for input in inputs {
        for (at, &bit) in port("i")
            .iter()
            .flat_map(|port| port.bits.iter().enumerate())
        {
            lanes.set_input(bit, [u64::from(input >> at & 1)]);
        }
        lanes.eval();
        let bits = output.bits.iter().enumerate();
        seen.push(
            bits.map(|(at, &bit)| ((lanes.value(model.aig.outputs[bit].lit)[0] & 1) as u8) << at)
                .sum(),
        );
        lanes.step();
    }
    seen
}

/// Returns the output of each design in each step, by Icarus Verilog.
fn theirs(icarus: &Icarus, designs: &[String], inputs: &[u8]) -> Vec<Vec<u8>> {
    let mut text = designs.concat();
    text.push_str("module tb; reg clk = 0; reg [7:0] i = 0;\n");
    for (k, design) in designs.iter().enumerate() {
        let name = design.split(['(', ' ']).nth(1).expect("a name");
        writeln!(text, "wire [7:0] o{k}; {name} u{k}(clk, i, o{k});").expect("a text");
    }
    text.push_str("task step(input [7:0] x); begin i = x; #1;\n");
    for k in 0..designs.len() {
        writeln!(text, "$write(\"%h \", o{k});").expect("a text");
    }
    text.push_str("$display(\"\"); clk = 1; #1; clk = 0; #1; end endtask\ninitial begin #1;\n");
    for input in inputs {
        writeln!(text, "step({input});").expect("a text");
    }
    text.push_str("end endmodule\n");
    let said = icarus
        .run_text(&text)
        .unwrap_or_else(|error| panic!("{error}\n{text}"));
    let rows = said.lines().filter(|line| !line.trim().is_empty());
    let rows: Vec<Vec<u8>> = rows
        .map(|line| {
            let words = line.split_whitespace();
            words
                .map(|word| {
                    u8::from_str_radix(word, 16).unwrap_or_else(|_| panic!("{line}\n{text}"))
                })
                .collect()
        })
        .collect();
    (0..designs.len())
        .map(|k| rows.iter().map(|row| row[k]).collect())
        .collect()
}

/// Compares the designs of these batches with Icarus Verilog. A seed determines all inputs except the first, which is 0.
fn compared(batches: std::ops::Range<u64>) {
    let Some(icarus) = Icarus::find("latches beside Icarus Verilog") else {
        return;
    };
    for batch in batches {
        let designs: Vec<String> = (0..BATCH).map(|k| design(batch * BATCH + k)).collect();
        let mut rng = ChaCha8Rng::seed_from_u64(batch);
        // Before its first step, a simulation has settled with input 0.
        let inputs: Vec<u8> = std::iter::once(0)
            .chain((1..STEPS).map(|_| rng.random()))
            .collect();
        for (text, theirs) in designs.iter().zip(theirs(&icarus, &designs, &inputs)) {
            assert_eq!(ours(text, &inputs), theirs, "{text}");
            // Simulators run `always @*` at the first change only, and so start with other latches.
            let inferred = text.replace("always_latch", "always @*");
            assert_eq!(ours(&inferred, &inputs), theirs, "{inferred}");
        }
    }
}

#[test]
fn latches_are_what_icarus_makes_of_them() {
    compared(0..6);
}

#[test]
fn latches_that_have_no_meaning_are_refused_where_they_are() {
    let loops = "module m(input a, b, output logic q, r);\nalways_latch if (a) q = r; always_latch if (b) r = ~q; endmodule";
    assert!(
        refused(loops).0.contains("depends on itself"),
        "{:?}",
        refused(loops)
    );
    let level = "module m(input clk, d, output logic p, q);\nalways_ff @(posedge clk) p <= d; always_latch if (clk) q = p; endmodule";
    assert!(
        refused(level)
            .0
            .contains("the clock `clk` is read as a value"),
        "{:?}",
        refused(level)
    );
    let comb = "module m(input a, d, output logic q);\nalways_comb if (a) q = d; endmodule";
    assert!(
        refused(comb).0.contains("`always_comb` makes no latch"),
        "{:?}",
        refused(comb)
    );
}
