//! State estimates as circuits: evidence that no test kills potentially, if the model's choices depend on later steps.
//!
//! An estimate is a set of states of the model that can all have given the outputs so far (a state of an observer automaton, Cassandras and
//! Lafortune, Introduction to Discrete Event Systems, §2.5.2). A simulation relation must choose the model's run step by step; here the run
//! is chosen backwards from its last step.

use hyperkill_core::SelectorId;

use crate::multiplexers::{Look, Multiplexer, Source};

/// State estimates beside the runs of mutants.
///
/// Each state of a mutant's run has an estimate beside it, numbered in binary: number 0 at the start, then the number given by `next`.
/// Every state of an estimate ends a run of the model with the same inputs and outputs as the mutant's run so far. At the start such a
/// state is initial; later `before` names a state of the previous estimate with a step that leads to it. `last` names a state of the
/// estimate with a step that has the outputs of the mutant. So for every run of the mutant there is a run of the model with the same
/// outputs.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Estimates {
    /// The mutants, ascending. The evidence is about each of them.
    pub members: Vec<SelectorId>,
    /// The multiplexers from which all functions below are built.
    pub multiplexers: Vec<Multiplexer>,
    /// Whether a state of a mutant may have an estimate beside it. The function reads the estimate and the mutant's latches.
    pub beside: Source,
    /// Whether a state of the model is in an estimate. The function reads the estimate and the model's latches.
    pub contains: Source,
    /// The bits of the next estimate's number, lowest first. Each function reads the estimate and the mutant's step, with the states before
    /// and after it.
    pub next: Vec<Source>,
    /// A state of the model and choices, in the order in which they are chosen. Each function reads the estimate, the inputs and outputs of
    /// the step, and the values chosen before. The state is in the estimate, and its step has these outputs.
    pub last: Vec<(Look, Source)>,
    /// A state and choices for a step to a state of the next estimate, which the functions also read; in the form of `last`.
    pub before: Vec<(Look, Source)>,
    /// The variable order in which the evidence was found: a hint for a check by decision diagrams, which accepts any complete order. Empty
    /// if there is none; then a SAT solver checks.
    pub order: Vec<Look>,
}
