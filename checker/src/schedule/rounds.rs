//! The schedule of all mutants of a model: methods that are cheap for all mutants come before work on single mutants.

use super::Engines;
use super::efforts::{self, Pass, RandomRuns};

/// The parameters of the rounds.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Options {
    /// The engines that may be used.
    pub engines: Engines,
    /// Whether two runs with the same inputs and different outputs are a kill.
    pub pairs_are_kills: bool,
    /// Whether runs that kill for all choices and initial values answer the question asked.
    pub kills_for_certain: bool,
    /// Whether only definite kills count.
    pub definite_only: bool,
    /// The longest test, in steps.
    pub bound: Option<usize>,
    /// Whether external model checkers will be asked. Families must then be settled before, so that fewer mutants are left to them.
    pub others: bool,
}

/// A round: a step of the schedule of all mutants.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Round {
    /// Finds mutants whose circuit equals the original's or another mutant's.
    Structure,
    /// Lists pairs of states of original and mutant, to a depth in steps, where that is possible. Finds shortest kills and the mutants
    /// without one.
    Pairs(Option<usize>),
    /// Fault simulation with random inputs: number of the round and steps. Choices and free initial values are unknown, so kills are
    /// definite.
    Faults(usize, usize),
    /// Simulates random runs of all live mutants: number of the round, and length of its runs.
    Simulation(usize, RandomRuns),
    /// Lists joint states of original and all mutants, where that is possible and outputs determine the state. Finds shortest kills and the
    /// mutants without one.
    Together,
    /// Lists state estimates, for each mutant alone. Finds shortest kills and the mutants without one.
    Listing,
    /// Searches state estimates with decision diagrams, in slices of this level. Finds kills of many mutants at once, and proofs that there
    /// are none.
    Diagrams(u32),
    /// Proves signals equal to the original's: for mutants of similar behaviour together, then for each alone, in slices of this level.
    Correspondence(Pass, u32),
    /// Searches short kills of all mutants by one bounded search.
    Shallow,
    /// Decides mutants of similar behaviour together.
    Families,
    /// Decides each undecided mutant alone, in a slice of counted work of this level. The tests found are run on all live mutants.
    Slices(u32),
    /// Determines the strength of known kills, and shortens their tests.
    Improving,
    /// Decides some of the undecided mutants, each alone and without a limit of work. The tests found are run on all live mutants.
    Solving,
}

impl Round {
    /// Whether a plan takes the round before it divides the mutants into shards: the work is small, or done once for all mutants. All
    /// other rounds find the same in a shard, and shards work at the same time.
    #[must_use]
    pub fn precedes_division(&self) -> bool {
        match self {
            Round::Structure
            | Round::Pairs(_)
            | Round::Faults(..)
            | Round::Together
            | Round::Diagrams(_)
            | Round::Correspondence(Pass::Quick, _) => true,
            Round::Correspondence(Pass::Thorough, _)
            | Round::Simulation(..)
            | Round::Listing
            | Round::Shallow
            | Round::Families
            | Round::Slices(_)
            | Round::Improving
            | Round::Solving => false,
        }
    }

    /// Returns the round's short name.
    #[must_use]
    pub fn name(&self) -> &'static str {
        match self {
            Round::Structure => "structure",
            Round::Pairs(_) => "pairs",
            Round::Faults(..) => "fault simulation",
            Round::Simulation(..) => "simulation",
            Round::Together => "states together",
            Round::Listing => "sets of states",
            Round::Diagrams(_) => "diagrams",
            Round::Correspondence(..) => "correspondence",
            Round::Shallow => "shallow kills",
            Round::Families => "families",
            Round::Slices(_) => "slices",
            Round::Improving => "improving",
            Round::Solving => "solving",
        }
    }
}

impl Options {
    /// Returns the rounds of a turn, counted from 0. Slices grow from turn to turn; from turn [`efforts::LEVELS`] on, mutants are decided
    /// alone and without a limit of work.
    #[must_use]
    pub fn steps(&self, turn: u32) -> Vec<Round> {
        match turn {
            0 => self.first(),
            1..efforts::LEVELS => {
                let mut rounds = self.diagrams(turn);
                let more = self.corresponds() && turn < efforts::LEVELS_OF_CORRESPONDENCE;
                rounds.extend(more.then_some(Round::Correspondence(Pass::Thorough, turn)));
                rounds.extend(self.slices(turn));
                // Known kills wait for the cheap slices of all mutants, but not for expensive ones.
                let improves = turn == 1 && !self.pairs_are_kills;
                rounds.extend(improves.then_some(Round::Improving));
                rounds
            }
            _ => vec![Round::Solving],
        }
    }

    /// Whether a walk through pairs of states decides the question asked exactly.
    fn is_exact(&self) -> bool {
        self.engines.pairs && self.pairs_are_kills && self.kills_for_certain
    }

