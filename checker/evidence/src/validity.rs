//! The list of mutants that are models, with its evidence: a broken obligation for each other mutant, and a first step for each model.

use hyperkill_core::SelectorId;
use hyperkill_core::trace::Stimulus;

/// The evidence that some mutants are no models, and that the others and the original have a first step. That the others break no
/// obligation needs no evidence: a solver decides conditions over all values again.
#[derive(Clone, PartialEq, Eq, Default, Debug)]
pub struct Validity {
    /// Values under which mutants break an obligation. Each mutant is in one of these at most, with the first that it breaks.
    pub breaches: Vec<Breach>,
    /// First steps. Empty where no constraint could fail.
    pub beginnings: Vec<Beginning>,
    /// Mutants that have no initial state, ascending.
    pub without: Vec<SelectorId>,
}

/// Values under which a condition does not hold that must hold for all values, reachable or not.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Breach {
    /// Which of the conditions.
    pub obligation: usize,
    /// Per latch of the circuit of conditions; selectors are not read.
    pub latches: Vec<bool>,
    /// Per input of the circuit of conditions.
    pub inputs: Vec<bool>,
    /// Selectors of mutants that break it so, ascending.
    pub mutants: Vec<SelectorId>,
}

/// Initial values and inputs with which a run begins, and the variants that begin so.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Beginning {
    /// Initial values, and the inputs of one step.
    pub run: Stimulus,
    /// Whether it is a run of the original.
    pub original: bool,
    /// Selectors of mutants that begin so, ascending: constraints on their states hold.
    pub mutants: Vec<SelectorId>,
}

impl Validity {
    /// Returns for each of `mutants` mutants the first obligation that it breaks.
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
