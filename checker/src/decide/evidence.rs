//! From what engines found to answers: evidence is checked here, and nowhere believed.
//!
//! Runs become a [`Kill`] whose strength the engines' judge has settled, and proofs become certificates. A kill leaves as
//! an answer only once [`certify_kill`] has looked at it without the engines.

use hyperkill_certify::{
    CertifyError, LISTING, ReplayError, certify_closed_set, certify_kill, certify_proof,
    is_plainly_definite, replay_kill,
};
use hyperkill_core::budget::{Budget, Stop};
use hyperkill_core::product::Variant;
use hyperkill_core::trace::Stimulus;
use hyperkill_evidence::closed_set::{ClosedSet, Relation};
use hyperkill_evidence::fault;
use hyperkill_evidence::proof::Proof;
use hyperkill_evidence::question::Question;
use hyperkill_evidence::verdict::{Certificate, Engine, Kill, Strength, Stronger};

use super::{Answer, DecideError, Inquiry};
use crate::bmc::Found;
use crate::determinism::{Determinism, determinism};
use crate::judge::{Judgement, can_agree};
use hyperkill_core::relevance::Relevance;

impl Inquiry<'_> {
    /// An answer that may leave: a kill is checked anew, without the engines, unless it is the one already `known`. Where a
    /// limit comes before the check, less may still be certain of the same runs; a kill of which nothing is certain is none.
    pub(super) fn certified(
        &self,
        mutant: usize,
        answer: Answer,
        known: Option<&Kill>,
        budget: &Budget,
    ) -> Result<Answer, DecideError> {
        let Answer::Killed(engine, kill) = answer else {
            return Ok(answer);
        };
        let same = |known: &Kill| {
            known.strength == kill.strength
                && known.sole_run == kill.sole_run
                && known.model_run == kill.model_run
                && known.mutant_run == kill.mutant_run
        };
        if known.is_some_and(same) {
            return Ok(Answer::Killed(engine, kill));
        }
        let known_to = if kill.shortest { kill.steps() - 1 } else { 0 };
        let mut stopped = Stop::Bound;
        for kill in saying_less(kill) {
            match certify_kill(self.model, mutant, &kill, LISTING, budget) {
                Ok(()) => return Ok(Answer::Killed(engine, kill)),
                Err(CertifyError::Stopped(stop)) => stopped = stop,
                Err(source) => return Err(self.broken(mutant, source)),
            }
        }
        Ok(Answer::open(known_to, stopped))
    }

    /// Runs with different outputs as a kill, if next to no work shows that they are one.
    pub(super) fn plain_kill(&self, mutant: usize, runs: &[Stimulus]) -> Option<Kill> {
        let [model_run, mutant_run] = runs else {
            return None;
        };
        let relevance = Relevance::to(self.model, &[Variant::Original, Variant::Mutant(mutant)]);
        let kill = Kill {
            strength: if self.arranges_choices() {
                Strength::Controllable
            } else {
                Strength::Definite
            },
            model_run: relevance.without_noise(model_run),
            mutant_run: relevance.without_noise(mutant_run),
            shortest: false,
            sole_run: false,
            stronger: Stronger::NotAsked,
            tree: None,
        };
        let budget = Budget::spent();
        let shown = |kill: &Kill| certify_kill(self.model, mutant, kill, LISTING, &budget).is_ok();
        saying_less(kill).into_iter().find(shown)
    }

    /// What found the run: somebody else, or this engine.
    pub(super) fn finder(&self, found: &Found, engine: Engine) -> Engine {
        match &self.limits.external {
            Some(external) if external.has_found(found) => Engine::External,
            _ => engine,
        }
    }

    fn prover(&self, proof: &Proof) -> Engine {
        match &self.limits.external {
            Some(external) if external.has_proved(proof) => Engine::External,
            _ => Engine::of(proof),
        }
    }

    /// A kill from the runs that show it, its strength settled: definite where this very test is one. Not yet checked for
    /// what *no* run does.
    pub(super) fn kill(
        &self,
        mutant: usize,
        runs: [Stimulus; 2],
        shortest: bool,
        budget: &Budget,
    ) -> Result<Kill, DecideError> {
        let relevance = Relevance::to(self.model, &[Variant::Original, Variant::Mutant(mutant)]);
        let [model_run, mutant_run] = runs.map(|run| relevance.without_noise(&run));
        let mut kill = Kill {
            strength: if self.arranges_choices() {
                Strength::Controllable
            } else {
                Strength::Potential
            },
            model_run,
            mutant_run,
            shortest,
            sole_run: false,
            stronger: Stronger::NotAsked,
            tree: None,
        };
        self.replayed(mutant, &kill)?;
        if kill.strength == Strength::Potential {
            let variant = Variant::Mutant(mutant);
            kill.sole_run = determinism(self.model, variant, budget) == Determinism::Deterministic;
            let certain = kill.sole_run && self.deterministic();
            if certain || self.is_definite(mutant, &kill, budget) {
                kill.strength = Strength::Definite;
            }
        }
        Ok(kill)
    }

    /// Whether no run of the mutant agrees with one of the model on the kill's inputs. Where a limit comes first, what next
    /// to no work shows.
    fn is_definite(&self, mutant: usize, kill: &Kill, budget: &Budget) -> bool {
        if is_plainly_definite(self.model, mutant, kill) {
            return true;
        }
        match can_agree(self.model, mutant, &kill.model_run.steps, None, budget) {
            Judgement::Never => true,
            Judgement::Exists => false,
            Judgement::Unsettled(_) => {
                let definite = Kill {
                    strength: Strength::Definite,
                    sole_run: false,
                    ..kill.clone()
                };
                certify_kill(self.model, mutant, &definite, LISTING, &Budget::spent()).is_ok()
            }
        }
    }

    fn replayed(&self, mutant: usize, kill: &Kill) -> Result<(), DecideError> {
        let replayed = replay_kill(self.model, mutant, kill);
        replayed.map(|_| ()).map_err(|source| DecideError::Kill {
            mutant: self.name(mutant),
            source,
        })
    }

    pub(super) fn broken(&self, mutant: usize, source: CertifyError) -> DecideError {
        let mutant = self.name(mutant);
        match source {
            CertifyError::Kill(source) => DecideError::Kill { mutant, source },
            source => DecideError::Proof { mutant, source },
        }
    }

    /// A proof, checked again; the answer it gives.
    pub(super) fn proved(
        &self,
        mutant: usize,
        question: Question,
        proof: Proof,
        budget: &Budget,
    ) -> Result<Answer, DecideError> {
        match certify_proof(self.model, &question, &proof, budget) {
            Ok(()) => {
                let engine = self.prover(&proof);
                let certificate = Certificate::Induction { question, proof };
                Ok(Answer::Excluded(engine, certificate))
            }
            Err(CertifyError::Stopped(stop)) => Ok(Answer::open(proof.k, stop)),
            Err(source) => Err(self.broken(mutant, source)),
        }
    }

    /// The same for a closed set of positions.
    pub(super) fn closed(
        &self,
        mutant: usize,
        closed: ClosedSet,
        budget: &Budget,
    ) -> Result<Answer, DecideError> {
        match certify_closed_set(self.model, &closed, budget) {
            Ok(()) => Ok(Answer::Excluded(
                Engine::Subsets,
                Certificate::ClosedSet(closed),
            )),
            Err(CertifyError::Stopped(stop)) => Ok(Answer::open(0, stop)),
            Err(source) => Err(self.broken(mutant, source)),
        }
    }

    /// A kill of an exact engine whose universal half holds, as far as the engines can tell: no run of the model gives the
    /// mutant's outputs, or for a definite one no two runs agree. Where a limit comes first the engine is believed until the
    /// certifier looks.
    pub(super) fn confirmed(
        &self,
        mutant: usize,
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
        let holds = match relation {
            _ if kill.strength == Strength::Definite => Judgement::Never,
            Relation::Agreeing => {
                can_agree(self.model, mutant, &kill.model_run.steps, None, budget)
            }
            Relation::Matched => self.matched(mutant, &kill.mutant_run, budget),
        };
        match holds {
            Judgement::Never => Ok(kill),
            Judgement::Unsettled(_) => Ok(as_claimed(kill)),
            // Only the oracle is to notice.
            Judgement::Exists if fault::evidence_is_believed() => Ok(as_claimed(kill)),
            Judgement::Exists => Err(DecideError::Kill {
                mutant: self.name(mutant),
                source: ReplayError::Matched,
            }),
        }
    }
}

/// A kill and those with the same runs that say less, the strongest first.
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
