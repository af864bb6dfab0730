//! Slices: a counted amount of work on each mutant alone. All mutants get a cheap slice before any gets an expensive one.

use std::collections::BTreeMap;
use std::time::Duration;

use hyperkill_core::SelectorId;

use super::Run;
use super::jobs::Desk;
use crate::decide::DecideError;
use crate::decide::facts::Facts;
use crate::schedule::efforts;
use crate::schedule::engine_efforts::PART_OF_SLICE;

impl Run<'_> {
    /// Works on each mutant without an answer for a slice of this level. Ends early if slices above the first level answer nothing.
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
            // Tests of other mutants may have killed some.
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

    /// Works on each of these mutants for one slice. Returns how many mutants have an answer afterwards.
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
                // A later round asks whether a better kill exists.
                false => drop(self.facts.insert(mutant, facts)),
            }
        }
        self.decide_from(done)?;
        self.drop_tests_of(mutants)?;
        Ok(answered)
    }

    /// Decides the mutants that have a known kill: determines its strength, and searches shorter tests.
    pub(super) fn improving_round(&mut self) -> Result<(), DecideError> {
        let mut killed = self.live();
        killed.retain(|mutant| !self.lacks_answer(*mutant));
        self.observer.round("improving", killed.len());
        let jobs = killed.iter().map(|&mutant| (mutant, self.known(mutant)));
        self.decide(jobs.collect())?;
        Ok(())
    }

    /// Returns the undecided mutants for which it is open whether a test of the wanted strength exists.
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

    /// Returns the time limit for one slice: a fraction of the remaining time, at most the limit per mutant.
    pub(super) fn share(&self) -> Option<Duration> {
        let share = self.budget.remaining().map(|left| left / PART_OF_SLICE);
        share.into_iter().chain(self.options.timeout).min()
    }
}
