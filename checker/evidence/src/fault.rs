//! Planted faults: the differential tests must catch every one of them, with the certifier and without.
//!
//! A fault is switched on, and the certifier off, per thread and only in builds with the feature `planted-faults`; in all
//! other builds `planted` and `evidence_is_believed` are the constant false.

/// A planted fault: a deliberate bug of an engine or of the certifier, which tests switch on.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Fault {
    /// BMC checks the goal one step too early.
    OffByOneFrame,
    /// BMC omits the constraints of the second step.
    ForgottenConstraint,
    /// An uninitialised latch starts at 0 in the unrolling.
    ForgottenFreeReset,
    /// A latch reset to 1 starts at 0 in the unrolling.
    ForgottenReset,
    /// The encoder drops the clause that forces a gate's output up.
    DroppedClause,
    /// The encoder swaps the sign of one operand.
    SwappedLiteral,
    /// Induction skips its base case.
    SkippedBase,
    /// Induction uses candidate facts without checking that they are inductive.
    UncheckedFacts,
    /// Signal correspondence replaces nodes by their representatives in the step in which the classes are checked.
    SpeculatedCheck,
    /// Signal correspondence assumes its classes in the step in which they are checked.
    AssumedConclusion,
    /// Simulation ignores constraints.
    UnconstrainedSimulation,
    /// Shortening accepts a test that no longer kills.
    CarelessShortening,
    /// The goal compares all outputs but the last.
    ForgottenOutput,
    /// ∃∀ asserts the constraints of a counterexample's copy instead of using them as a premise.
    AssertedCounterexample,
    /// All copies have the free initial values of the first copy.
    SharedFreeReset,
    /// The identity strategy assumes the model's constraints instead of proving them.
    AssumedObligation,
    /// The universal runs of the mutant may be those of any mutant, as if its selector were quantified universally.
    SelectorsInside,
    /// ∃∀ accepts universal runs that break a constraint in the last step.
    OffByOneDepth,
    /// ∃∀ omits the condition that inputs are accepted.
    ForgottenWitness,
    /// A state estimate is dropped in favour of one that it subsumes.
    ReversedSubsumption,
    /// State estimates contain states that are reached only by breaking a constraint.
    IgnoredDeadEnds,
    /// Steps that may break a constraint are dropped as if they did.
    DroppedOpenSteps,
    /// A mutation is taken to have no effect in any state.
    OverlookedMutation,
    /// State estimates begin with only one initial state.
    ForgottenInitialStates,
    /// Locally allowed outputs are those of the exact state of the run.
    AllowedFromFixedState,
    /// An adaptive test passes outputs that the mutant can still give.
    EarlyPass,
    /// A strategy answers with steps that break the model's constraints.
    UnconstrainedStrategy,
    /// Runs that contradict a test are searched from initial values 0 only, though these are free.
    JudgedFromZero,
    /// The question of a family is asked about its first member only.
    OneMemberForAll,
    /// Pairs of runs that contradict a definite kill are searched among pairs with the same choices only.
    JudgedWithCommonChoices,
    /// PDR drops literals of a lemma without checking the initial states.
    UncheckedInitiation,
    /// PDR moves a lemma to the next frame without checking that it holds there.
    UncheckedPropagation,
    /// PDR ignores the constraints when it computes the cause of a step.
    LiftedPastConstraint,
    /// PDR takes a fact that is inductive relative to a finite frame for an invariant.
    FiniteFrameForever,
    /// PDR takes the goal for excluded from a frame when one of its cubes is.
    OneBadCube,
    /// BMC searches several depths in one call (a jump) and requires runs to go on to the last depth even if they reach the goal before.
    JumpedPastDeadEnds,
    /// The exploration of pairs of states omits half of the inputs.
    ForgottenValuation,
    /// Input valuations are divided into classes with the same effect, and the last class is not searched.
    LostClass,
    /// Two classes of input valuations are taken for one.
    MergedClasses,
    /// All values but the default of a choice that outputs show are taken for one, even if other parts of the circuit read that choice.
    ShownValuesMerged,
    /// The certifier accepts that values of a shown choice are taken for one, although other parts of the circuit read the choice.
    ShownValuesUnchecked,
    /// The certifier ignores that another output of a variant equals a gate that shows a choice.
    ShownElsewhere,
    /// A mutant that diverges from the original without a difference in outputs is taken to stay in the same state.
    SilentParting,
    /// A refusal by the mutant counts as a step that the original cannot make.
    RefusalTakenForKill,
    /// State estimates are compared as if the mutant refused no input.
    OverlookedRefusal,
    /// The certifier takes every pair of state sets for one in which no input is refused.
    UnwillingPair,
    /// The certifier accepts answers of one side from states that it may be unable to reach.
    AnswerFromNowhere,
    /// The certifier does not exchange model and mutant in the relation in which the mutant answers.
    PlacesKept,
    /// The certifier misses that the mutant refuses an input of the model.
    UnseenRefusal,
    /// PDR encodes steps without their constraints.
    ForgottenExistence,
    /// The solver of PDR and of correspondence leaves the cause of a false gate open.
    UnjustifiedGate,
    /// Fault simulation takes unknown choices for 0.
    UnknownTakenForZero,
    /// Fault simulation takes an unknown output of the mutant for a difference from the model.
    UnknownTakenForOther,
    /// Fault simulation keeps the latches that differed in the step before.
    StaleDifference,
    /// Fault simulation ignores constraints.
    UnconstrainedFaults,
    /// Fault simulation reuses a register before the last read of its value.
    PlaceGivenAway,
    /// A relation between states that holds for one member of a family is used for all.
    QuantifiedSelector,
    /// Diagrams omit a part of the transition relation.
    ForgottenPartition,
    /// Diagrams include steps that break a constraint.
    DeadEndCounted,
    /// Runs of mutants are dropped beside smaller state estimates than others.
    ReversedEstimates,
    /// A search on state estimates continues with the first inputs and outputs only.
    ForgottenClass,
    /// The equality of merged latches is not required to be preserved.
    UnkeptLatches,
    /// Latches that may differ are taken for equal after a step.
    ForgottenDifference,
    /// Infinite runs need not meet the last of their conditions infinitely often.
    ForgottenCondition,
    /// Infinite runs may break the last of their constraints.
    ForgottenDemand,
    /// A search without a short lasso is taken for a proof that there is none.
    BoundTakenForProof,
    /// A run is accepted as a fair loop although the loop does not meet all fairness conditions.
    LedOnAnyhow,
    /// A run is extended to a loop through steps that break constraints.
    LedOnPastConstraints,
    /// A response that breaks a constraint of the model counts as a refutation.
    EndingResponse,
    /// Universal traces have the choices of the first existential trace.
    ChoicesOfCandidate,
    /// Outer traces start only in the first of their initial states.
    OneOuterStart,
    /// The last step of each outer state is omitted.
    ForgottenOuterStep,
    /// Loops are not required to lead into an accepting loop.
    UncheckedRounds,
    /// Finite outer traces are refuted although the automaton has no position at their end.
    UncheckedEnd,
    /// Finite universal traces may be one step longer than the traces that they refute.
    LaterEnd,
    /// Verdicts are carried over to an edited model without comparing its constraints.
    ConstraintsForgottenInKeys,
    /// Verdicts are carried over to an edited model without comparing its initial values.
    FirstValuesForgottenInKeys,
    /// The certifier's diagrams require a good step on some input instead of all.
    QuantifiedInput,
    /// The certifier's diagrams confuse states before and after a step.
    PresentForNext,
    /// The certifier's diagrams do not compare the last output.
    ForgottenPart,
    /// The certifier's diagrams allow steps of the model that break its constraints.
    UnpaidConstraints,
    /// The certifier's diagrams do not check initial states.
    UncheckedStart,
    /// The certifier's diagrams confuse two variables of the order.
    MisreadOrder,
    /// The certifier's diagrams accept an order that names a variable twice or omits one.
    UncheckedOrder,
}

