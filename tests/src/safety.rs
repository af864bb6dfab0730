//! Random plain safety problems and their brute-force answers.
//!
//! The oracle lists states and inputs and shares no code with the engines. For the sake of depth, every circuit contains a counter or a
//! shift register, and the bad literal reads several latches.

use std::collections::VecDeque;

use hyperkill_core::aig::Node;
use hyperkill_core::trace::Stimulus;
use hyperkill_core::{Aig, Lit, Reset};
use rand::seq::IndexedRandom;
use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;

/// Returns a circuit with one bad literal (`bad[0]`): 3–8 latches, up to 4 inputs, sometimes free initial values, sometimes constraints.
/// Bad literal and constraints may read inputs. The same seed gives the same circuit on every platform.
#[must_use]
pub fn safety_problem(seed: u64) -> Aig {
    let mut rng = ChaCha8Rng::seed_from_u64(seed);
    let mut aig = Aig::new();
    let inputs: Vec<Lit> = (0..rng.random_range(0..=4))
        .map(|_| aig.add_input(None))
        .collect();
    let free = rng.random_bool(0.4);
    let latches: Vec<Lit> = (0..rng.random_range(3..=8))
        .map(|_| {
            let reset = match rng.random_range(0..6) {
                0 if free => Reset::Free,
                0 | 1 => Reset::One,
                _ => Reset::Zero,
            };
            aig.add_latch(reset, None)
        })
        .collect();
    let mut pool: Vec<Lit> = inputs.iter().chain(&latches).copied().collect();
    for _ in 0..rng.random_range(2..=16) {
        let (a, b) = (any(&pool, &mut rng), any(&pool, &mut rng));
        let gate = match rng.random_range(0..4) {
            0 => aig.xor(a, b),
            _ => aig.and(a, b),
        };
        pool.push(gate);
    }
    // The inner machine advances when this holds.
    let advance = match rng.random_range(0..3) {
        0 => Lit::TRUE,
        _ => any(&pool, &mut rng),
    };
    let inside = rng.random_range(2..=latches.len().min(5));
    let shifts = rng.random_bool(0.4);
    let mut carry = advance;
    for (index, &latch) in latches.iter().enumerate() {
        let next = if index >= inside {
            let value = any(&pool, &mut rng);
            match rng.random_range(0..3) {
                0 => {
                    let when = any(&pool, &mut rng);
                    aig.ite(when, value, latch)
                }
                1 => aig.and(value, latch),
                _ => value,
            }
        } else if shifts {
            let before = carry;
            carry = latch;
            aig.and(before, advance)
        } else {
            let next = aig.xor(latch, carry);
            carry = aig.and(latch, carry);
            next
        };
        aig.set_next(index, next);
    }
    for _ in 0..[0, 0, 1, 2].choose(&mut rng).copied().unwrap_or(0) {
        let clause: Vec<Lit> = (0..rng.random_range(2..=3))
            .map(|_| any(&pool, &mut rng))
            .collect();
        let lit = aig.or_all(&clause);
        aig.constraints
            .push(hyperkill_core::aig::Signal { lit, name: None });
    }
    let mut parts: Vec<Lit> = (0..rng.random_range(0..=3))
        .map(|_| any(&latches, &mut rng))
        .collect();
    parts.extend((0..rng.random_range(0..=2)).map(|_| any(&pool, &mut rng)));
    // Requires all latches of the inner machine, so that a bad state takes several steps to reach.
    let deep = rng.random_bool(0.7) || parts.is_empty();
    parts.extend(latches[..inside].iter().filter(|_| deep));
    let lit = aig.and_all(&parts);
    aig.bad
        .push(hyperkill_core::aig::Signal { lit, name: None });
    aig
}

fn any(from: &[Lit], rng: &mut ChaCha8Rng) -> Lit {
    let lit = from.choose(rng).copied().unwrap_or(Lit::FALSE);
    lit ^ rng.random_bool(0.5)
}

/// A circuit whose states and steps are enumerated, with its bad literal.
pub struct Explicit<'a> {
    aig: &'a Aig,
    bad: Lit,
}

/// The effect of one step: whether the constraints hold, whether the step is bad, and the next state.
struct StepEffect {
    exists: bool,
    bad: bool,
    next: usize,
}

