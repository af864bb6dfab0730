//! Circuits of multiplexers, the form of decision diagrams: functions of the values that a check reads.

/// A value that a relation or a strategy reads. `Next` and `Shown` belong to the mutant's step, which is to be answered.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Look {
    /// A test input, by its index among the circuit's inputs.
    Input(usize),
    /// A latch of the model, by index.
    Model(usize),
    /// A latch of the mutant, by index; also a selector.
    Mutant(usize),
    /// The value of a latch of the mutant after the step.
    Next(usize),
    /// An output of the mutant, by index.
    Shown(usize),
    /// A choice of the model made before, by its index among the circuit's inputs.
    Chosen(usize),
    /// A choice of the mutant made before, by its input's index, if the choices of both sides are made to agree.
    MutantChosen(usize),
    /// The wanted value of a latch of the model after the step.
    ModelNext(usize),
    /// A bit of the number of an estimate, the lowest first.
    Estimate(usize),
}

/// The source of a value: a constant or a multiplexer, possibly complemented.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Source {
    /// The number of the multiplexer, from 1; 0 is the constant true.
    pub multiplexer: usize,
    /// Whether the value is complemented.
    pub complemented: bool,
}

/// A multiplexer: it has the value of `high` if its condition is true, and of `low` otherwise. Both are constants or earlier multiplexers.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Multiplexer {
    /// The condition, a value that the circuit reads.
    pub on: Look,
    /// The value if the condition is false.
    pub low: Source,
    /// The value if the condition is true.
    pub high: Source,
}
