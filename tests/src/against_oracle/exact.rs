//! φ2, φ3, φ4 and `auto`: does a test kill potentially, and does a test kill definitely?
//!
//! Both questions have exact answers on systems whose states can be listed. With all engines on, nothing may stay open; with some engines
//! off, every exclusion must be true.

use std::fmt;

use hyperkill_checker::determinism::Determinism;
use hyperkill_checker::schedule;
use hyperkill_checker::{Ask, Options, Silent, decide_all};
use hyperkill_core::budget::Budget;
use hyperkill_core::{ConditionalMutant, SelectorId};
use hyperkill_evidence::verdict::{
    InputEnabled, Kill, Outcome, Potential, Property, Strength, Stronger, Verdict,
};

use super::adaptive::tree_of;
use super::{Discrepancy, Judge, Route, Wrong, check_determinism, undecided, wrong};
use crate::oracle::Oracle;

/// The options of a question.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Query {
    /// The properties that the checker decides.
    pub ask: Ask,
    /// The methods that may find tests besides the engines.
    pub route: Route,
    /// The engines that may work.
    pub engines: Engines,
    /// Whether adaptive tests are wanted if no other test kills for certain.
    pub adaptive: bool,
    /// The greatest length of a test to look for; `None` for any length.
    pub bound: Option<usize>,
}

/// The engines that may work besides simulation.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum Engines {
    /// All engines may work.
    All,
    /// Sets of explicit states alone.
    Subsets,
    /// Expansion of universal runs alone.
    ExistsForall,
    /// Search and proofs by strategies alone.
    Strategies,
    /// All but sets of explicit states, as on large models.
    Symbolic,
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
            shortest: self.route != Route::Simulation,
            adaptive: self.adaptive,
            bound: self.bound,
            // Each mutant is to be decided on its own.
            fold_duplicates: false,
            engines: schedule::Engines {
                simulation: self.route != Route::Engines,
                pairs: self.route == Route::Pairs,
                bmc: !matches!(self.engines, Engines::Subsets | Engines::ExistsForall),
                induction: !matches!(self.engines, Engines::Subsets | Engines::ExistsForall),
                pdr: !matches!(self.engines, Engines::Subsets | Engines::ExistsForall),
                exists_forall: !matches!(self.engines, Engines::Subsets | Engines::Strategies),
                explicit: matches!(self.engines, Engines::All | Engines::Subsets),
                diagrams: matches!(self.engines, Engines::All | Engines::Symbolic),
                ..schedule::Engines::ALL
            },
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

    /// Whether every mutant must be decided. Deterministic models are left to search and proofs.
    fn is_complete(self, original: Determinism) -> bool {
        let able = match self.engines {
            Engines::All => true,
            Engines::Subsets => original != Determinism::Deterministic,
            Engines::ExistsForall | Engines::Strategies | Engines::Symbolic => false,
        };
        able && self.bound.is_none()
    }
}

/// The checker's answer for one mutant, confirmed by the oracle.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum Seen {
    /// Killed by an adaptive test; no definite kill by another test is known.
    Adaptive {
        /// Depth of the test given.
        steps: usize,
        /// Whether this depth is known to be the least.
        shortest: bool,
    },
    /// The mutant is killed definitely.
    Definite {
        /// Length of the test given.
        steps: usize,
        /// Whether this length is known to be the shortest.
        shortest: bool,
    },
    /// Killed potentially. Definite killability was not asked for or is not settled.
    Potential {
        /// Length of the test given.
        steps: usize,
        /// Whether this length is known to be the shortest.
        shortest: bool,
    },
    /// Killed potentially, and proved not to be killed definitely.
    OnlyPotential {
        /// Length of the test given.
        steps: usize,
        /// Whether this length is known to be the shortest.
        shortest: bool,
    },
    /// Proved not to be killed definitely; potential killability is open.
    NotDefinite,
    /// The mutant is proved equivalent.
    Equivalent,
    /// The mutant refuses inputs that the model accepts, and is otherwise equivalent.
    RefusesInput,
    /// The question stays open.
    Unknown,
}

/// Decides all mutants of `model` and compares every outcome.
///
/// # Errors
///
/// If an outcome disagrees with the oracle: the first disagreement.
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
        let oracle = Oracle::new(model, SelectorId(selector))?;
        check_determinism(&oracle, report.original)?;
        let case = Case {
            potential: oracle.potential_kill()?.as_ref().map(Vec::len),
            definite: oracle.definite_kill()?.as_ref().map(Vec::len),
            judge: Judge { model, oracle },
            query,
            complete: query.is_complete(report.original),
        };
        seen.push(case.check(outcome).map_err(|wrong| wrong.of(outcome))?);
    }
    Ok(seen)
}

