//! The size of a domain: mutants, transitions and places, counted as in semantics.md §7.

use hyperkill_frontend::domain::DomainSize;
use hyperkill_timed_fsm::count::Count;

use super::content::Said;

impl Said {
    /// Returns the size of the domain: its mutants, its additional transitions, and its places with a choice.
    pub(crate) fn size(&self) -> DomainSize {
        let own = self.machine.states.len();
        let (mut mutants, mut transitions, mut places) = (Count::one(), 0, 0);
        for state in 0..self.states.len() {
            let is_own = state < own;
            for input in 0..self.machine.inputs.len() {
                for (_, does) in self.classes(state, input) {
                    mutants = mutants.times(does.len() as u64);
                    // The specification's own transition, or a missing one, does not count as one of mutants.
                    let is_said = is_own || does.contains(&None);
                    transitions += does.len() as u64 - u64::from(is_said);
                    places += usize::from(does.len() > 1);
                }
            }
            let timeouts = self.timeouts(state);
            let ways: u64 = timeouts.values().sum();
            mutants = mutants.times(ways);
            transitions += ways - u64::from(is_own);
            places += usize::from(timeouts.len() > 1);
        }
        if self.states.len() == own {
            mutants = mutants.less_one();
        }
        DomainSize {
            mutants: mutants.to_string(),
            rounded: mutants.short(),
            transitions,
            places,
        }
    }
}
