//! Small random machines, and models read by both procedures.

use std::fmt::Write;

use hyperkill_core::mutant::Mutant;
use hyperkill_frontend::decision::{Decider, Decision, Recheck, Rechecker};
use hyperkill_frontend::{FrontendOptions, NamePredicate, SourceFile, apply};
use hyperkill_timed_fsm::machine::Machine;
use hyperkill_timed_fsm::{Model, read, read_machine};
use hyperkill_timed_fsm_decide::TimedDecision;
use hyperkill_timed_fsm_decide::fault::Fault;
use hyperkill_timed_fsm_recheck::TimedRecheck;
use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;

/// Returns the number of random machines: the value of `HYPERKILL_CASES`, or `usually`.
pub(crate) fn cases(usually: u64) -> u64 {
    let said = std::env::var("HYPERKILL_CASES").ok();
    said.and_then(|cases| cases.parse().ok()).unwrap_or(usually)
}

/// Returns the text of a random machine with few states and short timeouts; some lack transitions on some inputs.
pub(crate) fn random(seed: u64) -> String {
    let mut rng = ChaCha8Rng::seed_from_u64(seed);
    let states = rng.random_range(1..=4);
    let inputs = rng.random_range(1..=2);
    let density = if rng.random_bool(0.6) { 1.0 } else { 0.7 };
    let names = ["a", "b"];
    let mut text = format!(
        "machine m {{ input {}; output x, y; time ms\n",
        names[..inputs].join(", ")
    );
    for state in 0..states {
        write!(text, "  state s{state} {{ ").expect("a string takes all");
        let target = |rng: &mut ChaCha8Rng| format!("s{}", rng.random_range(0..states));
        if inputs == 2 && rng.random_bool(0.3) {
            let output = if rng.random_bool(0.7) { "x" } else { "y" };
            write!(text, "a, b / {output} -> {}; ", target(&mut rng)).expect("a string takes all");
        } else {
            for name in &names[..inputs] {
                if rng.random_bool(density) {
                    let output = if rng.random_bool(0.7) { "x" } else { "y" };
                    write!(text, "{name} / {output} -> {}; ", target(&mut rng))
                        .expect("a string takes all");
                }
            }
        }
        if rng.random_bool(0.6) {
            let after = rng.random_range(1..=4);
            write!(text, "after {after} -> {} ", target(&mut rng)).expect("a string takes all");
        } else if rng.random_bool(0.2) {
            write!(text, "after never -> {}", target(&mut rng)).expect("a string takes all");
        }
        text.push_str("}\n");
    }
    text + "}\n"
}

/// A model that the decision and the recheck have read.
pub(crate) struct Read {
    pub(crate) text: String,
    pub(crate) model: Model,
    pub(crate) decider: Box<dyn Decider>,
    pub(crate) rechecker: Box<dyn Rechecker>,
}

impl Read {
    /// Returns the model with all operators, including those on demand.
    pub(crate) fn new(text: &str, planted: Option<Fault>) -> Read {
        let options = FrontendOptions {
            operators: Some(NamePredicate::new(|_| true)),
            ..FrontendOptions::default()
        };
        Read::with(text, &options, planted)
    }

    pub(crate) fn with(text: &str, options: &FrontendOptions, planted: Option<Fault>) -> Read {
        let sources = [SourceFile::new("m.tfsm", text)];
        let decision = planted.map_or_else(TimedDecision::default, TimedDecision::with_fault);
        let model = read(&sources, options).unwrap_or_else(|errors| panic!("{errors:?}\n{text}"));
        Read {
            text: text.to_owned(),
            model,
            decider: decision.read(&sources, options).expect("a model"),
            rechecker: TimedRecheck.read(&sources, options).expect("a model"),
        }
    }

    /// Returns the machine that is read from the text with the mutant's edit.
    pub(crate) fn machine_of(&self, mutant: &Mutant) -> Machine {
        let text = apply(&self.text, mutant).expect("a place in the text");
        read_machine(&text).expect("a machine")
    }
}
