//! What model and mutant accept, as sets of states: what proves that neither refuses an input that the other takes.

/// Pairs of sets of states (original, mutant): all that some input sequence leads to which both accept, or enough to answer for them. A
/// pair in which every state accepts every input, and leads to states of the pair, stands for all pairs inside it. Pairs stand for another
/// one if each state of the original there is in a pair whose states of the mutant are there too. States are bits of the circuit's latches,
/// in order; selectors and latches that nothing reads are 0.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct AcceptedSets {
    /// The states that pairs name by index.
    pub states: Vec<Vec<bool>>,
    /// The pairs, each set ascending.
    pub pairs: Vec<[Vec<usize>; 2]>,
}
