//! Turns results of engines into facts. All evidence is checked here first.
//!
//! Pairs of runs become a [`Kill`] whose strength [`crate::judge`] decides; proofs become certificates. A kill is a fact only after
//! [`certify_kill`], which uses none of the engines, confirms it.

use std::sync::Arc;

use hyperkill_certify::{
    CertifyError, LISTING, ReplayError, certify_closed_set_knowing, certify_estimates_within,
    certify_kill, certify_proof, certify_simulation_within, certify_tree, is_plainly_definite,
    replay_kill,
};
use hyperkill_core::SelectorId;
use hyperkill_core::aig::{Latch, Reset};
use hyperkill_core::budget::Budget;
use hyperkill_core::product::Variant;
use hyperkill_core::relevance::Relevance;
use hyperkill_core::trace::{Stimulus, replay};
use hyperkill_evidence::closed_set::{ClosedSet, Relation};
use hyperkill_evidence::estimates::Estimates;
use hyperkill_evidence::fault;
use hyperkill_evidence::proof::Proof;
use hyperkill_evidence::question::Question;
use hyperkill_evidence::simulation::Simulation;
use hyperkill_evidence::verdict::{Certificate, Engine, Kill, Strength, Stronger};

use super::work::{Deciding, Taken};
use super::{DecideError, Inquiry};
use crate::determinism::{Determinism, determinism, is_plainly_deterministic};
use crate::engines::explicit::{self, Adaptive, Explored, Listing};
use crate::judge::{Judgement, can_agree, closest_run, produces};
use crate::question::Found;
use crate::schedule::efforts::{self, CONFIRMED};

impl Inquiry<'_> {
    /// Returns the runs of model and mutant with all inputs and initial values that can affect neither variant set to 0.
    pub(super) fn without_noise(&self, mutant: SelectorId, runs: [&Stimulus; 2]) -> [Stimulus; 2] {
        let variants = [Variant::Original, Variant::Mutant(mutant)];
        let relevance = Relevance::to(self.model, &variants);
        runs.map(|run| relevance.without_noise(run))
    }

    /// Whether the model has few enough choices and mutants for a suite to list all runs on its tests.
    fn suite_lists(&self) -> bool {
        let latches = self.model.aig.latches().iter();
        let latches = latches.zip(self.model.selector_of_latch());
        let is_free = |latch: &Latch, selector: Option<SelectorId>| {
            selector.is_none() && latch.reset == Reset::Free
        };
        let free = latches
            .filter(|(latch, selector)| is_free(latch, *selector))
            .count();
        let mutants = self.model.selectors.len();
        self.model.choice_bits().count() + free <= efforts::SUITE_CHOICES
            && mutants.saturating_mul(mutants) <= efforts::SUITE_LISTINGS
    }

    /// Returns the kill of this strength that these runs would show, not checked yet; a controllable one if choices are controllable.
    pub(super) fn unchecked(
        &self,
        [model_run, mutant_run]: [Stimulus; 2],
        strength: Strength,
        shortest: bool,
    ) -> Kill {
        Kill {
            strength: if self.schedule.arranges_choices {
                Strength::Controllable
            } else {
                strength
            },
            model_run,
            mutant_run,
            shortest,
            sole_run: false,
            stronger: Stronger::NotAsked,
            tree: None,
        }
    }
}

