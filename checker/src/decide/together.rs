//! Certifies kills of many mutants together: one simulation pass has a lane for each run.

use hyperkill_certify::{LISTING, certify_kills};
use hyperkill_core::SelectorId;
use hyperkill_core::budget::Budget;
use hyperkill_core::product::Variant;
use hyperkill_evidence::closed_set::Relation;
use hyperkill_evidence::verdict::{Engine, Kill, Strength};

use super::Inquiry;
use super::facts::Facts;
use crate::determinism::{Determinism, is_plainly_deterministic};

/// Number of kills certified in one pass. Each takes two of 64 lanes, for the model and the mutant.
pub(crate) const AT_ONCE: usize = 32;

impl Inquiry<'_> {
    /// Whether the known runs are a shortest kill, which may be certified together with others.
    pub(crate) fn may_be_confirmed(&self, facts: &Facts) -> bool {
        self.schedule.pairs_are_kills && facts.candidate().is_some() && facts.pairs.is_settled()
    }

    /// Certifies the kills of these mutants, at most [`AT_ONCE`], in one pass, and adds them to the facts. If the certifier does not
    /// confirm a kill, the facts about this mutant stay unchanged, and its runs are judged when the mutant is decided.
    pub(crate) fn confirmed(
        &self,
        mut jobs: Vec<(SelectorId, Facts)>,
        budget: &Budget,
    ) -> Vec<(SelectorId, Facts)> {
        let found: Vec<(usize, Engine, Kill)> = jobs
            .iter()
            .enumerate()
            .filter_map(|(place, (mutant, facts))| {
                let (engine, kill) = self.shown(*mutant, facts)?;
                Some((place, engine, kill))
            })
            .collect();
        let kills: Vec<(SelectorId, &Kill)> = found
            .iter()
            .map(|(place, _, kill)| (jobs[*place].0, kill))
            .collect();
        let _certifies = budget.certifies();
        let confirmed = certify_kills(self.model, &kills, LISTING, || budget.clone());
        for ((place, engine, kill), confirmed) in found.iter().zip(confirmed) {
            let facts = &mut jobs[*place].1;
            if confirmed.is_ok() {
                facts.kill(Relation::Matched, *engine, kill);
                facts.pairs.found = None;
                if kill.sole_run {
                    facts.mutant = Some(Determinism::Deterministic);
                }
            }
        }
        jobs
    }

    /// Returns the kill that the known runs show, and the engine that found them. `None` if a solver would be needed to determine its
    /// strength.
    fn shown(&self, mutant: SelectorId, facts: &Facts) -> Option<(Engine, Kill)> {
        if !self.may_be_confirmed(facts) {
            return None;
        }
        let (engine, found) = facts.candidate()?;
        let [model_run, mutant_run] = found.runs.as_slice() else {
            return None;
        };
        let runs = self.without_noise(mutant, [model_run, mutant_run]);
        let mut kill = self.unchecked(runs, Strength::Definite, true);
        if kill.strength == Strength::Definite {
            let known = facts.mutant == Some(Determinism::Deterministic);
            kill.sole_run = known || is_plainly_deterministic(self.model, Variant::Mutant(mutant));
            if !kill.sole_run || !self.deterministic() {
                return None;
            }
        }
        Some((*engine, kill))
    }
}
