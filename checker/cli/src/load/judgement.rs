//! What engines say of a model while it is read. `certify` does not ask them: runs keep evidence of it.

use hyperkill_checker::existence::{beginnings, first_step};
use hyperkill_checker::totality::complete;
use hyperkill_checker::validity;
use hyperkill_core::SelectorId;
use hyperkill_core::budget::Stop;
use hyperkill_core::system::{Obligation, TransitionSystem, When};
use hyperkill_evidence::validity::{Beginning, Breach, Validity};
use hyperkill_frontend::{Diagnostic, SourceFile, Span};

use crate::exit_code::ExitCode;
use crate::failure::Failure;
use crate::model::{Checks, Draft};
use crate::session::Session;

/// Which mutants are models; `None` if all are, or if the time was over in a circuit's case.
///
/// # Errors
/// If the original is no model: its constraints may contradict each other, and every mutant of such a model would be equivalent.
pub(super) fn judge(session: &Session<'_>, draft: &Draft) -> Result<Option<Validity>, Failure> {
    if !draft.can_fail() {
        return Ok(None);
    }
    let Some(checks) = &draft.checks else {
        let first = begins(session, draft)?;
        return Ok(first.map(|first| Validity {
            beginnings: vec![first],
            ..Validity::default()
        }));
    };
    let breaches = breaches(session, checks, &draft.loaded.listing.sources)?;
    let mut shown = Validity {
        breaches,
        ..Validity::default()
    };
    let first = begins(session, draft)?;
    // What of this could not be finished is not known.
    if let Some(over) = session.over() {
        return Err(over);
    }
    if let Some(first) = first {
        let model = draft.model();
        let broken = shown.broken(model.selectors.len());
        let mutants = model.selector_ids();
        let others = mutants.filter(|mutant| broken[mutant.0].is_none());
        let others: Vec<SelectorId> = others.collect();
        (shown.beginnings, shown.without) =
            beginnings(model, &others, first.run, &session.budget())
                .map_err(|stop| given_up(session, stop))?;
    }
    Ok(Some(shown))
}

/// A first step of the original; `None` if every state and input is one, or if the time was over.
fn begins(session: &Session<'_>, draft: &Draft) -> Result<Option<Beginning>, Failure> {
    let model = draft.model();
    if model.is_unconstrained() {
        return Ok(None);
    }
    match first_step(model, &session.budget()) {
        Ok(Some(run)) => Ok(Some(Beginning {
            run,
            original: true,
            mutants: Vec::new(),
        })),
        Ok(None) => Err(Failure::model(
            "the model has no run: its constraints do not all hold in any initial state, whatever the inputs",
        )),
        Err(_) => Ok(None),
    }
}

/// Which mutants break which obligation.
///
/// # Errors
/// If the original breaks one.
pub(super) fn breaches(
    session: &Session<'_>,
    checks: &Checks,
    sources: &[SourceFile],
) -> Result<Vec<Breach>, Failure> {
    let found = validity::breaches(&checks.circuit, &checks.conditions, &session.budget());
    let (original, breaches) = found.map_err(|stop| given_up(session, stop))?;
    if original.is_empty() {
        return Ok(breaches);
    }
    Err(Failure::Model {
        code: ExitCode::InvalidModel,
        sources: sources.to_vec(),
        diagnostics: original
            .into_iter()
            .map(|i| diagnostic(&checks.obligations[i]))
            .collect(),
    })
}

/// The system with steps for all inputs.
pub(super) fn completed(
    session: &Session<'_>,
    system: &TransitionSystem,
) -> Result<TransitionSystem, Failure> {
    complete(system, &session.budget()).map_err(|error| {
        let over = session.over();
        over.unwrap_or_else(|| Failure::model(format!("--complete: {error}")))
    })
}

fn given_up(session: &Session<'_>, stop: Stop) -> Failure {
    session.over().unwrap_or_else(|| {
        let error = anyhow::anyhow!("the well-formedness check gave up without a limit: {stop:?}");
        Failure::message(ExitCode::Internal, error)
    })
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
