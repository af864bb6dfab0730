//! The properties that a model states itself, on the mutants of a run: which of them does one break?

use hyperkill_checker::safety::{Problem, SafetyVerdict, decide_safety};
use hyperkill_checker::schedule::reachability::Options;
use hyperkill_core::aig::Signal;
use hyperkill_core::budget::{Budget, Stop};
use hyperkill_core::paths::CARRIED;
use hyperkill_core::specialise::keep_mutants;
use hyperkill_core::{Aig, ConditionalMutant, SelectorId};
use rayon::prelude::*;

use crate::args::ScoreArgs;
use crate::commands::subject::Subject;
use crate::decision::pool;
use crate::documents::{ScoreReport, ScoreResult, ScoredMutant};
use crate::exit_code::ExitCode;
use crate::failure::Failure;
use crate::session::{Level, Session};

/// A property of the model.
struct Stated {
    name: String,
    /// Its place among the bad states of the circuit.
    index: usize,
}

/// Finds out which mutants break a property that the model has.
pub(super) fn by_specs(
    session: &mut Session<'_>,
    args: &ScoreArgs,
    subject: &Subject,
    report: &mut ScoreReport,
) -> Result<(), Failure> {
    let mut model = subject.model().clone();
    // As `verify --specs`: a state that breaks an invariant counts even if no step leaves it.
    let is_about_steps = |signal: &Signal| signal.name.as_deref() == Some(CARRIED);
    model
        .aig
        .constraints
        .retain(|signal| !is_about_steps(signal));
    let stated = that_hold(session, args, &model)?;
    report.tests = stated
        .iter()
        .map(|property| property.name.clone())
        .collect();
    let budget = session.budget();
    let decided: Result<(), Failure> = pool(session.jobs)?.install(|| {
        let rows = report.mutants.par_iter_mut();
        rows.try_for_each(|mutant| one(args, &model, &stated, mutant, &budget))
    });
    decided
}

/// The properties that the model itself has: what it does not have, no mutant can break.
fn that_hold(
    session: &mut Session<'_>,
    args: &ScoreArgs,
    model: &ConditionalMutant,
) -> Result<Vec<Stated>, Failure> {
    if model.aig.bad.is_empty() {
        return Err(Failure::usage(
            "the model states no invariants that could be checked",
        ));
    }
    let original = keep_mutants(model, &[]).aig;
    let mut stated = Vec::new();
    for (index, signal) in model.aig.bad.iter().enumerate() {
        let name = signal
            .name
            .clone()
            .unwrap_or_else(|| format!("property {index}"));
        let budget = session.budget();
        let why = match decide(args, &original, index, &budget)? {
            SafetyVerdict::Holds(_) => {
                stated.push(Stated { name, index });
                continue;
            }
            SafetyVerdict::Fails(_) => "the model itself breaks it",
            SafetyVerdict::Unknown { .. } => "whether the model itself has it was not found out",
        };
        session.say(Level::Warning, format!("{name}: {why}; left out"));
    }
    match stated.is_empty() {
        true => Err(Failure::usage(
            "no property is known to hold of the model itself",
        )),
        false => Ok(stated),
    }
}

/// Which properties a mutant breaks.
fn one(
    args: &ScoreArgs,
    model: &ConditionalMutant,
    stated: &[Stated],
    mutant: &mut ScoredMutant,
    budget: &Budget,
) -> Result<(), Failure> {
    let Some(selector) = model.selector_of_mutant(&mutant.mutant) else {
        return Ok(());
    };
    let alone = switched_on(model, selector);
    mutant.result = ScoreResult::Survived;
    for property in stated {
        match decide(args, &alone, property.index, budget)? {
            SafetyVerdict::Holds(_) => {}
            SafetyVerdict::Fails(_) => mutant.killed_by.push(property.name.clone()),
            SafetyVerdict::Unknown { reason, .. } => {
                mutant.result = match (reason, budget.stopped()) {
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

/// The circuit of a mutant.
fn switched_on(model: &ConditionalMutant, mutant: SelectorId) -> Aig {
    let model = keep_mutants(model, &[mutant]);
    let mut aig = model.aig;
    for selector in &model.selectors {
        let lit = aig.latches()[selector.latch].var.lit();
        aig.constraints.push(Signal { lit, name: None });
    }
    aig
}

fn decide(
    args: &ScoreArgs,
    circuit: &Aig,
    index: usize,
    budget: &Budget,
) -> Result<SafetyVerdict, Failure> {
    let problem = Problem {
        model: circuit,
        bad: circuit.bad[index].lit,
    };
    let options = Options {
        merging: &[],
        ..Options::SAFETY
    };
    let budget = budget.job().within(args.time_to_decide());
    decide_safety(&problem, &options, None, &budget)
        .map_err(|error| Failure::message(ExitCode::Evidence, error.into()))
}
