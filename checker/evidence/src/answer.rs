//! What shows that a formula holds of a model, or that it does not.
//!
//! Everything is about the formula as it is asked: itself, or its negation if it begins with ∀. Invariants are of circuits that the
//! formula and the evidence determine: `formulas::{Joint, Alternation}` make them, `core::liveness` the question of reachability.

use hyperkill_core::product::Variant;
use hyperkill_core::trace::Stimulus;
use hyperkill_formulas::responses::Response;

use crate::inclusion::Inclusion;
use crate::proof::Proof;
use crate::question::Composed;

/// Clauses over the latches of a circuit: of each, some latch (by index) has the value given.
pub type Invariant = Vec<Vec<(usize, bool)>>;

/// Traces for the existential quantifiers of a formula.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Witness {
    /// What each trace is a trace of, in prefix order.
    pub variants: Vec<Variant>,
    /// Initial values and inputs of each trace, all of one length.
    pub runs: Vec<Stimulus>,
    /// After how many steps all universal traces have fulfilled the formula.
    pub decided: usize,
    /// What comes after their steps.
    pub beyond: Beyond,
}

impl Witness {
    /// Where the loop of the traces begins, if they have one.
    #[must_use]
    pub fn back(&self) -> Option<usize> {
        match self.beyond {
            Beyond::Loop(back) => Some(back),
            Beyond::Nothing | Beyond::Anything => None,
        }
    }
}

/// What comes after the steps of a witness.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Beyond {
    /// Nothing: the traces are finite.
    Nothing,
    /// Any continuation of the traces under common inputs: none breaks what is asserted.
    Anything,
    /// A loop: the steps from this one on, for ever.
    Loop(usize),
}

/// Why a circuit has no infinite run of some kind.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Exclusion {
    /// What is unreachable.
    pub way: Way,
    /// The invariant that shows it.
    pub invariant: Invariant,
}

/// The question of reachability that excludes infinite runs.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Way {
    /// No state comes back with all conditions met (`FairRuns::lasso_search`).
    NoLasso,
    /// The conditions are met at most so many times (`FairRuns::counted`).
    Counted(usize),
}

/// That no existential traces withstand these responses.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Refutation {
    /// The responses, of which for each choice of existential traces one refutes it.
    pub responses: Vec<Response>,
    /// Why no traces withstand them all.
    pub exclusion: Exclusion,
}

/// What shows an answer.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Shown {
    /// Traces for the leading quantifiers: an example if they are existential, a counterexample if they are universal.
    Traces(Witness),
    /// An inductive proof that none exist.
    Proof(Box<(Composed, Proof)>),
    /// No existential traces of so many steps satisfy what the formula asserts of them, so that none go on for ever.
    End(usize),
    /// An invariant that no infinite traces satisfy the formula.
    Excluded(Exclusion),
    /// Infinite traces for the leading quantifiers, and an invariant that no others refute them.
    Withstood(Box<(Witness, Exclusion)>),
    /// A closed set that shows that all existential traces are refuted.
    Included(Box<Inclusion>),
    /// Responses of the universal traces, and an invariant that no existential traces withstand all of them.
    Refuted(Box<Refutation>),
}

impl Shown {
    /// Whether it shows that the formula, as it is asked, is satisfied.
    #[must_use]
    pub fn satisfies(&self) -> bool {
        matches!(self, Shown::Traces(_) | Shown::Withstood(_))
    }
}
