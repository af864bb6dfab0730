//! Rounds that simulate: certain kills, random runs, and one bounded search for all that makes their tests shorter.

use std::collections::BTreeMap;

use rayon::prelude::*;

use hyperkill_core::SelectorId;
use hyperkill_evidence::verdict::Engine;

use super::{Job, Run};
use crate::decide::DecideError;
use crate::engines::fault_simulation::CertainKills;
use crate::engines::random_simulation::Kills;
use crate::family;
use crate::question::Found;
use crate::schedule::efforts::RandomRuns;
use crate::search_progress::Known;

impl Run<'_> {
    /// Random inputs of so many steps, with three values: kills that are certain whatever anybody chooses.
    pub(super) fn fault_round(&mut self, number: usize, steps: usize) -> Result<(), DecideError> {
        let live = self.unsearched();
        if live.is_empty() {
            return Ok(());
        }
        self.observer.round("fault simulation", live.len());
        let finds = self.budget.finds("fault simulation", &live);
        let kills = CertainKills::search(
            self.inquiry.model,
            &live,
            steps,
            self.options.seed.wrapping_add(number as u64),
            self.options.bound,
            self.budget,
        );
        let mut found = kills.found;
        drop(finds);
        if self.inquiry.schedule.pairs_are_kills {
            let short: Vec<(SelectorId, Found)> = found
                .extract_if(.., |(_, found)| self.inquiry.is_cheap(found.steps))
                .collect();
            let with: Vec<SelectorId> = short.iter().map(|(mutant, _)| *mutant).collect();
            let jobs = self.shortened(&with, short);
            self.decide(jobs)?;
        }
        let mut done = Vec::new();
        for (mutant, facts) in self.inquiry.certain(found, self.budget) {
            match self.inquiry.could_improve(&facts) {
                true => drop(self.facts.insert(mutant, facts)),
                false => done.push((mutant, facts)),
            }
        }
        self.decide_from(done)?;
        Ok(())
    }

    /// Random runs of one length for all undecided mutants that may still have a pair of runs that differ.
    pub(super) fn simulation_round(
        &mut self,
        number: usize,
        runs: &RandomRuns,
    ) -> Result<(), DecideError> {
        let live = self.unsearched();
        if live.is_empty() {
            return Ok(());
        }
        self.observer.round("simulation", live.len());
        let finds = self.budget.finds("simulation", &live);
        let kills = Kills::search(
            self.inquiry.model,
            &live,
            runs,
            self.options.seed.wrapping_add(number as u64),
            self.options.bound,
            self.budget,
        );
        drop(finds);
        // The first time others are looked for as well; what is not found then is not found by asking again.
        let with: Vec<SelectorId> = match number {
            0 if self.inquiry.is_cheap(runs.steps) => live,
            _ => kills.found.iter().map(|(mutant, _)| *mutant).collect(),
        };
        let jobs = self.shortened(&with, kills.found);
        self.decide_or_keep(jobs)
    }

    /// One bounded search for short kills of all undecided mutants that may still have a pair of runs that differ.
    pub(super) fn shallow_round(&mut self) -> Result<(), DecideError> {
        let jobs = self.shortened(&self.unsearched(), Vec::new());
        self.decide(jobs)?;
        Ok(())
    }

    /// Candidate runs for these undecided mutants: those of simulation, shortened by one bounded search for all of them, and further ones
    /// that this search finds.
    fn shortened(&mut self, live: &[SelectorId], kills: Vec<(SelectorId, Found)>) -> Vec<Job> {
        let schedule = &self.inquiry.schedule;
        if !self.options.engines.family || !schedule.shortest || !schedule.pairs_are_kills {
            let simulated = |(mutant, found)| (mutant, Known::found(Engine::Simulation, found));
            return kills.into_iter().map(simulated).collect();
        }
        let (kills, long): (Vec<_>, Vec<_>) = kills
            .into_iter()
            .partition(|(_, found)| self.inquiry.is_cheap(found.steps));
        let mut jobs: Vec<Job> = long
            .into_iter()
            .map(|(mutant, found)| (mutant, Known::found(Engine::Simulation, found)))
            .collect();
        let mut live = live.to_vec();
        live.retain(|mutant| jobs.iter().all(|(long, _)| long != mutant));
        let mut kills: BTreeMap<SelectorId, Found> = kills.into_iter().collect();
        let known = |&mutant: &SelectorId| {
            let found = kills.remove(&mutant);
            let known = Known {
                found: found.map(|found| (Engine::Simulation, found)),
                ..self.known(mutant)
            };
            (mutant, known)
        };
        let known: Vec<(SelectorId, Known)> = live.iter().map(known).collect();
        let families = known.chunks(family::MEMBERS);
        let mut families: Vec<BTreeMap<SelectorId, Known>> = families
            .map(|members| members.iter().cloned().collect())
            .collect();
        let (inquiry, bound) = (&self.inquiry, self.options.bound);
        let budget = self.budget.within(self.options.timeout);
        let waits = budget.waits();
        families.par_iter_mut().for_each(|family| {
            let members: Vec<SelectorId> = family.keys().copied().collect();
            let _finds = budget.finds("family", &members);
            family::search(inquiry.model, inquiry.pairs(), family, bound, &budget);
        });
        drop(waits);
        for (mutant, known) in families.into_iter().flatten() {
            self.refuted.insert(mutant, known.refuted);
            if known.found.is_some() {
                jobs.push((mutant, known));
            }
        }
        jobs.sort_by_key(|(mutant, _)| *mutant);
        jobs
    }
}
