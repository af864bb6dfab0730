//! Runs that go on where an earlier one was stopped.
//!
//! The rounds are taken again from the first one, so that everything depends on what it always depends on. Where an earlier run has
//! decided a mutant nobody decides it again, and rounds that leave nothing but verdicts are not taken at all if all their verdicts are
//! known. What rounds find out about mutants that they do not decide is found out again.

use std::collections::BTreeMap;
use std::sync::Arc;

use hyperkill_core::trace::Stimulus;
use hyperkill_core::{ConditionalMutant, SelectorId};
use hyperkill_evidence::verdict::{Engine, Kill};

use super::{Report, Run, Settled};
use crate::decide::facts::Facts;
use crate::schedule::rounds::Round;

/// What is known of a mutant that was decided before. Whoever wrote its verdict down still has it; the rounds need its test.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Earlier {
    /// The round that decided it, counted from 1; 0 if it was carried over from a run of another version of the model.
    pub round: usize,
    /// Whether the verdict is that it is killed, and not only that a weaker kill is known.
    pub is_killed: bool,
    /// What kills it, and the engine that found that.
    pub kill: Option<(Engine, Kill)>,
}

impl Earlier {
    pub(super) fn killing_run(&self) -> Option<&Stimulus> {
        let (_, kill) = self.kill.as_ref().filter(|_| self.is_killed)?;
        Some(&kill.model_run)
    }
}

/// A kill that a report knows of.
#[derive(Clone, Copy, Debug)]
pub struct KnownKill<'a> {
    /// Who is killed.
    pub mutant: SelectorId,
    /// How.
    pub kill: &'a Kill,
    /// What found it.
    pub engine: Engine,
}

impl Report {
    /// All kills, those from before too, in the order of the selectors.
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
    /// Whether all is known that a round leads to: it leaves nothing but verdicts, and an earlier run took it to its end. If so, the
    /// verdicts are taken over.
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

    /// Whether all of these mutants were decided before.
    pub(super) fn all_known(&self, mutants: &[SelectorId]) -> bool {
        let earlier = &self.options.earlier;
        mutants.iter().all(|mutant| earlier.contains_key(mutant))
    }

    /// Whether an earlier run decided a mutant in this round, at the latest.
    pub(super) fn is_of_this_round(&self, mutant: SelectorId) -> bool {
        let before = self.options.earlier.get(&mutant);
        before.is_some_and(|before| before.round <= self.number)
    }

    /// Whether an earlier run killed a mutant.
    pub(super) fn was_killed(&self, mutant: SelectorId) -> bool {
        let before = self.options.earlier.get(&mutant);
        before.is_some_and(|before| before.is_killed)
    }

    /// Leaves mutants as the run of another version of the model decided them: no round looks at them again.
    pub(super) fn take_over_from_before(&mut self) {
        let earlier = Arc::clone(&self.options.earlier);
        let asked = |mutant: &SelectorId| self.options.mutants.contains(mutant);
        let carried = earlier.iter().filter(|(_, earlier)| earlier.round == 0);
        let carried: Vec<SelectorId> = carried.map(|(mutant, _)| *mutant).filter(asked).collect();
        self.take_over(&carried);
    }

    /// Leaves mutants as an earlier run decided them.
    pub(super) fn take_over(&mut self, mutants: &[SelectorId]) {
        let settled = mutants.iter().map(|&mutant| (mutant, Settled::Before));
        self.decided.extend(settled);
    }

    /// Takes over those that an earlier run has decided.
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
