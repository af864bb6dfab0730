//! Totality: whether every reachable state has a successor, and one for every input.

use hyperkill_audit::documents::{SafetyResult, TruthWord, Valuation};
use hyperkill_checker::schedule::reachability::Options;
use hyperkill_checker::totality::{Asked, Run, Totality, Undone, totality};
use hyperkill_core::budget::Budget;
use hyperkill_core::sort::Value;
use hyperkill_core::system::{TransitionSystem, When};
use hyperkill_evidence::verdict::Reason;
use hyperkill_frontend::{Diagnostic, Severity, Span};

use crate::error::VerifyError;
use crate::means::Means;
use crate::safety::unknown;

/// An answer about the totality of a system, with a run that disproves it.
pub struct Answered {
    /// The answer as a document.
    pub result: SafetyResult,
    /// A diagnostic with a run into a state without a successor, if one exists.
    pub stuck: Option<Diagnostic>,
}

/// Decides whether a system is free of deadlocks, and whether it accepts every input. Returns these two answers in this order.
///
/// # Errors
/// If the search ends for a reason that is a bug.
pub fn decide(system: &TransitionSystem, means: &Means) -> Result<Vec<Answered>, VerifyError> {
    let options = means.options(Options::SAFETY);
    let questions = [
        ("deadlock-free", Asked::AnyInput),
        ("input-enabled", Asked::EveryInput),
    ];
    let answers = questions.into_iter().map(|(property, wanted)| {
        let (answer, seconds) = means
            .timed(|budget| Ok::<_, VerifyError>(totality(system, wanted, &options, budget)))?;
        let stuck = match &answer {
            Totality::Stuck(run) => Some(stuck(system, run)),
            Totality::Total | Totality::Unknown(_) => None,
        };
        let mut result = result(property, answer)?;
        result.seconds = seconds;
        Ok(Answered { result, stuck })
    });
    answers.collect()
}

fn result(property: &str, answer: Totality) -> Result<SafetyResult, VerifyError> {
    let mut result = unknown(property.to_owned(), None);
    match answer {
        Totality::Total => result.verdict = TruthWord::Holds,
        Totality::Stuck(run) => {
            result.verdict = TruthWord::Fails;
            result.steps = Some(run.steps.len());
            result.run = run.steps.into_iter().map(Valuation).collect();
            result.run.push(Valuation(run.state));
            result.refused = Some(Valuation(run.refused)).filter(|refused| !refused.is_empty());
        }
        Totality::Unknown(Undone::Stopped(stop)) => {
            result.reason = Some(Reason::from(stop).to_string());
        }
        Totality::Unknown(why @ Undone::TooMany) => result.reason = Some(why.to_string()),
        Totality::Unknown(fault) => return Err(VerifyError::Undone(fault)),
    }
    Ok(result)
}

/// Returns a warning of a deadlock, if the search finds one within the budget.
#[must_use]
pub fn deadlock(system: &TransitionSystem, budget: &Budget) -> Option<Diagnostic> {
    match totality(system, Asked::AnyInput, &Options::SAFETY, budget) {
        Totality::Stuck(run) => Some(Diagnostic {
            severity: Severity::Warning,
            ..stuck(system, &run)
        }),
        Totality::Total | Totality::Unknown(_) => None,
    }
}

/// Returns an error that shows a run into a stuck state, placed at a constraint of the system, preferably one on steps.
fn stuck(system: &TransitionSystem, run: &Run) -> Diagnostic {
    let constraints = system.constraints.iter();
    let located = constraints.filter_map(|constraint| {
        let (start, end) = constraint.span?;
        Some((constraint.when != When::Leaving, Span::new(start, end)))
    });
    let message = match run.refused.is_empty() {
        true => "a state can be reached that no step leaves".to_owned(),
        false => {
            let refused = values(&run.refused, &[]);
            format!("a state can be reached that refuses the input {refused}")
        }
    };
    let diagnostic = match located.min() {
        Some((_, span)) => Diagnostic::error(span, message),
        None => Diagnostic::unlocated(message),
    };
    let mut lines = Vec::new();
    let mut before: &[(String, Value)] = &[];
    for (number, step) in run.steps.iter().chain([&run.state]).enumerate() {
        lines.push(format!("step {number}: {}", values(step, before)));
        before = step;
    }
    diagnostic.with_help(lines.join("\n"))
}

/// Returns the entries of `values` that are not in `before`, as `name = value`, separated by commas; `as before` if there are none.
fn values(values: &[(String, Value)], before: &[(String, Value)]) -> String {
    let new = values.iter().filter(|value| !before.contains(value));
    let new = new.map(|(name, value)| format!("{name} = {value}"));
    let new: Vec<String> = new.collect();
    match new.is_empty() {
        true => "as before".to_owned(),
        false => new.join(", "),
    }
}
