//! Rounds that solve mutants to the end: families of similar mutants, then each mutant alone.

use rayon::prelude::*;

use hyperkill_core::SelectorId;
use hyperkill_core::trace::Stimulus;
use hyperkill_evidence::verdict::Engine;

use super::jobs::attended;
use super::{Proposed, Run, Seen};
use crate::decide::DecideError;
use crate::engines::random_simulation;
use crate::family;
use crate::schedule::efforts;
use crate::search_progress::Known;

impl Run<'_> {
    /// Groups mutants of similar behaviour into families, and decides as many as possible by questions about families.
    pub(super) fn family_round(&mut self) -> Result<(), DecideError> {
        let live = self.open();
        if live.len() < 2 {
            return Ok(());
        }
        self.observer.round("families", live.len());
        let groups = family::groups(self.inquiry.model, &live, self.inquiry.seed, self.budget);
        let groups = groups.into_iter().map(|group| group.members);
        let groups: Vec<Vec<SelectorId>> = groups.filter(|members| members.len() > 1).collect();
        let mut in_vain = 0;
        for groups in groups.chunks(efforts::AT_ONCE) {
            let members = groups.concat();
            self.once(0, &members, |run| run.families(groups))?;
            self.drop_tests_of(&members)?;
            let is_decided = |mutant: &SelectorId| self.decided.contains_key(mutant);
            in_vain = match members.iter().any(is_decided) {
                true => 0,
                false => in_vain + groups.len(),
            };
            if in_vain >= efforts::FRUITLESS || self.budget.stopped().is_some() {
                break;
            }
        }
        Ok(())
    }

    /// Asks about each group of mutants as a family, and decides its members with a proof or a run.
    fn families(&mut self, groups: &[Vec<SelectorId>]) -> Result<(), DecideError> {
        let (inquiry, budget, share) = (&self.inquiry, self.budget, self.share());
        let waits = budget.waits();
        let groups = groups.par_iter().map(|members| {
            let _finds = budget.finds("family", members);
            let start = budget.now();
            let slice = budget.job().within(share).slice(efforts::SLICE_OF_FAMILY);
            let settled = inquiry.decide_family(members.clone(), &slice);
            (settled, budget.now().saturating_sub(start))
        });
        let results: Vec<_> = attended(&mut *self.observer, || groups.collect());
        drop(waits);
        let mut jobs: Vec<Seen> = Vec::new();
        for (settled, took) in results {
            let (outcomes, kills) = settled?;
            let each = took / u32::try_from(outcomes.len().max(1)).unwrap_or(u32::MAX);
            for (mutant, outcome) in outcomes {
                self.record(mutant, outcome, each);
            }
            let candidates = kills.into_iter();
            jobs.extend(
                candidates.map(|(mutant, found)| (mutant, Known::found(Engine::Family, found))),
            );
        }
        jobs.sort_by_key(|(mutant, _)| *mutant);
        self.decide(jobs).map(drop)
    }

    /// Decides the next [`CHUNK`](efforts::CHUNK) mutants, each without a limit of work, mutants without any result first.
    pub(super) fn solving_round(&mut self) -> Result<(), DecideError> {
        let mut live = self.live();
        // Mutants without any result come first: a first verdict is worth more than a better one.
        let is_known = |mutant: &SelectorId| {
            let facts = self.facts.get(mutant);
            facts.is_some_and(|facts| facts.potential.is_answered())
        };
        live.sort_by_key(is_known);
        self.observer.round("solving", live.len());
        let jobs = live.iter().take(efforts::CHUNK);
        let jobs = jobs.map(|&mutant| (mutant, self.known(mutant)));
        let killed = self.decide(jobs.collect())?;
        self.drop_tests(&killed)
    }

    /// Runs the tests that killed these mutants on all undecided mutants (fault dropping).
    pub(super) fn drop_tests(&mut self, killed: &[SelectorId]) -> Result<(), DecideError> {
        let tests = killed.iter();
        let tests: Vec<_> = tests
            .filter_map(|&mutant| self.killing_run(mutant).cloned())
            .collect();
        self.try_tests(&tests)
    }

    /// Runs the tests of those of these mutants that are killed on all undecided mutants (fault dropping).
    pub(super) fn drop_tests_of(&mut self, mutants: &[SelectorId]) -> Result<(), DecideError> {
        let mut killed = mutants.to_vec();
        killed.retain(|mutant| self.killing_run(*mutant).is_some());
        self.drop_tests(&killed)
    }

    /// Runs the proposed tests on all undecided mutants; further calls do nothing.
    pub(super) fn try_proposed(&mut self) -> Result<(), DecideError> {
        let is_first = !std::mem::replace(&mut self.has_tried, true);
        match &self.options.proposed {
            Some(Proposed(make)) if is_first && !self.live().is_empty() => {
                let finds = self.budget.finds("proposed", &[]);
                let tests = make();
                drop(finds);
                self.try_tests(&tests)
            }
            _ => Ok(()),
        }
    }

    /// Runs these tests on all undecided mutants.
    pub(super) fn try_tests(&mut self, tests: &[Stimulus]) -> Result<(), DecideError> {
        if !self.options.engines.simulation || !self.inquiry.schedule.pairs_are_kills {
            return Ok(());
        }
        let live = self.live();
        if tests.is_empty() || live.is_empty() || self.budget.stopped().is_some() {
            return Ok(());
        }
        let finds = self.budget.finds("dropping", &live);
        let dropped = random_simulation::drop_onto(self.inquiry.model, &live, tests, self.budget);
        drop(finds);
        let jobs: Vec<Seen> = dropped
            .into_iter()
            .map(|(mutant, found)| (mutant, Known::found(Engine::Dropping, found)))
            .collect();
        self.decide(jobs)?;
        Ok(())
    }
}
