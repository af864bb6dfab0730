//! The round that proves mutants equivalent by equalities between copies: of latches, with IC3, and of signals, by induction.

use std::time::Duration;

use rayon::prelude::*;

use hyperkill_core::SelectorId;
use hyperkill_evidence::proof::Proof;
use hyperkill_evidence::question::Family;
use hyperkill_evidence::verdict::Engine;

use super::jobs::attended;
use super::{Run, Seen};
use crate::decide::DecideError;
use crate::family::{self, Group};
use crate::schedule::efforts::{self, Pass};
use crate::search_progress::Known;

/// Numbers that distinguish the jobs of a round: mutants alone, and, from the second on, groups whose latches are assumed to be equal.
const ALONE: u32 = 0;
const LATCHES: u32 = 1;

impl Run<'_> {
    /// Proves mutants equivalent by equalities of latches and signals, with little effort: most equivalent mutants keep them. Proved
    /// mutants are decided, so that families need not contain them. Ends early where attempts prove nothing.
    pub(super) fn correspondence_round(
        &mut self,
        pass: Pass,
        level: u32,
    ) -> Result<(), DecideError> {
        let live = self.unseen();
        self.observer.round("correspondence", live.len());
        let most = efforts::slice_of_correspondence(pass, level);
        if self.options.engines.pdr {
            self.take_latches_for_equal(pass, most)?;
        } else {
            self.correspond_together(&live, most)?;
        }
        for chunk in self.unseen().chunks(efforts::CHUNK) {
            self.once(ALONE, chunk, |run| run.correspond_alone(chunk, most))?;
            let is_decided = |mutant: &SelectorId| self.decided.contains_key(mutant);
            if !chunk.iter().any(is_decided) || self.budget.stopped().is_some() {
                break;
            }
        }
        Ok(())
    }

    /// Proves mutants equivalent by equalities of signals, within `most` counted work for each attempt: each mutant alone first, and then
    /// all proved mutants together. Ends after a number of fruitless attempts in a row.
    fn correspond_alone(&mut self, mutants: &[SelectorId], most: u64) -> Result<(), DecideError> {
        let mut alone = Vec::new();
        for some in mutants.chunks(efforts::FRUITLESS) {
            let found = self.correspond(some.iter().map(|&mutant| vec![mutant]).collect(), most);
            let is_in_vain = found.is_empty();
            alone.extend(found);
            if is_in_vain {
                break;
            }
        }
        // One proof for many mutants is smaller, and checked sooner, than one proof for each.
        let provable: Vec<SelectorId> = alone.iter().map(|found| found.0.members[0]).collect();
        self.correspond_together(&provable, most)?;
        let rest = alone.into_iter();
        let rest = rest.filter(|found| !self.decided.contains_key(&found.0.members[0]));
        self.conclude(rest.collect())
    }

    /// Proves mutants equivalent by IC3 under the assumption that latches are equal in both copies, within `most` counted work for each
    /// group. Mutants with the same differing latches, as far as random runs show, form a group; these latches may differ.
    fn take_latches_for_equal(&mut self, pass: Pass, most: u64) -> Result<(), DecideError> {
        let (model, seed) = (self.inquiry.model, self.inquiry.seed);
        let groups = family::groups(model, &self.unseen(), seed, self.budget);
        // A proof about many mutants is hard to certify.
        let mut groups: Vec<Group> = (groups.iter())
            .flat_map(|group| group.parts(efforts::TOGETHER))
            .collect();
        let passes: &[Pass] = match pass {
            Pass::Quick => &[Pass::Quick],
            Pass::Thorough => &[Pass::Quick, Pass::Thorough],
        };
        for (part, &pass) in (LATCHES..).zip(passes) {
            for group in &mut groups {
                (group.members).retain(|member| !self.decided.contains_key(member));
            }
            groups.retain(|group| !group.members.is_empty());
            let mut in_vain = 0;
            for groups in groups.chunks(efforts::AT_ONCE) {
                let members: Vec<SelectorId> =
                    groups.iter().flat_map(|g| g.members.clone()).collect();
                self.once(part, &members, |run| {
                    let reached = run.speculate(groups, pass, most)?;
                    run.decide(reached).map(drop)
                })?;
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
        }
        Ok(())
    }

    /// Searches proofs for groups of mutants whose latches are assumed to be equal, and records the proved mutants. Returns the mutants
    /// with candidate runs, ascending.
    fn speculate(
        &mut self,
        groups: &[Group],
        pass: Pass,
        most: u64,
    ) -> Result<Vec<Seen>, DecideError> {
        let (inquiry, budget, share) = (&self.inquiry, self.budget, self.share());
        let waits = budget.waits();
        let speculate = |group: &Group| {
            let _finds = budget.finds("equal latches", &group.members);
            let start = budget.now();
            let slice = budget.job().within(share).slice(most);
            let speculated = inquiry.speculated(group, pass, &slice);
            (speculated, budget.now().saturating_sub(start))
        };
        let speculated: Vec<_> = attended(&mut *self.observer, || {
            groups.par_iter().map(speculate).collect()
        });
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
        reached.sort_by_key(|(mutant, _)| *mutant);
        Ok(reached)
    }

    /// Proves mutants equivalent by signal correspondence, together those that differ in the same latches, as far as random runs show.
    fn correspond_together(
        &mut self,
        mutants: &[SelectorId],
        most: u64,
    ) -> Result<(), DecideError> {
        let groups = family::groups(self.inquiry.model, mutants, self.inquiry.seed, self.budget);
        let groups = groups.into_iter().map(|group| group.members);
        let groups = groups.filter(|members| members.len() > 1);
        let proofs = self.correspond(groups.collect(), most);
        self.conclude(proofs)
    }

    /// Returns the families that signal correspondence proves equivalent, with the time of each proof.
    fn correspond(
        &mut self,
        families: Vec<Vec<SelectorId>>,
        most: u64,
    ) -> Vec<(Family, Proof, Duration)> {
        let (inquiry, budget, share) = (&self.inquiry, self.budget, self.share());
        let families = families.into_par_iter().filter_map(|members| {
            let _finds = budget.finds("correspondence", &members);
            let start = budget.now();
            let budget_each = budget.job().within(share).slice(most);
            // Posing the question may take longer than answering it.
            budget_each.check().ok()?;
            let (family, proof) = inquiry.corresponding(members, &budget_each)?;
            Some((family, proof, budget.now().saturating_sub(start)))
        });
        let _waits = budget.waits();
        attended(&mut *self.observer, || families.collect())
    }

    /// Certifies proofs about families and records the verdicts on their members.
    fn conclude(&mut self, proofs: Vec<(Family, Proof, Duration)>) -> Result<(), DecideError> {
        let (inquiry, budget, timeout) = (&self.inquiry, self.budget, self.options.timeout);
        let waits = budget.waits();
        let members = |(family, proof, took): (Family, Proof, Duration)| {
            let _finds = budget.finds("correspondence", &family.members);
            let start = budget.now();
            let outcomes = inquiry.members(family, proof, &budget.job().within(timeout));
            (outcomes, took + budget.now().saturating_sub(start))
        };
        let results: Vec<_> = attended(&mut *self.observer, || {
            proofs.into_par_iter().map(members).collect()
        });
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
