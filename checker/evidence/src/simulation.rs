//! Simulation relations as circuits: evidence that no test kills, which is checked step by step.

use hyperkill_core::SelectorId;

use crate::closed_set::Relation;
use crate::multiplexers::{Look, Multiplexer, Source};

/// A simulation relation between states of mutants and of the model, with a strategy that preserves it.
///
/// Each initial state of a mutant ([`Relation::Agreeing`]: one of them) is related to an initial state of the model. From related states
/// the model answers each step of the mutant by a step with the same outputs to related states ([`Relation::Agreeing`]: for each input both
/// have such a step). So no test kills, potentially or definitely.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Simulation {
    /// The mutants, ascending. The evidence is about each of them.
    pub members: Vec<SelectorId>,
    /// Whether it proves equivalence or that no test kills definitely.
    pub relation: Relation,
    /// The multiplexers from which all functions below are built.
    pub multiplexers: Vec<Multiplexer>,
    /// Whether a state of a mutant and a state of the model are related. The function reads latches of both sides.
    pub related: Source,
    /// First values of free latches, in the order in which they are chosen. Each function reads the mutant's latches and values chosen
    /// before.
    pub initial: Vec<(Look, Source)>,
    /// Choices in a step, in the order in which they are made. Each function reads the mutant's step, the model's latches, and choices made
    /// before.
    pub choices: Vec<(Look, Source)>,
    /// The variable order in which the evidence was found: a hint for a check by decision diagrams, which accepts any complete order. Empty
    /// if there is none; then a SAT solver checks.
    pub order: Vec<Look>,
}
