//! What engines say of a model while it is read. `certify` does not ask them: runs keep evidence of it.

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

/// Which mutants are models; `None` if all are, or if the time was over in a circuit's case.
///
/// # Errors
/// If the original is no model: its constraints may contradict each other, and every mutant of such a model would be equivalent.
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
    // What of this could not be finished is not known.
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

/// A first step of the original; `None` if every state and input is one, or if the time was over.
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
            "the model has no run: its constraints do not all hold in any initial state, whatever the inputs".to_owned(),
        )),
        Err(_) => Ok(None),
    }
}

/// Which mutants break which obligation.
///
/// # Errors
/// If the original breaks one.
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

/// The system with steps for all inputs.
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
            "a value must fit for all values of all variables, reachable or not, whatever their own assignments are: \
            guard the expression, or widen the type"
        }
        When::Initially => "the initial value must be well-formed for all inputs: guard the expression, or widen the type",
    })
}
