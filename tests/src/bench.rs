//! Random netlists in the format of ISCAS'89: all gates, registers, tables and constants, names before their definition.

use std::fmt::Write;

use rand::seq::{IndexedRandom, SliceRandom};
use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;

/// Returns a netlist of a few dozen gates without cycles. The same seed gives the same text on every platform.
#[must_use]
pub fn random_bench(seed: u64) -> String {
    let mut rng = ChaCha8Rng::seed_from_u64(seed);
    let mut nets: Vec<String> = (0..rng.random_range(1..=4))
        .map(|i| format!("in{i}"))
        .collect();
    let mut text = format!("# seed {seed}\n");
    for input in &nets {
        let _ = writeln!(text, "INPUT({input})");
    }
    let registers = rng.random_range(0..=4);
    nets.extend((0..registers).map(|i| format!("G{i}")));
    let mut lines = Vec::new();
    let first = nets.len();
    for i in 0..rng.random_range(1..=20) {
        let (gate, arity) = gate(&mut rng);
        let from: Vec<&str> = (0..arity)
            .map(|_| nets.choose(&mut rng).expect("nets").as_str())
            .collect();
        let to = format!("n{i}");
        lines.push(match arity {
            0 => format!("{to} = {gate}"),
            _ => format!("{to} = {gate}({})", from.join(", ")),
        });
        nets.push(to);
    }
    for i in 0..registers {
        let from = nets.choose(&mut rng).expect("nets");
        lines.push(format!("G{i} = DFF({from})"));
    }
    // Outputs have their own drivers, so that each has a name of its own.
    for i in 0..rng.random_range(1..=3) {
        let from = nets[first..].choose(&mut rng).expect("nets");
        let _ = writeln!(text, "OUTPUT(out{i})");
        lines.push(format!("out{i} = NOT({from})"));
    }
    lines.shuffle(&mut rng);
    for line in lines {
        text += &line;
        text.push('\n');
    }
    text
}

/// Returns the name of a random gate as written before its arguments, and its number of inputs.
fn gate(rng: &mut ChaCha8Rng) -> (String, usize) {
    let many = ["AND", "NAND", "OR", "NOR", "XOR", "XNOR"];
    match rng.random_range(0..12) {
        0 => (["gnd", "vdd"][rng.random_range(0..2)].to_owned(), 0),
        1 | 2 => (["NOT", "BUFF"][rng.random_range(0..2)].to_owned(), 1),
        3 => {
            let inputs = rng.random_range(2..=4);
            let entries = rng.random_range(1..(1_u64 << (1 << inputs)) - 1);
            (format!("LUT 0x{entries:X} "), inputs)
        }
        // Peers support exclusive gates with two inputs only.
        kind => match many[kind % 6] {
            name @ ("XOR" | "XNOR") => (name.to_owned(), 2),
            name => (name.to_owned(), rng.random_range(2..=4)),
        },
    }
}
