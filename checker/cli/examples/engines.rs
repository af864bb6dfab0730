//! The engines inside another program: the mutants of a circuit, without a run folder.
//!
//! `cargo run -p hyperkill --example engines`

#![allow(clippy::print_stdout)] // An example shows what it found.

use std::error::Error;

use hyperkill_checker::rounds::{Options, Silent, decide_all};
use hyperkill_core::aiger::{NamesDecide, conditional_mutant, read};
use hyperkill_core::budget::Budget;
use hyperkill_evidence::verdict::Verdict;

/// A lamp with a button. Latches called `mut:…` select mutants: in one the lamp is always on, one is equivalent.
const LAMP: &[u8] = b"\
aag 9 1 3 1 5
2
4 14
6 6 6
8 8 8
18
10 4 3
12 5 2
14 11 13
16 5 7
18 17 17
i0 button
l0 on
l1 mut:stuck
l2 mut:same
o0 lamp
";

/// Returns a line with the verdict for each mutant.
///
/// # Errors
/// If the circuit cannot be read, or evidence does not check.
pub fn verdicts(circuit: &[u8]) -> Result<Vec<String>, Box<dyn Error>> {
    let model = conditional_mutant(read(circuit)?, &NamesDecide)?;
    let options = Options::all(&model);
    // Verdicts leave the checker only after a check of their evidence.
    let report = decide_all(&model, &options, &Budget::unlimited(), &mut Silent)?;
    let lines = report.outcomes.iter().map(|outcome| {
        let said = match &outcome.verdict {
            Verdict::Killed(kill) => {
                let steps = kill.model_run.steps.len();
                format!("killed by a test of length {steps}")
            }
            Verdict::Equivalent(_) => "proved equivalent".to_owned(),
            other => format!("{other:?}"),
        };
        format!("{}: {said}", outcome.mutant)
    });
    Ok(lines.collect())
}

/// Prints the verdicts on the mutants of the lamp.
///
/// # Errors
/// As [`verdicts`].
pub fn main() -> Result<(), Box<dyn Error>> {
    for line in verdicts(LAMP)? {
        println!("{line}");
    }
    Ok(())
}
