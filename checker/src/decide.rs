//! One mutant, from a candidate kill or from nothing, to a verdict with checked evidence.
//!
//! Which question is asked depends on the model (semantics.md §2, §5):
//!
//! | model | question | a kill is | a proof is of |
//! | --- | --- | --- | --- |
//! | deterministic outputs | φ1, choices independent | potential; definite if the mutant is deterministic or cannot agree on these inputs | φ1 |
//! | otherwise, controllable | φ1, choices shared | controllable | the identity strategy, which is φ1 itself where nothing is constrained |
//! | otherwise | the identity strategy | judged through R(Ī), or not believed | the identity strategy |

use hyperkill_core::ConditionalMutant;
use hyperkill_core::product::Variant;
use hyperkill_core::trace::replay;
use hyperkill_formulas::compose::Sharing;

use crate::acceptance::{input_enabled, unconstrained};
use crate::bmc::{Bmc, Depth, Found};
use crate::budget::Budget;
use crate::certify::{CertifyError, ReplayError, certify_proof, replay_kill};
use crate::determinism::{Determinism, determinism};
use crate::judge::{Judgement, can_agree, produces};
use crate::question::{Question, QuestionError, Reachability};
use crate::relevance::Relevance;
use crate::solve::{Limits, Solved, solve};
use crate::verdict::{
    Certificate, Engine, InputEnabled, Kill, Outcome, Property, Reason, Strength, Stronger, Verdict,
};

/// Gates that an unrolling may have when it is only to shorten a test.
const SHORTEN_SIZE: usize = 60_000;
/// Conflicts per depth when it is only to shorten a test.
const SHORTEN_CONFLICTS: u32 = 2_000;

/// Evidence that did not check, or a formula that could not be composed: a bug in hyperkill, never a property of the model.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
pub enum DecideError {
    /// A proof was refuted.
    #[error("the equivalence proof of mutant {mutant} did not check: {source}")]
    Proof {
        /// Which mutant.
        mutant: String,
        /// What is wrong.
        source: CertifyError,
    },
    /// A kill did not replay.
    #[error("the test for mutant {mutant} did not replay: {source}")]
    Kill {
        /// Which mutant.
        mutant: String,
        /// What is wrong.
        source: ReplayError,
    },
    /// A killing formula has no circuit.
    #[error(transparent)]
    Formula(#[from] QuestionError),
}

/// What is the same for all mutants of a run.
#[derive(Clone, Debug)]
pub struct Inquiry<'a> {
    /// The circuit.
    pub model: &'a ConditionalMutant,
    /// The formula asked.
    pub property: Property,
    /// What is known of the original.
    pub original: Determinism,
    /// Share choices between the copies, as if they were test inputs.
    pub controllable: bool,
    /// How far to go.
    pub limits: Limits,
    /// Whether to look for a shorter test than the one simulation found, within a modest effort.
    pub shortest: bool,
}

