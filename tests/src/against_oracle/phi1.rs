//! φ1, with separate or shared choices of the two sides (semantics.md §5).

use hyperkill_checker::determinism::Determinism;
use hyperkill_checker::schedule;
use hyperkill_checker::{Ask, Options, Silent, decide_all};
use hyperkill_core::budget::Budget;
use hyperkill_core::{ConditionalMutant, SelectorId};
use hyperkill_evidence::verdict::{InputEnabled, Outcome, Property, Reason, Strength, Verdict};

use super::{Discrepancy, Judge, Route, Wrong, check_determinism, undecided, wrong};
use crate::oracle::{Oracle, Stimulus, TooLarge};

/// The checker's answer for one mutant, confirmed by the oracle.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum Seen {
    /// Killed by a test of this many steps.
    Killed {
        /// Length of the test given.
        steps: usize,
        /// Length of the shortest test.
        shortest: usize,
    },
    /// The mutant is proved equivalent.
    Equivalent,
    /// No output differs; whether the mutant refuses inputs that the model accepts is open.
    EquivalentUnsettled,
    /// The mutant refuses inputs that the model accepts, and is otherwise equivalent.
    RefusesInput,
    /// The precondition of φ1 did not hold.
    Unknown,
}

/// The options under which φ1 is asked.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub struct Asked {
    /// Whether choices are shared between the copies.
    pub controllable: bool,
    /// The methods that may find tests besides the engines.
    pub route: Route,
    /// The greatest length of a test to look for; `None` for any length.
    pub bound: Option<usize>,
    /// Whether property-directed reachability runs, which leaves little to induction.
    pub pdr: bool,
}

impl Asked {
    fn options(self, model: &ConditionalMutant) -> Options {
        Options {
            ask: Ask::Only(Property::Phi1),
            controllable: self.controllable,
            shortest: self.route != Route::Simulation,
            bound: self.bound,
            // Each mutant is to be decided on its own.
            fold_duplicates: false,
            engines: schedule::Engines {
                simulation: self.route != Route::Engines,
                pairs: self.route == Route::Pairs,
                pdr: self.pdr,
                ..schedule::Engines::ALL
            },
            ..Options::all(model)
        }
    }
}

/// Decides all mutants of `model` and compares every outcome.
///
/// # Errors
///
/// If an outcome disagrees with the oracle: the first disagreement.
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
        let oracle = Oracle::new(model, SelectorId(selector))?;
        check_determinism(&oracle, report.original)?;
        let case = Case {
            judge: Judge { model, oracle },
            asked,
            deterministic: report.original == Determinism::Deterministic,
        };
        seen.push(case.check(outcome).map_err(|wrong| wrong.of(outcome))?);
    }
    Ok(seen)
}

/// One mutant, its oracle, and the question.
struct Case<'a> {
    judge: Judge<'a>,
    asked: Asked,
    /// Whether the checker may take the model to be deterministic.
    deterministic: bool,
}

impl Case<'_> {
    /// Whether kills are of strength `controllable`.
    fn shares_choices(&self) -> bool {
        self.asked.controllable && !self.deterministic
    }

    /// Returns the inputs of a shortest test that answers the question asked of this model. `None` if there is none.
    fn expected(&self) -> Result<Option<Stimulus>, TooLarge> {
        if self.shares_choices() {
            self.judge.oracle.controllable_difference()
        } else {
            self.judge.oracle.potential_kill()
        }
    }

    fn check(&self, outcome: &Outcome) -> Result<Seen, Wrong> {
        self.judge.check_acceptance(outcome)?;
        self.check_settled(outcome)?;
        let expected = self.expected()?;
        let shortest = expected.as_ref().map(Vec::len);
        match &outcome.verdict {
            Verdict::Killed(kill) => {
                self.judge.check_kill(kill)?;
                if (kill.strength == Strength::Controllable) != self.shares_choices() {
                    return wrong(format!("killed with strength {}", kill.strength));
                }
                self.judge.check_length(kill, shortest)?;
                let (steps, shortest) = (kill.steps(), shortest.unwrap_or_default());
                // Tests found by simulation need not be shortest.
                if self.asked.route != Route::Simulation && steps != shortest {
                    return wrong(format!(
                        "a test of {steps} steps, the shortest has {shortest}"
                    ));
                }
                Ok(Seen::Killed { steps, shortest })
            }
            Verdict::Equivalent(_) => {
                self.judge.check_equivalent()?;
                match (self.judge.oracle.refusal()?, &outcome.input_enabled) {
                    (Some(inputs), _) => wrong(format!("equivalent, but refuses {inputs:?}")),
                    (None, InputEnabled::Unsettled) => {
                        wrong("equivalent, though it is open whether it refuses inputs")
                    }
                    (None, _) => Ok(Seen::Equivalent),
                }
            }
            Verdict::Unknown {
                reason: Reason::Acceptance,
                ..
            } => {
                self.judge.check_equivalent()?;
                Ok(Seen::EquivalentUnsettled)
            }
            Verdict::RefusesInput { run, .. } => {
                self.judge.check_equivalent()?;
                let oracle = &self.judge.oracle;
                self.judge
                    .check_refusal(run, &oracle.original, &oracle.mutant)?;
                Ok(Seen::RefusesInput)
            }
            Verdict::Unknown {
                known_to,
                reason: Reason::Precondition,
            } if !self.deterministic => {
                self.judge.check_known_to(*known_to, shortest)?;
                match self.judge.oracle.identity_strategy_failure()? {
                    Some(_) => Ok(Seen::Unknown),
                    None => wrong("undecided, but the identity strategy proves it equivalent"),
                }
            }
            Verdict::Unknown { .. } => undecided("φ1"),
            verdict => wrong(format!("{} without a reason", verdict.word())),
        }
    }

    fn check_settled(&self, outcome: &Outcome) -> Result<(), Wrong> {
        let settled = outcome.input_enabled != InputEnabled::Unsettled;
        if settled || !self.judge.model.choices.is_empty() || self.has_free_values() {
            Ok(())
        } else {
            wrong("acceptance is not settled, though nothing is chosen")
        }
    }

    fn has_free_values(&self) -> bool {
        self.judge.oracle.original.initial().len() > 1
    }
}