/// One mutant, its oracle, and the exact answers for its outcome.
struct Case<'a> {
    judge: Judge<'a>,
    query: Query,
    /// Whether the checker must decide the mutant.
    complete: bool,
    /// The length of a shortest potential kill; `None` if there is none.
    potential: Option<usize>,
    /// The length of a shortest definite kill; `None` if there is none.
    definite: Option<usize>,
}

impl Case<'_> {
    fn check(&self, outcome: &Outcome) -> Result<Seen, Wrong> {
        self.judge.check_acceptance(outcome)?;
        // Input-enabledness is settled on small systems by every set of engines.
        if outcome.input_enabled == InputEnabled::Unsettled {
            return undecided("input-enabledness");
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
                match self.judge.oracle.refusal()? {
                    None => Ok(Seen::Equivalent),
                    Some(inputs) => wrong(format!("equivalent, but refuses {inputs:?}")),
                }
            }
            Verdict::RefusesInput { run, .. } => {
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

    /// Returns an error about the open question `what` if the mutant must be decided.
    fn open(&self, what: impl fmt::Display) -> Result<(), Wrong> {
        if self.complete {
            undecided(what.to_string())
        } else {
            Ok(())
        }
    }

    fn check_killed(&self, kill: &Kill) -> Result<Seen, Wrong> {
        if kill.strength == Strength::Adaptive {
            return self.check_adaptive(kill);
        }
        self.judge.check_kill(kill)?;
        if self.misses_adaptive(kill.strength)? {
            self.open("whether an adaptive test kills")?;
        }
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
                if self.check_stronger(&kill.stronger)? {
                    Ok(Seen::OnlyPotential { steps, shortest })
                } else {
                    Ok(Seen::Potential { steps, shortest })
                }
            }
            (strength, _) => wrong(format!("killed with strength {strength}")),
        }
    }

    /// Checks the answer on definite kills. Returns whether a definite kill is excluded.
    fn check_stronger(&self, stronger: &Stronger) -> Result<bool, Wrong> {
        match stronger {
            Stronger::NotAsked if self.query.question() == Question::Potential => Ok(false),
            Stronger::NotAsked => wrong("nobody asked whether it is killed definitely"),
            Stronger::Unsettled { known_to, .. } => {
                self.judge.check_known_to(*known_to, self.definite)?;
                self.open("whether it is killed definitely")?;
                Ok(false)
            }
            Stronger::Excluded(_) => {
                self.check_excluded()?;
                Ok(true)
            }
        }
    }

    /// Checks that an adaptive test kills for certain and, if it is marked shortest, that none has less depth.
    fn check_adaptive(&self, kill: &Kill) -> Result<Seen, Wrong> {
        let oracle = &self.judge.oracle;
        if !self.query.adaptive || self.query.question() == Question::Potential {
            return wrong("nobody asked for an adaptive test");
        }
        self.check_stronger(&kill.stronger)?;
        let Some(strategy) = &kill.tree else {
            return wrong("an adaptive kill without a strategy");
        };
        let tree = tree_of(&oracle.original, strategy).or_else(wrong)?;
        oracle
            .validate_tree(&tree)
            .or_else(|defect| wrong(format!("{defect}: {tree:?}")))?;
        let steps = tree.depth();
        if strategy.depth() != steps {
            return wrong(format!("depth {}, counted {steps}", strategy.depth()));
        }
        let least = oracle.adaptive_kill()?;
        if least.is_none_or(|least| steps < least || (kill.shortest && steps != least)) {
            return wrong(format!(
                "an adaptive test of depth {steps}, the least is {least:?}"
            ));
        }
        // The runs belong to one failing play: a potential kill.
        self.judge
            .check_runs(kill, crate::oracle::Strength::Potential)?;
        Ok(Seen::Adaptive {
            steps,
            shortest: kill.shortest,
        })
    }

    /// Whether an adaptive test was asked for and not found, although one exists.
    fn misses_adaptive(&self, strength: Strength) -> Result<bool, Wrong> {
        let asked = self.query.adaptive && self.query.question() != Question::Potential;
        if !asked || strength != Strength::Potential {
            return Ok(false);
        }
        Ok(self.judge.oracle.adaptive_kill()?.is_some())
    }

    fn check_excluded(&self) -> Result<(), Wrong> {
        match self.definite {
            Some(steps) => wrong(format!(
                "said not to be definitely killable, but {steps} steps do it"
            )),
            None => Ok(()),
        }
    }

    /// Checks the answer on potential kills where definite kills are excluded.
    fn check_potential(&self, potential: &Potential) -> Result<Seen, Wrong> {
        match potential {
            Potential::Killed(kill) if kill.strength == Strength::Potential => {
                self.judge.check_kill(kill)?;
                self.judge.check_length(kill, self.potential)?;
                if self.misses_adaptive(kill.strength)? {
                    self.open("whether an adaptive test kills")?;
                }
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
