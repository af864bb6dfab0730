//! Options for suites of domains of faults.

use clap::ValueEnum;
use clap::builder::PossibleValue;
use hyperkill_frontend::domain::{Aim, Cost, Method};
use hyperkill_run::baseline::Baseline;

use super::RunArgs;

/// Cost of a suite.
#[derive(Clone, Copy, PartialEq, Eq, Debug, ValueEnum)]
pub enum CostChoice {
    /// Number of tests.
    Tests,
    /// Number of inputs of all tests.
    Inputs,
    /// Time on the clock.
    Time,
}

/// A classic method for complete suites.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct MethodChoice(pub Method);

impl ValueEnum for MethodChoice {
    fn value_variants<'a>() -> &'a [MethodChoice] {
        const ALL: [MethodChoice; Method::ALL.len()] = {
            let mut all = [MethodChoice(Method::W); Method::ALL.len()];
            let mut place = 0;
            while place < all.len() {
                all[place] = MethodChoice(Method::ALL[place]);
                place += 1;
            }
            all
        };
        &ALL
    }

    fn to_possible_value(&self) -> Option<PossibleValue> {
        Some(PossibleValue::new(self.0.name()).help(self.0.summary()))
    }
}

impl RunArgs {
    /// Returns the mutants of `--accept-mutant`, which the gate does not count.
    pub(crate) fn baseline(&self) -> Baseline {
        Baseline::of(&self.decision.accept_mutant)
    }

    /// Returns the aim of the search for a suite.
    pub fn aim(&self) -> Aim {
        Aim {
            longest: self.max_length,
            cost: match self.cost {
                CostChoice::Tests => Cost::Tests,
                CostChoice::Inputs => Cost::Inputs,
                CostChoice::Time => Cost::Time,
            },
            method: self.method.map(|method| method.0),
        }
    }
}
