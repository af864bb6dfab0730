//! Compares the checker's answers for mutants with the oracle.
//!
//! Checks the promises of semantics.md §2–§5 and nothing more. Where they allow giving up, giving up is no discrepancy; it is reported, so
//! that tests can count it. [`phi1`] covers φ1 and controllable choices. [`exact`] covers potential and definite killability with choices
//! on either side. [`adaptive`] covers allowed outputs and adaptive tests.

pub mod adaptive;
pub mod exact;
pub mod phi1;

use hyperkill_checker::decide::DecideError;
use hyperkill_checker::determinism::Determinism;
use hyperkill_core::ConditionalMutant;
use hyperkill_core::trace::Stimulus as Run;
use hyperkill_evidence::verdict::{self, InputEnabled, Kill, Outcome};

use crate::oracle::{Machine, Oracle, Strength, Test, TooLarge, Word};

/// A disagreement, in words.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
pub enum Discrepancy {
    /// The checker reported an internal contradiction.
    #[error("{0}")]
    Checker(#[from] DecideError),
    /// The system is too large for the oracle.
    #[error(transparent)]
    TooLarge(#[from] TooLarge),
    /// A wrong answer of the checker about the model.
    #[error("the model: {0}")]
    Model(String),
    /// A wrong answer of the checker about a mutant.
    #[error("mutant {mutant}: {what}")]
    Mutant {
        /// The id of the mutant.
        mutant: String,
        /// The disagreement, in words.
        what: String,
    },
    /// A question that the checker left open although it could have decided it.
    #[error("mutant {mutant}: undecided without a reason: {what}")]
    Undecided {
        /// The id of the mutant.
        mutant: String,
        /// The open question, in words.
        what: String,
    },
}

/// The methods that may find tests.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum Route {
    /// The engines alone.
    Engines,
    /// Simulation first; its tests are replaced by shorter ones where search finds any.
    SimulationThenShortest,
    /// Simulation first; its tests stay as they are.
    Simulation,
    /// All methods, pairs of states first.
    Pairs,
}

fn check_determinism(oracle: &Oracle, original: Determinism) -> Result<(), Discrepancy> {
    let witness = oracle.original.nondeterminism()?;
    match (original, witness) {
        (Determinism::Deterministic, Some(inputs)) => Err(Discrepancy::Model(format!(
            "said to be deterministic, but not on {inputs:?}"
        ))),
        (Determinism::NonDeterministic, None) => Err(Discrepancy::Model(String::from(
            "said to be non-deterministic, but is not",
        ))),
        _ => Ok(()),
    }
}

/// A [`Discrepancy`] without the id of its mutant.
enum Wrong {
    TooLarge(TooLarge),
    Saying(String),
    Undecided(String),
}

impl Wrong {
    fn of(self, outcome: &Outcome) -> Discrepancy {
        let mutant = outcome.mutant.to_string();
        match self {
            Wrong::TooLarge(too_large) => Discrepancy::TooLarge(too_large),
            Wrong::Saying(what) => Discrepancy::Mutant { mutant, what },
            Wrong::Undecided(what) => Discrepancy::Undecided { mutant, what },
        }
    }
}

impl From<TooLarge> for Wrong {
    fn from(too_large: TooLarge) -> Wrong {
        Wrong::TooLarge(too_large)
    }
}

fn wrong<T>(what: impl Into<String>) -> Result<T, Wrong> {
    Err(Wrong::Saying(what.into()))
}

fn undecided<T>(what: impl Into<String>) -> Result<T, Wrong> {
    Err(Wrong::Undecided(what.into()))
}

/// One mutant and its oracle: checks of evidence common to all questions.
struct Judge<'a> {
    model: &'a ConditionalMutant,
    oracle: Oracle,
}

