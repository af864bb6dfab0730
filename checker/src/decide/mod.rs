//! One mutant, from what is known of it to a verdict with checked evidence.
//!
//! There are two exact questions (semantics.md §2): does some test kill potentially, and does some test kill definitely? The formulas
//! φ1 and φ2 ask the first, φ3 and φ4 the second, `auto` both. Where a formula's precondition does not hold (φ1 and φ4 on a model that
//! is not deterministic) the question behind it is decided all the same, by the rules for other models.
//!
//! | question | model | how |
//! | --- | --- | --- |
//! | potentially | deterministic outputs | pairs of runs (`pairs`) |
//! | potentially | others, controllable | pairs of runs with common choices; a kill is `controllable` |
//! | potentially | others | `potential`: identity strategy, sets of states, ∃∀ |
//! | definitely | all | `definite`: the inputs at hand, sets of states, ∃∀ |

mod definite;
mod evidence;
mod families;
mod pairs;
mod potential;
mod reported;
mod shorten;

use hyperkill_certify::{CertifyError, LISTING, ReplayError, certify_kill, certify_tree};
use hyperkill_core::ConditionalMutant;
use hyperkill_core::budget::{Budget, Stop};
use hyperkill_evidence::closed_set::Relation;
use hyperkill_evidence::verdict::{
    Certificate, Engine, InputEnabled, Kill, Outcome, Potential, Property, Reason, Strength,
    Stronger, Verdict,
};

use crate::acceptance::input_enabled;
use crate::determinism::Determinism;
use crate::explicit::{self, Adaptive, Explored, Witness};
use crate::known::Known;
use crate::question::QuestionError;
use crate::solve::Limits;
use crate::testgen::TestKind;

/// Evidence that did not check, or a formula that could not be composed: a bug in hyperkill, never a property of the model.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
pub enum DecideError {
    /// A proof was refuted.
    #[error("the proof for mutant {mutant} did not check: {source}")]
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

/// Which engines may work beside simulation, search and induction on pairs of runs.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Engines {
    /// Sets of explicit states.
    pub subsets: bool,
    /// Counterexample-guided expansion of universal runs.
    pub exists_forall: bool,
    /// Simulation.
    pub simulation: bool,
}

/// What is the same for all mutants of a run.
#[derive(Clone, Debug)]
pub struct Inquiry<'a> {
    /// The circuit.
    pub model: &'a ConditionalMutant,
    /// The formula asked.
    pub property: Property,
    /// Whether to ask for definite kills where the formula is content with potential ones.
    pub strengthen: bool,
    /// What is known of the original.
    pub original: Determinism,
    /// Whether its outputs tell its state.
    pub observable: bool,
    /// Share choices between the copies, as if they were test inputs.
    pub controllable: bool,
    /// How far to go.
    pub limits: Limits,
    /// What may be used.
    pub engines: Engines,
    /// Whether to look for a shorter test than the one simulation found, within a modest effort.
    pub shortest: bool,
    /// What kind of tests is wanted.
    pub tests: TestKind,
    /// Seed of random inputs.
    pub seed: u64,
}

/// The answer to one of the two questions. Evidence has been checked.
enum Answer {
    /// A test.
    Killed(Engine, Kill),
    /// No test exists.
    Excluded(Engine, Certificate),
    /// Neither: no test of at most `known_to` steps exists.
    Open { known_to: usize, reason: Reason },
}

/// A kill whose evidence has been checked, and who found it.
type AtHand = Option<(Engine, Kill)>;

impl Answer {
    fn open(known_to: usize, stop: Stop) -> Answer {
        Answer::Open {
            known_to,
            reason: stop.into(),
        }
    }
}

