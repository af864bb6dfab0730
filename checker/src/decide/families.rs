//! Mutants decided together: a proof about a family becomes a verdict on each member.

use std::sync::Arc;
use std::time::Duration;

use hyperkill_certify::{CertifyError, certify_member};
use hyperkill_core::SelectorId;
use hyperkill_core::budget::Budget;
use hyperkill_evidence::closed_set::{ClosedSet, Relation};
use hyperkill_evidence::proof::Proof;
use hyperkill_evidence::question::{Family, Question};
use hyperkill_evidence::verdict::{Certificate, Engine, Outcome};
use rayon::prelude::*;

use super::facts::Facts;
use super::work::{Compositions, Deciding};
use super::{DecideError, Inquiry};
use crate::acceptance::{Look, input_enabled, unconstrained};
use crate::engines::diagrams::{self, Among};
use crate::family::{self, Group, Kind, Speculated};
use crate::question::Found;
use crate::schedule::efforts;

/// Members with an outcome, and undecided members with candidate runs.
type Together = (Vec<(SelectorId, Outcome)>, Vec<(SelectorId, Found)>);

impl Inquiry<'_> {
    /// Decides as many of these mutants as possible by proofs about many of them at once. Returns the outcomes of proved mutants, and
    /// candidate runs of others.
    ///
    /// # Errors
    /// If evidence does not check.
    pub fn decide_family(
        &self,
        members: Vec<SelectorId>,
        budget: &Budget,
    ) -> Result<Together, DecideError> {
        let kind = self.family_kind();
        let settled = family::settle(
            self.model,
            kind,
            members,
            &self.schedule.reachability,
            budget,
        );
        let mut outcomes = Vec::new();
        for (family, proof) in settled.proved {
            outcomes.extend(self.members(family, proof, budget)?);
        }
        // Runs that refute the identity strategy need not be kills.
        let reached = match kind {
            Kind::Phi1 { .. } => settled.reached,
            Kind::Identity => Vec::new(),
        };
        Ok((outcomes, reached))
    }

    /// Returns the members that signal correspondence proves equivalent, with the uncertified proof; `None` if it proves none.
    #[must_use]
    pub fn corresponding(
        &self,
        members: Vec<SelectorId>,
        budget: &Budget,
    ) -> Option<(Family, Proof)> {
        family::corresponding(self.model, self.family_kind(), members, budget)
    }

    /// Searches proofs and kills of a group of mutants under the assumption that most of their latches equal the original's. Returns the
    /// uncertified results.
    #[must_use]
    pub fn speculated(&self, group: &Group, pass: efforts::Pass, budget: &Budget) -> Speculated {
        let kind = self.family_kind();
        let mut speculated = family::speculate(self.model, kind, group, pass, budget);
        let bound = self.schedule.reachability.bound.unwrap_or(usize::MAX);
        // Runs that refute the identity strategy need not be kills.
        let is_kill = |found: &Found| kind != Kind::Identity && found.steps <= bound;
        speculated.reached.retain(|(_, found)| is_kill(found));
        speculated
    }

    /// Certifies a proof about a family once for all members, and returns the outcome of each member.
    ///
    /// # Errors
    /// If evidence does not check.
    pub fn members(
        &self,
        family: Family,
        proof: Proof,
        budget: &Budget,
    ) -> Result<Vec<(SelectorId, Outcome)>, DecideError> {
        let members = family.members.clone();
        let engine = match members[..] {
            [_] => Engine::of(&proof),
            _ => Engine::Family,
        };
        let Some(&first) = members.first() else {
            return Ok(Vec::new());
        };
        let mut facts = self.proved_of_family(first, family, proof, budget)?;
        let Some((found_by, _)) = &mut facts.potential.excluded else {
            return Ok(Vec::new());
        };
        *found_by = engine;
        let outcome = |member| {
            let mut facts = facts.clone();
            facts.accepts = input_enabled(
                self.model,
                member,
                &self.classes,
                &self.steps,
                Look::Thorough,
                budget,
            );
            (member, self.outcome(member, &facts, None))
        };
        Ok(members.into_iter().map(outcome).collect())
    }

    fn proved_of_family(
        &self,
        first: SelectorId,
        family: Family,
        proof: Proof,
        budget: &Budget,
    ) -> Result<Facts, DecideError> {
        let compositions = Compositions::default();
        let mut deciding = Deciding::new(self, first, Facts::default(), &compositions);
        deciding.proved(Relation::Matched, Question::Family(family), proof, budget)?;
        Ok(deciding.facts)
    }

    /// Returns the facts that a closed set shows about its members: no test kills them. The certifier checks each member; members for which
    /// the budget does not suffice are omitted.
    ///
    /// # Errors
    /// If evidence does not check.
    pub fn alike(
        &self,
        mut closed: ClosedSet,
        budget: &Budget,
    ) -> Result<Vec<(SelectorId, Facts)>, DecideError> {
        let classes = self.classes.of(self.model, budget);
        let _certifies = budget.certifies();
        let check = |&mutant: &SelectorId| {
            let checked = certify_member(self.model, &closed, mutant, classes, budget);
            match checked {
                Ok(()) => Ok(Some(mutant)),
                Err(CertifyError::Stopped(_)) => Ok(None),
                Err(source) => Err(DecideError::Proof {
                    mutant: self.model.selectors[mutant.0].id.to_string(),
                    source,
                }),
            }
        };
        let checked: Result<Vec<_>, _> = closed.members.par_iter().map(check).collect();
        let members: Vec<SelectorId> = checked?.into_iter().flatten().collect();
        closed.members.clone_from(&members);
        let mut facts = Facts::default();
        let certificate = Certificate::ClosedSet(Arc::new(closed));
        facts.potential.excluded = Some((Engine::Subsets, certificate));
        Ok(members.into_iter().map(|m| (m, facts.clone())).collect())
    }

    /// Searches kills and proofs for these mutants at once with decision diagrams, and returns the facts about some of them. The search
    /// gets a `slice` of counted work and a share of the time; the check of a proof may take twice the slice.
    ///
    /// # Errors
    /// If evidence does not check.
    pub fn searched_together(
        &self,
        members: &[SelectorId],
        slice: u64,
        share: Option<Duration>,
        budget: &Budget,
    ) -> Result<Vec<(SelectorId, Facts)>, DecideError> {
        if self.schedule.definite_only {
            return Ok(Vec::new());
        }
        let bound = self.schedule.reachability.bound;
        let together = budget.job().within(share).slice(slice);
        let checked = || budget.job().within(share).slice(2 * slice);
        let searched = diagrams::search(
            self.model,
            members,
            efforts::POSITIONS,
            bound,
            diagrams::Limits::SEARCH,
            &together,
        );
        let mut known = Vec::new();
        let mut rest = members.to_vec();
        for kill in searched.kills {
            let runs = [kill.model_run, kill.mutant_run];
            let found = (Engine::Diagrams, runs);
            let known_nothing = (kill.mutant, Facts::default());
            let facts = self.killed(known_nothing, found, false, &checked())?;
            rest.retain(|member| *member != kill.mutant);
            if facts.potential.is_answered() {
                known.push((kill.mutant, facts));
            }
        }
        if let Some(estimates) = searched.proof {
            let proved = estimates.members.clone();
            let facts = self.estimated(estimates, &checked())?;
            if facts.potential.is_answered() {
                rest.retain(|member| !proved.contains(member));
                known.extend(proved.into_iter().map(|member| (member, facts.clone())));
            }
        }
        for among in [Among::Equal, Among::Alike] {
            if rest.is_empty() {
                break;
            }
            let matched = Relation::Matched;
            let found = diagrams::simulation(
                self.model,
                &rest,
                matched,
                among,
                diagrams::Limits::RELATION,
                &together,
            );
            let Ok(Some(simulation)) = found else {
                continue;
            };
            let proved = simulation.members.clone();
            let facts = self.simulated(simulation, &checked())?;
            rest.retain(|member| !proved.contains(member));
            if facts.potential.is_answered() {
                known.extend(proved.into_iter().map(|member| (member, facts.clone())));
            }
        }
        Ok(known)
    }

    /// Returns the kind of question about many mutants that asks for pairs of runs with different outputs.
    #[must_use]
    pub fn pairs(&self) -> Kind {
        Kind::Phi1 {
            shared_choices: !self.deterministic(),
        }
    }

    fn family_kind(&self) -> Kind {
        if self.deterministic() {
            Kind::Phi1 {
                shared_choices: false,
            }
        } else if self.schedule.arranges_choices && unconstrained(self.model) {
            Kind::Phi1 {
                shared_choices: true,
            }
        } else {
            Kind::Identity
        }
    }
}
