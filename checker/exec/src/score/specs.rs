//! Scoring of the properties stated in the model: which mutants violate one?

use hyperkill_audit::documents::{ScoreReport, ScoreResult, ScoredMutant};
use hyperkill_checker::safety::{Problem, SafetyVerdict, decide_safety};
use hyperkill_checker::schedule::reachability::Options;
use hyperkill_core::aig::Signal;
use hyperkill_core::budget::Stop;
use hyperkill_core::paths::CARRIED;
use hyperkill_core::specialise::keep_mutants;
use hyperkill_core::{Aig, ConditionalMutant, SelectorId};
use hyperkill_run::sink::{Level, Sink};
use rayon::prelude::*;

use super::deciding::Deciding;
use super::error::ScoreError;

/// A property stated in the model that the unmutated model satisfies.
struct Stated {
    name: String,
    /// Index among the bad states of the circuit.
    index: usize,
}

impl Deciding<'_> {
    /// Determines which mutants violate a property that the unmutated model satisfies, and enters this into the report.
    ///
    /// # Errors
    /// If the model states no property that is proved for it, or evidence does not check.
    pub fn by_specs(
        &self,
        report: &mut ScoreReport,
        sink: &mut dyn Sink,
    ) -> Result<(), ScoreError> {
        let mut model = self.model.clone();
        // As in `verify --specs`, a state that violates an invariant counts even if it has no successor.
        let is_about_steps = |signal: &Signal| signal.name.as_deref() == Some(CARRIED);
        let constraints = &mut model.aig.constraints;
        constraints.retain(|signal| !is_about_steps(signal));
        let stated = self.that_hold(&model, sink)?;
        let names = stated.iter().map(|property| property.name.clone());
        report.tests = names.collect();
        self.threads.install(|| {
            let rows = report.mutants.par_iter_mut();
            rows.try_for_each(|mutant| self.broken(&model, &stated, mutant))
        })
    }

    /// Returns the stated properties that the unmutated model satisfies; `sink` gets a warning for each other one. A mutant cannot break
    /// those.
    fn that_hold(
        &self,
        model: &ConditionalMutant,
        sink: &mut dyn Sink,
    ) -> Result<Vec<Stated>, ScoreError> {
        if model.aig.bad.is_empty() {
            let message = "the model states no invariants that could be checked";
            return Err(ScoreError::unfit(message));
        }
        let original = keep_mutants(model, &[]).aig;
        let mut stated = Vec::new();
        for (index, signal) in model.aig.bad.iter().enumerate() {
            let name = signal
                .name
                .clone()
                .unwrap_or_else(|| format!("property {index}"));
            let why = match self.decide(&original, index)? {
                SafetyVerdict::Holds(_) => {
                    stated.push(Stated { name, index });
                    continue;
                }
                SafetyVerdict::Fails(_) => "the model itself breaks it",
                SafetyVerdict::Unknown { .. } => {
                    "whether the model itself has it was not found out"
                }
            };
            sink.say(Level::Warning, format!("{name}: {why}; left out"));
        }
        match stated.is_empty() {
            true => Err(ScoreError::unfit(
                "no property is known to hold of the model itself",
            )),
            false => Ok(stated),
        }
    }

    /// Decides which properties a mutant violates, and enters the result in `mutant`. A mutant that is not in the circuit stays unchanged.
    fn broken(
        &self,
        model: &ConditionalMutant,
        stated: &[Stated],
        mutant: &mut ScoredMutant,
    ) -> Result<(), ScoreError> {
        let Some(selector) = model.selector_of_mutant(&mutant.mutant) else {
            return Ok(());
        };
        let alone = switched_on(model, selector);
        mutant.result = ScoreResult::Survived;
        for property in stated {
            match self.decide(&alone, property.index)? {
                SafetyVerdict::Holds(_) => {}
                SafetyVerdict::Fails(_) => mutant.killed_by.push(property.name.clone()),
                SafetyVerdict::Unknown { reason, .. } => {
                    mutant.result = match (reason, self.budget.stopped()) {
                        (Stop::Time, None) => ScoreResult::TimeOut,
                        _ => ScoreResult::Open,
                    };
                }
            }
        }
        if !mutant.killed_by.is_empty() {
            mutant.result = ScoreResult::Killed;
        }
        Ok(())
    }

    fn decide(&self, circuit: &Aig, index: usize) -> Result<SafetyVerdict, ScoreError> {
        let problem = Problem {
            model: circuit,
            bad: circuit.bad[index].lit,
        };
        let options = Options {
            merging: &[],
            ..Options::SAFETY
        };
        let budget = self.budget.job().within(self.timeout);
        Ok(decide_safety(&problem, &options, None, &budget)?)
    }
}

/// Returns the circuit of the model with this mutant alone, whose selector a constraint fixes to 1.
fn switched_on(model: &ConditionalMutant, mutant: SelectorId) -> Aig {
    let model = keep_mutants(model, &[mutant]);
    let mut aig = model.aig;
    for selector in &model.selectors {
        let lit = aig.latches()[selector.latch].var.lit();
        aig.constraints.push(Signal { lit, name: None });
    }
    aig
}
