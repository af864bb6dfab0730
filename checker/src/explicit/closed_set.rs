//! Closed sets of positions: what proves that no test exists, for whoever can list states.

use hyperkill_core::product::Variant;

/// Which test it is that does not exist.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Relation {
    /// Potentially killing ones: every run of the mutant is matched by a run of the model on all inputs that the model accepts.
    Matched,
    /// Definitely killing ones: on all inputs that both accept some run of the mutant and some run of the model agree.
    Agreeing,
}

/// What can be the case after some inputs and outputs. States are bits of the circuit's latches, in order; selectors and
/// latches that nothing reads are 0.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct Position {
    /// Pairs (state of the mutant, state of the model) that can have given the same outputs so far, ascending. For
    /// [`Relation::Matched`] all have the same state of the mutant, that of the run to be matched.
    pub pairs: Vec<(usize, usize)>,
    /// All states of the mutant after these inputs, whatever the outputs, ascending; empty for [`Relation::Matched`].
    pub mutant: Vec<usize>,
    /// All states of the model after these inputs, whatever the outputs, ascending. Empty if the model accepts every input in every
    /// reachable state, so that nobody need ask.
    pub model: Vec<usize>,
}

/// A set of positions that contains the initial ones and is closed under all inputs and, for [`Relation::Matched`], all
/// steps of the mutant, up to subsumption; none of them is a kill.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct ClosedSet {
    /// The mutant, by selector index.
    pub mutant: usize,
    /// What it proves.
    pub relation: Relation,
    /// The states that positions name by index: of mutant and model in one table.
    pub states: Vec<Vec<bool>>,
    /// The positions.
    pub positions: Vec<Position>,
}

impl ClosedSet {
    /// The two sides, model first.
    #[must_use]
    pub fn variants(&self) -> [Variant; 2] {
        [Variant::Original, Variant::Mutant(self.mutant)]
    }
}