impl Inquiry<'_> {
    fn deterministic(&self) -> bool {
        self.original == Determinism::Deterministic
    }

    /// Whether kills are sought under common choices, which are then part of the test.
    #[must_use]
    pub fn arranges_choices(&self) -> bool {
        self.controllable && !self.deterministic()
    }

    /// Whether simulated pairs of runs with common choices are kills of the question asked.
    #[must_use]
    pub fn pairs_are_kills(&self) -> bool {
        self.arranges_choices() || self.deterministic()
    }

    fn name(&self, mutant: usize) -> String {
        self.model.selectors[mutant].id.to_string()
    }

    /// Decides one mutant, from what is known of it.
    ///
    /// # Errors
    /// If evidence does not check.
    pub fn decide(
        &self,
        mutant: usize,
        known: Known,
        budget: &Budget,
    ) -> Result<Outcome, DecideError> {
        let outcome = self.asking_others(mutant, known, budget)?;
        Ok(self.reported(outcome))
    }

    fn asking_others(
        &self,
        mutant: usize,
        known: Known,
        budget: &Budget,
    ) -> Result<Outcome, DecideError> {
        let Some(external) = &self.limits.external else {
            return self.answer(mutant, known, budget);
        };
        // What is heard of other programs is heard of this mutant.
        let external = external.afresh();
        let mut inquiry = self.clone();
        inquiry.limits.external = Some(external.clone());
        let mut outcome = inquiry.answer(mutant, known, budget)?;
        outcome.notes.extend(external.remarks());
        Ok(outcome)
    }

    fn answer(&self, mutant: usize, known: Known, budget: &Budget) -> Result<Outcome, DecideError> {
        if let (None, Some(stop)) = (&known.found, budget.stopped()) {
            return Ok(self.conclude(mutant, Answer::open(0, stop), budget));
        }
        let mut at_hand = self.at_hand(mutant, &known, budget)?;
        let seen = known.found.is_some();
        let mut outcome = self.asked(mutant, known, &mut at_hand, budget)?;
        self.keep(&mut outcome, at_hand, seen, budget);
        Ok(outcome)
    }

    /// What the formula's own question comes to. `at_hand` is a kill that counts already, whatever comes of looking for a better one.
    fn asked(
        &self,
        mutant: usize,
        known: Known,
        at_hand: &mut AtHand,
        budget: &Budget,
    ) -> Result<Outcome, DecideError> {
        let potential = self.potentially(mutant, known, at_hand, budget)?;
        let checked = at_hand.as_ref().map(|(_, kill)| kill);
        let potential = self.certified(mutant, potential, checked, budget)?;
        let definitely = self.asks_for_definite_kills();
        if self.arranges_choices() || !(definitely || self.strengthen) {
            return Ok(self.conclude(mutant, potential, budget));
        }
        if matches!(&potential, Answer::Excluded(..)) {
            return Ok(self.conclude(mutant, potential, budget));
        }
        let settled = match &potential {
            // No test is shorter than the shortest that kills potentially, and of a deterministic mutant all kills are definite.
            Answer::Killed(_, kill) => {
                kill.strength == Strength::Definite
                    && (kill.shortest || kill.sole_run || !self.shortest)
            }
            _ => false,
        };
        if settled {
            return Ok(self.conclude(mutant, potential, budget));
        }
        // No test within the bound kills, however strongly.
        let searched = self.is_searched(&potential);
        if searched && !definitely {
            return Ok(self.conclude(mutant, potential, budget));
        }
        let known_to = match &potential {
            Answer::Killed(_, kill) if kill.shortest => kill.steps() - 1,
            Answer::Open { known_to, .. } => *known_to,
            _ => 0,
        };
        let at_hand = match &potential {
            Answer::Killed(engine, kill) => Some((*engine, kill)),
            _ => None,
        };
        let definite = self.definitely(mutant, at_hand, known_to, budget)?;
        let known = at_hand.map(|(_, kill)| kill);
        let definite = self.certified(mutant, definite, known, budget)?;
        let definite = match (definite, known_definite(&potential)) {
            // A shorter one was found and could not be checked.
            (Answer::Open { .. }, Some((engine, kill))) => Answer::Killed(engine, kill.clone()),
            (definite, _) => definite,
        };
        let answer = match definite {
            Answer::Killed(engine, kill) => Answer::Killed(engine, kill),
            Answer::Excluded(engine, certificate) if definitely => {
                let potential = match potential {
                    Answer::Killed(_, kill) => {
                        let kill = self.adapt(mutant, kill, budget)?;
                        if kill.strength == Strength::Adaptive {
                            let kill = Kill {
                                stronger: Stronger::Excluded(Box::new(certificate)),
                                ..kill
                            };
                            let answer = Answer::Killed(Engine::Game, kill);
                            return Ok(self.conclude(mutant, answer, budget));
                        }
                        Potential::Killed(Box::new(kill))
                    }
                    Answer::Open { known_to, reason } => Potential::Unsettled { known_to, reason },
                    Answer::Excluded(..) => return Ok(self.conclude(mutant, potential, budget)),
                };
                let verdict = Verdict::NotDefinitelyKillable {
                    certificate,
                    potential,
                };
                let mut outcome = self.outcome(mutant, verdict, budget);
                outcome.engine = Some(engine);
                return Ok(outcome);
            }
            Answer::Open { known_to, reason } if definitely => {
                let kill = match potential {
                    Answer::Killed(_, kill) => Some(self.adapt(mutant, kill, budget)?),
                    _ => None,
                };
                match kill.filter(|kill| kill.strength == Strength::Adaptive) {
                    Some(kill) => Answer::Killed(Engine::Game, kill),
                    None => Answer::Open { known_to, reason },
                }
            }
            other => match potential {
                Answer::Killed(engine, mut kill) => {
                    kill.stronger = match other {
                        Answer::Excluded(_, certificate) => {
                            Stronger::Excluded(Box::new(certificate))
                        }
                        Answer::Open { known_to, reason } => {
                            Stronger::Unsettled { known_to, reason }
                        }
                        Answer::Killed(..) => Stronger::NotAsked,
                    };
                    let kill = self.adapt(mutant, kill, budget)?;
                    let engine = match kill.strength {
                        Strength::Adaptive => Engine::Game,
                        _ => engine,
                    };
                    Answer::Killed(engine, kill)
                }
                open => open,
            },
        };
        Ok(self.conclude(mutant, answer, budget))
    }

    fn asks_for_definite_kills(&self) -> bool {
        matches!(self.property, Property::Phi3 | Property::Phi4)
    }

    /// Whether all tests within the bound are known not to kill.
    fn is_searched(&self, answer: &Answer) -> bool {
        let Answer::Open { known_to, .. } = answer else {
            return false;
        };
        self.limits.bound.is_some_and(|bound| *known_to >= bound)
    }

    /// Does some test kill potentially (or, with controllable choices, controllably)?
    fn potentially(
        &self,
        mutant: usize,
        known: Known,
        at_hand: &mut AtHand,
        budget: &Budget,
    ) -> Result<Answer, DecideError> {
        if self.deterministic() || self.controllable {
            self.by_pairs(mutant, known, budget)
        } else {
            self.by_strategies(mutant, known, at_hand, budget)
        }
    }

    /// The kill that is known from the beginning, checked before anything is done to better it: no limit may take it away again. `None` if
    /// there is none, or nothing would be done.
    fn at_hand(
        &self,
        mutant: usize,
        known: &Known,
        budget: &Budget,
    ) -> Result<AtHand, DecideError> {
        let Some((engine, found)) = known.found.as_ref().filter(|_| !known.is_settled()) else {
            return Ok(None);
        };
        if let Some(kill) = self.plain_kill(mutant, &found.runs) {
            return Ok(Some((*engine, kill)));
        }
        if !self.pairs_are_kills() || !self.shortest {
            return Ok(None);
        }
        let pair = self.pair(mutant, *engine, found.clone(), false, budget)?;
        Ok(match self.certified(mutant, pair, None, budget)? {
            Answer::Killed(engine, kill) => Some((engine, kill)),
            Answer::Excluded(..) | Answer::Open { .. } => None,
        })
    }

    /// Where a limit came before the outcome was as good as the kill at hand, that kill is the outcome; what was cut short is said.
    fn keep(&self, outcome: &mut Outcome, at_hand: AtHand, seen: bool, budget: &Budget) {
        let stopped = budget.stopped();
        let answers =
            |kill: &Kill| kill.strength == Strength::Definite || !self.asks_for_definite_kills();
        if let Some((engine, mut kill)) = at_hand.filter(|(_, kill)| answers(kill)) {
            let is_better = match &outcome.verdict {
                Verdict::Unknown { .. } => true,
                Verdict::Killed(found) => stopped.is_some() && found.strength < kill.strength,
                _ => false,
            };
            if is_better {
                if let (Strength::Potential, true, Some(stop)) =
                    (kill.strength, self.strengthen, stopped)
                {
                    kill.stronger = Stronger::Unsettled {
                        known_to: 0,
                        reason: stop.into(),
                    };
                }
                outcome.verdict = Verdict::Killed(Box::new(kill));
                outcome.engine = Some(engine);
            }
        }
        let Some(reason) = stopped.map(Reason::from) else {
            return;
        };
        match &outcome.verdict {
            Verdict::Killed(kill) if self.shortest && !kill.shortest => outcome.notes.push(
                format!("the work on this mutant was cut short ({reason}): a shorter test may exist"),
            ),
            Verdict::Unknown { .. } if seen => outcome.notes.push(format!(
                "a run with other outputs was found; the check that no run of the model has them was cut short ({reason})"
            )),
            _ => {}
        }
    }

    /// A potential kill made adaptive, if trees are wanted and there is one.
    fn adapt(&self, mutant: usize, kill: Kill, budget: &Budget) -> Result<Kill, DecideError> {
        if self.tests != TestKind::Tree || !self.engines.subsets {
            return Ok(kill);
        }
        let effort = explicit::Effort::default();
        match explicit::adaptive(self.model, mutant, &effort, self.limits.bound, budget) {
            Explored::Killed(Adaptive {
                tree,
                witness,
                shortest,
            }) => {
                let adaptive = Kill {
                    strength: Strength::Adaptive,
                    model_run: witness.model_run,
                    mutant_run: witness.mutant_run,
                    shortest,
                    sole_run: kill.sole_run,
                    stronger: kill.stronger.clone(),
                    tree: None,
                };
                let checked = certify_tree(self.model, mutant, &tree, budget)
                    .and_then(|()| certify_kill(self.model, mutant, &adaptive, LISTING, budget));
                match checked {
                    Ok(()) => Ok(Kill {
                        tree: Some(tree),
                        ..adaptive
                    }),
                    Err(CertifyError::Stopped(_)) => Ok(kill),
                    Err(source) => Err(self.broken(mutant, source)),
                }
            }
            _ => Ok(kill),
        }
    }

    /// What an exploration of explicit states says; `None` if it was too large. `refuted` grows with what it excludes.
    fn explored(
        &self,
        mutant: usize,
        relation: Relation,
        effort: explicit::Effort,
        refuted: &mut usize,
        budget: &Budget,
    ) -> Result<Option<Answer>, DecideError> {
        let explore = match relation {
            Relation::Matched => explicit::potential,
            Relation::Agreeing => explicit::definite,
        };
        match explore(self.model, mutant, &effort, self.limits.bound, budget) {
            Explored::Killed(Witness {
                model_run,
                mutant_run,
            }) => {
                let kill = self.kill(mutant, [model_run, mutant_run], true, budget)?;
                let kill = self.confirmed(mutant, relation, kill, budget)?;
                Ok(Some(Answer::Killed(Engine::Subsets, kill)))
            }
            Explored::Excluded(closed) => self.closed(mutant, closed, budget).map(Some),
            Explored::TooLarge { refuted: to } | Explored::Stopped { refuted: to, .. } => {
                *refuted = (*refuted).max(to);
                Ok(None)
            }
        }
    }

    /// An answer to the formula's own question as an outcome.
    fn conclude(&self, mutant: usize, answer: Answer, budget: &Budget) -> Outcome {
        match answer {
            Answer::Killed(engine, kill) => {
                let mut outcome = self.outcome(mutant, Verdict::Killed(Box::new(kill)), budget);
                outcome.engine = Some(engine);
                outcome
            }
            Answer::Excluded(engine, certificate) => {
                self.equivalent(mutant, engine, certificate, budget)
            }
            Answer::Open { known_to, reason } => {
                self.outcome(mutant, Verdict::Unknown { known_to, reason }, budget)
            }
        }
    }

    fn equivalent(
        &self,
        mutant: usize,
        engine: Engine,
        certificate: Certificate,
        budget: &Budget,
    ) -> Outcome {
        let undecided = Verdict::Unknown {
            known_to: match &certificate {
                Certificate::Induction { proof, .. } => proof.k,
                Certificate::ClosedSet(_) => 0,
            },
            reason: Reason::Acceptance,
        };
        let mut outcome = self.outcome(mutant, undecided, budget);
        let refused = match &outcome.input_enabled {
            InputEnabled::Unsettled => {
                outcome.notes.push(
                    "proved equivalent on the inputs that both accept; whether the mutant refuses inputs that the model accepts is open"
                        .to_owned(),
                );
                return outcome;
            }
            InputEnabled::Differently {
                mutant_refuses: true,
                run,
                ..
            } => Some(run.clone()),
            InputEnabled::Equally(_) | InputEnabled::Differently { .. } => None,
        };
        outcome.engine = Some(engine);
        outcome.verdict = match refused {
            Some(run) => Verdict::RefusesInput { run, certificate },
            None => Verdict::Equivalent(certificate),
        };
        outcome
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

/// A definite kill that answers the weaker question.
fn known_definite(potential: &Answer) -> Option<(Engine, &Kill)> {
    match potential {
        Answer::Killed(engine, kill) if kill.strength == Strength::Definite => {
            Some((*engine, kill))
        }
        _ => None,
    }
}
