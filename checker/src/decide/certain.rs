//! Definite kills found by ternary simulation. They are certified together, so that each costs little.

use rayon::prelude::*;

use hyperkill_certify::plainly_kill;
use hyperkill_core::SelectorId;
use hyperkill_core::budget::Budget;
use hyperkill_core::relevance::Relevances;
use hyperkill_core::trace::Stimulus;
use hyperkill_evidence::closed_set::Relation;
use hyperkill_evidence::verdict::{Engine, Kill, Strength};

use super::Inquiry;
use super::facts::{Facts, Knowledge};
use crate::question::Found;
use crate::schedule::efforts;
use crate::search_progress::Known;

/// Number of kills that are certified in one pass of simulation.
const TOGETHER: usize = 32;

impl Inquiry<'_> {
    /// Returns the facts that kills by simulation show: a definite kill where the certifier's own ternary simulation confirms it. Other
    /// runs are kept as candidates, as are all runs after the end of the budget.
    #[must_use]
    pub fn certain(
        &self,
        kills: Vec<(SelectorId, Found)>,
        budget: &Budget,
    ) -> Vec<(SelectorId, Facts)> {
        let relevances = Relevances::of(self.model);
        let together = kills.par_chunks(TOGETHER);
        let facts = together.flat_map_iter(|kills| {
            let mutants: Vec<SelectorId> = kills.iter().map(|(mutant, _)| *mutant).collect();
            let _finds = budget.finds("fault simulation", &mutants);
            let _certifies = budget.certifies();
            match budget.stopped() {
                None => self.certain_together(kills, &relevances),
                Some(_) => kills.iter().map(candidate).collect(),
            }
        });
        let _waits = budget.waits();
        facts.collect()
    }

    /// Whether further search may improve the facts: no definite kill is known, or a shorter test that costs little may exist.
    #[must_use]
    pub fn could_improve(&self, facts: &Facts) -> bool {
        facts.definite.best.is_none() || self.is_worth_shortening(&facts.potential)
    }

    /// Whether a shorter test may exist and the search for it costs little.
    pub(super) fn is_worth_shortening(&self, knowledge: &Knowledge) -> bool {
        let best = knowledge.best.as_ref();
        best.is_some_and(|(_, kill)| self.is_cheap(kill.steps())) && !knowledge.is_shortest()
    }

    /// Whether a solver may be asked for optional runs of this length: steps times gates are at most [`efforts::WORTH_SHORTENING`].
    #[must_use]
    pub fn is_cheap(&self, steps: usize) -> bool {
        steps * self.model.aig.gate_count() <= efforts::WORTH_SHORTENING
    }

    fn certain_together(
        &self,
        kills: &[(SelectorId, Found)],
        relevances: &Relevances<'_>,
    ) -> Vec<(SelectorId, Facts)> {
        let claim = |(mutant, found): &(SelectorId, Found)| match &found.runs[..] {
            [model_run, mutant_run] => {
                let relevance = relevances.with(*mutant);
                let runs = [model_run, mutant_run].map(|run| relevance.without_noise(run));
                Some(self.unchecked(runs, Strength::Definite, false))
            }
            _ => None,
        };
        let claims: Vec<Option<Kill>> = kills.iter().map(claim).collect();
        let claimed = kills.iter().zip(&claims);
        let tests: Vec<(SelectorId, &Stimulus)> = claimed
            .filter_map(|((mutant, _), kill)| Some((*mutant, &kill.as_ref()?.model_run)))
            .collect();
        let mut shown = plainly_kill(self.model, &tests).into_iter();
        let facts = |((mutant, found), kill): (&(SelectorId, Found), Option<Kill>)| {
            let certain = kill.filter(|_| shown.next().unwrap_or(false));
            let facts = match certain {
                Some(kill) => {
                    let mut facts = Facts {
                        seen: true,
                        ..Facts::default()
                    };
                    facts.kill(Relation::Matched, Engine::Simulation, &kill);
                    facts
                }
                None => return candidate(&(*mutant, found.clone())),
            };
            (*mutant, facts)
        };
        kills.iter().zip(claims).map(facts).collect()
    }
}

/// Returns the runs of an unconfirmed kill as the only fact about the mutant, for a later judgement.
fn candidate((mutant, found): &(SelectorId, Found)) -> (SelectorId, Facts) {
    (
        *mutant,
        Known::found(Engine::Simulation, found.clone()).into(),
    )
}
