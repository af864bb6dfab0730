//! Tiny random circuits without any structure: outputs may be constants, latches may be dead, and acceptance may depend on hidden state.
//! [`crate::generate`] makes mutants that are hard to kill; this module makes unforeseen cases.

use hyperkill_core::{ConditionalMutant, Lit, Reset};
use rand::seq::IndexedRandom;
use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;

use crate::circuit::Circuit;

/// The constraints on runs.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Acceptance {
    /// No constraint: every input is accepted.
    All,
    /// Clauses over inputs and hidden latches, sometimes over the selector: the state determines whether an input is accepted.
    ByState,
}

/// Returns a circuit with 1–2 inputs, 1–2 choices, 2–3 latches of any reset, one selector, 1–2 outputs and random gates over all of them.
#[must_use]
pub fn unstructured(seed: u64, acceptance: Acceptance) -> ConditionalMutant {
    let mut rng = ChaCha8Rng::seed_from_u64(seed);
    let mut c = Circuit::new();
    let inputs = (0..rng.random_range(1..=2)).map(|k| c.input(&format!("in{k}")));
    let inputs: Vec<Lit> = inputs.collect();
    let mut pool = inputs.clone();
    pool.extend((0..rng.random_range(1..=2)).map(|k| c.choice(&format!("c{k}"))));
    let latches = (0..rng.random_range(2..=3)).map(|k| {
        let resets = [Reset::Zero, Reset::One, Reset::Free, Reset::Free];
        let reset = *resets.choose(&mut rng).unwrap_or(&Reset::Free);
        c.latch(&format!("x{k}"), reset)
    });
    let latches: Vec<Lit> = latches.collect();
    pool.extend(&latches);
    let selector = c.selector("m");
    pool.push(selector);
    for _ in 0..rng.random_range(3..=8) {
        let (a, b) = (any(&mut rng, &pool), any(&mut rng, &pool));
        let gate = match rng.random_range(0..4) {
            0 => c.aig.xor(a, b),
            _ => c.aig.and(a, b),
        };
        pool.push(gate);
    }
    // In some cases a constant; later gates are preferred.
    let late = pool.len().saturating_sub(6);
    let sink = |rng: &mut ChaCha8Rng| match rng.random_range(0..8) {
        0 => Lit::constant(rng.random_bool(0.5)),
        1..=3 => any(rng, &pool),
        _ => any(rng, &pool[late..]),
    };
    for &latch in &latches {
        let next = sink(&mut rng);
        c.set_next(latch, next);
    }
    let outputs = rng.random_range(1..=2);
    for k in 0..outputs {
        let mut value = sink(&mut rng);
        if k == 0 && rng.random_bool(0.5) {
            // Without this, most mutants would have no effect.
            let other = sink(&mut rng);
            value = c.aig.ite(selector, other, value);
        }
        c.output(&format!("out{k}"), value);
    }
    if acceptance == Acceptance::ByState {
        for _ in 0..rng.random_range(1..=2) {
            let mut clause = vec![any(&mut rng, &latches), any(&mut rng, &inputs)];
            if rng.random_bool(0.3) {
                clause.push(any(&mut rng, &pool));
            }
            if rng.random_bool(0.2) {
                clause.push(selector ^ rng.random_bool(0.5));
            }
            let clause = c.aig.or_all(&clause);
            c.constrain(clause);
        }
    }
    c.finish(&format!("unstructured-{seed}"))
}

fn any(rng: &mut ChaCha8Rng, from: &[Lit]) -> Lit {
    let lit = from.choose(rng).copied().unwrap_or(Lit::FALSE);
    lit ^ rng.random_bool(0.5)
}

/// Returns the number of cases in a random test: the value of the variable `HYPERKILL_CASES`, or `usually`.
#[must_use]
pub fn cases(usually: u64) -> u64 {
    let said = std::env::var("HYPERKILL_CASES").ok();
    said.and_then(|cases| cases.parse().ok()).unwrap_or(usually)
}