impl Deciding<'_> {
    /// Records a kill of this relation after the certifier confirms it. If a limit ends that check, weaker claims about the same runs are
    /// tried. If none can be confirmed, nothing is recorded.
    pub(super) fn learn(
        &mut self,
        relation: Relation,
        engine: Engine,
        kill: Kill,
        budget: &Budget,
    ) -> Taken {
        if self.is_certified(&kill) {
            self.facts.kill(relation, engine, &kill);
            return Ok(());
        }
        if kill.shortest {
            self.facts.of_mut(relation).refute(kill.steps() - 1);
        }
        let _certifies = budget.certifies();
        for kill in saying_less(kill) {
            match certify_kill(self.inquiry.model, self.mutant, &kill, LISTING, budget) {
                Ok(()) => {
                    self.facts.kill(relation, engine, &kill);
                    return Ok(());
                }
                Err(CertifyError::Stopped(stop)) => {
                    self.facts.of_mut(relation).reason = stop.into();
                }
                Err(source) => return Err(self.broken(source)),
            }
        }
        Ok(())
    }

    /// Whether the facts already contain a kill with the same runs and the same claim.
    fn is_certified(&self, kill: &Kill) -> bool {
        let same = |known: &Kill| {
            known.strength == kill.strength
                && known.sole_run == kill.sole_run
                && known.model_run == kill.model_run
                && known.mutant_run == kill.mutant_run
        };
        let known = [&self.facts.potential, &self.facts.definite];
        let mut known = known.iter().filter_map(|known| known.best.as_ref());
        known.any(|(_, kill)| same(kill))
    }

    /// Records the candidate runs as a kill if the certifier confirms it without a solver, so that no later limit can lose it.
    pub(super) fn glance(&mut self) -> Taken {
        let Some((engine, found)) = self.facts.candidate() else {
            return Ok(());
        };
        if let Some(kill) = self.plain_kill(&found.runs) {
            let engine = *engine;
            self.facts.kill(Relation::Matched, engine, &kill);
            // A definite kill cannot become stronger, so its candidate runs need no further judgement.
            if kill.strength == Strength::Definite && !self.inquiry.schedule.pairs_are_kills {
                self.facts.pairs.found = None;
            }
        }
        Ok(())
    }

    /// Decides whether the candidate runs kill, and how strongly; records the kill.
    pub(super) fn judge_candidate(&mut self, budget: &Budget) -> Taken {
        let settled = self.facts.pairs.is_settled();
        let Some((engine, found)) = self.facts.pairs.found.take() else {
            return Ok(());
        };
        if self.inquiry.schedule.pairs_are_kills {
            return self.pair(engine, found, settled, budget);
        }
        match self.judged(found, false, budget)? {
            Some(kill) => self.learn(Relation::Matched, engine, kill, budget),
            None => Ok(()),
        }
    }

    /// Returns the strongest kill that these runs show and that the certifier confirms without a solver; `None` if there is none.
    fn plain_kill(&self, runs: &[Stimulus]) -> Option<Kill> {
        let [model_run, mutant_run] = runs else {
            return None;
        };
        let runs = (self.inquiry).without_noise(self.mutant, [model_run, mutant_run]);
        let kill = self.inquiry.unchecked(runs, Strength::Definite, false);
        let budget = Budget::spent();
        let shown = |kill: &Kill| {
            certify_kill(self.inquiry.model, self.mutant, kill, LISTING, &budget).is_ok()
        };
        saying_less(kill).into_iter().find(shown)
    }

    /// Returns the engine that found the run: [`Engine::External`] if an external model checker did, else `engine`.
    pub(super) fn finder(&self, found: &Found, engine: Engine) -> Engine {
        match &self.inquiry.others {
            Some(others) if others.has_found(found) => Engine::External,
            _ => engine,
        }
    }

    /// Returns the kill that the runs show, with its strength decided: definite if this very test kills definitely. Claims about *all* runs
    /// are not yet checked.
    pub(super) fn kill(
        &mut self,
        [model_run, mutant_run]: [Stimulus; 2],
        shortest: bool,
        budget: &Budget,
    ) -> Result<Kill, DecideError> {
        let runs = (self.inquiry).without_noise(self.mutant, [&model_run, &mutant_run]);
        let mut kill = (self.inquiry).unchecked(runs, Strength::Potential, shortest);
        replay_kill(self.inquiry.model, self.mutant, &kill)
            .map_err(|source| self.broken(CertifyError::Kill(source)))?;
        if kill.strength == Strength::Potential {
            let variant = Variant::Mutant(self.mutant);
            let known = self.facts.mutant == Some(Determinism::Deterministic);
            kill.sole_run = known || is_plainly_deterministic(self.inquiry.model, variant);
            if kill.sole_run {
                self.facts.mutant = Some(Determinism::Deterministic);
            }
            let certain = self.inquiry.deterministic();
            // A question about fixed inputs costs less than one about all inputs. A nondeterministic mutant may agree with the model on
            // this test.
            if certain && kill.sole_run || self.is_definite(&kill, budget) {
                kill.strength = Strength::Definite;
                // A suite that cannot list the runs of its tests needs to know whether the mutant is deterministic. If the model has
                // choices, determinism of the mutant implies nothing.
                let matters = !kill.shortest || !self.inquiry.suite_lists();
                kill.sole_run |= certain && matters && self.mutant_is_deterministic(budget);
            }
        }
        Ok(kill)
    }

    /// Whether the mutant is deterministic. The answer is kept, unless a limit ended the search.
    fn mutant_is_deterministic(&mut self, budget: &Budget) -> bool {
        if self.facts.mutant.is_none() && budget.stopped().is_some() {
            return is_plainly_deterministic(self.inquiry.model, Variant::Mutant(self.mutant));
        }
        let known = self.facts.mutant.unwrap_or_else(|| {
            determinism(self.inquiry.model, Variant::Mutant(self.mutant), budget)
        });
        if budget.stopped().is_none() {
            self.facts.mutant = Some(known);
        }
        known == Determinism::Deterministic
    }

    /// Whether a kill is definite: no run of the mutant agrees with a run of the model on its inputs. If a limit ends the search, the
    /// certifier's checks without a solver decide.
    fn is_definite(&self, kill: &Kill, budget: &Budget) -> bool {
        let (model, mutant) = (self.inquiry.model, self.mutant);
        if is_plainly_definite(model, mutant, kill) {
            return true;
        }
        match can_agree(model, mutant, &kill.model_run.steps, None, budget) {
            Judgement::Never => true,
            Judgement::Exists => false,
            Judgement::Unsettled(_) => {
                let definite = Kill {
                    strength: Strength::Definite,
                    sole_run: false,
                    ..kill.clone()
                };
                certify_kill(model, mutant, &definite, LISTING, &Budget::spent()).is_ok()
            }
        }
    }

    pub(super) fn broken(&self, source: CertifyError) -> DecideError {
        let mutant = self.inquiry.name(self.mutant);
        match source {
            CertifyError::Kill(source) => DecideError::Kill { mutant, source },
            source => DecideError::Proof { mutant, source },
        }
    }

    /// Records that no test kills (in the sense of `relation`), which this proof of the question shows, after the certifier confirms the
    /// proof.
    pub(super) fn proved(
        &mut self,
        relation: Relation,
        question: Question,
        proof: Proof,
        budget: &Budget,
    ) -> Taken {
        let _certifies = budget.certifies();
        let checked = certify_proof(self.inquiry.model, &question, &proof, budget);
        let engine = match &self.inquiry.others {
            Some(others) if others.has_proved(&proof) => Engine::External,
            _ => Engine::of(&proof),
        };
        let k = proof.k;
        self.excluded(
            relation,
            checked,
            (engine, Certificate::Induction { question, proof }),
            k,
        )
    }

    /// Records that no test kills (in the sense of `relation`), which this closed set shows, after the certifier confirms the set.
    pub(super) fn closed(
        &mut self,
        relation: Relation,
        closed: ClosedSet,
        budget: &Budget,
    ) -> Taken {
        let _certifies = budget.certifies();
        let model = self.inquiry.model;
        let classes = self.inquiry.classes.of(model, budget);
        let checked = certify_closed_set_knowing(model, &closed, classes, budget);
        let known = (Engine::Subsets, Certificate::ClosedSet(Arc::new(closed)));
        self.excluded(relation, checked, known, 0)
    }

    /// Records that no test kills, which this simulation relation shows, after the certifier confirms the relation.
    pub(super) fn simulated(&mut self, simulation: Simulation, budget: &Budget) -> Taken {
        let _certifies = budget.certifies();
        let checked = certify_simulation_within(self.inquiry.model, &simulation, CONFIRMED, budget);
        let relation = simulation.relation;
        let known = (Engine::Diagrams, Certificate::Simulation(simulation));
        self.excluded(relation, checked, known, 0)
    }

    /// Records that no test kills potentially, which these state estimates show, after the certifier confirms them.
    pub(super) fn estimated(&mut self, estimates: Estimates, budget: &Budget) -> Taken {
        let _certifies = budget.certifies();
        let checked = certify_estimates_within(self.inquiry.model, &estimates, CONFIRMED, budget);
        let known = (Engine::Diagrams, Certificate::Estimates(estimates));
        self.excluded(Relation::Matched, checked, known, 0)
    }

    fn excluded(
        &mut self,
        relation: Relation,
        checked: Result<(), CertifyError>,
        known: (Engine, Certificate),
        refuted: usize,
    ) -> Taken {
        let knowledge = self.facts.of_mut(relation);
        match checked {
            Ok(()) => knowledge.excluded = Some(known),
            Err(CertifyError::Stopped(stop)) => {
                knowledge.refute(refuted);
                knowledge.reason = stop.into();
            }
            Err(source) => return Err(self.broken(source)),
        }
        Ok(())
    }

    /// Returns a kill found by an exact engine, after a second check of its claim about all runs: no run of the model has the mutant's
    /// outputs, or for a definite kill no two runs agree. If a limit ends the check, the certifier alone decides.
    pub(super) fn confirmed(
        &self,
        relation: Relation,
        kill: Kill,
        budget: &Budget,
    ) -> Result<Kill, DecideError> {
        let as_claimed = |kill: Kill| Kill {
            strength: match relation {
                Relation::Agreeing => Strength::Definite,
                Relation::Matched => kill.strength,
            },
            ..kill
        };
        let inputs = &kill.model_run.steps;
        let holds = match relation {
            _ if kill.strength == Strength::Definite => Judgement::Never,
            Relation::Agreeing => can_agree(self.inquiry.model, self.mutant, inputs, None, budget),
            Relation::Matched => self.matched(&kill.mutant_run, budget),
        };
        match holds {
            Judgement::Never => Ok(kill),
            Judgement::Unsettled(_) => Ok(as_claimed(kill)),
            // With this planted fault, only the oracle should notice the error.
            Judgement::Exists if fault::evidence_is_believed() => Ok(as_claimed(kill)),
            Judgement::Exists => Err(self.broken(CertifyError::Kill(ReplayError::Matched))),
        }
    }

    /// Returns a run of the model that agrees with this run of the mutant for as many steps as possible, cut after the first difference.
    /// `None` if it can agree to the end, or a limit comes first.
    pub(super) fn beside(&self, run: &Stimulus, budget: &Budget) -> Option<Stimulus> {
        let (model, variant) = (self.inquiry.model, Variant::Mutant(self.mutant));
        let observed = replay(model, variant, run).ok()?;
        closest_run(model, &run.steps, &observed.outputs, budget)
    }

    /// Whether some run of the model has all outputs of this run of the mutant.
    fn matched(&self, run: &Stimulus, budget: &Budget) -> Judgement {
        let (model, variant) = (self.inquiry.model, Variant::Mutant(self.mutant));
        match replay(model, variant, run) {
            Ok(observed) => {
                let outputs = &observed.outputs;
                produces(model, Variant::Original, &run.steps, outputs, budget)
            }
            Err(_) => Judgement::Exists,
        }
    }

    /// Returns the kill that a pair of runs with different outputs shows, with its strength. `None` if some run of the model has the
    /// mutant's outputs, or if a limit leaves the kill unconfirmed.
    pub(super) fn judged(
        &mut self,
        found: Found,
        shortest: bool,
        budget: &Budget,
    ) -> Result<Option<Kill>, DecideError> {
        let Ok([model_run, mut mutant_run]) = <[_; 2]>::try_from(found.runs) else {
            return Ok(None);
        };
        let beside = match self.matched(&mutant_run, budget) {
            Judgement::Exists => return Ok(None),
            Judgement::Never => self.beside(&mutant_run, budget),
            Judgement::Unsettled(_) => None,
        };
        let Some(beside) = beside else {
            // A limit ended the search; the structural check needs no solver.
            return Ok(self.plain_kill(&[model_run, mutant_run]));
        };
        mutant_run.steps.truncate(beside.steps.len());
        self.kill([beside, mutant_run], shortest, budget).map(Some)
    }

    /// Searches an adaptive test (whose inputs depend on the outputs seen) that kills, and records the kill.
    pub(super) fn play(&mut self, listing: Listing, budget: &Budget) -> Taken {
        let (model, mutant) = (self.inquiry.model, self.mutant);
        let bound = self.inquiry.schedule.reachability.bound;
        let steps = &self.inquiry.steps;
        let found = explicit::adaptive_knowing(model, mutant, &listing, bound, steps, budget);
        let Explored::Killed(Adaptive {
            tree,
            witness,
            shortest,
        }) = found
        else {
            return Ok(());
        };
        let potential = self.facts.potential.best.as_ref();
        let kill = Kill {
            strength: Strength::Adaptive,
            model_run: witness.model_run,
            mutant_run: witness.mutant_run,
            shortest,
            sole_run: potential.is_some_and(|(_, kill)| kill.sole_run),
            stronger: Stronger::NotAsked,
            tree: None,
        };
        let _certifies = budget.certifies();
        let checked = certify_tree(model, mutant, &tree, Strength::Adaptive, budget)
            .and_then(|()| certify_kill(model, mutant, &kill, LISTING, budget));
        match checked {
            Ok(()) => {
                self.facts.adaptive = Some(Kill {
                    tree: Some(tree),
                    ..kill
                });
                Ok(())
            }
            Err(CertifyError::Stopped(_)) => Ok(()),
            Err(source) => Err(self.broken(source)),
        }
    }
}

/// Returns the kill, and after it kills with the same runs that claim less and less.
fn saying_less(kill: Kill) -> Vec<Kill> {
    let mut kills = vec![kill.clone()];
    if kill.sole_run {
        kills.push(Kill {
            sole_run: false,
            ..kill.clone()
        });
    }
    if kill.strength == Strength::Definite {
        kills.push(Kill {
            strength: Strength::Potential,
            sole_run: false,
            ..kill
        });
    }
    kills
}
