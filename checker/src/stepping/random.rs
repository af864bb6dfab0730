//! Small random systems for the tests of this module.

use hyperkill_core::aig::{Aig, Reset};
use hyperkill_core::conditional::{Port, SelectorLatch};
use hyperkill_core::mutant::MutantId;
use hyperkill_core::sort::Sort;
use hyperkill_core::trace::Stimulus;
use hyperkill_core::{ConditionalMutant, Lit};
use rand::RngExt;
use rand_chacha::ChaCha8Rng;

pub(crate) fn port(name: &str, bit: usize) -> Port {
    Port {
        name: name.into(),
        sort: Sort::Bit,
        bits: vec![bit],
    }
}

/// Returns a system with one input, `choices` choices, `latches` latches of all resets, two outputs, and sometimes a constraint.
pub(crate) fn random(rng: &mut ChaCha8Rng, choices: usize, latches: usize) -> ConditionalMutant {
    let mut aig = Aig::new();
    let mut lits: Vec<Lit> = (0..=choices).map(|_| aig.add_input(None)).collect();
    for _ in 0..latches {
        let reset = [Reset::Zero, Reset::One, Reset::Free][rng.random_range(0..3)];
        lits.push(aig.add_latch(reset, None));
    }
    let selector = aig.add_latch(Reset::Free, Some("mut".into()));
    lits.push(selector);
    for _ in 0..3 * latches + 6 {
        let mut pick = || lits[rng.random_range(0..lits.len())] ^ rng.random::<bool>();
        let (a, b) = (pick(), pick());
        let gate = if rng.random() {
            aig.xor(a, b)
        } else {
            aig.and(a, b)
        };
        lits.push(gate);
    }
    let recent = lits.len() - 8..lits.len();
    for latch in 0..latches {
        aig.set_next(latch, lits[rng.random_range(0..lits.len())]);
    }
    for _ in 0..2 {
        aig.add_output(lits[rng.random_range(recent.clone())], None);
    }
    if rng.random() {
        let lits: Vec<Lit> = (0..3)
            .map(|_| lits[rng.random_range(0..lits.len())])
            .collect();
        let lit = aig.or_all(&lits);
        aig.constraints
            .push(hyperkill_core::aig::Signal { lit, name: None });
    }
    ConditionalMutant {
        accepts: None,
        events: Vec::new(),
        name: "random".into(),
        inputs: vec![port("i", 0)],
        choices: (1..=choices)
            .map(|bit| port(&format!("n{bit}"), bit))
            .collect(),
        outputs: vec![port("a", 0), port("b", 1)],
        selectors: vec![SelectorLatch {
            id: MutantId("mut".into()),
            latch: latches,
        }],
        mutants: Vec::new(),
        aig,
    }
}

pub(crate) fn random_run(rng: &mut ChaCha8Rng, model: &ConditionalMutant) -> Stimulus {
    let mut bools = |count: usize| (0..count).map(|_| rng.random()).collect::<Vec<bool>>();
    Stimulus {
        initial: bools(model.aig.latches().len()).into(),
        steps: (0..6).map(|_| bools(model.aig.inputs().len())).collect(),
    }
}

/// Returns all stimuli with the inputs of this one. The last latch is the selector.
pub(crate) fn siblings(model: &ConditionalMutant, run: &Stimulus) -> Vec<Stimulus> {
    let choices: Vec<usize> = model.choice_bits().collect();
    let free = run.initial.len() - 1;
    let bits = free + choices.len() * run.steps.len();
    let of_code = |code: usize| {
        let bit = |i: usize| code >> i & 1 == 1;
        let mut run = run.clone();
        for latch in 0..free {
            run.initial.set(latch, bit(latch));
        }
        for (j, step) in run.steps.iter_mut().enumerate() {
            for (i, &choice) in choices.iter().enumerate() {
                step[choice] = bit(free + j * choices.len() + i);
            }
        }
        run
    };
    (0..1 << bits).map(of_code).collect()
}