impl Judge<'_> {
    fn check_equivalent(&self) -> Result<(), Wrong> {
        match self.oracle.potential_kill()? {
            Some(inputs) => wrong(format!("said to be equivalent, but {inputs:?} kills it")),
            None => Ok(()),
        }
    }

    /// Checks that both runs of a kill exist, and that its inputs kill exactly as strongly as it claims.
    fn check_kill(&self, kill: &Kill) -> Result<(), Wrong> {
        let strength = match kill.strength {
            verdict::Strength::Controllable => Strength::Controllable,
            verdict::Strength::Potential => Strength::Potential,
            verdict::Strength::Definite => Strength::Definite,
            verdict::Strength::Adaptive => return wrong("adaptive, but no tree was asked for"),
        };
        self.check_runs(kill, strength)?;
        let responses = self.oracle.responses(&self.inputs(&kill.model_run));
        if strength == Strength::Potential && responses.kill_definitely() {
            return wrong("a definite kill, said to be potential only");
        }
        Ok(())
    }

    /// Checks that both runs of a kill exist and have the same inputs, which kill with this strength.
    fn check_runs(&self, kill: &Kill, strength: Strength) -> Result<(), Wrong> {
        let outputs = self.outputs(&self.oracle.original, &kill.model_run)?;
        let mutant_outputs = self.outputs(&self.oracle.mutant, &kill.mutant_run)?;
        let inputs = self.inputs(&kill.model_run);
        if self.inputs(&kill.mutant_run) != inputs {
            return wrong("model and mutant get different inputs");
        }
        let test = Test {
            inputs: &inputs,
            outputs: &outputs,
            mutant_outputs: Some(&mutant_outputs),
        };
        self.oracle
            .validate_test(&test, strength)
            .or_else(|defect| wrong(format!("{defect}: {kill:?}")))?;
        if kill.sole_run && self.oracle.responses(&inputs).mutant.len() > 1 {
            return wrong("said to be the mutant's only run, but is not");
        }
        Ok(())
    }

    /// Checks the length of a test against the oracle's shortest one, which must exist. A test may be longer, unless it is marked shortest.
    fn check_length(&self, kill: &Kill, shortest: Option<usize>) -> Result<(), Wrong> {
        let steps = kill.steps();
        match shortest {
            None => wrong("killed, but the oracle knows no test"),
            Some(shortest) if steps < shortest || (kill.shortest && steps != shortest) => wrong(
                format!("a test of {steps} steps, the shortest has {shortest}"),
            ),
            Some(_) => Ok(()),
        }
    }

    /// Checks the claim that no test has at most `known_to` steps. `shortest` is the length of the oracle's shortest test, if there is any.
    fn check_known_to(&self, known_to: usize, shortest: Option<usize>) -> Result<(), Wrong> {
        match shortest.filter(|length| *length <= known_to) {
            Some(shortest) => wrong(format!(
                "said to have no test of {known_to} steps, has one of {shortest}"
            )),
            None => Ok(()),
        }
    }

    /// Checks the answer on input-enabledness; it may also be unsettled.
    fn check_acceptance(&self, outcome: &Outcome) -> Result<(), Wrong> {
        let difference = self.oracle.acceptance_difference()?;
        match (&outcome.input_enabled, difference) {
            (InputEnabled::Equally(_), Some(inputs)) => wrong(format!(
                "said to be equally input-enabled; not on {inputs:?}"
            )),
            (
                InputEnabled::Differently {
                    mutant_refuses,
                    run,
                    ..
                },
                _,
            ) => {
                let (original, mutant) = (&self.oracle.original, &self.oracle.mutant);
                if *mutant_refuses {
                    self.check_refusal(run, original, mutant)
                } else {
                    self.check_refusal(run, mutant, original)
                }
            }
            _ => Ok(()),
        }
    }

    /// Checks that `run` is a run of `accepting` whose inputs `refusing` refuses.
    fn check_refusal(
        &self,
        run: &Run,
        accepting: &Machine,
        refusing: &Machine,
    ) -> Result<(), Wrong> {
        self.outputs(accepting, run)?;
        let inputs = self.inputs(run);
        if refusing.responses(&inputs).is_empty() {
            Ok(())
        } else {
            wrong(format!("{inputs:?} is not refused"))
        }
    }

    fn inputs(&self, run: &Run) -> Vec<Word> {
        let steps = run.steps.iter();
        steps
            .map(|step| self.oracle.original.input_word(step))
            .collect()
    }

    fn outputs(&self, machine: &Machine, run: &Run) -> Result<Vec<Word>, Wrong> {
        let initial = machine.initial_state(&self.model.aig, &run.initial);
        match machine.follow(initial, &letters(machine, run)) {
            Some(outputs) => Ok(outputs),
            None => wrong(format!("this run dies: {run:?}")),
        }
    }
}

/// Returns the input word and the choice word of each step of a run.
#[must_use]
pub fn letters(machine: &Machine, run: &Run) -> Vec<(Word, Word)> {
    let steps = run.steps.iter();
    steps
        .map(|step| (machine.input_word(step), machine.choice_word(step)))
        .collect()
}