    fn corresponds(&self) -> bool {
        self.engines.family && self.engines.induction && !self.others
    }

    /// Returns the round of decision diagrams at a level. The list is empty if they are not permitted, pairs of runs are kills, or there is
    /// no such level.
    fn diagrams(&self, level: u32) -> Vec<Round> {
        let grows = level < efforts::LEVELS_OF_DIAGRAMS;
        let wanted = self.engines.diagrams && grows && !self.pairs_are_kills;
        Vec::from_iter(wanted.then_some(Round::Diagrams(level)))
    }

    /// Returns the round of slices at a level; `None` if external model checkers are asked at the end with their own limits.
    fn slices(&self, level: u32) -> Option<Round> {
        (!self.others).then_some(Round::Slices(level))
    }

    fn first(&self) -> Vec<Round> {
        let engines = self.engines;
        let lists = engines.explicit && !self.definite_only;
        let together = engines.pairs && !self.definite_only && !self.pairs_are_kills;
        let mut rounds = vec![Round::Structure];
        if engines.pairs && self.pairs_are_kills {
            let near = efforts::NEAR;
            if self.bound.is_none_or(|bound| near < bound) {
                rounds.push(Round::Pairs(Some(near)));
            }
            rounds.push(Round::Pairs(self.bound));
        }
        let corresponds = self.corresponds();
        if engines.simulation {
            if self.kills_for_certain {
                let faults = efforts::FAULTS.into_iter().enumerate();
                for (number, steps) in faults {
                    // Longer runs do not kill mutants that are soon proved equivalent.
                    if number == 1 && !self.definite_only {
                        let quick = Round::Correspondence(Pass::Quick, 0);
                        rounds.extend(together.then_some(Round::Together));
                        // The first mutants show whether the sets of states are few.
                        rounds.extend((lists && !self.pairs_are_kills).then_some(Round::Listing));
                        rounds.extend(corresponds.then_some(quick));
                        // The walk through pairs has listed the states of equivalent mutants. Listing them again as a proof costs less than
                        // thorough equalities.
                        rounds.extend((lists && self.is_exact()).then_some(Round::Listing));
                    }
                    rounds.push(Round::Faults(number, steps));
                }
            }
            if !self.pairs_are_kills {
                // Kills of these rounds are kept, and improved after a first search of every mutant.
                let late = together && !rounds.contains(&Round::Together);
                rounds.extend(late.then_some(Round::Together));
                let late = lists && !rounds.contains(&Round::Listing);
                rounds.extend(late.then_some(Round::Listing));
                rounds.extend(self.diagrams(0));
            }
            // Most remaining mutants are equivalent, so longer runs would find nothing.
            let thorough = Round::Correspondence(Pass::Thorough, 0);
            rounds.extend((corresponds && self.kills_for_certain).then_some(thorough));
            let runs = efforts::SIMULATION.into_iter().enumerate();
            rounds.extend(runs.map(|(number, runs)| Round::Simulation(number, runs)));
        }
        if !engines.simulation && !self.pairs_are_kills {
            rounds.extend(together.then_some(Round::Together));
            rounds.extend(lists.then_some(Round::Listing));
            rounds.extend(self.diagrams(0));
        }
        if engines.family {
            let thorough = Round::Correspondence(Pass::Thorough, 0);
            if corresponds && !rounds.contains(&thorough) {
                rounds.push(thorough);
            }
        }
        let late = lists && self.is_exact() && !rounds.contains(&Round::Listing);
        rounds.extend(late.then_some(Round::Listing));
        if engines.family {
            if !engines.simulation {
                rounds.push(Round::Shallow);
            }
            rounds.push(Round::Families);
        }
        rounds.extend(self.slices(0));
        // Where all remaining mutants are equivalent, the longest runs find nothing. Cheap proofs precede them.
        let resting = Round::Simulation(efforts::SIMULATION.len(), efforts::RESTING);
        rounds.extend((engines.simulation && self.pairs_are_kills).then_some(resting));
        rounds
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_pairs_have_shown_to_be_equivalent_is_listed_before_thorough_equalities() {
        let options = Options {
            engines: Engines::ALL,
            pairs_are_kills: true,
            kills_for_certain: true,
            definite_only: false,
            bound: None,
            others: false,
        };
        let rounds = options.steps(0);
        let place = |wanted: Round| rounds.iter().position(|round| *round == wanted);
        let quick = place(Round::Correspondence(Pass::Quick, 0)).expect("quick equalities");
        let listing = place(Round::Listing).expect("a list of states");
        let thorough = place(Round::Correspondence(Pass::Thorough, 0));
        assert!(quick < listing && Some(listing) < thorough, "{rounds:?}");
        let listings = rounds.iter().filter(|round| **round == Round::Listing);
        assert_eq!(listings.count(), 1, "{rounds:?}");
    }
}
