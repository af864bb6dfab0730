//! The round that walks through pairs of states of model and mutant.

use rayon::prelude::*;

use hyperkill_core::SelectorId;
use hyperkill_evidence::verdict::Engine;

use super::{Run, jobs};
use crate::decide::DecideError;
use crate::determinism::Determinism;
use crate::engines::pairs::{Listings, Walked};
use crate::schedule::engine_efforts::PROVED_BY_STATES;
use crate::search_progress::Known;

impl Run<'_> {
    /// Whether kills are searched among pairs of runs that have the same choices and free initial values.
    ///
    /// If choices are controllable, this is the question itself. For a deterministic model without constraints it loses no kill: the model
    /// has a run with the choices of any run of a mutant, and all its runs on the same inputs have the same outputs.
    fn choices_are_common(&self) -> bool {
        let deterministic = self.inquiry.original == Determinism::Deterministic;
        self.inquiry.schedule.arranges_choices
            || deterministic && self.inquiry.model.is_unconstrained()
    }

    /// Walks through the pairs of states of original and each mutant, to a depth of `farthest` steps, and decides the mutants with a kill.
    pub(super) fn pairs_round(&mut self, farthest: Option<usize>) -> Result<(), DecideError> {
        let timeout = self.options.timeout;
        if self.listing.is_none() {
            let _finds = self.budget.finds("pairs", &self.unsearched());
            let budget = self.budget.job().within(timeout);
            let mutants = &self.options.mutants;
            self.listing = Some(Listings::new(
                self.inquiry.model,
                self.choices_are_common(),
                mutants,
                &budget,
            ));
        }
        let Some(Some(listing)) = &self.listing else {
            return Ok(());
        };
        let live = self.unsearched();
        self.observer.round("pairs", live.len());
        // Mutants that this round is known to kill need no walk. The others are walked again, since a common proof names all its mutants.
        let known =
            |mutant: &SelectorId| self.is_of_this_round(*mutant) && self.was_killed(*mutant);
        let (before, live): (Vec<SelectorId>, Vec<SelectorId>) = live.into_iter().partition(known);
        let walk = |mutant| {
            let _finds = self.budget.finds("pairs", &[mutant]);
            let budget = self.budget.job().within(timeout);
            (mutant, listing.walk(mutant, farthest, &budget))
        };
        let waits = self.budget.waits();
        let walked: Vec<(SelectorId, Walked)> = jobs::attended(&mut *self.observer, || {
            live.into_par_iter().map(walk).collect()
        });
        drop(waits);
        let (mut jobs, mut alike) = (Vec::new(), Vec::new());
        for (mutant, walked) in walked {
            let refuted = match walked {
                Walked::Found(found) => {
                    let refuted = found.steps - 1;
                    let found = Some((Engine::Pairs, found));
                    jobs.push((mutant, Known { found, refuted }));
                    refuted
                }
                Walked::Nothing => Known::UNREACHABLE,
                Walked::Alike => {
                    alike.push(mutant);
                    Known::UNREACHABLE
                }
                Walked::Open(refuted) => refuted,
            };
            self.refuted.insert(mutant, refuted);
        }
        self.take_over(&before);
        self.decide(jobs)?;
        self.prove_alike(&alike)
    }

    /// Proves mutants equivalent that agree with the original in all its reachable states: these states form a closed set. For few mutants,
    /// or too many states, other proofs follow.
    fn prove_alike(&mut self, alike: &[SelectorId]) -> Result<(), DecideError> {
        let wanted = self.options.engines.explicit && !self.inquiry.schedule.definite_only;
        let proves = wanted && alike.len() >= PROVED_BY_STATES;
        let Some(Some(listing)) = self.listing.as_ref().filter(|_| proves) else {
            return Ok(());
        };
        let timeout = self.options.timeout;
        for closed in listing.closed_sets(alike) {
            let _finds = self.budget.finds("sets of states", &closed.members);
            let budget = self.budget.job().within(timeout);
            self.facts.extend(self.inquiry.alike(closed, &budget)?);
        }
        self.decide_excluded(alike)
    }
}
