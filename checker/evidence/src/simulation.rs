//! Simulation relations as circuits: why no test kills, for whoever can check one step.

use hyperkill_core::SelectorId;

use crate::closed_set::Relation;
use crate::multiplexers::{Look, Multiplexer, Source};

/// A relation between states of mutants and of the model, with a strategy that keeps to it.
///
/// Each initial state of a mutant ([`Relation::Agreeing`]: one of them) is related to one of the model. From related states each step of
/// the mutant is answered by one of the model with the same outputs that leads to related states again ([`Relation::Agreeing`]: for each
/// input both have such a step). So no test kills, potentially or definitely.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Simulation {
    /// The mutants, ascending; it is about each of them.
    pub members: Vec<SelectorId>,
    /// Whether it proves equivalence or that no test kills definitely.
    pub relation: Relation,
    /// What all the rest is made of.
    pub multiplexers: Vec<Multiplexer>,
    /// Whether states are related: looks at latches of both sides.
    pub related: Source,
    /// First values of free latches, in the order in which they are chosen: each looks at the mutant's latches and at values chosen before.
    pub initial: Vec<(Look, Source)>,
    /// Choices in a step, in the order in which they are made: each looks at the step to be answered, the model's latches, and choices made
    /// before.
    pub choices: Vec<(Look, Source)>,
    /// The order of variables in which the evidence was found: a hint for a check by decision diagrams. Any order of all variables of the
    /// check will do. Empty if there is none: then a SAT solver checks.
    pub order: Vec<Look>,
}
