//! All mutants of a model: what is cheap for all of them comes before anything is asked about one.

use super::Engines;
use super::efforts::{self, RandomRuns};

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
    /// Sets of states as decision diagrams: kills of many mutants at once, and who has none.
    Diagrams,
    /// Mutants whose signals are the original's, together where they behave alike, then alone.
    Correspondence,
    /// One search for the shallow kills of all.
    Shallow,
    /// Mutants that behave alike, together.
    Families,
    /// Some mutants, each alone; the tests found are dropped onto all that are still live.
    Solving,
}

impl Round {
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
            Round::Diagrams => "diagrams",
            Round::Correspondence => "correspondence",
            Round::Shallow => "shallow kills",
            Round::Families => "families",
            Round::Solving => "solving",
        }
    }
}

impl Options {
    /// The rounds of a turn: mutants are asked about alone turn after turn, until none is left.
    #[must_use]
    pub fn steps(&self, turn: u32) -> Vec<Round> {
        if turn > 0 {
            return vec![Round::Solving];
        }
        let engines = self.engines;
        let lists = engines.explicit && !self.definite_only;
        let together = engines.pairs && !self.definite_only;
        let mut rounds = vec![Round::Structure];
        if engines.pairs && self.pairs_are_kills {
            let near = efforts::NEAR;
            if self.bound.is_none_or(|bound| near < bound) {
                rounds.push(Round::Pairs(Some(near)));
            }
            rounds.push(Round::Pairs(self.bound));
        }
        let corresponds = engines.family && engines.induction && !self.others;
        if engines.simulation {
            if self.kills_for_certain {
                let faults = efforts::FAULTS.into_iter().enumerate();
                rounds.extend(faults.map(|(number, steps)| Round::Faults(number, steps)));
            }
            if !self.pairs_are_kills {
                // Kills of these are kept and not made better until every mutant has been looked at.
                rounds.extend(together.then_some(Round::Together));
                rounds.extend(lists.then_some(Round::Listing));
                rounds.extend(engines.diagrams.then_some(Round::Diagrams));
            }
            // What is left then is mostly equivalent, and longer runs would show nothing.
            rounds.extend((corresponds && self.kills_for_certain).then_some(Round::Correspondence));
            let runs = efforts::SIMULATION.into_iter().enumerate();
            rounds.extend(runs.map(|(number, runs)| Round::Simulation(number, runs)));
        }
        if !engines.simulation && !self.pairs_are_kills {
            rounds.extend(together.then_some(Round::Together));
            rounds.extend(lists.then_some(Round::Listing));
            rounds.extend(engines.diagrams.then_some(Round::Diagrams));
        }
        if engines.family {
            if corresponds && !rounds.contains(&Round::Correspondence) {
                rounds.push(Round::Correspondence);
            }
            if !engines.simulation {
                rounds.push(Round::Shallow);
            }
            rounds.push(Round::Families);
        }
        rounds.push(Round::Solving);
        rounds
    }
}
