//! φ2, φ3, φ4 and `auto`: is there a test that kills potentially, is there one that kills definitely?
//!
//! Both questions have exact answers on systems whose states can be listed. So with all engines on nothing may stay
//! open; with some of them off, what is said to be excluded must be.

use std::fmt;

use hyperkill_checker::budget::Budget;
use hyperkill_checker::rounds::{Ask, Options, Silent, decide_all};
use hyperkill_checker::verdict::{
    InputEnabled, Kill, Outcome, Potential, Property, Strength, Stronger, Verdict,
};
use hyperkill_core::ConditionalMutant;

use super::{Discrepancy, Judge, Route, Wrong, check_determinism, undecided, wrong};
use crate::oracle::Oracle;

/// How a question is asked.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Query {
    /// Which.
    pub ask: Ask,
    /// What may find tests besides the engines.
    pub route: Route,
    /// Longest test to look for.
    pub bound: Option<usize>,
}

/// The two questions of semantics.md §2, and the two together.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Question {
    Potential,
    Definite,
    Both,
}

impl Query {
    fn options(self, model: &ConditionalMutant) -> Options {
        Options {
            ask: self.ask,
            simulate: self.route != Route::Engines,
            shortest: self.route != Route::Simulation,
            bound: self.bound,
            // Every mutant is to be decided for itself.
            fold_duplicates: false,
            ..Options::all(model)
        }
    }

    fn question(self) -> Question {
        match self.ask {
            Ask::Only(Property::Phi1 | Property::Phi2) => Question::Potential,
            Ask::Only(Property::Phi3 | Property::Phi4) => Question::Definite,
            Ask::Auto => Question::Both,
        }
    }

    /// Whether everything has to be decided.
    fn is_complete(self) -> bool {
        self.bound.is_none()
    }
}

/// What the checker said of one mutant; the oracle agrees.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum Seen {
    /// Killed definitely.
    Definite {
        /// Length of the test given.
        steps: usize,
        /// Whether it is known to be the shortest.
        shortest: bool,
    },
    /// Killed potentially; whether definitely was not asked or not settled.
    Potential {
        /// Length of the test given.
        steps: usize,
        /// Whether it is known to be the shortest.
        shortest: bool,
    },
    /// Killed potentially, and proved not to be killed definitely.
    OnlyPotential {
        /// Length of the test given.
        steps: usize,
        /// Whether it is known to be the shortest.
        shortest: bool,
    },
    /// Proved not to be killed definitely; potentially is open.
    NotDefinite,
    /// Proved equivalent.
    Equivalent,
    /// Refuses inputs that the model accepts, otherwise equivalent.
    RefusesInput,
    /// Proved equivalent, without noticing that it refuses inputs that the model accepts.
    EquivalentUnsettled,
    /// Open.
    Unknown,
}

/// Decides all mutants of `model` and compares every outcome.
///
/// # Errors
///
/// The first disagreement.
pub fn compare(model: &ConditionalMutant, query: Query) -> Result<Vec<Seen>, Discrepancy> {
    let report = decide_all(
        model,
        &query.options(model),
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
            potential: oracle.potential_kill()?.as_ref().map(Vec::len),
            definite: oracle.definite_kill()?.as_ref().map(Vec::len),
            judge: Judge { model, oracle },
            query,
        };
        seen.push(case.check(outcome).map_err(|wrong| wrong.of(outcome))?);
    }
    Ok(seen)
}

/// One mutant and all that its outcome is measured by.
struct Case<'a> {
    judge: Judge<'a>,
    query: Query,
    /// Length of a shortest potential kill.
    potential: Option<usize>,
    /// Length of a shortest definite kill.
    definite: Option<usize>,
}

