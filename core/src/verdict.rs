//! Verdicts about mutants, independent of the procedure that decides them (semantics.md §3). Circuits have runs in bits and proofs by
//! induction; a language with its own decision procedure has its own evidence.

use std::fmt::{self, Debug};

use crate::budget::Stop;
use crate::mutant::MutantId;

/// A kind of evidence: the types of runs, proofs and strategies.
pub trait Evidence: Clone + PartialEq + Eq + Debug {
    /// A run of the model or of a mutant.
    type Run: Clone + PartialEq + Eq + Debug;
    /// A proof that no test exists.
    type Proof: Clone + PartialEq + Eq + Debug;
    /// A strategy of a tester, whose next input depends on the outputs seen.
    type Strategy: Clone + PartialEq + Eq + Debug;

    /// Returns the length of a run in steps.
    fn steps(run: &Self::Run) -> usize;
}

/// The guarantee that a kill gives.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Strength {
    /// Under controlled non-determinism only (semantics.md §5).
    Controllable,
    /// The mutant may, but need not, fail the test.
    Potential,
    /// The mutant cannot pass the test, if the tester chooses inputs by the outputs seen.
    Adaptive,
    /// The mutant cannot pass the test.
    Definite,
}

impl Strength {
    /// All strengths, the weakest first.
    pub const ALL: [Strength; 4] = [
        Strength::Controllable,
        Strength::Potential,
        Strength::Adaptive,
        Strength::Definite,
    ];
}

impl fmt::Display for Strength {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Strength::Controllable => "controllable",
            Strength::Potential => "potential",
            Strength::Adaptive => "adaptive",
            Strength::Definite => "definite",
        })
    }
}

/// Whether a stronger kill than the one given exists.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Stronger<E: Evidence> {
    /// Not asked, or no stronger kill is possible.
    NotAsked,
    /// Proved: no test kills definitely.
    Excluded(Box<E::Proof>),
    /// Undecided: no test of at most `known_to` steps kills definitely.
    Unsettled {
        /// The length up to which no test kills definitely.
        known_to: usize,
        /// The limit that ended the search.
        reason: Reason,
    },
}

/// A test: a run of the model, and a run of the mutant on the same inputs with other outputs.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Kill<E: Evidence> {
    /// The strength of the test.
    pub strength: Strength,
    /// The run of the model, from which the test's inputs and expected outputs are taken.
    pub model_run: E::Run,
    /// The run of the mutant with the same test inputs (and choices, if controllable).
    pub mutant_run: E::Run,
    /// Whether it is proved that no shorter test exists.
    pub shortest: bool,
    /// Whether the mutant is deterministic, so that it has no other outputs on these inputs.
    pub sole_run: bool,
    /// Whether a definite kill exists, if this one is weaker.
    pub stronger: Stronger<E>,
    /// For an adaptive kill, the tester's strategy. The runs are those of one play that ends in a fail.
    pub tree: Option<E::Strategy>,
}

impl<E: Evidence> Kill<E> {
    /// Returns the length of the test in steps.
    #[must_use]
    pub fn steps(&self) -> usize {
        E::steps(&self.model_run)
    }
}

/// The reason why a mutant is undecided.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Reason {
    /// A deterministic limit: depth, conflicts or size.
    Bound,
    /// The mutant's time limit, or the run's.
    Time,
    /// The mutant's share of memory.
    Memory,
    /// The run was interrupted from outside.
    Interrupted,
    /// The permitted engines have nothing more to try: others would be needed.
    Engines,
    /// The formula's precondition does not hold and the answer could not be established otherwise.
    Precondition,
    /// No output distinguishes the mutant from the model, but it is open whether it accepts all inputs that the model accepts.
    Acceptance,
    /// The part of the run that must decide the mutant has not ended.
    Missing,
}

impl From<Stop> for Reason {
    fn from(stop: Stop) -> Reason {
        match stop {
            Stop::Bound | Stop::Slice => Reason::Bound,
            Stop::Time => Reason::Time,
            Stop::Memory => Reason::Memory,
            Stop::Interrupted => Reason::Interrupted,
            Stop::Engines => Reason::Engines,
        }
    }
}

impl Reason {
    /// All reasons.
    pub const ALL: [Reason; 8] = [
        Reason::Bound,
        Reason::Time,
        Reason::Memory,
        Reason::Interrupted,
        Reason::Engines,
        Reason::Precondition,
        Reason::Acceptance,
        Reason::Missing,
    ];
}

impl fmt::Display for Reason {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Reason::Bound => "bound",
            Reason::Time => "time",
            Reason::Memory => "memory",
            Reason::Interrupted => "interrupted",
            Reason::Engines => "engines",
            Reason::Precondition => "precondition",
            Reason::Acceptance => "acceptance",
            Reason::Missing => "missing",
        })
    }
}

/// The answer about potential kills if no definite one exists.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Potential<E: Evidence> {
    /// This test kills potentially.
    Killed(Box<Kill<E>>),
    /// Undecided: no test of at most `known_to` steps exists.
    Unsettled {
        /// The length up to which no test exists.
        known_to: usize,
        /// The limit that ended the search.
        reason: Reason,
    },
}

/// A verdict on a mutant. Its evidence has been checked by code that is independent of the engine that found it.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Verdict<E: Evidence> {
    /// Killed by this test.
    Killed(Box<Kill<E>>),
    /// Proved: no test exists.
    Equivalent(E::Proof),
    /// Proved: no test kills definitely. Asked for by φ3 and φ4 only; an equivalent mutant is reported as equivalent.
    NotDefinitelyKillable {
        /// The proof that no test kills definitely.
        certificate: E::Proof,
        /// Whether a test kills it potentially, which counts in the mutation score.
        potential: Potential<E>,
    },
    /// No output kills it, but it refuses inputs that the model accepts.
    RefusesInput {
        /// A run of the model whose inputs the mutant refuses.
        run: E::Run,
        /// The proof that no output kills it.
        certificate: E::Proof,
    },
    /// Stillborn: the mutant is no model, for this reason.
    Invalid(String),
    /// Stillborn: the mutant is well-formed, but has no behaviour from its start, by this proof. Only for languages with such a notion.
    Inconsistent(E::Proof),
    /// The same circuit as another mutant.
    DuplicateOf(MutantId),
    /// Undecided: no test of at most `known_to` steps exists.
    Unknown {
        /// The length up to which no test exists.
        known_to: usize,
        /// The limit that ended the search.
        reason: Reason,
    },
}

impl<E: Evidence> Verdict<E> {
    /// Returns the kill of the verdict or, if no test kills definitely, the potential one; `None` if there is neither.
    #[must_use]
    pub fn kill(&self) -> Option<&Kill<E>> {
        match self {
            Verdict::Killed(kill)
            | Verdict::NotDefinitelyKillable {
                potential: Potential::Killed(kill),
                ..
            } => Some(kill),
            _ => None,
        }
    }

    /// Returns the name of the verdict in documents (formats.md).
    #[must_use]
    pub fn word(&self) -> &'static str {
        match self {
            Verdict::Killed(_) => "killed",
            Verdict::Equivalent(_) => "equivalent",
            Verdict::NotDefinitelyKillable { .. } => "not-definitely-killable",
            Verdict::RefusesInput { .. } => "refuses-input",
            Verdict::Invalid(_) | Verdict::Inconsistent(_) => "invalid",
            Verdict::DuplicateOf(_) => "duplicate-of",
            Verdict::Unknown { .. } => "unknown",
        }
    }
}