/// Planted faults that tests of questions about pairs of runs (φ1) must reveal.
pub const ALL: [Fault; 15] = [
    Fault::OffByOneFrame,
    Fault::ForgottenConstraint,
    Fault::ForgottenFreeReset,
    Fault::ForgottenReset,
    Fault::DroppedClause,
    Fault::SwappedLiteral,
    Fault::SkippedBase,
    Fault::UncheckedFacts,
    Fault::SpeculatedCheck,
    Fault::AssumedConclusion,
    Fault::UnconstrainedSimulation,
    Fault::CarelessShortening,
    Fault::ForgottenOutput,
    Fault::OneMemberForAll,
    Fault::ForgottenValuation,
];

/// Planted faults that tests with wide inputs must reveal.
pub const CLASSES: [Fault; 2] = [Fault::LostClass, Fault::MergedClasses];

/// Planted faults that tests of models with outputs that show choices must reveal.
pub const SHOWN: [Fault; 1] = [Fault::ShownValuesMerged];

/// Planted faults that tests of models whose outputs determine the state must reveal.
pub const TOGETHER: [Fault; 2] = [Fault::SilentParting, Fault::RefusalTakenForKill];

/// Planted faults in an engine and in the certifier that models with refusing mutants must reveal.
pub const ACCEPTANCE: [Fault; 2] = [Fault::OverlookedRefusal, Fault::UnseenRefusal];

