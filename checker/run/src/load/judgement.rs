//! Engine queries while a model is read: its first step, its valid mutants, its obligations. Runs keep their evidence; `certify` does not
//! repeat them.

use hyperkill_audit::model::{Checks, Draft};
use hyperkill_checker::existence::{beginnings, first_step};
use hyperkill_checker::totality::complete;
use hyperkill_checker::validity;
use hyperkill_core::SelectorId;
use hyperkill_core::budget::{Budget, Stop};
use hyperkill_core::system::{Obligation, TransitionSystem, When};
use hyperkill_evidence::validity::{Beginning, Breach, Validity};
use hyperkill_frontend::{Diagnostic, SourceFile, Span};

use super::error::{Blame, LoadError};

/// Returns evidence of which mutants are models; `None` if no mutant can fail to be one, or if the time for a circuit is over.
///
/// # Errors
/// If the original is not a model. Its constraints may contradict each other; every mutant would then be equivalent.
pub fn judge(draft: &Draft, budget: &Budget) -> Result<Option<Validity>, LoadError> {
    if !draft.can_fail() {
        return Ok(None);
    }
    let Some(checks) = &draft.checks else {
        let first = begins(draft, budget)?;
        return Ok(first.map(|first| Validity {
            beginnings: vec![first],
            ..Validity::default()
        }));
    };
    let breaches = breaches(checks, budget, &draft.loaded.listing.sources)?;
    let mut shown = Validity {
        breaches,
        ..Validity::default()
    };
    let first = begins(draft, budget)?;
    // A stopped query leaves the answer unknown.
    if let Some(stop) = budget.stopped() {
        return Err(LoadError::Over(stop));
    }
    if let Some(first) = first {
        let model = draft.model();
        let broken = shown.broken(model.selectors.len());
        let mutants = model.selector_ids();
        let others = mutants.filter(|mutant| broken[mutant.0].is_none());
        let others: Vec<SelectorId> = others.collect();
        (shown.beginnings, shown.without) =
            beginnings(model, &others, first.run, budget).map_err(|stop| given_up(budget, stop))?;
    }
    Ok(Some(shown))
}

/// Returns a first step of the original; `None` if every state and input is a step, or if the time is over.
///
/// # Errors
/// If the original has no first step.
fn begins(draft: &Draft, budget: &Budget) -> Result<Option<Beginning>, LoadError> {
    let model = draft.model();
    if model.is_unconstrained() {
        return Ok(None);
    }
    match first_step(model, budget) {
        Ok(Some(run)) => Ok(Some(Beginning {
            run,
            original: true,
            mutants: Vec::new(),
        })),
        Ok(None) => Err(LoadError::Model(
            "the model has no run: no initial state satisfies all constraints, with any inputs"
                .to_owned(),
        )),
        Err(_) => Ok(None),
    }
}

/// Returns the obligations that mutants break, with the mutants.
///
/// # Errors
/// If the original breaks an obligation.
pub(crate) fn breaches(
    checks: &Checks,
    budget: &Budget,
    sources: &[SourceFile],
) -> Result<Vec<Breach>, LoadError> {
    let found = validity::breaches(&checks.circuit, &checks.conditions, budget);
    let (original, breaches) = found.map_err(|stop| given_up(budget, stop))?;
    if original.is_empty() {
        return Ok(breaches);
    }
    let original = original.into_iter();
    Err(LoadError::Refused {
        blame: Blame::Model,
        sources: sources.to_vec(),
        errors: original
            .map(|i| diagnostic(&checks.obligations[i]))
            .collect(),
    })
}

/// Completes a system: every state has a step for every input.
///
/// # Errors
/// If the system cannot be completed, or the budget ends first.
pub(crate) fn completed(
    system: &TransitionSystem,
    budget: &Budget,
) -> Result<TransitionSystem, LoadError> {
    complete(system, budget).map_err(|error| match budget.stopped() {
        Some(stop) => LoadError::Over(stop),
        None => LoadError::Model(format!("--complete: {error}")),
    })
}

fn given_up(budget: &Budget, stop: Stop) -> LoadError {
    match budget.stopped() {
        Some(stop) => LoadError::Over(stop),
        None => LoadError::GivenUp(stop),
    }
}

fn diagnostic(obligation: &Obligation) -> Diagnostic {
    let message = obligation.message.clone();
    let diagnostic = match obligation.span {
        Some((start, end)) => Diagnostic::error(Span::new(start, end), message),
        None => Diagnostic::unlocated(message),
    };
    diagnostic.with_help(match obligation.when {
        When::Always | When::Leaving => {
            "a value must fit for every valuation of the variables, even an unreachable one: \
            guard the expression, or widen the type"
        }
        When::Initially => "the initial value must be well-formed for all inputs: guard the expression, or widen the type",
    })
}
