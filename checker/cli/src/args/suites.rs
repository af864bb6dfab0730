//! Which suites are looked for where a language has domains of faults.

use clap::ValueEnum;
use hyperkill_frontend::decision::{Aim, Cost, Method};
use hyperkill_run::baseline::Baseline;

use super::RunArgs;

/// What a suite has little of.
#[derive(Clone, Copy, PartialEq, Eq, Debug, ValueEnum)]
pub enum CostChoice {
    /// Tests.
    Tests,
    /// Inputs.
    Inputs,
    /// Time on the clock.
    Time,
}

/// A classic method of making complete suites.
#[derive(Clone, Copy, PartialEq, Eq, Debug, ValueEnum)]
pub enum MethodChoice {
    /// One set of inputs tells all states apart.
    W,
    /// The whole set behind states, one for each state behind transitions.
    Wp,
    /// A set for each state.
    Hsi,
    /// What tells apart is chosen for each pair of tests.
    H,
    /// As HSI, behind whichever test is known to lead to the state.
    Spy,
}

impl RunArgs {
    /// The mutants that are accepted.
    pub(crate) fn baseline(&self) -> Baseline {
        Baseline::of(&self.decision.accept_mutant)
    }

    /// Which suite is looked for.
    pub fn aim(&self) -> Aim {
        Aim {
            longest: self.max_length,
            cost: match self.cost {
                CostChoice::Tests => Cost::Tests,
                CostChoice::Inputs => Cost::Inputs,
                CostChoice::Time => Cost::Time,
            },
            method: self.method.map(|method| match method {
                MethodChoice::W => Method::W,
                MethodChoice::Wp => Method::Wp,
                MethodChoice::Hsi => Method::Hsi,
                MethodChoice::H => Method::H,
                MethodChoice::Spy => Method::Spy,
            }),
        }
    }
}
