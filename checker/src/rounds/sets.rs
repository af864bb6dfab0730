//! Rounds that search through sets of states, listed or as decision diagrams.

use std::time::Duration;

use rayon::prelude::*;

use hyperkill_core::SelectorId;

use super::jobs::Desk;
use super::{Run, Seen};
use crate::decide::DecideError;
use crate::decide::facts::Facts;
use crate::engines::pairs::ChoosingListings;
use crate::schedule::efforts;
use crate::schedule::engine_efforts::{FRUITLESS_FAMILIES, LISTED_BEFORE_LOOK, PART_OF_LISTING};

impl Run<'_> {
    /// Lists the state estimates of model and mutant, for each mutant alone, and keeps kills for the mutant's decision; decides mutants
    /// with a proof. Ends after a group of mutants without a result. After a walk through pairs of states, only mutants that the walk found
    /// to be equivalent are listed: they still lack a proof.
    pub(super) fn listing_round(&mut self) -> Result<(), DecideError> {
        let mut live = self.unkilled();
        if self.inquiry.schedule.pairs_are_kills {
            live.retain(|&mutant| self.known(mutant).is_unreachable());
        }
        self.observer.round("sets of states", live.len());
        for group in live.chunks(LISTED_BEFORE_LOOK) {
            // Mutants that an earlier run decided by the end of this round are taken over without a listing.
            let known = |mutant: &SelectorId| self.is_of_this_round(*mutant);
            let (before, group): (Vec<SelectorId>, Vec<SelectorId>) =
                group.iter().copied().partition(known);
            let share = self.part(PART_OF_LISTING, live.len());
            let (inquiry, budget) = (&self.inquiry, self.budget);
            let list = |mutant: &SelectorId| {
                let _finds = budget.finds("sets of states", &[*mutant]);
                let facts = inquiry.listed(*mutant, &budget.job().within(share))?;
                Ok((*mutant, facts))
            };
            let desk = Desk {
                observer: &mut *self.observer,
                budget,
                recalled: &self.options.recalled,
                earlier: &self.options.earlier,
                round: self.number,
                part: 0,
            };
            let alone = group.into_iter().map(|mutant| vec![mutant]);
            let listed = desk.each(alone.collect(), |mutants| {
                mutants.iter().map(list).collect()
            })?;
            let mut settled = !before.is_empty();
            for (mutant, facts) in listed {
                if facts.potential.is_answered() {
                    settled = true;
                    self.facts.insert(mutant, facts);
                }
            }
            self.take_over(&before);
            if !settled || self.budget.stopped().is_some() {
                break;
            }
        }
        self.decide_excluded(&live)
    }

    /// Visits the joint reachable states of original and mutant, for all mutants beside one listing of the original. Mutants whose kill may
    /// not be a shortest one are included. Keeps kills for the mutant's decision; decides mutants with a proof.
    pub(super) fn together_round(&mut self) -> Result<(), DecideError> {
        let mut live = self.live();
        live.retain(|mutant| {
            let facts = self.facts.get(mutant);
            facts.is_none_or(|facts| {
                facts.potential.excluded.is_none() && !facts.potential.is_shortest()
            })
        });
        self.observer.round("states together", live.len());
        let (inquiry, budget, timeout) = (&self.inquiry, self.budget, self.options.timeout);
        let once = budget.job().within(timeout);
        let mutants = &self.options.mutants;
        let Some(listings) = ChoosingListings::new(inquiry.model, mutants, &once) else {
            return Ok(());
        };
        // Mutants that this round is known to decide need no visit.
        let known = |mutant: &SelectorId| self.is_of_this_round(*mutant);
        let (before, left): (Vec<SelectorId>, Vec<SelectorId>) =
            live.iter().copied().partition(known);
        let known = &self.facts;
        let visited: Vec<(SelectorId, Result<Facts, DecideError>)> = left
            .into_par_iter()
            .map(|mutant| {
                let budget = budget.job().within(timeout);
                let known = known.get(&mutant).cloned().unwrap_or_default();
                let known = (mutant, known.without_runs());
                (mutant, inquiry.together(known, &listings, &budget))
            })
            .collect();
        for (mutant, facts) in visited {
            let facts = facts?;
            if facts.potential.is_answered() {
                self.facts.insert(mutant, facts);
            }
        }
        self.take_over(&before);
        self.decide_excluded(&live)
    }

    /// Returns the time limit for one of `number` jobs: together they may take 1/`part` of the remaining time, and each at most the limit
    /// per mutant.
    fn part(&self, part: u32, number: usize) -> Option<Duration> {
        let number = u32::try_from(number.max(1)).unwrap_or(u32::MAX);
        let parts = part.saturating_mul(number);
        let share = self.budget.remaining().map(|left| left / parts);
        share.into_iter().chain(self.options.timeout).min()
    }

    /// Searches state estimates with decision diagrams, for some mutants at once, in slices of a level. Ends early after several fruitless
    /// slices in a row. Keeps kills for the mutant's decision; decides mutants with a proof.
    pub(super) fn diagrams_round(&mut self, level: u32) -> Result<(), DecideError> {
        let live = self.unkilled();
        for (place, members) in live
            .chunks(FRUITLESS_FAMILIES * efforts::TOGETHER)
            .enumerate()
        {
            if place > 0 {
                self.begin("diagrams");
            }
            self.observer.round("diagrams", self.unkilled().len());
            let found = self.search_families(level, members)?;
            if found == 0 || self.budget.stopped().is_some() {
                break;
            }
        }
        Ok(())
    }

    /// Searches tests and proofs for mutants with decision diagrams, some families in parallel. Returns the number of mutants with a
    /// result.
    fn search_families(
        &mut self,
        level: u32,
        members: &[SelectorId],
    ) -> Result<usize, DecideError> {
        let families = members
            .chunks(efforts::TOGETHER)
            .map(<[SelectorId]>::to_vec);
        let share = self.share();
        let (inquiry, budget) = (&self.inquiry, self.budget);
        let desk = Desk {
            observer: &mut *self.observer,
            budget,
            recalled: &self.options.recalled,
            earlier: &self.options.earlier,
            round: self.number,
            part: 0,
        };
        let found = desk.each(families.collect(), |family| {
            let _finds = budget.finds("diagrams", family);
            inquiry.searched_together(family, efforts::slice_together(level), share, budget)
        })?;
        let before = self.take_over_of_this_round(members);
        let number = before + found.len();
        self.facts.extend(found);
        self.decide_excluded(members)?;
        Ok(number)
    }

    /// Decides those of these mutants for which a proof is known that no test kills them.
    pub(super) fn decide_excluded(&mut self, mutants: &[SelectorId]) -> Result<(), DecideError> {
        let proved = mutants.iter().copied().filter(|mutant| {
            let facts = self.facts.get(mutant);
            facts.is_some_and(|facts| facts.potential.excluded.is_some())
        });
        let proved = proved.filter(|mutant| !self.decided.contains_key(mutant));
        let jobs: Vec<Seen> = proved.map(|mutant| (mutant, self.known(mutant))).collect();
        self.decide(jobs)?;
        Ok(())
    }
}
