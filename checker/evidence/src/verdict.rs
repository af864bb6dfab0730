//! Verdicts with their evidence (semantics.md §3).

use std::fmt;
use std::sync::Arc;

use hyperkill_core::mutant::MutantId;
use hyperkill_core::trace::Stimulus;
use hyperkill_core::verdict as general;
pub use hyperkill_core::verdict::{Reason, Strength};

use crate::accepted_sets::AcceptedSets;
use crate::closed_set::ClosedSet;
use crate::estimates::Estimates;
use crate::proof::Proof;
use crate::question::Question;
use crate::simulation::Simulation;
use crate::strategy_tree::StrategyTree;

/// The killing formula (semantics.md §2).
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

/// The engine that found a verdict.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Engine {
    /// The circuit of the mutant is identical to the original's or another mutant's.
    Structure,
    /// An exploration of the pairs of states that original and mutant reach together.
    Pairs,
    /// Random runs, simulated bit-parallel: many runs in the bits of a word.
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
    /// Counterexample-guided expansion of the universal runs of an ∃∀ formula.
    ExistsForall,
    /// Exploration of sets of explicit states (subset construction).
    Subsets,
    /// A game between tester and mutant on sets of explicit states, for adaptive tests.
    Game,
    /// Sets of states and relations between them as decision diagrams.
    Diagrams,
    /// An external program, whose evidence was checked.
    External,
}

impl Engine {
    /// All engines, in the order of the variants.
    pub const ALL: [Engine; 13] = [
        Engine::Structure,
        Engine::Pairs,
        Engine::Simulation,
        Engine::Dropping,
        Engine::Bmc,
        Engine::Induction,
        Engine::Pdr,
        Engine::Family,
        Engine::ExistsForall,
        Engine::Subsets,
        Engine::Game,
        Engine::Diagrams,
        Engine::External,
    ];

    /// Returns the engine with this name in documents; `None` if there is none.
    #[must_use]
    pub fn named(name: &str) -> Option<Engine> {
        Engine::ALL
            .into_iter()
            .find(|engine| engine.to_string() == name)
    }

    /// Returns the engine that makes proofs of this form: PDR if it has clauses, k-induction otherwise.
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
            Engine::Diagrams => "diagrams",
            Engine::External => "external",
        })
    }
}

/// The kinds of evidence about circuits, as a type without values: runs bit by bit, proofs by induction or closed sets, strategies as
/// trees.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum CircuitEvidence {}

impl general::Evidence for CircuitEvidence {
    type Run = Stimulus;
    type Proof = Certificate;
    type Strategy = StrategyTree;

    fn steps(run: &Stimulus) -> usize {
        run.steps.len()
    }
}

/// A test that kills a mutant of a circuit.
pub type Kill = general::Kill<CircuitEvidence>;

/// Whether a stronger kill exists.
pub type Stronger = general::Stronger<CircuitEvidence>;

/// The result on potential kills of a mutant without a definite one.
pub type Potential = general::Potential<CircuitEvidence>;

/// The verdict on a mutant of a circuit. `certify` has checked its evidence when the verdict leaves the checker.
pub type Verdict = general::Verdict<CircuitEvidence>;

/// A checked proof that no test exists.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Certificate {
    /// The goal of a question is unreachable.
    Induction {
        /// The question whose goal is unreachable.
        question: Question,
        /// The proof that the goal is unreachable.
        proof: Proof,
    },
    /// A closed set of positions without a kill, shared by its members.
    ClosedSet(Arc<ClosedSet>),
    /// A relation between states, and a strategy that keeps to it.
    Simulation(Simulation),
    /// Sets of states that can have given the same outputs.
    Estimates(Estimates),
}

/// The evidence that the mutant accepts all inputs of the model, and possibly the reverse.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Inclusion {
    /// No constraint can fail, so all inputs are accepted.
    Unconstrained,
    /// By copying choices, neither has to refuse an input of the other ([`Question::refusal`]).
    CommonChoices {
        /// The proof for the mutant.
        mutant: Proof,
        /// The proof for the model, if the reverse is claimed.
        model: Option<Proof>,
    },
    /// All pairs of sets of states that input sequences accepted by both lead to.
    Sets(AcceptedSets),
    /// Relations in which one side answers every step of the other by a step on the same input, with any outputs
    /// ([`Relation::Matched`](crate::closed_set::Relation::Matched) without outputs).
    Relations {
        /// The mutant answers the steps of the model. This relation is about the circuit with the two exchanged, so `Look::Model` stands
        /// for the mutant and `Look::Mutant` for the model.
        mutant: Box<Simulation>,
        /// The model answers the steps of the mutant. `None` if the model refuses inputs that the mutant accepts.
        model: Option<Box<Simulation>>,
    },
    /// There are no test inputs, and each side has a run that is a lasso, so both have runs of every length.
    Endless {
        /// A run of the mutant that ends in a state that it has visited before.
        mutant: Stimulus,
        /// A run of the model that ends in a state that it has visited before.
        model: Stimulus,
    },
}

/// Whether model and mutant accept the same inputs.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum InputEnabled {
    /// Each accepts all inputs of the other, with a proof.
    Equally(Inclusion),
    /// They accept different inputs: one accepts these, the other refuses the last step.
    Differently {
        /// Whether the mutant is the side that refuses.
        mutant_refuses: bool,
        /// A run of the side that accepts.
        run: Stimulus,
        /// If the model refuses: the proof that the mutant accepts all inputs of the model.
        otherwise: Option<Inclusion>,
    },
    /// Undecided, or not examined.
    Unsettled,
}

/// The result for one mutant.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Outcome {
    /// The mutant that was decided.
    pub mutant: MutantId,
    /// The killing formula that was decided; `None` for mutants that no engine was given.
    pub property: Option<Property>,
    /// The verdict with its evidence.
    pub verdict: Verdict,
    /// The engine that found the kill or the proof; `None` if there is neither.
    pub engine: Option<Engine>,
    /// Whether both accept the same inputs.
    pub input_enabled: InputEnabled,
    /// Remarks on the meaning of the verdict.
    pub notes: Vec<String>,
}

impl Outcome {
    /// Returns the outcome with [`Engine::Structure`] as its engine if the mutant is equivalent: its circuit is the original's. The proof
    /// keeps its usual form.
    #[must_use]
    pub fn by_structure(mut self) -> Outcome {
        if matches!(self.verdict, Verdict::Equivalent(_)) {
            self.engine = Some(Engine::Structure);
        }
        self
    }
}
