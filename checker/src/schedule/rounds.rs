//! All mutants of a model: what is cheap for all of them comes before anything is asked about one.

use super::Engines;
use super::efforts::{self, Pass, RandomRuns};

/// What the rounds depend on.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Options {
    /// The engines that may be used.
    pub engines: Engines,
    /// Whether two runs with the same inputs and different outputs are a kill.
    pub pairs_are_kills: bool,
    /// Whether kills that are certain whatever is chosen are kills of the question asked.
    pub kills_for_certain: bool,
    /// Whether kills have to be definite.
    pub definite_only: bool,
    /// Longest test, in steps.
    pub bound: Option<usize>,
    /// Whether other programs are to be asked, so that nothing may be left to them that families would settle.
    pub others: bool,
}

/// A round: a step of the schedule of all mutants.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Round {
    /// Mutants that are the original or each other.
    Structure,
    /// Pairs of states, up to so many steps, where the original's states can be listed: shortest kills, and who has none.
    Pairs(Option<usize>),
    /// Random inputs of so many steps against all live mutants, choices and free initial values unknown, with their number: certain kills.
    Faults(usize, usize),
    /// Random runs against all live mutants, with their number and length.
    Simulation(usize, RandomRuns),
    /// States that original and mutants reach together, where the original's states can be listed and outputs tell the state: shortest
    /// kills, and who has none.
    Together,
    /// Sets of states that can be listed, each mutant alone: shortest kills, and who has none.
    Listing,
    /// Sets of states as decision diagrams, in slices of this level: kills of many mutants at once, and proofs that there are none.
    Diagrams(u32),
    /// Mutants whose signals are the original's, together where they behave alike, then alone, in slices of this level.
    Correspondence(Pass, u32),
    /// One search for the shallow kills of all.
    Shallow,
    /// Mutants that behave alike, together.
    Families,
    /// Each mutant without a verdict alone, for a slice of this level; the tests found are dropped onto all that are still live.
    Slices(u32),
    /// Kills at hand: their strength, and shorter tests.
    Improving,
    /// Some mutants, each alone and to its end; the tests found are dropped onto all that are still live.
    Solving,
}

impl Round {
    /// Whether the round tries something on all mutants together.
    #[must_use]
    pub fn is_of_all(&self) -> bool {
        match self {
            Round::Structure
            | Round::Pairs(_)
            | Round::Faults(..)
            | Round::Simulation(..)
            | Round::Together
            | Round::Diagrams(_)
            | Round::Correspondence(..)
            | Round::Shallow
            | Round::Families => true,
            Round::Listing | Round::Slices(_) | Round::Improving | Round::Solving => false,
        }
    }

    /// A short name.
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
    /// The rounds of a turn. Slices grow from turn to turn; then mutants are decided alone and to their end, until none is left.
    #[must_use]
    pub fn steps(&self, turn: u32) -> Vec<Round> {
        match turn {
            0 => self.first(),
            1..efforts::LEVELS => {
                let mut rounds = self.diagrams(turn);
                let more = self.corresponds() && turn < efforts::LEVELS_OF_CORRESPONDENCE;
                rounds.extend(more.then_some(Round::Correspondence(Pass::Thorough, turn)));
                rounds.extend(self.slices(turn));
                // Kills at hand wait for the cheap slices of all mutants, and not for dear ones.
                let improves = turn == 1 && !self.pairs_are_kills;
                rounds.extend(improves.then_some(Round::Improving));
                rounds
            }
            _ => vec![Round::Solving],
        }
    }

    /// Whether walks through pairs of states answer the question asked.
    fn is_exact(&self) -> bool {
        self.engines.pairs && self.pairs_are_kills && self.kills_for_certain
    }

    fn corresponds(&self) -> bool {
        self.engines.family && self.engines.induction && !self.others
    }

    /// Decision diagrams in slices of a level, if they are of use.
    fn diagrams(&self, level: u32) -> Vec<Round> {
        let grows = level < efforts::LEVELS_OF_DIAGRAMS;
        let wanted = self.engines.diagrams && grows && !self.pairs_are_kills;
        Vec::from_iter(wanted.then_some(Round::Diagrams(level)))
    }

    /// Other programs are asked in the end, with their own limits.
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
                    // Longer runs show nothing of mutants that are soon proved.
                    if number == 1 && !self.definite_only {
                        let quick = Round::Correspondence(Pass::Quick, 0);
                        rounds.extend(together.then_some(Round::Together));
                        // The first mutants show whether sets of states are few.
                        rounds.extend((lists && !self.pairs_are_kills).then_some(Round::Listing));
                        rounds.extend(corresponds.then_some(quick));
                        // The states of mutants that pairs have shown to be equivalent were listed already: to list them again as a
                        // proof costs less than thorough equalities.
                        rounds.extend((lists && self.is_exact()).then_some(Round::Listing));
                    }
                    rounds.push(Round::Faults(number, steps));
                }
            }
            if !self.pairs_are_kills {
                // Kills of these are kept and not made better until every mutant has been looked at.
                let late = together && !rounds.contains(&Round::Together);
                rounds.extend(late.then_some(Round::Together));
                let late = lists && !rounds.contains(&Round::Listing);
                rounds.extend(late.then_some(Round::Listing));
                rounds.extend(self.diagrams(0));
            }
            // What is left then is mostly equivalent, and longer runs would show nothing.
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
