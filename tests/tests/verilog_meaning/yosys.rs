//! Verilog compared with yosys: for the designs of `tests/models/verilog`, the circuits of our front end and of yosys are proved equal.
//! For random expressions with random widths and signs, they are compared on random inputs.
//!
//! yosys is searched on the path; without it the tests pass with a printed notice.

use std::collections::BTreeMap;

use hyperkill_core::Aig;
use hyperkill_core::sim::Simulator;
use hyperkill_tests::miter::proved_equal;
use hyperkill_tests::peers::Yosys;
use hyperkill_tests::verilog::{ours, theirs};
use rand::{Rng, RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;

#[test]
fn designs_are_proved_equal_to_what_yosys_reads() {
    let Some(yosys) = Yosys::find("Verilog designs beside yosys") else {
        return;
    };
    let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/models/verilog");
    let entries = std::fs::read_dir(folder).expect("the models are there");
    let mut paths: Vec<_> = entries
        .map(|entry| entry.expect("readable").path())
        .collect();
    paths.sort();
    let texts = paths
        .iter()
        .map(|path| std::fs::read_to_string(path.join("model.v")));
    let texts: Vec<String> = texts.map(|text| text.expect("a model")).collect();
    assert!(texts.len() >= 25);
    // Choices become inputs, since yosys only knows inputs.
    let texts: Vec<String> = texts
        .iter()
        .map(|text| text.replace("hyperkill: nd", ""))
        .collect();
    let mut wrong = Vec::new();
    for ((path, text), circuit) in paths.iter().zip(&texts).zip(theirs(&yosys, &texts)) {
        if path.ends_with(LEFT_OUT) {
            println!("SKIPPED: {LEFT_OUT}, whose task yosys does not call");
            continue;
        }
        if let Err(what) = proved_equal(&ours(text), &circuit) {
            wrong.push(format!("{}: {what}", path.display()));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

/// The name of a design that is left out: yosys 0.23 drops calls of tasks with `inout` arguments, unlike Icarus Verilog and our front end.
const LEFT_OUT: &str = "debouncer";

/// Returns the values of all outputs by name, under 512 valuations of the inputs. Names of inputs and `round` determine these.
fn values(aig: &Aig, round: u64) -> BTreeMap<String, [u64; 8]> {
    let lits = aig.outputs.iter().map(|output| output.lit);
    let simulator = Simulator::compile(aig, lits);
    let mut lanes = simulator.lanes::<8>();
    for (i, input) in aig.inputs().iter().enumerate() {
        let name = input.name.as_deref().unwrap_or_default().bytes();
        let seed = name.fold(round, |hash, byte| {
            (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3)
        });
        let mut rng = ChaCha8Rng::seed_from_u64(seed);
        lanes.set_input(i, std::array::from_fn(|_| rng.next_u64()));
    }
    lanes.eval();
    let outputs = aig.outputs.iter();
    let named = outputs.map(|output| {
        let name = output.name.clone().unwrap_or_default();
        (name, lanes.value(output.lit))
    });
    named.collect()
}

#[test]
fn random_expressions_have_the_values_that_yosys_gives_them() {
    const MODULES: u64 = 4;
    const ROUNDS: u64 = 8;
    let Some(yosys) = Yosys::find("Verilog expressions beside yosys") else {
        return;
    };
    let texts: Vec<String> = (0..MODULES).map(expressions).collect();
    for ((seed, text), circuit) in texts.iter().enumerate().zip(theirs(&yosys, &texts)) {
        let ours = ours(text);
        for round in 0..ROUNDS {
            let (ours, theirs) = (values(&ours, round), values(&circuit, round));
            assert!(ours.len() >= 30);
            assert_eq!(ours, theirs, "seed {seed}\n{text}");
        }
    }
}

/// Returns a module with random inputs and 30 outputs that are random expressions.
fn expressions(seed: u64) -> String {
    let mut rng = ChaCha8Rng::seed_from_u64(seed);
    let mut inputs = Vec::new();
    for i in 0..6 {
        let width: usize = [1, 1, 2, 3, 4, 5, 8, 9][rng.random_range(0..8)];
        inputs.push((format!("i{i}"), width, rng.random_bool(0.5)));
    }
    let mut text = String::from("module t(");
    for (name, width, signed) in &inputs {
        let sign = if *signed { "signed " } else { "" };
        text.push_str(&format!("input {sign}[{}:0] {name}, ", width - 1));
    }
    let outputs: Vec<(usize, bool)> = (0..30)
        .map(|_| {
            (
                [1, 2, 4, 7, 12, 33][rng.random_range(0..6)],
                rng.random_bool(0.3),
            )
        })
        .collect();
    let ports: Vec<String> = (outputs.iter().enumerate())
        .map(|(i, (width, signed))| {
            let sign = if *signed { "signed " } else { "" };
            format!("output {sign}[{}:0] o{i}", width - 1)
        })
        .collect();
    text.push_str(&ports.join(", "));
    text.push_str(");\n");
    for i in 0..outputs.len() {
        let depth = rng.random_range(1..4);
        let value = expression(&mut rng, &inputs, depth);
        text.push_str(&format!("assign o{i} = {value};\n"));
    }
    text.push_str("endmodule\n");
    text
}

fn expression(rng: &mut ChaCha8Rng, inputs: &[(String, usize, bool)], depth: usize) -> String {
    let kind = if depth == 0 {
        rng.random_range(0..3)
    } else {
        rng.random_range(0..14)
    };
    let (name, width, _) = inputs[rng.random_range(0..inputs.len())].clone();
    let inner = |rng: &mut ChaCha8Rng| expression(rng, inputs, depth.saturating_sub(1));
    match kind {
        0 | 1 => name,
        2 => {
            let width = rng.random_range(1..8);
            let value = rng.random_range(0..1u32 << width);
            match rng.random_range(0..3) {
                0 => format!("{width}'d{value}"),
                1 => format!("{width}'sd{value}"),
                _ => value.to_string(),
            }
        }
        3..=6 => {
            let ops = [
                "+", "-", "*", "&", "|", "^", "~^", "<", "<=", ">", ">=", "==", "!=", "&&", "||",
            ];
            let op = ops[rng.random_range(0..ops.len())];
            format!("({} {op} {})", inner(rng), inner(rng))
        }
        7 => {
            let op = ["<<", ">>", ">>>"][rng.random_range(0..3)];
            format!("({} {op} {name})", inner(rng))
        }
        8 => {
            let op = ["~", "-", "+", "!", "&", "|", "^", "~&", "~|", "~^"][rng.random_range(0..10)];
            format!("({op}{})", inner(rng))
        }
        9 => format!("({} ? {} : {})", inner(rng), inner(rng), inner(rng)),
        10 => format!("{{{name}, 2'd{}, $signed({name})}}", rng.random_range(0..4)),
        11 => format!(
            "{}({})",
            ["$signed", "$unsigned"][rng.random_range(0..2)],
            inner(rng)
        ),
        12 => {
            let low = rng.random_range(0..width);
            let high = rng.random_range(low..width);
            format!("{name}[{high}:{low}]")
        }
        _ => {
            let op = ["/", "%"][rng.random_range(0..2)];
            let by = ["3", "5", "4'd7", "5'sd6"][rng.random_range(0..4)];
            format!("({} {op} {by})", inner(rng))
        }
    }
}
