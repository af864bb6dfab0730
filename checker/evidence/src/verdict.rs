//! Verdicts with their evidence inside (semantics.md §3).

use std::fmt;

use hyperkill_core::budget::Stop;
use hyperkill_core::mutant::MutantId;
use hyperkill_core::trace::Stimulus;

use crate::accepted_sets::AcceptedSets;
use crate::closed_set::ClosedSet;
use crate::proof::Proof;
use crate::question::Question;
use crate::strategy_tree::StrategyTree;

/// The killing formula that was asked (semantics.md §2).
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Property {
    /// ∃p∃q: potentially killable, for deterministic models.
    Phi1,
    /// ∃q∃s∀p: potentially killable, for all models.
    Phi2,
    /// ∃p∃s∀q∀r: definitely killable, for all models.
    Phi3,
    /// ∃p∃s∀q: definitely killable, for deterministic models.
    Phi4,
}

impl fmt::Display for Property {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Property::Phi1 => "phi1",
            Property::Phi2 => "phi2",
            Property::Phi3 => "phi3",
            Property::Phi4 => "phi4",
        })
    }
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

/// What found a verdict.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Engine {
    /// The mutant's circuit is literally the original's or another mutant's.
    Structure,
    /// A walk through the pairs of states that original and mutant reach together.
    Pairs,
    /// Random runs, simulated bit-parallel.
    Simulation,
    /// A test found for another mutant kills this one too.
    Dropping,
    /// Bounded model checking, incremental in depth.
    Bmc,
    /// k-induction, strengthened by inductive facts.
    Induction,
    /// Property-directed reachability (IC3).
    Pdr,
    /// Search or proof for a family of mutants at once.
    Family,
    /// Counterexample-guided expansion of universal runs.
    ExistsForall,
    /// Exploration of sets of explicit states.
    Subsets,
    /// A game on sets of explicit states.
    Game,
    /// Another program, whose evidence was checked.
    External,
}

impl Engine {
    /// What makes proofs like this one.
    #[must_use]
    pub fn of(proof: &Proof) -> Engine {
        match proof.clauses() {
            0 => Engine::Induction,
            _ => Engine::Pdr,
        }
    }
}

impl fmt::Display for Engine {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Engine::Structure => "structure",
            Engine::Pairs => "pairs",
            Engine::Simulation => "simulation",
            Engine::Dropping => "dropping",
            Engine::Bmc => "bmc",
            Engine::Induction => "k-induction",
            Engine::Pdr => "pdr",
            Engine::Family => "family",
            Engine::ExistsForall => "exists-forall",
            Engine::Subsets => "subsets",
            Engine::Game => "game",
            Engine::External => "external",
        })
    }
}

/// Whether a stronger kill than the one given exists.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Stronger {
    /// Nobody asked, or there is nothing stronger.
    NotAsked,
    /// Proved: no test kills definitely.
    Excluded(Box<Certificate>),
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
pub struct Kill {
    /// What the test is good for.
    pub strength: Strength,
    /// Run of the model: the test's inputs and expected outputs come from it.
    pub model_run: Stimulus,
    /// Run of the mutant with the same test inputs (and choices, if controllable).
    pub mutant_run: Stimulus,
    /// Whether it is proved that no shorter test exists.
    pub shortest: bool,
    /// Whether the mutant is deterministic, so that it has no other outputs on these inputs.
    pub sole_run: bool,
    /// Whether a definite kill exists where this is a weaker one.
    pub stronger: Stronger,
    /// For an adaptive kill, the tester's strategy. The runs are those of one play that ends in a fail.
    pub tree: Option<StrategyTree>,
}

impl Kill {
    /// Length of the test in steps.
    #[must_use]
    pub fn steps(&self) -> usize {
        self.model_run.steps.len()
    }
}

/// Why a mutant is undecided.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
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
}

