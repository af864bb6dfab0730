//! Planted faults: the differential tests must catch every one of them, with the certifier and without.
//!
//! A fault is switched on, and the certifier off, per thread and only in builds with the feature `planted-faults`; in all
//! other builds `planted` and `evidence_is_believed` are the constant false.

/// A way in which an engine could be wrong.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Fault {
    /// BMC asks for the goal one step too early.
    OffByOneFrame,
    /// BMC forgets the constraints of the second step.
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
    /// Induction believes candidate facts without checking that they are kept.
    UncheckedFacts,
    /// Signal correspondence replaces nodes by what stands for them in the very step in which that is checked.
    SpeculatedCheck,
    /// Signal correspondence assumes its classes in the step in which they are checked.
    AssumedConclusion,
    /// Simulation ignores constraints.
    UnconstrainedSimulation,
    /// Shortening accepts a test that no longer kills.
    CarelessShortening,
    /// The goal compares all outputs but the last.
    ForgottenOutput,
    /// ∃∀ asserts the constraints of a counterexample's copy instead of making them a premise.
    AssertedCounterexample,
    /// A copy's free initial values are those of the first copy.
    SharedFreeReset,
    /// The identity strategy assumes the model's constraints instead of owing them.
    AssumedObligation,
    /// The universal runs of the mutant may be those of any mutant, as if its selector were theirs to choose.
    SelectorsInside,
    /// ∃∀ lets universal runs count that die in the last step.
    OffByOneDepth,
    /// ∃∀ forgets that inputs have to be accepted.
    ForgottenWitness,
    /// A set of states is dropped for one that it subsumes.
    ReversedSubsumption,
    /// State estimates contain states that are reached only by breaking a constraint.
    IgnoredDeadEnds,
    /// Steps are dropped that may still break a constraint, as if they did.
    DroppedOpenSteps,
    /// A mutation is taken to matter in no state.
    OverlookedMutation,
    /// Sets of states begin with one initial state only.
    ForgottenInitialStates,
    /// Locally allowed outputs are those of the very state that the run is in.
    AllowedFromFixedState,
    /// An adaptive test passes outputs that the mutant can still give.
    EarlyPass,
    /// A strategy answers by steps that break the model's constraints.
    UnconstrainedStrategy,
    /// Runs that would spoil a test are looked for from initial values 0 only, where these are free.
    JudgedFromZero,
    /// A family's question is asked of its first member only.
    OneMemberForAll,
    /// Pairs of runs that would spoil a definite kill are looked for among those with the same choices.
    JudgedWithCommonChoices,
    /// PDR drops literals of a lemma without checking the initial states.
    UncheckedInitiation,
    /// PDR moves a lemma to the next frame without checking that it holds there.
    UncheckedPropagation,
    /// PDR ignores the constraints when it computes the cause of a step.
    LiftedPastConstraint,
    /// PDR takes a fact that is inductive relative to a finite frame for an invariant.
    FiniteFrameForever,
    /// PDR takes the goal for excluded from a frame once one of its cubes is.
    OneBadCube,
    /// BMC asks runs of a jump to go on to its end even if they reach the goal before.
    JumpedPastDeadEnds,
    /// The walk through pairs of states forgets half of the inputs.
    ForgottenValuation,
    /// The last class of input valuations is lost.
    LostClass,
    /// Two classes of input valuations are taken for one.
    MergedClasses,
    /// All values but the default of a choice that outputs show are taken for one, even if other parts of the circuit read them.
    ShownValuesMerged,
    /// The certifier takes them for one.
    ShownValuesUnchecked,
    /// The certifier does not see that another output of a variant means a gate that shows a choice.
    ShownElsewhere,
    /// A mutant that parts from the original without a sign is taken to stay with it.
    SilentParting,
    /// A refusal by the mutant counts as a step that the original cannot make.
    RefusalTakenForKill,
    /// Sets of states are compared as if the mutant refused nothing.
    OverlookedRefusal,
    /// The certifier believes of every pair of state sets that no state refuses an input.
    UnwillingPair,
    /// The certifier believes that one side answers the other with states that it need not be able to be in.
    AnswerFromNowhere,
    /// The certifier forgets that model and mutant stand in each other's place where the mutant answers.
    PlacesKept,
    /// The certifier misses that the mutant refuses an input of the model.
    UnseenRefusal,
    /// PDR encodes steps without what must hold for them to exist.
    ForgottenExistence,
    /// The solver of PDR and of correspondence leaves open what makes a gate false.
    UnjustifiedGate,
    /// Fault simulation takes unknown choices for 0.
    UnknownTakenForZero,
    /// Fault simulation takes an output that is unknown in the mutant for another one than the model's.
    UnknownTakenForOther,
    /// Fault simulation keeps the latches that differed at the step before.
    StaleDifference,
    /// Fault simulation ignores constraints.
    UnconstrainedFaults,
    /// Fault simulation gives the place of a value to another one before it was read for the last time.
    PlaceGivenAway,
    /// A relation between states that holds for one member of a family is taken for one of all.
    QuantifiedSelector,
    /// Diagrams forget a part of the relation between states and their successors.
    ForgottenPartition,
    /// Diagrams count steps that break a constraint.
    DeadEndCounted,
    /// Runs of mutants are dropped beside state estimates that contain less than others.
    ReversedEstimates,
    /// A search on state estimates goes on with the first inputs and outputs only.
    ForgottenClass,
    /// Latches that are taken for equal are not asked to stay so.
    UnkeptLatches,
    /// Latches that may differ do not once a step is over.
    ForgottenDifference,
    /// Infinite runs need not meet the last of their conditions again and again.
    ForgottenCondition,
    /// Infinite runs may break the last of their constraints.
    ForgottenDemand,
    /// A search without a short lasso is taken for a proof that there is none.
    BoundTakenForProof,
    /// A run that is extended to a loop counts whatever the loop meets.
    LedOnAnyhow,
    /// A run is led on through steps that break constraints.
    LedOnPastConstraints,
    /// A response refutes although it breaks a constraint of the model.
    EndingResponse,
    /// Universal traces make the choices of the first existential trace.
    ChoicesOfCandidate,
    /// Outer traces begin in the first of their first states only.
    OneOuterStart,
    /// The last step of each outer state is not listed.
    ForgottenOuterStep,
    /// No round is asked to lead into an accepting loop.
    UncheckedRounds,
    /// Finite outer traces are refuted although no automaton's position is left when they have ended.
    UncheckedEnd,
    /// Finite universal traces may have one step more than the traces that they refute.
    LaterEnd,
    /// Verdicts are carried over to an edited model without comparing its constraints.
    ConstraintsForgottenInKeys,
    /// Verdicts are carried over to an edited model wherever it begins now.
    FirstValuesForgottenInKeys,
    /// The certifier's diagrams ask for a good step on some inputs instead of all.
    QuantifiedInput,
    /// The certifier's diagrams take states before a step for those after it.
    PresentForNext,
    /// The certifier's diagrams forget to compare the last output.
    ForgottenPart,
    /// The certifier's diagrams let steps of the model break its constraints.
    UnpaidConstraints,
    /// The certifier's diagrams do not check initial states.
    UncheckedStart,
    /// The certifier's diagrams confuse two variables of the order.
    MisreadOrder,
    /// The certifier's diagrams accept an order that names a variable twice or leaves one out.
    UncheckedOrder,
}

