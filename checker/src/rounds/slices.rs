//! Slices: each mutant alone, for a counted piece of work. No mutant gets a dear slice before all have had a cheap one.

use std::collections::BTreeMap;
use std::time::Duration;

use hyperkill_core::SelectorId;

use super::Run;
use super::jobs::Desk;
use crate::decide::DecideError;
use crate::decide::facts::Facts;
use crate::schedule::efforts;

/// The part of the time that is left which one slice may take, certification included, if the time is limited.
const PART: u32 = 8;

impl Run<'_> {
    /// Looks at each mutant without an answer, for a slice of this level. Ends early if slices above the first level answer nothing.
    pub(super) fn slices_round(&mut self, level: u32) -> Result<(), DecideError> {
        let chunk = match level {
            0 => efforts::CHUNK,
            _ => efforts::FRUITLESS,
        };
        let open = self.unanswered();
        for (place, mutants) in open.chunks(chunk).enumerate() {
            if place > 0 {
                self.begin("slices");
            }
            // Tests of others may have killed some.
            let mut mutants = mutants.to_vec();
            mutants.retain(|mutant| self.lacks_answer(*mutant));
            self.observer.round("slices", self.live().len());
            let answered = self.slices(level, &mutants)?;
            let in_vain = level > 0 && answered == 0 && !mutants.is_empty();
            if in_vain || self.budget.stopped().is_some() {
                break;
            }
        }
        Ok(())
    }

    /// Looks at these mutants; returns how many have an answer then.
    fn slices(&mut self, level: u32, mutants: &[SelectorId]) -> Result<usize, DecideError> {
        let left = mutants.iter().copied();
        let left = left.filter(|mutant| !self.is_of_this_round(*mutant));
        let groups: Vec<Vec<SelectorId>> = left.map(|mutant| vec![mutant]).collect();
        let facts: BTreeMap<SelectorId, Facts> = (groups.iter().flatten())
            .map(|&mutant| (mutant, self.facts_of(mutant)))
            .collect();
        let share = self.share();
        let (inquiry, budget) = (&self.inquiry, self.budget);
        let slice = |mutant: SelectorId, facts: &Facts| {
            let _finds = budget.finds("solving", &[mutant]);
            let slice = budget.job().within(share).slice(efforts::slice(level));
            inquiry.answered(mutant, facts.clone(), &slice)
        };
        let desk = Desk {
            observer: &mut *self.observer,
            budget,
            recalled: &self.options.recalled,
            earlier: &self.options.earlier,
            round: self.number,
            part: 0,
        };
        let learned = desk.each(groups, |members| {
            let known = members
                .iter()
                .filter_map(|mutant| facts.get_key_value(mutant));
            known
                .map(|(&mutant, known)| Ok((mutant, slice(mutant, known)?)))
                .collect()
        })?;
        let mut answered = self.take_over_of_this_round(mutants);
        let mut done = Vec::new();
        for (mutant, facts) in learned {
            let is_proved = facts.potential.excluded.is_some();
            let is_answered = self.inquiry.is_answered(&facts);
            answered += usize::from(is_answered);
            match is_proved || (is_answered && self.inquiry.schedule.pairs_are_kills) {
                true => done.push((mutant, facts)),
                // Whether the kill can be made better is asked later.
                false => drop(self.facts.insert(mutant, facts)),
            }
        }
        self.decide_from(done)?;
        self.drop_tests_of(mutants)?;
        Ok(answered)
    }

    /// Decides the mutants with kills at hand: how strongly they are killed, and whether by a shorter test.
    pub(super) fn improving_round(&mut self) -> Result<(), DecideError> {
        let mut killed = self.live();
        killed.retain(|mutant| !self.lacks_answer(*mutant));
        self.observer.round("improving", killed.len());
        let jobs = killed.iter().map(|&mutant| (mutant, self.known(mutant)));
        self.decide(jobs.collect())?;
        Ok(())
    }

    /// Live mutants of which it is open whether the question asked has a test.
    fn unanswered(&self) -> Vec<SelectorId> {
        let mut live = self.live();
        live.retain(|mutant| self.lacks_answer(*mutant));
        live
    }

    fn lacks_answer(&self, mutant: SelectorId) -> bool {
        let facts = self.facts.get(&mutant);
        let is_answered = facts.is_some_and(|facts| self.inquiry.is_answered(facts));
        !is_answered && !self.decided.contains_key(&mutant)
    }

    /// The time for one slice: a part of what is left for all, and at most the limit for each mutant.
    pub(super) fn share(&self) -> Option<Duration> {
        let share = self.budget.remaining().map(|left| left / PART);
        share.into_iter().chain(self.options.timeout).min()
    }
}
