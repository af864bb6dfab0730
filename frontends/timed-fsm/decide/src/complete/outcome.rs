//! The options of the search for a complete suite, and its result.

use std::collections::{BTreeMap, BTreeSet};

use hyperkill_core::budget::Stop;
use hyperkill_frontend::domain::Cost;
use hyperkill_timed_fsm::choices::{MutationMachine, Selection};

use crate::fault::CompleteFault;
use crate::run::Stimulus;

/// A class of conforming implementations: all implementations with allowed choices only at the places that it lists.
#[derive(Clone, PartialEq, Eq, Default, Debug)]
pub struct Class {
    /// For each state and input the allowed indices in the group.
    pub answers: BTreeMap<(usize, usize), BTreeSet<usize>>,
    /// For each state the allowed indices in the group.
    pub timeouts: BTreeMap<usize, BTreeSet<usize>>,
}

/// A state of the specification and its access sequence. Passing implementations can be renamed so that the sequence leads to this state.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Name {
    /// The state; not the initial one.
    pub state: usize,
    /// The access sequence of the state.
    pub access: Vec<Stimulus>,
}

/// The options of the search.
#[derive(Clone, Copy, Default, Debug)]
pub struct Options {
    /// The number of inputs up to which tests are extended; tests may be longer if necessary. By default one more than the number of
    /// states.
    pub longest: Option<usize>,
    /// The cost that the suite is to minimise.
    pub cost: Cost,
    /// Whether states get names even if they are few, and in the hull of a domain even if it is far larger.
    pub always_name: bool,
    /// Whether all tests are kept, including redundant ones.
    pub keep: bool,
    /// A planted fault.
    pub planted: Option<CompleteFault>,
}

/// The proof that all implementations that pass some tests conform.
#[derive(Clone, Default, Debug)]
pub struct Shown {
    /// The classes of these implementations.
    pub classes: Vec<Class>,
    /// The names of states in implementations, if the domain is symmetric in states.
    pub names: Vec<Name>,
    /// The symmetric hull of the domain, if the proof is about the hull and not about the domain itself.
    pub hull: Option<MutationMachine>,
}

/// The result for a fault domain.
#[derive(Clone, Debug)]
pub struct Outcome {
    /// The tests of the suite: the delays and inputs of each.
    pub tests: Vec<Vec<Stimulus>>,
    /// The proof that implementations that pass the tests conform.
    pub shown: Shown,
    /// Whether the tests are complete, or the reason why the search ended.
    pub end: Result<(), Stop>,
    /// The number of queries to the solver.
    pub questions: usize,
}

/// The answer whether given tests are complete.
#[derive(Clone, Debug)]
pub enum Verified {
    /// The tests are complete.
    Complete(Shown),
    /// This implementation passes all tests, and fails this one.
    Survivor(Selection, Vec<Stimulus>),
    /// The question is undecided, for this reason.
    Open(Stop),
}
