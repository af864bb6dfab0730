//! From what engines found to answers: evidence is checked here, and nowhere believed.
//!
//! Runs become a [`Kill`] whose strength the engines' judge has settled, and proofs become certificates. A kill leaves as
//! an answer only once [`certify_kill`] has looked at it without the engines.

use hyperkill_core::product::Variant;
use hyperkill_core::trace::Stimulus;

use super::{Answer, DecideError, Inquiry};
use crate::bmc::Found;
use crate::budget::Budget;
use crate::certify::{
    CertifyError, LISTING, ReplayError, certify_closed_set, certify_kill, certify_proof,
    replay_kill,
};
use crate::determinism::{Determinism, determinism};
use crate::explicit::{ClosedSet, Relation};
use crate::fault;
use crate::induction::Proof;
use crate::judge::{Judgement, can_agree};
use crate::question::Question;
use crate::relevance::Relevance;
use crate::verdict::{Certificate, Engine, Kill, Strength, Stronger};

impl Inquiry<'_> {
    /// An answer that may leave: a kill is checked anew, without the engines, unless it is the one already `known`. One that could not
    /// be checked is none.
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
        match certify_kill(self.model, mutant, &kill, LISTING, budget) {
            Ok(()) => Ok(Answer::Killed(engine, kill)),
            Err(CertifyError::Stopped(stop)) => {
                let known_to = if kill.shortest { kill.steps() - 1 } else { 0 };
                Ok(Answer::open(known_to, stop))
            }
            Err(source) => Err(self.broken(mutant, source)),
        }
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

    /// A kill from the runs that show it, its strength settled: definite where this very test is one. Not yet checked for what *no* run does.
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
            if certain
                || can_agree(self.model, mutant, &kill.model_run.steps, None, budget)
                    == Judgement::Never
            {
                kill.strength = Strength::Definite;
            }
        }
        Ok(kill)
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

    /// A kill of an exact engine whose universal half holds, as far as the engines can tell: no run of the model gives the mutant's outputs, or for a definite one no
    /// two runs agree. `None` if a limit came before the check.
    pub(super) fn confirmed(
        &self,
        mutant: usize,
        relation: Relation,
        kill: Kill,
        budget: &Budget,
    ) -> Result<Option<Kill>, DecideError> {
        let holds = match relation {
            _ if kill.strength == Strength::Definite => Judgement::Never,
            Relation::Agreeing => {
                can_agree(self.model, mutant, &kill.model_run.steps, None, budget)
            }
            Relation::Matched => self.matched(mutant, &kill.mutant_run, budget),
        };
        match holds {
            Judgement::Never => Ok(Some(kill)),
            Judgement::Unsettled(_) => Ok(None),
            // Only the oracle is to notice.
            Judgement::Exists if fault::evidence_is_believed() => Ok(Some(Kill {
                strength: match relation {
                    Relation::Agreeing => Strength::Definite,
                    Relation::Matched => kill.strength,
                },
                ..kill
            })),
            Judgement::Exists => Err(DecideError::Kill {
                mutant: self.name(mutant),
                source: ReplayError::Matched,
            }),
        }
    }
}