impl<'a> Explicit<'a> {
    /// Returns the problem of a circuit with few latches and inputs.
    ///
    /// # Panics
    /// If the circuit has more than 16 latches and inputs together.
    #[must_use]
    pub fn new(aig: &'a Aig, bad: Lit) -> Explicit<'a> {
        assert!(
            aig.latches().len() + aig.inputs().len() <= 16,
            "too large to list"
        );
        Explicit { aig, bad }
    }

    fn step(&self, state: usize, letter: usize) -> StepEffect {
        let mut values: Vec<bool> = Vec::new();
        let of = |values: &[bool], lit: Lit| values[lit.var().index()] != lit.is_negated();
        for (_, node) in self.aig.nodes() {
            let value = match node {
                Node::False => false,
                Node::Input(i) => letter >> i & 1 == 1,
                Node::Latch(i) => state >> i & 1 == 1,
                Node::And(a, b) => of(&values, a) && of(&values, b),
            };
            values.push(value);
        }
        let latches = self.aig.latches().iter().enumerate();
        StepEffect {
            exists: self.aig.constraints.iter().all(|c| of(&values, c.lit)),
            bad: of(&values, self.bad),
            next: latches
                .map(|(i, latch)| usize::from(of(&values, latch.next)) << i)
                .sum(),
        }
    }

    fn states(&self) -> usize {
        1 << self.aig.latches().len()
    }

    fn letters(&self) -> usize {
        1 << self.aig.inputs().len()
    }

    fn is_initial(&self, state: usize) -> bool {
        let mut latches = self.aig.latches().iter().enumerate();
        latches.all(|(i, latch)| {
            latch
                .reset
                .as_constant()
                .is_none_or(|value| value == (state >> i & 1 == 1))
        })
    }

    /// Returns the length in steps of the shortest run that ends in a bad step; `None` if there is none.
    #[must_use]
    pub fn shortest_failure(&self) -> Option<usize> {
        let mut depth: Vec<Option<usize>> = vec![None; self.states()];
        let mut queue: VecDeque<usize> =
            (0..self.states()).filter(|&s| self.is_initial(s)).collect();
        for &state in &queue {
            depth[state] = Some(1);
        }
        while let Some(state) = queue.pop_front() {
            let steps: Vec<StepEffect> = (0..self.letters())
                .map(|letter| self.step(state, letter))
                .collect();
            for step in steps.iter().filter(|step| step.exists) {
                if step.bad {
                    return depth[state];
                }
                if depth[step.next].is_none() {
                    depth[step.next] = depth[state].map(|depth| depth + 1);
                    queue.push_back(step.next);
                }
            }
        }
        None
    }

    /// Returns a description of a flaw of the invariant, if there is one. Clauses consist of pairs of a latch's index and its value. Checks
    /// all states, reachable or not.
    #[must_use]
    pub fn flaw(&self, invariant: &[Vec<(usize, bool)>]) -> Option<String> {
        let holds = |state: usize| {
            let mut clauses = invariant.iter();
            clauses.all(|c| {
                c.iter()
                    .any(|&(latch, value)| (state >> latch & 1 == 1) == value)
            })
        };
        for state in 0..self.states() {
            if self.is_initial(state) && !holds(state) {
                return Some(format!("does not hold in the initial state {state:#b}"));
            }
            for letter in (0..self.letters()).filter(|_| holds(state)) {
                let step = self.step(state, letter);
                if step.exists && step.bad {
                    return Some(format!("allows the bad state {state:#b}"));
                }
                if step.exists && !holds(step.next) {
                    return Some(format!("is not kept from {state:#b} to {:#b}", step.next));
                }
            }
        }
        None
    }

    /// Whether the run exists and ends in a bad step.
    #[must_use]
    pub fn fails(&self, run: &Stimulus) -> bool {
        let bits = |bits: &[bool]| {
            bits.iter()
                .enumerate()
                .map(|(i, &bit)| usize::from(bit) << i)
                .sum()
        };
        let latches = self.aig.latches().iter().zip(&run.initial).enumerate();
        let start = latches
            .map(|(i, (latch, free))| usize::from(latch.reset.as_constant().unwrap_or(free)) << i);
        let mut state: usize = start.sum();
        let mut ends_bad = false;
        for inputs in &run.steps {
            let step = self.step(state, bits(inputs));
            if !step.exists {
                return false;
            }
            ends_bad = step.bad;
            state = step.next;
        }
        ends_bad
    }
}
