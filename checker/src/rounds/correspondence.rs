//! The round that proves equivalent mutants by what stays equal: latches, with IC3, and signals, by induction.

use std::time::Duration;

use rayon::prelude::*;

use hyperkill_core::SelectorId;
use hyperkill_core::budget::Budget;
use hyperkill_evidence::proof::Proof;
use hyperkill_evidence::question::Family;
use hyperkill_evidence::verdict::Engine;

use super::{Job, Run};
use crate::decide::DecideError;
use crate::family::{self, Group};
use crate::schedule::efforts;
use crate::search_progress::Known;

/// The part of the time for all that is left that equalities may take.
const CORRESPONDENCE: u32 = 3;

impl Run<'_> {
    /// Equalities of latches and signals, with little effort: most equivalent mutants keep them. Those that are proved are decided, so that
    /// families need not hold them.
    pub(super) fn correspondence_round(&mut self) -> Result<(), DecideError> {
        let live = self.open();
        self.observer.round("correspondence", live.len());
        // Where equalities are hard to find, other engines must have their time.
        let part = self.budget.remaining().map(|left| left / CORRESPONDENCE);
        let budget = &self.budget.job().within(part);
        if self.options.engines.pdr {
            self.take_latches_for_equal(budget)?;
        } else {
            self.correspond_together(&live, budget)?;
        }
        for chunk in self.open().chunks(efforts::CHUNK) {
            if budget.stopped().is_some() {
                return Ok(());
            }
            let alone = chunk.iter().map(|&mutant| vec![mutant]);
            let alone = self.correspond(alone.collect(), budget);
            // One proof for many is smaller, and sooner checked, than one for each.
            let provable: Vec<SelectorId> = alone.iter().map(|found| found.0.members[0]).collect();
            self.correspond_together(&provable, budget)?;
            let rest = alone.into_iter();
            let rest = rest.filter(|found| !self.decided.contains_key(&found.0.members[0]));
            self.conclude(rest.collect())?;
        }
        Ok(())
    }

    /// Proves mutants, those together that differ from the original in the same latches as far as random runs show, by taking all others
    /// for equal.
    fn take_latches_for_equal(&mut self, budget: &Budget) -> Result<(), DecideError> {
        let (model, seed) = (self.inquiry.model, self.inquiry.seed);
        let groups = family::groups(model, &self.open(), seed, budget);
        // A proof of many is hard to certify.
        let mut groups: Vec<Group> = (groups.iter())
            .flat_map(|group| group.parts(efforts::TOGETHER))
            .collect();
        for pass in [efforts::Pass::Quick, efforts::Pass::Thorough] {
            let mut reached = Vec::new();
            for group in &mut groups {
                (group.members).retain(|member| !self.decided.contains_key(member));
            }
            for groups in groups.chunks(efforts::TOGETHER) {
                reached.extend(self.speculate(groups, pass, budget)?);
            }
            reached.sort_by_key(|(mutant, _)| *mutant);
            let killed = self.decide(reached)?;
            self.drop_tests(&killed)?;
        }
        Ok(())
    }

    /// Records what is proved of these groups; mutants with runs that may be kills.
    fn speculate(
        &mut self,
        groups: &[Group],
        pass: efforts::Pass,
        budget: &Budget,
    ) -> Result<Vec<Job>, DecideError> {
        let (inquiry, timeout) = (&self.inquiry, self.options.timeout);
        let waits = budget.waits();
        let speculated: Vec<_> = (groups.par_iter())
            .map(|group| {
                let _finds = budget.finds("equal latches", &group.members);
                let start = budget.now();
                let speculated = inquiry.speculated(group, pass, &budget.job().within(timeout));
                (speculated, budget.now().saturating_sub(start))
            })
            .collect();
        drop(waits);
        let mut proofs = Vec::new();
        let mut reached = Vec::new();
        for (speculated, took) in speculated {
            let found = speculated.reached.into_iter();
            reached.extend(found.map(|(mutant, found)| (mutant, Known::found(Engine::Pdr, found))));
            let proved = speculated.proved.into_iter();
            proofs.extend(proved.map(|(family, proof)| (family, proof, took)));
        }
        self.conclude(proofs)?;
        Ok(reached)
    }

    /// Proves mutants together that differ from the original in the same latches, as far as random runs show.
    fn correspond_together(
        &mut self,
        mutants: &[SelectorId],
        budget: &Budget,
    ) -> Result<(), DecideError> {
        let groups = family::groups(self.inquiry.model, mutants, self.inquiry.seed, budget);
        let groups = groups.into_iter().map(|group| group.members);
        let groups = groups.filter(|members| members.len() > 1);
        let proofs = self.correspond(groups.collect(), budget);
        self.conclude(proofs)
    }

    /// The families that signal correspondence proves equivalent, with the time that took.
    fn correspond(
        &self,
        families: Vec<Vec<SelectorId>>,
        budget: &Budget,
    ) -> Vec<(Family, Proof, Duration)> {
        let (inquiry, timeout) = (&self.inquiry, self.options.timeout);
        let families = families.into_par_iter().filter_map(|members| {
            let _finds = budget.finds("correspondence", &members);
            let start = budget.now();
            let budget_each = budget.job().within(timeout);
            // Posing the question may take longer than answering it.
            budget_each.check().ok()?;
            let (family, proof) = inquiry.corresponding(members, &budget_each)?;
            Some((family, proof, budget.now().saturating_sub(start)))
        });
        let _waits = budget.waits();
        families.collect()
    }

    /// Certifies proofs and records what they say.
    fn conclude(&mut self, proofs: Vec<(Family, Proof, Duration)>) -> Result<(), DecideError> {
        let (inquiry, budget, timeout) = (&self.inquiry, self.budget, self.options.timeout);
        let waits = budget.waits();
        let results: Vec<_> = proofs
            .into_par_iter()
            .map(|(family, proof, took)| {
                let _finds = budget.finds("correspondence", &family.members);
                let start = budget.now();
                let outcomes = inquiry.members(family, proof, &budget.job().within(timeout));
                (outcomes, took + budget.now().saturating_sub(start))
            })
            .collect();
        drop(waits);
        for (outcomes, took) in results {
            let outcomes = outcomes?;
            let each = took / u32::try_from(outcomes.len().max(1)).unwrap_or(u32::MAX);
            for (mutant, outcome) in outcomes {
                self.record(mutant, outcome, each);
            }
        }
        Ok(())
    }
}
