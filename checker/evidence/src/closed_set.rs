//! Closed sets of positions: evidence that no test exists, which is checked by enumerating states.

use hyperkill_core::SelectorId;

/// The kind of tests that a closed set excludes.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Relation {
    /// Potentially killing tests: a run of the model matches every run of the mutant on all inputs that the model accepts.
    Matched,
    /// Definitely killing tests: on all inputs that both accept, some run of the mutant and some run of the model agree.
    Agreeing,
}

/// The possible states after some inputs and outputs.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct Position {
    /// Pairs (state of the mutant, state of the model) that can have given the same outputs so far, ascending. For [`Relation::Matched`]
    /// all have the same state of the mutant: the state of the run to be matched.
    pub pairs: Vec<(usize, usize)>,
    /// All states of the mutant after these inputs and any outputs, ascending. Empty if not needed, as always for [`Relation::Matched`]:
    /// then there is no kill even on inputs that the mutant refuses.
    pub mutant: Vec<usize>,
    /// All states of the model after these inputs and any outputs, ascending. Empty if not needed: then there is no kill even on inputs
    /// that the model refuses.
    pub model: Vec<usize>,
}

/// A set of positions that proves that no test kills, at all or definitely. No position is a kill, and the initial positions are among
/// them. After every input and, for [`Relation::Matched`], every step of the mutant, some position of the set subsumes the new one.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct ClosedSet {
    /// The mutants, ascending. Each of them has this closed set beside the model.
    pub members: Vec<SelectorId>,
    /// Whether it proves equivalence or that no test kills definitely.
    pub relation: Relation,
    /// The states of mutant and model in one table, which positions refer to by index: one bool per latch of the circuit. Selectors are 0,
    /// as are latches outside the sequential cone of influence of outputs and constraints of that side. The cone is computed with selectors
    /// folded in as constants (0 ∧ x = 0, 1 ∧ x = x, x ∧ x = x, x ∧ ¬x = 0, nothing else).
    pub states: Vec<Vec<bool>>,
    /// The positions. They contain the initial ones and are closed under the steps.
    pub positions: Vec<Position>,
}
