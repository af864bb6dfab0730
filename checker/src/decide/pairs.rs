//! The question about pairs of runs, one of the model and one of the mutant: φ1, with common choices if choices are controllable.

use hyperkill_core::budget::Budget;
use hyperkill_evidence::closed_set::Relation;
use hyperkill_evidence::proof::Proof;
use hyperkill_evidence::question::Question;
use hyperkill_evidence::verdict::{Engine, Reason};
use hyperkill_formulas::compose::Sharing;

use super::DecideError;
use super::work::{Deciding, Taken};
use crate::acceptance::unconstrained;
use crate::engines::bmc::{Bmc, Depth};
use crate::engines::explicit::Listing;
use crate::question::{Found, Pose, Reachability};
use crate::schedule::efforts::Effort;
use crate::schedule::reachability::Options;
use crate::search_progress::Known;
use crate::solve::{Solved, solve, solve_with};

impl Deciding<'_> {
    fn posed_pair(&self) -> Result<Reachability, DecideError> {
        let sharing = if self.inquiry.deterministic() {
            Sharing::Independent
        } else {
            Sharing::ControllableChoices
        };
        Ok(Reachability::phi1(
            self.inquiry.model,
            self.mutant,
            sharing,
        )?)
    }

    /// Replaces the candidate runs by shorter ones, if bounded search finds them with little effort.
    pub(super) fn shorten_pair(&mut self, effort: &Effort, budget: &Budget) -> Taken {
        let posed = self.posed_pair()?;
        shorten_by_search(&posed, &mut self.facts.pairs, effort, budget);
        Ok(())
    }

    /// Searches for two runs whose outputs differ. They are a kill if the model is deterministic or choices are controllable.
    pub(super) fn search_pairs(&mut self, options: &Options, budget: &Budget) -> Taken {
        let posed = self.posed_pair()?;
        let others = self.inquiry.others.as_ref();
        match solve_with(&posed, options, others, budget) {
            Solved::Reached { found, refuted } => {
                let shortest = refuted + 1 >= found.steps;
                let engine = if shortest { Engine::Bmc } else { Engine::Pdr };
                let engine = self.finder(&found, engine);
                self.facts.potential.refute(refuted);
                self.pair(engine, found, shortest, budget)
            }
            Solved::Unreachable(proof) => self.proved_by_pairs(proof, options, budget),
            Solved::Open { refuted, stop } => {
                self.facts.potential.refute(refuted);
                self.facts.potential.reason = stop.into();
                Ok(())
            }
        }
    }

    fn proved_by_pairs(&mut self, proof: Proof, options: &Options, budget: &Budget) -> Taken {
        let shared = !self.inquiry.deterministic();
        if shared && !unconstrained(self.inquiry.model) {
            // The product assumes the constraints of both copies, which hides steps that only the mutant can take.
            self.facts.potential.refute(proof.k);
            return self.identity_instead(options, budget);
        }
        let question = Question::phi1(self.mutant, shared);
        self.proved(Relation::Matched, question, proof, budget)
    }

    /// Searches a checkable proof that no pair of runs differs, which is already known: by induction if that is easy, else by listing
    /// states.
    pub(super) fn prove_unreachable(
        &mut self,
        options: &Options,
        listing: Listing,
        budget: &Budget,
    ) -> Taken {
        let posed = self.posed_pair()?;
        if let Solved::Unreachable(proof) = solve(&posed, options, budget) {
            return self.proved_by_pairs(proof, &self.inquiry.schedule.reachability, budget);
        }
        if !options.engines.explicit || !self.inquiry.deterministic() {
            return Ok(());
        }
        self.list(Relation::Matched, listing, budget)
    }

    /// Records the kill that a pair of runs with different outputs shows, with its strength.
    pub(super) fn pair(
        &mut self,
        engine: Engine,
        found: Found,
        shortest: bool,
        budget: &Budget,
    ) -> Taken {
        let before = found.steps.saturating_sub(1);
        let Ok(runs) = <[_; 2]>::try_from(found.runs) else {
            self.facts.potential.refute(before);
            self.facts.potential.reason = Reason::Precondition;
            return Ok(());
        };
        let kill = self.kill(runs, shortest, budget)?;
        self.learn(Relation::Matched, engine, kill, budget)
    }

    /// Tries to prove by the identity strategy that no test kills, for mutants to which a proof with common choices does not apply.
    fn identity_instead(&mut self, options: &Options, budget: &Budget) -> Taken {
        let identity = Question::identity(self.mutant);
        let posed = identity.pose(self.inquiry.model);
        match solve_with(&posed, options, self.inquiry.others.as_ref(), budget) {
            Solved::Unreachable(proof) => self.proved(Relation::Matched, identity, proof, budget),
            Solved::Reached { .. } => {
                self.facts.potential.reason = Reason::Precondition;
                Ok(())
            }
            Solved::Open { stop, .. } => {
                self.facts.potential.reason = stop.into();
                Ok(())
            }
        }
    }
}

/// Replaces the runs in `known` by shorter ones, if bounded search finds them with little effort, else raises their refuted length.
fn shorten_by_search(posed: &Reachability, known: &mut Known, effort: &Effort, budget: &Budget) {
    let mut bmc = Bmc::knowing(posed, known.refuted);
    // Several depths in one call are cheaper, but a jump should not cost much more than the depths already refuted.
    let mut jump = known.refuted / 2;
    let calls = usize::try_from(effort.calls).unwrap_or(usize::MAX);
    for left in (0..calls).rev() {
        if known.is_settled() || bmc.size() > effort.gates {
            return;
        }
        let Some((_, found)) = &known.found else {
            return;
        };
        let next = known.refuted + 1;
        let deepest = found.steps - 1;
        let last = (next + jump).min(deepest);
        match bmc.jump_to(last, Some(effort.conflicts), budget) {
            Depth::Reached(shorter) => known.found = Some((Engine::Bmc, shorter)),
            Depth::Refuted => {
                known.refuted = bmc.refuted();
                jump = 2 * jump + 1;
            }
            // If few depths are left, they are asked one by one.
            Depth::Undecided(_) if jump > 0 && deepest - next < left => jump = 0,
            Depth::Undecided(_) => return,
        }
    }
}
