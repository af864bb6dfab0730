//! Kills of higher-order mutants by tests of an earlier run.

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

/// Limit on simulated steps per test and mutant; the test counts as no kill beyond it.
const SIMULATED: usize = 1 << 22;

impl Deciding<'_> {
    /// Returns the ids of the mutants that at least one of the tests kills. If the model `chooses` (is nondeterministic), only certain
    /// kills count.
    ///
    /// # Errors
    /// If a test does not fit the model.
    pub fn killed(&self, tests: &[FixedTest], chooses: bool) -> Result<BTreeSet<String>, Unfit> {
        let tests = tests.iter().map(|test| test.bits(self.model));
        let tests: Vec<Vec<Vec<bool>>> = tests.collect::<Result<_, _>>()?;
        let needed = match chooses {
            true => Noticed::Certainly,
            false => Noticed::Possibly,
        };
        // Tests are short, so the tree of outputs is explored without a limit on nodes.
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

/// Returns the ids of the mutants of timed processes that at least one of the tests kills, as played by the language's decision procedure.
/// Of a nondeterministic model, only definite kills count.
#[must_use]
pub fn killed_processes<'m>(
    model: &'m OwnModel,
    decider: &dyn Decider,
    tests: &[Vec<Step>],
    threads: &ThreadPool,
) -> BTreeSet<&'m MutantId> {
    // Processes leave the times of outputs open, so most of their mutants are only killed by tests that they may pass.
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
