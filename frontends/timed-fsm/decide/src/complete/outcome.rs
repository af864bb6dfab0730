//! What is looked for, and what was found out about a domain of faults.

use std::collections::{BTreeMap, BTreeSet};

use hyperkill_core::budget::Stop;
use hyperkill_frontend::domain::Cost;
use hyperkill_timed_fsm::choices::{MutationMachine, Selection};

use crate::fault::CompleteFault;
use crate::run::Stimulus;

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
