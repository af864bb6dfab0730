//! What the checker says of φ1, held against the oracle.
//!
//! Demands what semantics.md §2, §3 and §5 promise for each kind of model and nothing more: where they allow giving up,
//! giving up is no discrepancy, and it is reported so that tests can count how often it happens.

use hyperkill_checker::budget::Budget;
use hyperkill_checker::decide::DecideError;
use hyperkill_checker::determinism::Determinism;
use hyperkill_checker::rounds::{Ask, Options, Silent, decide_all};
use hyperkill_checker::verdict::{self, InputEnabled, Kill, Outcome, Property, Reason, Verdict};
use hyperkill_core::ConditionalMutant;
use hyperkill_core::trace::Stimulus as Run;

use crate::oracle::{Machine, Oracle, Stimulus, Strength, Test, TooLarge, Word};

/// What the checker said of one mutant; the oracle agrees.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum Seen {
    /// Killed by a test of this many steps.
    Killed {
        /// Length of the test given.
        steps: usize,
        /// Length of the shortest test there is.
        shortest: usize,
    },
    /// Proved equivalent.
    Equivalent,
    /// Proved equivalent, without noticing that it refuses inputs that the model accepts.
    EquivalentUnsettled,
    /// Refuses inputs that the model accepts, otherwise equivalent.
    RefusesInput,
    /// The question was outside the precondition of φ1.
    Unknown,
}

/// A disagreement, in words.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
pub enum Discrepancy {
    /// The checker refuted itself.
    #[error("{0}")]
    Checker(#[from] DecideError),
    /// The oracle could not answer: the generator made too large a system.
    #[error(transparent)]
    TooLarge(#[from] TooLarge),
    /// The checker is wrong about the model.
    #[error("the model: {0}")]
    Model(String),
    /// The checker is wrong about a mutant.
    #[error("mutant {mutant}: {what}")]
    Mutant {
        /// Its id.
        mutant: String,
        /// What is wrong.
        what: String,
    },
    /// The checker left a mutant open that it could have decided.
    #[error("mutant {mutant}: undecided without a reason")]
    Undecided {
        /// Its id.
        mutant: String,
    },
}

/// How φ1 is asked.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub struct Asked {
    /// Choices are shared between the copies.
    pub controllable: bool,
    /// What may find tests besides the engines.
    pub route: Route,
    /// Longest test to look for.
    pub bound: Option<usize>,
}

/// What may find tests.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum Route {
    /// Bounded model checking alone.
    Engines,
    /// Simulation first; its tests are replaced by shorter ones where search finds any.
    SimulationThenShortest,
    /// Simulation first; its tests stay as they are.
    Simulation,
}

impl Asked {
    fn options(self, model: &ConditionalMutant) -> Options {
        Options {
            ask: Ask::Only(Property::Phi1),
            controllable: self.controllable,
            simulate: self.route != Route::Engines,
            shortest: self.route != Route::Simulation,
            bound: self.bound,
            // Every mutant is to be decided for itself.
            fold_duplicates: false,
            ..Options::all(model)
        }
    }
}

