//! The list of mutants that are models, with its evidence: a broken obligation for each other mutant, and a first step for each model.

use hyperkill_core::SelectorId;
use hyperkill_core::trace::Stimulus;

/// The evidence that some mutants are no models, and that the other mutants and the original have a first step. No evidence shows that the
/// other mutants break no obligation: a solver decides conditions over all values again.
#[derive(Clone, PartialEq, Eq, Default, Debug)]
pub struct Validity {
    /// Values under which mutants break an obligation. Each mutant is in at most one of these, with the first obligation that it breaks.
    pub breaches: Vec<Breach>,
    /// First steps. Empty if no constraint can fail.
    pub beginnings: Vec<Beginning>,
    /// Mutants that have no initial state, ascending.
    pub without: Vec<SelectorId>,
}

/// Values, reachable or not, under which an obligation does not hold.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Breach {
    /// The index of the obligation.
    pub obligation: usize,
    /// One bool per latch of the circuit of conditions; selectors are not read.
    pub latches: Vec<bool>,
    /// One bool per input of the circuit of conditions.
    pub inputs: Vec<bool>,
    /// The mutants that break it under these values, ascending.
    pub mutants: Vec<SelectorId>,
}

/// A first step, and the variants that have it.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Beginning {
    /// Initial values, and the inputs of one step.
    pub run: Stimulus,
    /// Whether it is a run of the original.
    pub original: bool,
    /// The mutants with this first step, ascending: it satisfies the constraints on their states.
    pub mutants: Vec<SelectorId>,
}

impl Validity {
    /// Returns for each of the first `mutants` mutants the index of the obligation that it breaks; `None` for a mutant that breaks none.
    #[must_use]
    pub fn broken(&self, mutants: usize) -> Vec<Option<usize>> {
        let mut broken = vec![None; mutants];
        for breach in &self.breaches {
            for &mutant in &breach.mutants {
                if let Some(broken) = broken.get_mut(mutant.0) {
                    *broken = Some(breach.obligation);
                }
            }
        }
        broken
    }
}
