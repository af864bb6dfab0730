//! What is known of a mutant, whatever decided it (semantics.md §3): circuits have runs bit by bit and proofs by induction, a language
//! with a decision procedure of its own has evidence of its own.

use std::fmt::{self, Debug};

use crate::budget::Stop;
use crate::mutant::MutantId;

/// A kind of evidence: what runs, proofs and strategies are made of.
pub trait Evidence: Clone + PartialEq + Eq + Debug {
    /// A run of the model or of a mutant.
    type Run: Clone + PartialEq + Eq + Debug;
    /// Why there is no test.
    type Proof: Clone + PartialEq + Eq + Debug;
    /// What a tester does whose next input depends on the outputs seen.
    type Strategy: Clone + PartialEq + Eq + Debug;

    /// Length of a run in steps.
    fn steps(run: &Self::Run) -> usize;
}

/// How much a kill guarantees.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Strength {
    /// Only under controlled non-determinism (semantics.md §5).
    Controllable,
    /// The mutant may, but need not, show it.
    Potential,
    /// The mutant cannot pass the test, if the tester chooses inputs by the outputs seen.
    Adaptive,
    /// The mutant cannot pass the test.
    Definite,
}

impl Strength {
    /// All of them, the weakest first.
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
    /// Nobody asked, or there is nothing stronger.
    NotAsked,
    /// Proved: no test kills definitely.
    Excluded(Box<E::Proof>),
    /// Undecided: no test of at most `known_to` steps kills definitely.
    Unsettled {
        /// Length up to which none kills definitely.
        known_to: usize,
        /// Which limit ended the search.
        reason: Reason,
    },
}

/// A test: a run of the model, and a run of the mutant on the same inputs with other outputs.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Kill<E: Evidence> {
    /// What the test is good for.
    pub strength: Strength,
    /// Run of the model: the test's inputs and expected outputs come from it.
    pub model_run: E::Run,
    /// Run of the mutant with the same test inputs (and choices, if controllable).
    pub mutant_run: E::Run,
    /// Whether it is proved that no shorter test exists.
    pub shortest: bool,
    /// Whether the mutant is deterministic, so that it has no other outputs on these inputs.
    pub sole_run: bool,
    /// Whether a definite kill exists where this is a weaker one.
    pub stronger: Stronger<E>,
    /// For an adaptive kill, the tester's strategy. The runs are those of one play that ends in a fail.
    pub tree: Option<E::Strategy>,
}

impl<E: Evidence> Kill<E> {
    /// Length of the test in steps.
    #[must_use]
    pub fn steps(&self) -> usize {
        E::steps(&self.model_run)
    }
}

/// Why a mutant is undecided.
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
    /// The engines asked for have nothing more to try: others would be needed.
    Engines,
    /// The formula's precondition does not hold and the answer could not be established otherwise.
    Precondition,
    /// No output tells the mutant from the model, but whether it accepts all inputs that the model accepts is open.
    Acceptance,
    /// The part of the run that has to decide the mutant has not ended.
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
    /// All of them.
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

/// What is known of potential kills where no definite one exists.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Potential<E: Evidence> {
    /// This test kills potentially.
    Killed(Box<Kill<E>>),
    /// Undecided: no test of at most `known_to` steps exists.
    Unsettled {
        /// Length up to which no test exists.
        known_to: usize,
        /// Which limit ended the search.
        reason: Reason,
    },
}

/// What is known of a mutant. Who gives one out has had its evidence checked by something that shares no code with what found it.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Verdict<E: Evidence> {
    /// A test that kills exists, and this is one.
    Killed(Box<Kill<E>>),
    /// Proved: no test exists.
    Equivalent(E::Proof),
    /// Proved: no test kills definitely. Asked for by φ3 and φ4 only; a mutant that is equivalent as well is reported as that.
    NotDefinitelyKillable {
        /// The proof that no test kills definitely.
        certificate: E::Proof,
        /// Whether a test kills it potentially: what counts in the mutation score.
        potential: Potential<E>,
    },
    /// No output kills it, but it refuses inputs that the model accepts.
    RefusesInput {
        /// A run of the model whose inputs the mutant refuses.
        run: E::Run,
        /// The proof that no output kills it.
        certificate: E::Proof,
    },
    /// Stillborn: no model, for this reason.
    Invalid(String),
    /// Stillborn: it is read, but cannot live on from its start, as this shows. Of languages with such a notion only.
    Inconsistent(E::Proof),
    /// The same circuit as another mutant.
    DuplicateOf(MutantId),
    /// Undecided: no test of at most `known_to` steps exists.
    Unknown {
        /// Length up to which no test exists.
        known_to: usize,
        /// Which limit ended the search.
        reason: Reason,
    },
}

impl<E: Evidence> Verdict<E> {
    /// The kill that it is or, where no test kills definitely, the potential one beside it.
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

    /// The word for it in formats.md.
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
