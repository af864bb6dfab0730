//! State estimates as circuits: why no test kills potentially, where the model's answer depends on what comes later.
//!
//! An estimate is a set of states of the model that can all have given the outputs so far (the states of an observer automaton, Cassandras
//! and Lafortune, Introduction to Discrete Event Systems, §2.5.2). A simulation relation has to choose the model's run step by step; here
//! the run is chosen backwards from its last step.

use hyperkill_core::SelectorId;

use crate::multiplexers::{Look, Multiplexer, Source};

/// Estimates beside the runs of mutants.
///
/// Each run of a mutant has an estimate beside each of its states, numbered in binary: number 0 at the start, then what `next` says. Every
/// state of an estimate ends a run of the model with the same inputs and outputs as the mutant's so far: it is an initial one at the start,
/// and later `before` names a state of the estimate before with a step that leads to it. `last` names a state of the estimate with a step
/// that shows what the mutant shows. So every run of the mutant has one of the model that shows the same.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Estimates {
    /// The mutants, ascending; it is about each of them.
    pub members: Vec<SelectorId>,
    /// What all the rest is made of.
    pub multiplexers: Vec<Multiplexer>,
    /// Whether a state of a mutant may have an estimate beside it: looks at the estimate and at the mutant's latches.
    pub beside: Source,
    /// Whether a state of the model is in an estimate: looks at the estimate and at the model's latches.
    pub contains: Source,
    /// The bits of the next estimate's number: each looks at the estimate and at the mutant's step, the states before and after included.
    pub next: Vec<Source>,
    /// A state of the model with choices, in the order in which they are chosen: each looks at the estimate, the inputs and outputs of the
    /// step, and at what is chosen before. The state is in the estimate, and the step shows the outputs.
    pub last: Vec<(Look, Source)>,
    /// The same for a step that leads to a state of the next estimate, which it looks at too.
    pub before: Vec<(Look, Source)>,
    /// The order of variables in which the evidence was found: a hint for a check by decision diagrams. Any order of all variables of the
    /// check will do. Empty if there is none: then a SAT solver checks.
    pub order: Vec<Look>,
}