/// Decides all mutants of `model` and compares every outcome.
///
/// # Errors
///
/// The first disagreement.
pub fn compare(model: &ConditionalMutant, asked: Asked) -> Result<Vec<Seen>, Discrepancy> {
    let report = decide_all(
        model,
        &asked.options(model),
        &Budget::unlimited(),
        &mut Silent,
    )?;
    if report.outcomes.len() != model.selectors.len() {
        return Err(Discrepancy::Model(format!(
            "{} outcomes for {} mutants",
            report.outcomes.len(),
            model.selectors.len()
        )));
    }
    let mut seen = Vec::new();
    for (selector, outcome) in report.outcomes.iter().enumerate() {
        let oracle = Oracle::new(model, selector)?;
        check_determinism(&oracle, report.original)?;
        let case = Case {
            model,
            asked,
            deterministic: report.original == Determinism::Deterministic,
            oracle,
        };
        seen.push(case.check(outcome).map_err(|wrong| wrong.of(outcome))?);
    }
    Ok(seen)
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

/// A [`Discrepancy`] that does not know its mutant yet.
enum Wrong {
    TooLarge(TooLarge),
    Saying(String),
    Undecided,
}

impl Wrong {
    fn of(self, outcome: &Outcome) -> Discrepancy {
        match self {
            Wrong::TooLarge(too_large) => Discrepancy::TooLarge(too_large),
            Wrong::Saying(what) => Discrepancy::Mutant {
                mutant: outcome.mutant.to_string(),
                what,
            },
            Wrong::Undecided => Discrepancy::Undecided {
                mutant: outcome.mutant.to_string(),
            },
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

/// One mutant and all that its outcome is measured by.
struct Case<'a> {
    model: &'a ConditionalMutant,
    asked: Asked,
    /// Whether the checker may take the model to be deterministic.
    deterministic: bool,
    oracle: Oracle,
}

impl Case<'_> {
    /// Whether kills are of strength `controllable`.
    fn shares_choices(&self) -> bool {
        self.asked.controllable && !self.deterministic
    }

    /// A shortest test for the question that is asked of this model.
    fn expected(&self) -> Result<Option<Stimulus>, TooLarge> {
        if self.shares_choices() {
            self.oracle.controllable_difference()
        } else {
            self.oracle.potential_kill()
        }
    }

    fn check(&self, outcome: &Outcome) -> Result<Seen, Wrong> {
        self.check_acceptance(outcome)?;
        let expected = self.expected()?;
        let shortest = expected.as_ref().map(Vec::len);
        match &outcome.verdict {
            Verdict::Killed(kill) => {
                self.check_kill(kill)?;
                let Some(shortest) = shortest else {
                    return wrong("killed, but the oracle knows no test");
                };
                let steps = kill.steps();
                // Tests found by simulation need not be shortest, and must not claim to be.
                let minimal = kill.shortest || self.asked.route != Route::Simulation;
                if steps < shortest || (minimal && steps != shortest) {
                    return wrong(format!(
                        "a test of {steps} steps, the shortest has {shortest}"
                    ));
                }
                Ok(Seen::Killed { steps, shortest })
            }
            Verdict::Equivalent(_) => {
                self.check_equivalent()?;
                match (self.oracle.refusal()?, &outcome.input_enabled) {
                    (None, _) => Ok(Seen::Equivalent),
                    (Some(_), InputEnabled::Unsettled) => Ok(Seen::EquivalentUnsettled),
                    (Some(inputs), _) => wrong(format!("equivalent, but refuses {inputs:?}")),
                }
            }
            Verdict::RefusesInput(run) => {
                self.check_equivalent()?;
                self.check_refusal(run, &self.oracle.original, &self.oracle.mutant)?;
                Ok(Seen::RefusesInput)
            }
            Verdict::Unknown {
                known_to,
                reason: Reason::Precondition,
            } if !self.deterministic => {
                if let Some(shortest) = shortest.filter(|length| length <= known_to) {
                    return wrong(format!(
                        "said to have no test of {known_to} steps, has one of {shortest}"
                    ));
                }
                match self.oracle.identity_strategy_failure()? {
                    Some(_) => Ok(Seen::Unknown),
                    None => wrong("undecided, but the identity strategy proves it equivalent"),
                }
            }
            Verdict::Unknown { .. } => Err(Wrong::Undecided),
            verdict => wrong(format!("{} without a reason", verdict.word())),
        }
    }

    fn check_equivalent(&self) -> Result<(), Wrong> {
        match self.oracle.potential_kill()? {
            Some(inputs) => wrong(format!("said to be equivalent, but {inputs:?} kills it")),
            None => Ok(()),
        }
    }

    fn check_kill(&self, kill: &Kill) -> Result<(), Wrong> {
        let outputs = self.outputs(&self.oracle.original, &kill.model_run)?;
        let mutant_outputs = self.outputs(&self.oracle.mutant, &kill.mutant_run)?;
        let inputs = self.inputs(&kill.model_run);
        if self.inputs(&kill.mutant_run) != inputs {
            return wrong("model and mutant get different inputs");
        }
        let strength = match kill.strength {
            verdict::Strength::Controllable => Strength::Controllable,
            verdict::Strength::Potential => Strength::Potential,
            verdict::Strength::Definite => Strength::Definite,
            verdict::Strength::Adaptive => return wrong("adaptive, but no tree was asked for"),
        };
        if (strength == Strength::Controllable) != self.shares_choices() {
            return wrong(format!("killed with strength {strength:?}"));
        }
        let test = Test {
            inputs: &inputs,
            outputs: &outputs,
            mutant_outputs: Some(&mutant_outputs),
        };
        self.oracle
            .validate_test(&test, strength)
            .or_else(|defect| wrong(format!("{defect}: {kill:?}")))?;
        let definite = self.oracle.responses(&inputs).kill_definitely();
        if strength == Strength::Potential && definite {
            return wrong("a definite kill, said to be potential only");
        }
        if kill.sole_run && self.oracle.responses(&inputs).mutant.len() > 1 {
            return wrong("said to be the mutant's only run, but is not");
        }
        Ok(())
    }

    fn check_acceptance(&self, outcome: &Outcome) -> Result<(), Wrong> {
        let difference = self.oracle.acceptance_difference()?;
        match (&outcome.input_enabled, difference) {
            (InputEnabled::Equally, Some(inputs)) => wrong(format!(
                "said to be equally input-enabled; not on {inputs:?}"
            )),
            (
                InputEnabled::Differently {
                    mutant_refuses,
                    run,
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
            (InputEnabled::Unsettled, _)
                if self.model.choices.is_empty() && !self.has_free_values() =>
            {
                wrong("acceptance is not settled, though nothing is chosen")
            }
            _ => Ok(()),
        }
    }

    fn has_free_values(&self) -> bool {
        self.oracle.original.initial().len() > 1
    }

    /// `run` is a run of `accepting` whose inputs `refusing` refuses.
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
        let steps: Vec<(Word, Word)> = run
            .steps
            .iter()
            .map(|step| (machine.input_word(step), machine.choice_word(step)))
            .collect();
        match machine.follow(initial, &steps) {
            Some(outputs) => Ok(outputs),
            None => wrong(format!("this run dies: {run:?}")),
        }
    }
}
