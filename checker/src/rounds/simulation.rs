//! Rounds that simulate: ternary fault simulation, random runs, and one bounded search that shortens the tests of all mutants.

use std::collections::BTreeMap;

use hyperkill_core::SelectorId;
use hyperkill_evidence::verdict::Engine;

use super::jobs::Desk;
use super::{Extent, Run, Seen};
use crate::decide::DecideError;
use crate::decide::facts::Facts;
use crate::engines::fault_simulation::CertainKills;
use crate::engines::random_simulation::Kills;
use crate::family;
use crate::question::Found;
use crate::schedule::efforts::{RESTING_REPEATS, RandomRuns};
use crate::search_progress::Known;

/// The number that distinguishes the jobs of a round that shorten the runs of simulation.
const SHORTENED: u32 = 1;

impl Run<'_> {
    /// Fault simulation: simulates random inputs of `steps` steps with unknown choices. Decides mutants by the kills found, or keeps the
    /// kills.
    pub(super) fn fault_round(&mut self, number: usize, steps: usize) -> Result<(), DecideError> {
        let live = self.unsearched();
        if live.is_empty() {
            return Ok(());
        }
        self.observer.round("fault simulation", live.len());
        let (inquiry, options, budget) = (&self.inquiry, self.options, self.budget);
        let seed = options.seed.wrapping_add(number as u64);
        let mut found = self.simulated(live, |live| {
            let _finds = budget.finds("fault simulation", live);
            let kills =
                CertainKills::search(inquiry.model, live, steps, seed, options.bound, budget);
            kills.found
        })?;
        if self.inquiry.schedule.pairs_are_kills {
            let short: Vec<(SelectorId, Found)> = found
                .extract_if(.., |(_, found)| self.inquiry.is_cheap(found.steps))
                .collect();
            self.decide_short(short)?;
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

    /// Decides mutants by these kills, after shortening them. If the run takes only rounds before mutants are divided into shards, the
    /// kills are only recorded, and the shards search for shorter ones.
    fn decide_short(&mut self, kills: Vec<(SelectorId, Found)>) -> Result<(), DecideError> {
        if self.options.extent == Extent::Together && self.shortens() {
            for (mutant, found) in kills {
                let facts = Known::found(Engine::Simulation, found).into();
                self.facts.insert(mutant, facts);
            }
            return Ok(());
        }
        let with: Vec<SelectorId> = kills.iter().map(|(mutant, _)| *mutant).collect();
        let jobs = self.shortened(&with, kills)?;
        self.decide(jobs)?;
        Ok(())
    }

    /// Whether bounded searches look for shorter kills than those of simulation.
    fn shortens(&self) -> bool {
        let schedule = &self.inquiry.schedule;
        self.options.engines.family && schedule.shortest && schedule.pairs_are_kills
    }

    /// Simulates random runs for all undecided mutants that may still have a pair of runs with different outputs, and decides or keeps
    /// them.
    pub(super) fn simulation_round(
        &mut self,
        number: usize,
        runs: &RandomRuns,
    ) -> Result<(), DecideError> {
        for _ in 0..RESTING_REPEATS {
            if !self.simulate(number, runs)? {
                break;
            }
        }
        Ok(())
    }

    /// Takes a round of simulation. Returns whether its runs may kill further mutants, for which there was no memory.
    fn simulate(&mut self, number: usize, runs: &RandomRuns) -> Result<bool, DecideError> {
        let live = match runs.rests {
            // Slices have recorded facts about the mutants.
            true => self.unstruck(),
            false => self.unsearched(),
        };
        if live.is_empty() {
            return Ok(false);
        }
        self.observer.round("simulation", live.len());
        let (inquiry, options, budget) = (&self.inquiry, self.options, self.budget);
        let seed = options.seed.wrapping_add(number as u64);
        let found = self.simulated(live.clone(), |live| {
            let _finds = budget.finds("simulation", live);
            Kills::search(inquiry.model, live, runs, seed, options.bound, budget).found
        })?;
        // The first bounded search also covers mutants without a run. Later ones would repeat its failures, so they only shorten runs.
        let with: Vec<SelectorId> = match number {
            0 if self.inquiry.is_cheap(runs.steps) => live,
            _ => found.iter().map(|(mutant, _)| *mutant).collect(),
        };
        let are_cut =
            Kills::are_cut(&found, self.inquiry.model, runs) && self.budget.stopped().is_none();
        let jobs = self.shortened(&with, found)?;
        self.decide_or_keep(jobs)?;
        Ok(are_cut)
    }

    /// Returns the runs that `search` finds for mutants. If an earlier process completed the search, its runs are recalled.
    fn simulated(
        &mut self,
        live: Vec<SelectorId>,
        search: impl Fn(&[SelectorId]) -> Vec<(SelectorId, Found)> + Sync,
    ) -> Result<Vec<(SelectorId, Found)>, DecideError> {
        let desk = Desk {
            observer: &mut *self.observer,
            budget: self.budget,
            recalled: &self.options.recalled,
            earlier: &self.options.earlier,
            round: self.number,
            part: 0,
        };
        let learned = desk.each(vec![live], |live| {
            let found = search(live).into_iter();
            let seen = |(mutant, found)| (mutant, Known::found(Engine::Simulation, found).into());
            Ok(found.map(seen).collect())
        })?;
        let found = learned.into_iter();
        let found = found.filter_map(|(mutant, facts)| Some((mutant, facts.pairs.found?.1)));
        Ok(found.collect())
    }

    /// Searches short kills by one bounded search for all undecided mutants that may still have a pair of runs with different outputs.
    pub(super) fn shallow_round(&mut self) -> Result<(), DecideError> {
        let jobs = self.shortened(&self.unsearched(), Vec::new())?;
        self.decide(jobs)?;
        Ok(())
    }

    /// Returns candidate runs for these undecided mutants: the runs of simulation, shortened by one bounded search for all mutants, and
    /// further runs that this search finds.
    fn shortened(
        &mut self,
        live: &[SelectorId],
        kills: Vec<(SelectorId, Found)>,
    ) -> Result<Vec<Seen>, DecideError> {
        if !self.shortens() {
            let simulated = |(mutant, found)| (mutant, Known::found(Engine::Simulation, found));
            return Ok(kills.into_iter().map(simulated).collect());
        }
        let (kills, long): (Vec<_>, Vec<_>) = kills
            .into_iter()
            .partition(|(_, found)| self.inquiry.is_cheap(found.steps));
        let mut jobs: Vec<Seen> = long
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
        let known: BTreeMap<SelectorId, Known> = live.iter().map(known).collect();
        let families = live.chunks(family::MEMBERS).map(<[SelectorId]>::to_vec);
        let (inquiry, bound) = (&self.inquiry, self.options.bound);
        let budget = self.budget.within(self.options.timeout);
        let desk = Desk {
            observer: &mut *self.observer,
            budget: self.budget,
            recalled: &self.options.recalled,
            earlier: &self.options.earlier,
            round: self.number,
            part: SHORTENED,
        };
        let learned = desk.each(families.collect(), |members| {
            let _finds = budget.finds("family", members);
            let known = members
                .iter()
                .filter_map(|mutant| known.get_key_value(mutant));
            let mut family: BTreeMap<SelectorId, Known> = known
                .map(|(mutant, known)| (*mutant, known.clone()))
                .collect();
            family::search(inquiry.model, inquiry.pairs(), &mut family, bound, &budget);
            let family = family.into_iter();
            Ok(family
                .map(|(mutant, known)| (mutant, known.into()))
                .collect())
        })?;
        for (mutant, Facts { pairs: known, .. }) in learned {
            self.refuted.insert(mutant, known.refuted);
            if known.found.is_some() {
                jobs.push((mutant, known));
            }
        }
        jobs.sort_by_key(|(mutant, _)| *mutant);
        Ok(jobs)
    }
}
