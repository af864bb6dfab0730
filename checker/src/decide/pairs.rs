//! Pairs of runs: φ1, and φ1 with common choices where these are controllable.

use hyperkill_core::budget::Budget;
use hyperkill_evidence::closed_set::Relation;
use hyperkill_evidence::proof::Proof;
use hyperkill_evidence::question::Question;
use hyperkill_evidence::verdict::{Engine, Reason};
use hyperkill_formulas::compose::Sharing;

use super::potential::larger;
use super::{Answer, DecideError, Inquiry};
use crate::acceptance::unconstrained;
use crate::bmc::{Bmc, Depth, Found};
use crate::known::Known;
use crate::question::{Pose, Reachability};
use crate::solve::{Limits, Solved, solve};

/// Gates that an unrolling may have when it is only to shorten a test.
const SHORTEN_SIZE: usize = 60_000;
/// Solver calls that may be made only to shorten a test, and conflicts of each.
const SHORTEN_CALLS: usize = 12;
const SHORTEN_CONFLICTS: u32 = 2_000;
/// Turns of induction before states are listed for a proof.
const EASY_TURNS: u32 = 2;

impl Inquiry<'_> {
    /// Decides by two runs whose outputs differ, which is what killing is if the model is deterministic or choices are arranged.
    pub(super) fn by_pairs(
        &self,
        mutant: usize,
        mut known: Known,
        budget: &Budget,
    ) -> Result<Answer, DecideError> {
        let sharing = if self.deterministic() {
            Sharing::Independent
        } else {
            Sharing::ControllableChoices
        };
        let improvable = known.found.is_some() && self.shortest && !known.is_settled();
        if improvable && budget.stopped().is_none() {
            let posed = Reachability::phi1(self.model, mutant, sharing)?;
            shorten_by_search(&posed, &mut known, budget);
        }
        let settled = known.is_settled();
        let vain = known.is_unreachable();
        if let Some((engine, found)) = known.found {
            return self.pair(mutant, engine, found, settled, budget);
        }
        let posed = Reachability::phi1(self.model, mutant, sharing)?;
        if vain && let Some(answer) = self.without_search(mutant, &posed, budget)? {
            return Ok(answer);
        }
        match solve(&posed, &self.limits, budget) {
            Solved::Reached { found, refuted } => {
                let shortest = refuted + 1 >= found.steps;
                let engine = if shortest { Engine::Bmc } else { Engine::Pdr };
                let engine = self.finder(&found, engine);
                self.pair(mutant, engine, found, shortest, budget)
            }
            Solved::Unreachable(proof) => self.proved_by_pairs(mutant, proof, budget),
            Solved::Open { refuted, stop } => Ok(Answer::open(refuted, stop)),
        }
    }

    fn proved_by_pairs(
        &self,
        mutant: usize,
        proof: Proof,
        budget: &Budget,
    ) -> Result<Answer, DecideError> {
        let k = proof.k;
        let shared = !self.deterministic();
        let answer = self.proved(mutant, Question::phi1(mutant, shared), proof, budget)?;
        let hidden = shared && !unconstrained(self.model);
        match answer {
            // Assuming both constraints hides what only the mutant can do.
            Answer::Excluded(..) if hidden => self.identity_instead(mutant, k, budget),
            answer => Ok(answer),
        }
    }

    /// Where it is known that nothing is to be found, what is wanted is a proof that can be checked: by induction if that is
    /// easy, else by the states themselves.
    fn without_search(
        &self,
        mutant: usize,
        posed: &Reachability,
        budget: &Budget,
    ) -> Result<Option<Answer>, DecideError> {
        let limits = Limits {
            search: false,
            turns: Some(EASY_TURNS),
            ..self.limits.clone()
        };
        if let Solved::Unreachable(proof) = solve(posed, &limits, budget) {
            return self.proved_by_pairs(mutant, proof, budget).map(Some);
        }
        if !self.engines.subsets || !self.deterministic() {
            return Ok(None);
        }
        let mut known_to = 0;
        self.explored(mutant, Relation::Matched, larger(0), &mut known_to, budget)
    }

    pub(super) fn pair(
        &self,
        mutant: usize,
        engine: Engine,
        found: Found,
        shortest: bool,
        budget: &Budget,
    ) -> Result<Answer, DecideError> {
        let known_to = found.steps.saturating_sub(1);
        let Ok(runs) = <[_; 2]>::try_from(found.runs) else {
            return Ok(Answer::Open {
                known_to,
                reason: Reason::Precondition,
            });
        };
        let kill = self.kill(mutant, runs, shortest, budget)?;
        Ok(Answer::Killed(engine, kill))
    }

    /// The proof by the identity strategy where the one with common choices does not suffice.
    fn identity_instead(
        &self,
        mutant: usize,
        known_to: usize,
        budget: &Budget,
    ) -> Result<Answer, DecideError> {
        let identity = Question::identity(mutant);
        match solve(&identity.pose(self.model), &self.limits, budget) {
            Solved::Unreachable(proof) => self.proved(mutant, identity, proof, budget),
            Solved::Reached { .. } => Ok(Answer::Open {
                known_to,
                reason: Reason::Precondition,
            }),
            Solved::Open { stop, .. } => Ok(Answer::open(known_to, stop)),
        }
    }
}

/// Makes runs the shortest there are, if bounded model checking gets that far with little effort.
fn shorten_by_search(posed: &Reachability, known: &mut Known, budget: &Budget) {
    let mut bmc = Bmc::knowing(posed, known.refuted);
    // Depths are cheaper together, but a jump should not cost much more than what is behind it.
    let mut jump = known.refuted / 2;
    for left in (0..SHORTEN_CALLS).rev() {
        if known.is_settled() || bmc.size() > SHORTEN_SIZE {
            return;
        }
        let Some((_, found)) = &known.found else {
            return;
        };
        let next = known.refuted + 1;
        let deepest = found.steps - 1;
        match bmc.jump_to((next + jump).min(deepest), Some(SHORTEN_CONFLICTS), budget) {
            Depth::Reached(shorter) => known.found = Some((Engine::Bmc, shorter)),
            Depth::Refuted => {
                known.refuted = bmc.refuted();
                jump = 2 * jump + 1;
            }
            // Step by step, if there are few.
            Depth::Undecided(_) if jump > 0 && deepest - next < left => jump = 0,
            Depth::Undecided(_) => return,
        }
    }
}
