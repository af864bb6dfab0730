//! A small suite that kills every nonconforming implementation of a fault domain, and the proof of completeness.
//!
//! After \[1\]: clauses describe the implementations that pass the tests so far. A nonconforming solution gives a test. A conforming
//! solution is excluded, with all that conform for the same reason. If there is no solution, the tests are complete.

mod alternatives;
mod apart;
mod conforming;
mod course;
mod document;
mod extend;
mod formula;
mod hull;
mod names;
mod outcome;
mod search;
mod separation;
mod smaller;

use hyperkill_core::budget::Budget;
use hyperkill_timed_fsm::choices::{MutationMachine, Selection};
use hyperkill_timed_fsm::machine::Machine;

use search::SuiteSearch;

pub(crate) use document::{choices, implementation, proof};

pub use crate::run::Stimulus;
pub use outcome::{Class, Name, Options, Outcome, Shown, Verified};

/// Returns tests that kill every nonconforming implementation of a domain. `start` has tests to begin with.
#[must_use]
pub fn complete(
    machine: &Machine,
    mutation: &MutationMachine,
    start: &[Vec<Stimulus>],
    options: Options,
    budget: &Budget,
) -> Outcome {
    let hull = hull::near(machine, mutation, options.always_name);
    let mut search = SuiteSearch::new(machine, hull.as_ref().unwrap_or(mutation), options);
    let end = course::complete(&mut search, start, budget);
    let mut outcome = search.outcome(end);
    outcome.shown.hull = hull;
    outcome
}

/// Whether tests are complete. A test is used up to its first input without a transition of the specification.
#[must_use]
pub fn verify(
    machine: &Machine,
    mutation: &MutationMachine,
    tests: &[Vec<Stimulus>],
    options: Options,
    budget: &Budget,
) -> Verified {
    let verified = |domain: &MutationMachine| {
        course::verified(
            &mut SuiteSearch::new(machine, domain, options),
            tests,
            budget,
        )
    };
    let Some(hull) = hull::near(machine, mutation, options.always_name) else {
        return verified(mutation);
    };
    match verified(&hull) {
        Verified::Complete(shown) => Verified::Complete(Shown {
            hull: Some(hull),
            ..shown
        }),
        // It passes the tests and fails that one under all names of its states.
        Verified::Survivor(selection, test) => {
            match hull::inside((&hull, mutation), &selection, options.planted) {
                Some(inside) => Verified::Survivor(inside, test),
                None => verified(mutation),
            }
        }
        Verified::Open(stop) => Verified::Open(stop),
    }
}

/// Returns a nonconforming implementation that passes these tests and differs from the specification in few choices, and a shortest test
/// that it fails.
pub(crate) fn simplest(
    machine: &Machine,
    mutation: &MutationMachine,
    survivor: (Selection, Vec<Stimulus>),
    tests: &[Vec<Stimulus>],
    budget: &Budget,
) -> (Selection, Vec<Stimulus>) {
    let search = SuiteSearch::new(machine, mutation, Options::default());
    search.simplest(survivor, tests, budget)
}