/// Planted faults that tests of questions about sets of runs (φ2, φ3, φ4) and of adaptive tests must reveal.
pub const NON_DETERMINISM: [Fault; 16] = [
    Fault::AssertedCounterexample,
    Fault::SharedFreeReset,
    Fault::AssumedObligation,
    Fault::SelectorsInside,
    Fault::OffByOneDepth,
    Fault::ForgottenWitness,
    Fault::ReversedSubsumption,
    Fault::IgnoredDeadEnds,
    Fault::DroppedOpenSteps,
    Fault::OverlookedMutation,
    Fault::ForgottenInitialStates,
    Fault::AllowedFromFixedState,
    Fault::EarlyPass,
    Fault::UnconstrainedStrategy,
    Fault::JudgedFromZero,
    Fault::JudgedWithCommonChoices,
];

/// Planted faults that tests of property-directed reachability must reveal.
pub const PDR: [Fault; 7] = [
    Fault::UncheckedInitiation,
    Fault::UncheckedPropagation,
    Fault::LiftedPastConstraint,
    Fault::FiniteFrameForever,
    Fault::OneBadCube,
    Fault::ForgottenExistence,
    Fault::UnjustifiedGate,
];

/// Planted faults that tests of fault simulation must reveal.
pub const FAULT_SIMULATION: [Fault; 5] = [
    Fault::UnknownTakenForZero,
    Fault::UnknownTakenForOther,
    Fault::StaleDifference,
    Fault::UnconstrainedFaults,
    Fault::PlaceGivenAway,
];

/// Planted faults that tests of decision diagrams must reveal.
pub const DIAGRAMS: [Fault; 5] = [
    Fault::QuantifiedSelector,
    Fault::ForgottenPartition,
    Fault::DeadEndCounted,
    Fault::ReversedEstimates,
    Fault::ForgottenClass,
];

/// Planted faults in the certifier's own diagrams that damaged evidence must reveal.
pub const DIAGRAM_CHECKS: [Fault; 7] = [
    Fault::QuantifiedInput,
    Fault::PresentForNext,
    Fault::ForgottenPart,
    Fault::UnpaidConstraints,
    Fault::UncheckedStart,
    Fault::MisreadOrder,
    Fault::UncheckedOrder,
];

/// Planted faults that tests of latches taken for equal must reveal.
pub const EQUAL_LATCHES: [Fault; 2] = [Fault::UnkeptLatches, Fault::ForgottenDifference];

/// Planted faults that tests of formulas over finite traces must reveal.
pub const FINITE: [Fault; 2] = [Fault::UncheckedEnd, Fault::LaterEnd];

/// Planted faults that tests of formulas over infinite traces must reveal.
pub const HYPERLTL: [Fault; 10] = [
    Fault::ForgottenCondition,
    Fault::ForgottenDemand,
    Fault::BoundTakenForProof,
    Fault::LedOnAnyhow,
    Fault::LedOnPastConstraints,
    Fault::EndingResponse,
    Fault::ChoicesOfCandidate,
    Fault::OneOuterStart,
    Fault::ForgottenOuterStep,
    Fault::UncheckedRounds,
];

/// Planted faults that tests of runs of edited models must reveal.
pub const CARRIED_OVER: [Fault; 2] = [
    Fault::ConstraintsForgottenInKeys,
    Fault::FirstValuesForgottenInKeys,
];

#[cfg(feature = "planted-faults")]
mod switch {
    use super::Fault;
    use std::cell::Cell;

    thread_local! {
        static ON: Cell<Option<Fault>> = const { Cell::new(None) };
        static BELIEVE: Cell<bool> = const { Cell::new(false) };
    }

    /// Switches this fault on for this thread, in place of any other; `None` switches all faults off.
    pub fn plant(fault: Option<Fault>) {
        ON.with(|on| on.set(fault));
    }

    /// Whether this fault is switched on for this thread.
    #[must_use]
    pub fn planted(fault: Fault) -> bool {
        ON.with(|on| on.get() == Some(fault))
    }

    /// Switches the certifier's check of proofs and kills off for this thread (`true`) or on again (`false`). While the check is off, tests
    /// show whether an independent oracle detects a fault that the certifier would detect first.
    pub fn believe_evidence(believe: bool) {
        BELIEVE.with(|on| on.set(believe));
    }

    /// Whether evidence is reported without the certifier's check on this thread.
    #[must_use]
    pub fn evidence_is_believed() -> bool {
        BELIEVE.with(Cell::get)
    }
}

#[cfg(feature = "planted-faults")]
pub use switch::{believe_evidence, evidence_is_believed, plant, planted};

/// Whether this fault is switched on: never, in builds without planted faults.
#[cfg(not(feature = "planted-faults"))]
#[must_use]
pub const fn planted(_: Fault) -> bool {
    false
}

/// Whether evidence is reported without the certifier's check: never, in builds without planted faults.
#[cfg(not(feature = "planted-faults"))]
#[must_use]
pub const fn evidence_is_believed() -> bool {
    false
}