impl Inquiry<'_> {
    fn deterministic(&self) -> bool {
        self.original == Determinism::Deterministic
    }

    /// Whether simulated pairs of runs with common choices are kills of the question asked.
    #[must_use]
    pub fn pairs_are_kills(&self) -> bool {
        self.deterministic() || self.controllable
    }

    fn search(&self, mutant: usize) -> Result<Reachability, DecideError> {
        let posed = if self.deterministic() {
            Reachability::phi1(self.model, mutant, Sharing::Independent)?
        } else if self.controllable {
            Reachability::phi1(self.model, mutant, Sharing::ControllableChoices)?
        } else {
            Question::identity(mutant).pose(self.model)
        };
        Ok(posed)
    }

    fn searched(&self, mutant: usize) -> Question {
        if self.deterministic() {
            Question::phi1(mutant, false)
        } else if self.controllable {
            Question::phi1(mutant, true)
        } else {
            Question::identity(mutant)
        }
    }

    fn name(&self, mutant: usize) -> String {
        self.model.selectors[mutant].id.to_string()
    }

    /// Decides one mutant. `candidate` is a pair of runs that some cheaper engine found.
    ///
    /// # Errors
    /// If evidence does not check.
    pub fn decide(
        &self,
        mutant: usize,
        candidate: Option<(Engine, Found)>,
        budget: &Budget,
    ) -> Result<Outcome, DecideError> {
        let posed = self.search(mutant)?;
        if let Some((engine, found)) = candidate {
            // Outside φ1 a shorter pair of runs may prove less than the one at hand, which then still counts.
            if self.shortest {
                let (engine, found, shortest) =
                    self.shorten_by_search(&posed, engine, found.clone(), budget);
                if let Some(outcome) = self.believe_kill(mutant, engine, found, shortest, budget)? {
                    return Ok(outcome);
                }
            }
            if let Some(outcome) = self.believe_kill(mutant, engine, found, false, budget)? {
                return Ok(outcome);
            }
        }
        match solve(&posed, &self.limits, budget) {
            Solved::Reached(found) => {
                let known_to = found.steps - 1;
                let believed = self.believe_kill(mutant, Engine::Bmc, found, true, budget)?;
                Ok(believed.unwrap_or_else(|| {
                    let mut outcome =
                        self.outcome(mutant, unknown(known_to, Reason::Precondition), budget);
                    outcome.notes.push(
                        "model and mutant can behave differently, but only non-deterministic choices were compared; \
                         the model may have another run with the mutant's outputs"
                            .to_owned(),
                    );
                    outcome
                }))
            }
            Solved::Unreachable(proof) => {
                let question = self.searched(mutant);
                match certify_proof(self.model, &question, &proof, budget) {
                    Ok(()) => {
                        let certificate = Certificate::Induction { question, proof };
                        Ok(self.conclude_equivalent(mutant, certificate, budget)?)
                    }
                    Err(CertifyError::Stopped(stop)) => {
                        Ok(self.outcome(mutant, unknown(proof.k, stop.into()), budget))
                    }
                    Err(source) => Err(DecideError::Proof {
                        mutant: self.name(mutant),
                        source,
                    }),
                }
            }
            Solved::Open { refuted, stop } => {
                Ok(self.outcome(mutant, unknown(refuted, stop.into()), budget))
            }
        }
    }

    /// The shortest pair of runs, if bounded model checking gets that far with little effort; and whether it is known to
    /// be the shortest.
    fn shorten_by_search(
        &self,
        posed: &Reachability,
        engine: Engine,
        found: Found,
        budget: &Budget,
    ) -> (Engine, Found, bool) {
        let mut bmc = Bmc::new(posed);
        while bmc.refuted() + 1 < found.steps {
            if bmc.size() > SHORTEN_SIZE {
                return (engine, found, false);
            }
            match bmc.deepen(Some(SHORTEN_CONFLICTS), budget) {
                Depth::Reached(shorter) => return (Engine::Bmc, shorter, true),
                Depth::Refuted => {}
                Depth::Undecided(_) => return (engine, found, false),
            }
        }
        (engine, found, true)
    }

    /// A pair of runs as a verdict; `None` if it proves nothing about killing.
    fn believe_kill(
        &self,
        mutant: usize,
        engine: Engine,
        found: Found,
        shortest: bool,
        budget: &Budget,
    ) -> Result<Option<Outcome>, DecideError> {
        let [model_run, mutant_run] = match <[_; 2]>::try_from(found.runs) {
            Ok(runs) => runs,
            Err(_) => return Ok(None),
        };
        let relevance = Relevance::to(self.model, &[Variant::Original, Variant::Mutant(mutant)]);
        let mut kill = Kill {
            strength: if self.controllable && !self.deterministic() {
                Strength::Controllable
            } else {
                Strength::Potential
            },
            model_run: relevance.without_noise(&model_run),
            mutant_run: relevance.without_noise(&mutant_run),
            shortest,
            sole_run: false,
            stronger: Stronger::NotAsked,
            tree: None,
        };
        if !self.deterministic() && !self.controllable {
            // The identity strategy failed here. Does every strategy?
            let Some(judged) = self.judge(mutant, &kill, budget) else {
                return Ok(None);
            };
            kill = judged;
        }
        replay_kill(self.model, mutant, &kill).map_err(|source| DecideError::Kill {
            mutant: self.name(mutant),
            source,
        })?;
        if kill.strength == Strength::Potential {
            let variant = Variant::Mutant(mutant);
            kill.sole_run = determinism(self.model, variant, budget) == Determinism::Deterministic;
            let certain = kill.sole_run && self.deterministic();
            if certain
                || can_agree(self.model, mutant, &kill.model_run.steps, budget) == Judgement::Never
            {
                kill.strength = Strength::Definite;
            }
        }
        let wanted = match self.property {
            Property::Phi1 | Property::Phi2 => true,
            Property::Phi3 | Property::Phi4 => kill.strength == Strength::Definite,
        };
        if !wanted {
            return Ok(None);
        }
        let mut outcome = self.outcome(mutant, Verdict::Killed(Box::new(kill)), budget);
        outcome.engine = Some(engine);
        Ok(Some(outcome))
    }

    /// A run of the mutant whose outputs no run of the model gives, with some run of the model beside it.
    fn judge(&self, mutant: usize, kill: &Kill, budget: &Budget) -> Option<Kill> {
        let inputs = &kill.mutant_run.steps;
        let observed = replay(self.model, Variant::Mutant(mutant), &kill.mutant_run).ok()?;
        if produces(
            self.model,
            Variant::Original,
            inputs,
            &observed.outputs,
            budget,
        ) != Judgement::Never
        {
            return None;
        }
        let model_run = crate::judge::closest_run(self.model, inputs, &observed.outputs, budget)?;
        let steps = model_run.steps.len();
        let mut mutant_run = kill.mutant_run.clone();
        mutant_run.steps.truncate(steps);
        Some(Kill {
            model_run,
            mutant_run,
            ..kill.clone()
        })
    }

    fn conclude_equivalent(
        &self,
        mutant: usize,
        certificate: Certificate,
        budget: &Budget,
    ) -> Result<Outcome, DecideError> {
        let k = match &certificate {
            Certificate::Induction { proof, .. } => proof.k,
            Certificate::ClosedSet(_) => 0,
        };
        if self.controllable && !self.deterministic() && !unconstrained(self.model) {
            // Assuming both constraints hides what only the mutant can do.
            let identity = Question::identity(mutant);
            match solve(&identity.pose(self.model), &self.limits, budget) {
                Solved::Unreachable(proof) => {
                    certify_proof(self.model, &identity, &proof, budget).map_err(|source| {
                        DecideError::Proof {
                            mutant: self.name(mutant),
                            source,
                        }
                    })?;
                    let certificate = Certificate::Induction {
                        question: identity,
                        proof,
                    };
                    return Ok(self.equivalent(mutant, certificate, budget));
                }
                Solved::Reached(_) => {
                    return Ok(self.outcome(mutant, unknown(k, Reason::Precondition), budget));
                }
                Solved::Open { stop, .. } => {
                    return Ok(self.outcome(mutant, unknown(k, stop.into()), budget));
                }
            }
        }
        Ok(self.equivalent(mutant, certificate, budget))
    }

    fn equivalent(&self, mutant: usize, certificate: Certificate, budget: &Budget) -> Outcome {
        let mut outcome = self.outcome(mutant, Verdict::Equivalent(certificate), budget);
        outcome.engine = Some(Engine::Induction);
        match &outcome.input_enabled {
            InputEnabled::Differently {
                mutant_refuses: true,
                run,
            } => outcome.verdict = Verdict::RefusesInput(run.clone()),
            InputEnabled::Unsettled => outcome.notes.push(
                "equivalent on the inputs that both accept; whether the mutant refuses inputs that the model accepts is not settled"
                    .to_owned(),
            ),
            InputEnabled::Equally | InputEnabled::Differently { .. } => {}
        }
        outcome
    }

    /// The outcome of a mutant whose circuit is the original's. Proved like any other.
    ///
    /// # Errors
    /// If the proof does not check.
    pub fn same_circuit(&self, mutant: usize, budget: &Budget) -> Result<Outcome, DecideError> {
        let mut outcome = self.decide(mutant, None, budget)?;
        if matches!(outcome.verdict, Verdict::Equivalent(_)) {
            outcome.engine = Some(Engine::Structure);
        }
        Ok(outcome)
    }

    fn outcome(&self, mutant: usize, verdict: Verdict, budget: &Budget) -> Outcome {
        Outcome {
            mutant: self.model.selectors[mutant].id.clone(),
            property: Some(self.property),
            verdict,
            engine: None,
            input_enabled: input_enabled(self.model, mutant, budget),
            notes: Vec::new(),
        }
    }
}

fn unknown(known_to: usize, reason: Reason) -> Verdict {
    Verdict::Unknown { known_to, reason }
}
