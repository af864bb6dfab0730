//! The sets of states that input sequences lead to in model and mutant: evidence that neither refuses an input of the other.

/// Pairs of sets of states (original, mutant): all pairs that input sequences accepted by both lead to, or enough of them to cover the
/// rest. A pair covers all pairs inside it if each of its states accepts every input and leads to states of the pair. Several pairs cover
/// another one if each of its states of the original is in one of them whose states of the mutant are all in the covered pair. States are
/// bits of the circuit's latches, in order; selectors and latches that nothing reads are 0.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct AcceptedSets {
    /// The states, one bool per latch each. Pairs refer to them by index.
    pub states: Vec<Vec<bool>>,
    /// The pairs: the set of the original, then that of the mutant, as ascending indices of `states`.
    pub pairs: Vec<[Vec<usize>; 2]>,
}
