//! Kills by simulation: cheap, and most killable mutants die here.
//!
//! Many stimuli run against one mutant at a time (lane = stimulus), both copies with the same inputs *and*
//! choices: pairs of runs, which `decide` turns into verdicts or disbelieves. Tests found are shortened, and dropped onto
//! other mutants (lane = mutant).

mod dropping;
mod runner;
mod shorten;
mod stimuli;

pub use dropping::{drop_onto, kill_matrix};

use rayon::prelude::*;

use hyperkill_core::ConditionalMutant;
use hyperkill_core::product::Variant;

use crate::bmc::Found;
use crate::budget::Budget;
use runner::{Pair, Runner};
use stimuli::Stimuli;

/// How hard to try.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Effort {
    /// Length of the stimuli in steps.
    pub steps: usize,
    /// Longest mean stretch for which inputs are held, in steps.
    pub hold: u32,
}

/// The simulation rounds: short ones first, so that the tests they find are short.
pub const EFFORTS: [Effort; 3] = [
    Effort { steps: 16, hold: 4 },
    Effort {
        steps: 96,
        hold: 32,
    },
    Effort {
        steps: 1024,
        hold: 512,
    },
];

/// What a simulation round found.
#[derive(Clone, Debug, Default)]
pub struct Kills {
    /// Mutant (selector index) and a pair of runs that differ at the last step; ascending.
    pub found: Vec<(usize, Found)>,
}

impl Kills {
    /// Runs random stimuli against each of the mutants. Tests longer than `bound` do not count.
    #[must_use]
    pub fn search(
        model: &ConditionalMutant,
        mutants: &[usize],
        effort: &Effort,
        seed: u64,
        bound: Option<usize>,
        budget: &Budget,
    ) -> Kills {
        let steps = effort.steps.min(bound.unwrap_or(usize::MAX));
        let stimuli = Stimuli::random(model, steps, effort.hold, seed);
        let original = Runner::new(model, Variant::Original);
        let expected = original.run(&stimuli);
        let found = mutants
            .par_iter()
            .filter_map(|&mutant| {
                budget.stopped().map_or(Some(()), |_| None)?;
                let mutated = Runner::new(model, Variant::Mutant(mutant));
                let (lane, steps) = mutated.first_difference(&stimuli, &expected)?;
                let run = stimuli.lane(lane, steps);
                let pair = Pair {
                    original: &original,
                    mutant: &mutated,
                };
                let run = shorten::shorten(&pair, run, budget);
                let found = Found {
                    steps: run.steps.len(),
                    runs: vec![run.clone(), run],
                };
                Some((mutant, found))
            })
            .collect();
        Kills { found }
    }
}
