//! Resumption of interrupted runs.
//!
//! A resumed run takes the rounds again from the first one, so that its results depend on the same things as those of an uninterrupted run.
//! Mutants that the earlier run decided are not decided again. Rounds that only produce verdicts are skipped if all their verdicts are
//! known. Facts about mutants that a round does not decide are computed again.

use std::collections::BTreeMap;
use std::sync::Arc;

use hyperkill_core::trace::Stimulus;
use hyperkill_core::{ConditionalMutant, SelectorId};
use hyperkill_evidence::verdict::{Engine, Kill};

use super::{Report, Run, Settled};
use crate::decide::facts::Facts;
use crate::schedule::rounds::Round;

/// The facts about a mutant that an earlier run decided. The caller still has the verdict; the rounds need its test.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Earlier {
    /// The round that decided the mutant, counted from 1; 0 if the verdict was carried over from a run of another version of the model.
    pub round: usize,
    /// Whether the verdict is that the mutant is killed. If not, `kill` is weaker than the question asks for.
    pub is_killed: bool,
    /// The mutant's kill, if it has one, and the engine that found it.
    pub kill: Option<(Engine, Kill)>,
}

impl Earlier {
    pub(super) fn killing_run(&self) -> Option<&Stimulus> {
        let (_, kill) = self.kill.as_ref().filter(|_| self.is_killed)?;
        Some(&kill.model_run)
    }
}

/// A kill in a report, with its mutant and engine.
#[derive(Clone, Copy, Debug)]
pub struct KnownKill<'a> {
    /// The killed mutant.
    pub mutant: SelectorId,
    /// The kill.
    pub kill: &'a Kill,
    /// The engine that found the kill.
    pub engine: Engine,
}

impl Report {
    /// Returns all kills, including those of earlier runs, in the order of the selectors.
    #[must_use]
    pub fn kills(&self, model: &ConditionalMutant) -> Vec<KnownKill<'_>> {
        let selectors = model.selector_ids();
        let selectors: BTreeMap<_, SelectorId> = selectors
            .map(|selector| (&model.selectors[selector.0].id, selector))
            .collect();
        let now = self.outcomes.iter().filter_map(|outcome| {
            Some(KnownKill {
                mutant: *selectors.get(&outcome.mutant)?,
                kill: outcome.verdict.kill()?,
                engine: outcome.engine?,
            })
        });
        let before = self.earlier.iter().filter_map(|(&mutant, before)| {
            let (engine, kill) = before.kill.as_ref()?;
            Some(KnownKill {
                mutant,
                kill,
                engine: *engine,
            })
        });
        let mut all: Vec<KnownKill<'_>> = now.chain(before).collect();
        all.sort_by_key(|known| known.mutant);
        all
    }
}

impl Run<'_> {
    /// Takes over the verdicts of a round that an earlier run completed, if the round leaves nothing but verdicts. Returns whether it does
    /// and was completed.
    pub(super) fn is_known_whole(&mut self, round: &Round) -> bool {
        let leaves_verdicts_only = matches!(
            round,
            Round::Structure | Round::Correspondence(..) | Round::Families | Round::Solving
        );
        if !leaves_verdicts_only || self.number > self.options.whole_rounds {
            return false;
        }
        let live = self.live().into_iter();
        let before: Vec<SelectorId> = live.filter(|m| self.is_of_this_round(*m)).collect();
        self.take_over(&before);
        true
    }

    /// Whether an earlier run decided all of these mutants.
    pub(super) fn all_known(&self, mutants: &[SelectorId]) -> bool {
        let earlier = &self.options.earlier;
        mutants.iter().all(|mutant| earlier.contains_key(mutant))
    }

    /// Returns whether an earlier run decided a mutant in this round or before it.
    pub(super) fn is_of_this_round(&self, mutant: SelectorId) -> bool {
        let before = self.options.earlier.get(&mutant);
        before.is_some_and(|before| before.round <= self.number)
    }

    /// Returns whether an earlier run killed a mutant.
    pub(super) fn was_killed(&self, mutant: SelectorId) -> bool {
        let before = self.options.earlier.get(&mutant);
        before.is_some_and(|before| before.is_killed)
    }

    /// Settles the mutants that a run of another version of the model decided, so that later rounds skip them.
    pub(super) fn take_over_from_before(&mut self) {
        let earlier = Arc::clone(&self.options.earlier);
        let asked = |mutant: &SelectorId| self.options.mutants.contains(mutant);
        let carried = earlier.iter().filter(|(_, earlier)| earlier.round == 0);
        let carried: Vec<SelectorId> = carried.map(|(mutant, _)| *mutant).filter(asked).collect();
        self.take_over(&carried);
    }

    /// Settles these mutants with the verdicts of an earlier run, which has them.
    pub(super) fn take_over(&mut self, mutants: &[SelectorId]) {
        let settled = mutants.iter().map(|&mutant| (mutant, Settled::Before));
        self.decided.extend(settled);
    }

    /// Takes over the mutants that an earlier run decided, and returns the jobs of the remaining mutants.
    pub(super) fn without_earlier(
        &mut self,
        mut jobs: Vec<(SelectorId, Facts)>,
    ) -> Vec<(SelectorId, Facts)> {
        let earlier = &self.options.earlier;
        let is_known = |(mutant, _): &(SelectorId, Facts)| earlier.contains_key(mutant);
        let before: Vec<SelectorId> = (jobs.iter())
            .filter(|job| is_known(job))
            .map(|(mutant, _)| *mutant)
            .collect();
        jobs.retain(|job| !is_known(job));
        self.take_over(&before);
        jobs
    }
}
