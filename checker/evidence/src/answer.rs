//! The evidence that a formula holds of a model, or that it fails.
//!
//! All evidence is about the formula as asked: the formula itself, or its negation if it begins with ∀. Invariants are of circuits that the
//! formula and the evidence determine: `formulas::{Joint, Alternation}` build them, and `core::liveness` builds the reachability question.

use hyperkill_core::product::Variant;
use hyperkill_core::trace::Stimulus;
use hyperkill_formulas::responses::Response;

use crate::inclusion::Inclusion;
use crate::proof::Proof;
use crate::question::Composed;

/// An inductive invariant of a circuit, as a list of clauses that all hold. In each clause, some latch (by index) has the given value.
pub type Invariant = Vec<Vec<(usize, bool)>>;

/// Traces for the existential quantifiers of a formula, as runs of the model and its mutants.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Witness {
    /// For each trace, in prefix order, the variant whose run it is: the original or a mutant.
    pub variants: Vec<Variant>,
    /// The initial values and inputs of each trace, all of one length.
    pub runs: Vec<Stimulus>,
    /// The number of steps after which all universal traces have fulfilled the formula, whatever they do.
    pub decided: usize,
    /// The continuation after their steps.
    pub beyond: Beyond,
}

impl Witness {
    /// Returns the step at which the loop of the traces begins; `None` if they have no loop.
    #[must_use]
    pub fn back(&self) -> Option<usize> {
        match self.beyond {
            Beyond::Loop(back) => Some(back),
            Beyond::Nothing | Beyond::Anything => None,
        }
    }
}

/// The continuation of a witness after its steps.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Beyond {
    /// None: the traces are finite.
    Nothing,
    /// Any continuation of the traces under common inputs: none violates the formula's part about them.
    Anything,
    /// A loop: the steps from this one on are repeated for ever.
    Loop(usize),
}

/// The evidence that a circuit has no fair infinite run.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Exclusion {
    /// The reachability question that stands for the existence of a fair run: its goal is unreachable.
    pub way: Way,
    /// The invariant of that question's circuit that excludes the goal.
    pub invariant: Invariant,
}

/// A reachability question whose negative answer excludes fair infinite runs of a circuit.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Way {
    /// No state recurs with all fairness conditions met in between (`FairRuns::lasso_search`).
    NoLasso,
    /// The fairness conditions are met, in turn, at most this many times (`FairRuns::counted`).
    Counted(usize),
}

/// The evidence that no existential traces withstand these responses.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Refutation {
    /// The responses. Each choice of existential traces is refuted by one of them.
    pub responses: Vec<Response>,
    /// The evidence that no traces withstand all of them.
    pub exclusion: Exclusion,
}

/// The evidence for the answer to a formula as asked, which is the negation of the user's formula if that begins with ∀.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Shown {
    /// Traces for the leading quantifiers: a witness if they are existential, a counterexample if they are universal.
    Traces(Witness),
    /// An inductive proof that no such traces exist, with the question in which some universal traces copy others.
    Proof(Box<(Composed, Proof)>),
    /// No existential traces of this many steps satisfy the formula's part about them, so no infinite ones do.
    End(usize),
    /// An invariant that excludes all infinite traces that satisfy the formula.
    Excluded(Exclusion),
    /// Infinite traces for the leading quantifiers, and an invariant that no universal traces refute them.
    Withstood(Box<(Witness, Exclusion)>),
    /// A closed set that shows that every choice of existential traces is refuted.
    Included(Box<Inclusion>),
    /// Responses of the universal traces, and an invariant that no existential traces withstand all of them.
    Refuted(Box<Refutation>),
}

impl Shown {
    /// Whether the evidence shows that the formula as asked is satisfied. Otherwise it shows that the formula as asked is not.
    #[must_use]
    pub fn satisfies(&self) -> bool {
        matches!(self, Shown::Traces(_) | Shown::Withstood(_))
    }
}
