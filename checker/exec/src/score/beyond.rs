//! Mutants of higher order that no test of an earlier run kills.

use std::collections::BTreeSet;

use hyperkill_checker::testgen::{Effort, Noticed, noticed};
use hyperkill_core::SelectorId;
use hyperkill_core::mutant::MutantId;
use hyperkill_core::suite::Step;
use hyperkill_core::verdict::Strength;
use hyperkill_frontend::decision::Decider;
use hyperkill_run::language::OwnModel;
use hyperkill_run::unfit::Unfit;
use rayon::ThreadPool;
use rayon::prelude::*;

use super::deciding::Deciding;
use super::inputs::FixedTest;

/// Simulated steps after which a test is given up for a mutant.
const SIMULATED: usize = 1 << 22;

impl Deciding<'_> {
    /// The ids of the mutants that a test kills: for certain, if the model `chooses`.
    ///
    /// # Errors
    /// If a test is none of the model.
    pub fn killed(&self, tests: &[FixedTest], chooses: bool) -> Result<BTreeSet<String>, Unfit> {
        let tests = tests.iter().map(|test| test.bits(self.model));
        let tests: Vec<Vec<Vec<bool>>> = tests.collect::<Result<_, _>>()?;
        let needed = match chooses {
            true => Noticed::Certainly,
            false => Noticed::Possibly,
        };
        // Tests are short, and each is listed as far as it takes.
        let effort = Effort {
            nodes: usize::MAX,
            simulated: SIMULATED,
            ..Effort::default()
        };
        let is_killed = |mutant: SelectorId| {
            tests.iter().any(|inputs| {
                let found = noticed(self.model, mutant, inputs, &effort, &self.budget);
                found.is_some_and(|found| found >= needed)
            })
        };
        let selectors: Vec<SelectorId> = self.model.selector_ids().collect();
        Ok(self.threads.install(|| {
            let killed = selectors.par_iter().filter(|mutant| is_killed(**mutant));
            killed
                .map(|mutant| self.model.selectors[mutant.0].id.to_string())
                .collect()
        }))
    }
}

/// The ids of the mutants of processes that a test kills; the language plays the tests.
#[must_use]
pub fn killed_processes<'m>(
    model: &'m OwnModel,
    decider: &dyn Decider,
    tests: &[Vec<Step>],
    threads: &ThreadPool,
) -> BTreeSet<&'m MutantId> {
    // When outputs come is left open in processes, so that most mutants are killed by tests that they may pass.
    let needed = match model.contents.deterministic {
        Some(false) => Strength::Definite,
        Some(true) | None => Strength::Potential,
    };
    let catalogue = model.listing.catalogue.iter();
    let live = catalogue.filter(|entry| entry.invalid().is_none());
    let live: Vec<&MutantId> = live.map(|entry| &entry.id).collect();
    threads.install(|| {
        let played = tests.par_iter().map(|test| {
            let kills = decider.kills_of(test, &live);
            let kills = live.iter().zip(kills);
            let killed = kills.filter(|(_, kill)| kill.is_some_and(|kill| kill >= needed));
            killed.map(|(mutant, _)| *mutant).collect()
        });
        played.reduce(BTreeSet::new, |mut all, some: BTreeSet<&MutantId>| {
            all.extend(some);
            all
        })
    })
}