impl Case<'_> {
    fn check(&self, outcome: &Outcome) -> Result<Seen, Wrong> {
        self.judge.check_acceptance(outcome)?;
        if outcome.input_enabled == InputEnabled::Unsettled {
            self.open("input-enabledness")?;
        }
        let question = self.query.question();
        match &outcome.verdict {
            Verdict::Killed(kill) => self.check_killed(kill),
            Verdict::NotDefinitelyKillable { potential, .. } if question == Question::Definite => {
                self.check_excluded()?;
                self.check_potential(potential)
            }
            Verdict::Equivalent(_) => {
                self.judge.check_equivalent()?;
                match (self.judge.oracle.refusal()?, &outcome.input_enabled) {
                    (None, _) => Ok(Seen::Equivalent),
                    (Some(_), InputEnabled::Unsettled) => Ok(Seen::EquivalentUnsettled),
                    (Some(inputs), _) => wrong(format!("equivalent, but refuses {inputs:?}")),
                }
            }
            Verdict::RefusesInput(run) => {
                self.judge.check_equivalent()?;
                let oracle = &self.judge.oracle;
                self.judge
                    .check_refusal(run, &oracle.original, &oracle.mutant)?;
                Ok(Seen::RefusesInput)
            }
            Verdict::Unknown { known_to, .. } => {
                let shortest = match question {
                    Question::Potential | Question::Both => self.potential,
                    Question::Definite => self.definite,
                };
                self.judge.check_known_to(*known_to, shortest)?;
                self.open("the question asked")?;
                Ok(Seen::Unknown)
            }
            verdict => wrong(format!("{} without a reason", verdict.word())),
        }
    }

    /// What stays open is a discrepancy if everything has to be decided.
    fn open(&self, what: impl fmt::Display) -> Result<(), Wrong> {
        if self.query.is_complete() {
            undecided(what.to_string())
        } else {
            Ok(())
        }
    }

    fn check_killed(&self, kill: &Kill) -> Result<Seen, Wrong> {
        self.judge.check_kill(kill)?;
        let (steps, shortest) = (kill.steps(), kill.shortest);
        let question = self.query.question();
        match (kill.strength, question) {
            (Strength::Definite, Question::Potential) => {
                self.judge.check_length(kill, self.potential)?;
                Ok(Seen::Definite { steps, shortest })
            }
            (Strength::Definite, Question::Definite | Question::Both) => {
                self.judge.check_length(kill, self.definite)?;
                Ok(Seen::Definite { steps, shortest })
            }
            (Strength::Potential, Question::Potential | Question::Both) => {
                self.judge.check_length(kill, self.potential)?;
                match &kill.stronger {
                    Stronger::NotAsked if question == Question::Both => {
                        wrong("nobody asked whether it is killed definitely")
                    }
                    Stronger::NotAsked => Ok(Seen::Potential { steps, shortest }),
                    Stronger::Unsettled { known_to, .. } => {
                        self.judge.check_known_to(*known_to, self.definite)?;
                        self.open("whether it is killed definitely")?;
                        Ok(Seen::Potential { steps, shortest })
                    }
                    Stronger::Excluded(_) => {
                        self.check_excluded()?;
                        Ok(Seen::OnlyPotential { steps, shortest })
                    }
                }
            }
            (strength, _) => wrong(format!("killed with strength {strength}")),
        }
    }

    fn check_excluded(&self) -> Result<(), Wrong> {
        match self.definite {
            Some(steps) => wrong(format!(
                "said not to be definitely killable, but {steps} steps do it"
            )),
            None => Ok(()),
        }
    }

    /// What is said of potential kills where definite ones are excluded.
    fn check_potential(&self, potential: &Potential) -> Result<Seen, Wrong> {
        match potential {
            Potential::Killed(kill) if kill.strength == Strength::Potential => {
                self.judge.check_kill(kill)?;
                self.judge.check_length(kill, self.potential)?;
                Ok(Seen::OnlyPotential {
                    steps: kill.steps(),
                    shortest: kill.shortest,
                })
            }
            Potential::Killed(kill) => wrong(format!("potential, but {}", kill.strength)),
            Potential::Unsettled { known_to, .. } => {
                self.judge.check_known_to(*known_to, self.potential)?;
                self.open("whether it is killed potentially")?;
                Ok(Seen::NotDefinite)
            }
        }
    }
}
