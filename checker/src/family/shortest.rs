//! Searches shortest runs of many mutants by one bounded search: one solver call settles a depth for all live mutants (semantics.md §6.4).
//!
//! A mutant leaves the family once its shortest run is known: the solver found one at this depth, another mutant's run kills it too, or
//! simulation found a run that cannot be shorter. Bounded search never proves equivalence.

use std::collections::BTreeMap;

use hyperkill_core::budget::Budget;
use hyperkill_core::{ConditionalMutant, SelectorId};
use hyperkill_evidence::verdict::Engine;

use super::Kind;
use crate::engines::bmc::{Bmc, Depth};
use crate::engines::random_simulation;
use crate::question::Found;
use crate::question::{Pose, member};
use crate::schedule::engine_efforts::{
    FAMILY_CONFLICTS, FAMILY_CONFLICTS_EACH, FAMILY_GATES, FAMILY_UNSEEN_STEPS,
};
use crate::search_progress::Known;

/// Largest number of members of one family: enough to share an unrolling, few enough to keep threads busy.
pub const MEMBERS: usize = 128;

/// Searches shortest runs of these mutants as one family, of [`MEMBERS`] members at most, and records runs and refuted lengths in `known`.
/// For a mutant with a candidate run, only shorter runs are searched.
pub fn search(
    model: &ConditionalMutant,
    kind: Kind,
    known: &mut BTreeMap<SelectorId, Known>,
    bound: Option<usize>,
    budget: &Budget,
) {
    let open = known.iter().filter(|(_, known)| !known.is_settled());
    let mut open: Vec<SelectorId> = open.map(|(&mutant, _)| mutant).collect();
    // Settled mutants still cost gates in each step, so the family is rebuilt when half of it is settled.
    while !open.is_empty() && budget.stopped().is_none() {
        let before = open.len();
        ShortestSearch::new(model, kind, known, bound).run(&mut open, budget);
        if open.len() > before / 2 {
            return;
        }
    }
}

/// One bounded search for the shortest runs of the members of a family.
struct ShortestSearch<'a> {
    model: &'a ConditionalMutant,
    kind: Kind,
    known: &'a mut BTreeMap<SelectorId, Known>,
    /// The length of runs, in steps, up to which mutants without a candidate run take part.
    unseen: usize,
}

impl<'a> ShortestSearch<'a> {
    fn new(
        model: &'a ConditionalMutant,
        kind: Kind,
        known: &'a mut BTreeMap<SelectorId, Known>,
        bound: Option<usize>,
    ) -> ShortestSearch<'a> {
        ShortestSearch {
            model,
            kind,
            known,
            unseen: FAMILY_UNSEEN_STEPS.min(bound.unwrap_or(FAMILY_UNSEEN_STEPS)),
        }
    }

    /// Searches until half of the mutants in `open` are settled, no length is left, or a limit is reached. Removes settled mutants from
    /// `open`.
    fn run(&mut self, open: &mut Vec<SelectorId>, budget: &Budget) {
        let family = self.kind.of(open.clone());
        let posed = family.pose(self.model);
        let refuted = open.iter().map(|mutant| self.known[mutant].refuted).min();
        let mut bmc = Bmc::knowing(&posed, refuted.unwrap_or(0));
        while open.len() > family.members.len() / 2 && bmc.size() < FAMILY_GATES {
            let Some(last) = self.next_depth(open, bmc.refuted()) else {
                return;
            };
            let each = u32::try_from(open.len()).unwrap_or(u32::MAX);
            let conflicts =
                FAMILY_CONFLICTS.saturating_add(FAMILY_CONFLICTS_EACH.saturating_mul(each));
            let settled = match bmc.jump_to(last, Some(conflicts), budget) {
                Depth::Reached(found) => {
                    let Some(member) = member(&family, self.model, &found) else {
                        return;
                    };
                    self.reached(open, member, found, budget);
                    self.settled(open, bmc.refuted())
                }
                Depth::Refuted => self.settled(open, bmc.refuted()),
                Depth::Undecided(_) => return,
            };
            // Runs of settled mutants are excluded from here on.
            for mutant in &settled {
                let copy = &posed.product.copies[1];
                if let Some(latch) = copy.latches[self.model.selectors[mutant.0].latch] {
                    bmc.require_initially(!posed.product.aig.latches()[latch].var.lit());
                }
            }
            open.retain(|mutant| !settled.contains(mutant));
        }
    }

    /// Returns the length of runs up to which to search next; `None` if no greater one can settle an open mutant. One step less than the
    /// shortest known run of an open mutant suffices, if it is more than `refuted`. The length grows by at most half of `refuted`, plus 1.
    fn next_depth(&self, open: &[SelectorId], refuted: usize) -> Option<usize> {
        let shorter = open.iter().map(|mutant| match &self.known[mutant].found {
            Some((_, found)) => found.steps - 1,
            None => self.unseen,
        });
        let nearest = shorter.filter(|&depth| depth > refuted).min()?;
        Some(nearest.min(refuted + 1 + refuted / 2))
    }

    /// Records a run of a member. The run is also recorded for other members whose outputs differ on the same inputs, unless they have a
    /// shorter run.
    fn reached(&mut self, open: &[SelectorId], member: SelectorId, found: Found, budget: &Budget) {
        let also = random_simulation::drop_onto(self.model, open, &found.runs[..1], budget);
        let also = also.into_iter().filter(|(mutant, _)| *mutant != member);
        for (mutant, found) in also.chain([(member, found.clone())]) {
            let known = self.known.entry(mutant).or_default();
            let at_hand = known.found.as_ref().map(|(_, found)| found.steps);
            if at_hand.is_none_or(|steps| found.steps < steps) {
                known.found = Some((Engine::Family, found));
            }
        }
    }

    /// Records the refuted length for the open members, and returns those whose candidate run is now known to be a shortest one.
    fn settled(&mut self, open: &[SelectorId], refuted: usize) -> Vec<SelectorId> {
        let mut settled = Vec::new();
        for &mutant in open {
            let known = self.known.entry(mutant).or_default();
            known.refuted = known.refuted.max(refuted);
            if known.is_settled() {
                settled.push(mutant);
            }
        }
        settled
    }
}
