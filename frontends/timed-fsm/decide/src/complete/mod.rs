//! Few tests that tell every implementation of a domain of faults from the specification, and why there is no other implementation.
//!
//! After \[1\]: clauses say which implementations pass the tests so far; one that does and differs gives a test, one that does and conforms
//! is left out with all that conform for the same reason; when there is none the tests are complete.

mod alternatives;
mod apart;
mod conforming;
mod course;
mod document;
mod extend;
mod formula;
mod hull;
mod names;

mod search;
mod separation;
mod smaller;

use std::collections::{BTreeMap, BTreeSet};

use hyperkill_core::budget::{Budget, Stop};
use hyperkill_frontend::domain::Cost;
use hyperkill_timed_fsm::choices::{MutationMachine, Selection};
use hyperkill_timed_fsm::machine::Machine;

use crate::fault::CompleteFault;
use search::Search;

pub(crate) use document::{choices, implementation, proof};

pub use crate::run::Stimulus;

/// Implementations that conform for one reason: those whose choices at these places are among the allowed ones.
#[derive(Clone, PartialEq, Eq, Default, Debug)]
pub struct Class {
    /// By state and input, places in the group.
    pub answers: BTreeMap<(usize, usize), BTreeSet<usize>>,
    /// By state, places in the group.
    pub timeouts: BTreeMap<usize, BTreeSet<usize>>,
}

/// A state of the specification that implementations have, too, where an access sequence leads to: they may be renamed so.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Name {
    /// The state; not the initial one.
    pub state: usize,
    /// What leads there.
    pub access: Vec<Stimulus>,
}

/// What tests are looked for.
#[derive(Clone, Copy, Default, Debug)]
pub struct Options {
    /// Tests are extended up to so many inputs; those that have to be are longer. Without it, one more than there are states.
    pub longest: Option<usize>,
    /// What there should be little of.
    pub cost: Cost,
    /// States are named also where there are few of them, and in the hull of a domain also if it is far larger.
    pub always_name: bool,
    /// All tests found are kept, also those that others make superfluous.
    pub keep: bool,
    /// A mistake on purpose.
    pub planted: Option<CompleteFault>,
}

/// Why all implementations conform that pass some tests.
#[derive(Clone, Default, Debug)]
pub struct Shown {
    /// They are of these classes.
    pub classes: Vec<Class>,
    /// Names of states that implementations were given, if the domain does not tell states apart.
    pub names: Vec<Name>,
    /// The larger domain of which all this is said, if it is not said of the domain itself: the least one around it that does not tell
    /// states apart.
    pub hull: Option<MutationMachine>,
}

/// What was found out about a domain of faults.
#[derive(Clone, Debug)]
pub struct Outcome {
    /// The tests.
    pub tests: Vec<Vec<Stimulus>>,
    /// Why implementations conform that pass them.
    pub shown: Shown,
    /// Whether the tests are complete, or what ended the search.
    pub end: Result<(), Stop>,
    /// How often the solver was asked.
    pub questions: usize,
}

/// Whether given tests are complete.
#[derive(Clone, Debug)]
pub enum Verified {
    /// They are.
    Complete(Shown),
    /// This implementation passes them all, and fails this test.
    Survivor(Selection, Vec<Stimulus>),
    /// It was not found out.
    Open(Stop),
}

/// Tests that together tell every nonconforming implementation of a domain from its specification. `start`: tests to begin with.
#[must_use]
pub fn complete(
    machine: &Machine,
    mutation: &MutationMachine,
    start: &[Vec<Stimulus>],
    options: Options,
    budget: &Budget,
) -> Outcome {
    let hull = hull::near(machine, mutation, options.always_name);
    let mut search = Search::new(machine, hull.as_ref().unwrap_or(mutation), options);
    let end = course::complete(&mut search, start, budget);
    let mut outcome = search.outcome(end);
    outcome.shown.hull = hull;
    outcome
}

/// Whether tests are complete. Tests that give an input of which the specification says nothing are looked at up to there.
#[must_use]
pub fn verify(
    machine: &Machine,
    mutation: &MutationMachine,
    tests: &[Vec<Stimulus>],
    options: Options,
    budget: &Budget,
) -> Verified {
    let verified = |domain: &MutationMachine| {
        course::verified(&mut Search::new(machine, domain, options), tests, budget)
    };
    let Some(hull) = hull::near(machine, mutation, options.always_name) else {
        return verified(mutation);
    };
    match verified(&hull) {
        Verified::Complete(shown) => Verified::Complete(Shown {
            hull: Some(hull),
            ..shown
        }),
        // It passes the tests and fails that one by whatever names its states have.
        Verified::Survivor(selection, test) => {
            match hull::inside((&hull, mutation), &selection, options.planted) {
                Some(inside) => Verified::Survivor(inside, test),
                None => verified(mutation),
            }
        }
        Verified::Open(stop) => Verified::Open(stop),
    }
}

/// An implementation with as few choices of its own as possible that passes these tests and differs, and a shortest test that it fails.
pub(crate) fn simplest(
    machine: &Machine,
    mutation: &MutationMachine,
    survivor: (Selection, Vec<Stimulus>),
    tests: &[Vec<Stimulus>],
    budget: &Budget,
) -> (Selection, Vec<Stimulus>) {
    let search = Search::new(machine, mutation, Options::default());
    search.simplest(survivor, tests, budget)
}