impl From<Stop> for Reason {
    fn from(stop: Stop) -> Reason {
        match stop {
            Stop::Bound => Reason::Bound,
            Stop::Time => Reason::Time,
            Stop::Memory => Reason::Memory,
            Stop::Interrupted => Reason::Interrupted,
            Stop::Engines => Reason::Engines,
        }
    }
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
        })
    }
}

/// A checked proof that no test exists.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Certificate {
    /// The goal of a question is unreachable.
    Induction {
        /// What was proved unreachable.
        question: Question,
        /// Why it is unreachable.
        proof: Proof,
    },
    /// A closed set of positions without a kill.
    ClosedSet(ClosedSet),
}

/// What is known of potential kills where no definite one exists.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Potential {
    /// This test kills potentially.
    Killed(Box<Kill>),
    /// Undecided: no test of at most `known_to` steps exists.
    Unsettled {
        /// Length up to which no test exists.
        known_to: usize,
        /// Which limit ended the search.
        reason: Reason,
    },
}

/// What is known of a mutant. Evidence has been re-checked by `certify` when a verdict leaves this package.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Verdict {
    /// A test that kills exists, and this is one.
    Killed(Box<Kill>),
    /// Proved: no test exists.
    Equivalent(Certificate),
    /// Proved: no test kills definitely. Asked for by φ3 and φ4 only; a mutant that is equivalent as well is reported as that.
    NotDefinitelyKillable {
        /// The proof that no test kills definitely.
        certificate: Certificate,
        /// Whether a test kills it potentially: what counts in the mutation score.
        potential: Potential,
    },
    /// No output kills it, but it refuses inputs that the model accepts.
    RefusesInput {
        /// A run of the model whose inputs the mutant refuses.
        run: Stimulus,
        /// The proof that no output kills it.
        certificate: Certificate,
    },
    /// Stillborn: no model, for this reason.
    Invalid(String),
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

impl Verdict {
    /// The kill that it is or, where no test kills definitely, the potential one beside it.
    #[must_use]
    pub fn kill(&self) -> Option<&Kill> {
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
            Verdict::Invalid(_) => "invalid",
            Verdict::DuplicateOf(_) => "duplicate-of",
            Verdict::Unknown { .. } => "unknown",
        }
    }
}

/// Why the mutant accepts all that the model accepts, and perhaps the reverse.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Inclusion {
    /// No constraint can fail: everything is accepted.
    Unconstrained,
    /// By copying choices, neither has to refuse what the other takes ([`Question::refusal`]).
    CommonChoices {
        /// That the mutant does not.
        mutant: Proof,
        /// That the model does not, if that is said.
        model: Option<Proof>,
    },
    /// All pairs of sets of states that inputs lead to which both accept.
    Sets(AcceptedSets),
}

/// Whether model and mutant accept the same inputs.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum InputEnabled {
    /// Each accepts what the other accepts, which this proves.
    Equally(Inclusion),
    /// They do not: one accepts this, the other refuses its last step.
    Differently {
        /// Whether it is the mutant that refuses.
        mutant_refuses: bool,
        /// A run of the one that accepts.
        run: Stimulus,
        /// If it is the model that refuses, the proof that the mutant accepts all that the model accepts.
        otherwise: Option<Inclusion>,
    },
    /// Not settled, or not looked at.
    Unsettled,
}

/// The result for one mutant.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Outcome {
    /// The mutant that was decided.
    pub mutant: MutantId,
    /// What was asked; `None` for mutants that no engine looked at.
    pub property: Option<Property>,
    /// What is known of it, with the evidence.
    pub verdict: Verdict,
    /// What found the kill or the proof; `None` if nothing did.
    pub engine: Option<Engine>,
    /// Whether both accept the same inputs.
    pub input_enabled: InputEnabled,
    /// What the user must know to read the verdict rightly.
    pub notes: Vec<String>,
}

impl Outcome {
    /// The outcome of a mutant whose circuit is the original's: proved like any other, but found by looking.
    #[must_use]
    pub fn by_structure(mut self) -> Outcome {
        if matches!(self.verdict, Verdict::Equivalent(_)) {
            self.engine = Some(Engine::Structure);
        }
        self
    }
}
