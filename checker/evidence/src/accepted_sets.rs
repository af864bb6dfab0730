//! What model and mutant accept, as sets of states: what proves that neither refuses an input that the other takes.

/// All pairs of sets of states (original, mutant) that some input sequence leads to which both accept. A pair in which every state accepts
/// every input, and leads to states of the pair, stands for all pairs inside it. States are bits of the circuit's latches, in order;
/// selectors and latches that nothing reads are 0.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct AcceptedSets {
    /// The states that pairs name by index.
    pub states: Vec<Vec<bool>>,
    /// The pairs, each set ascending.
    pub pairs: Vec<[Vec<usize>; 2]>,
}