/// Faults that tests of questions about pairs of runs (φ1) must reveal.
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

/// Faults that tests with wide inputs must reveal.
pub const CLASSES: [Fault; 2] = [Fault::LostClass, Fault::MergedClasses];

/// Faults that tests of models with outputs that show choices must reveal.
pub const SHOWN: [Fault; 1] = [Fault::ShownValuesMerged];

/// Faults that tests of models whose outputs determine the state must reveal.
pub const TOGETHER: [Fault; 2] = [Fault::SilentParting, Fault::RefusalTakenForKill];

/// Faults in an engine and in the certifier that models with refusing mutants must reveal.
pub const ACCEPTANCE: [Fault; 2] = [Fault::OverlookedRefusal, Fault::UnseenRefusal];

/// Faults that tests of questions about sets of runs (φ2, φ3, φ4) and of adaptive tests must reveal.
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

/// Faults that tests of property-directed reachability must reveal.
pub const PDR: [Fault; 7] = [
    Fault::UncheckedInitiation,
    Fault::UncheckedPropagation,
    Fault::LiftedPastConstraint,
    Fault::FiniteFrameForever,
    Fault::OneBadCube,
    Fault::ForgottenExistence,
    Fault::UnjustifiedGate,
];

/// Faults that tests of fault simulation must reveal.
pub const FAULT_SIMULATION: [Fault; 5] = [
    Fault::UnknownTakenForZero,
    Fault::UnknownTakenForOther,
    Fault::StaleDifference,
    Fault::UnconstrainedFaults,
    Fault::PlaceGivenAway,
];

/// Faults that tests of decision diagrams must reveal.
pub const DIAGRAMS: [Fault; 5] = [
    Fault::QuantifiedSelector,
    Fault::ForgottenPartition,
    Fault::DeadEndCounted,
    Fault::ReversedEstimates,
    Fault::ForgottenClass,
];

/// Faults in the certifier's own diagrams that damaged evidence must reveal.
pub const DIAGRAM_CHECKS: [Fault; 7] = [
    Fault::QuantifiedInput,
    Fault::PresentForNext,
    Fault::ForgottenPart,
    Fault::UnpaidConstraints,
    Fault::UncheckedStart,
    Fault::MisreadOrder,
    Fault::UncheckedOrder,
];

/// Faults that tests of latches taken for equal must reveal.
pub const EQUAL_LATCHES: [Fault; 2] = [Fault::UnkeptLatches, Fault::ForgottenDifference];

/// Faults that tests of formulas over finite traces must reveal.
pub const FINITE: [Fault; 2] = [Fault::UncheckedEnd, Fault::LaterEnd];

/// Faults that tests of formulas over infinite traces must reveal.
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

/// Faults that tests of runs of edited models must reveal.
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

    /// Switches a fault on for this thread, or all off.
    pub fn plant(fault: Option<Fault>) {
        ON.with(|on| on.set(fault));
    }

    /// Whether this fault is switched on.
    #[must_use]
    pub fn planted(fault: Fault) -> bool {
        ON.with(|on| on.get() == Some(fault))
    }

    /// Lets proofs and kills out without a check on this thread, or has them checked again: whether an independent
    /// judge would notice a fault shows only if the certifier does not notice it first.
    pub fn believe_evidence(believe: bool) {
        BELIEVE.with(|on| on.set(believe));
    }

    /// Whether evidence is let out without a check.
    #[must_use]
    pub fn evidence_is_believed() -> bool {
        BELIEVE.with(Cell::get)
    }
}

#[cfg(feature = "planted-faults")]
pub use switch::{believe_evidence, evidence_is_believed, plant, planted};

/// Whether this fault is switched on.
#[cfg(not(feature = "planted-faults"))]
#[must_use]
pub const fn planted(_: Fault) -> bool {
    false
}

/// Whether evidence is let out without a check.
#[cfg(not(feature = "planted-faults"))]
#[must_use]
pub const fn evidence_is_believed() -> bool {
    false
}
