//! Simulation relations as circuits: why no test kills, for whoever can check one step.

use hyperkill_core::SelectorId;

use crate::closed_set::Relation;

/// A value that a relation or a strategy looks at. `Next` and `Shown` belong to the mutant's step, which is to be answered.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Look {
    /// A test input, by its index among the circuit's inputs.
    Input(usize),
    /// A latch of the model, by index.
    Model(usize),
    /// A latch of the mutant; also a selector.
    Mutant(usize),
    /// The value that a latch of the mutant has after the step.
    Next(usize),
    /// An output of the mutant, by index.
    Shown(usize),
    /// A choice of the model that was made before, by its index among the circuit's inputs.
    Chosen(usize),
    /// A choice of the mutant that was made before; where both sides' choices are made to agree.
    MutantChosen(usize),
}

/// Where a value comes from: a constant, or a multiplexer, and whether it is complemented.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Source {
    /// Number of the multiplexer, from 1; 0 is the constant true.
    pub multiplexer: usize,
    /// Whether the value is complemented.
    pub complemented: bool,
}

/// `high` where what is looked at is true, else `low`. Both are constants or earlier multiplexers.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Multiplexer {
    /// What decides.
    pub on: Look,
    /// The value where it is false.
    pub low: Source,
    /// The value where it is true.
    pub high: Source,
}

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
}
