//! `hyperkill verify --totality`: checks whether every reachable state has a successor, and one for every input.

use std::time::Duration;

use hyperkill_frontend::{FrontendOptions, NamePredicate};
use hyperkill_run::reading::ModelSpec;
use hyperkill_verify::totality::{deadlock, decide};

use super::safety::{exit_code, means, print};
use super::whole_model::model_of;
use crate::args::{Format, VerifyArgs};
use crate::documents::SafetyResult;
use crate::documents::build::published_name;
use crate::exit_code::ExitCode;
use crate::failure::Failure;
use crate::languages;
use crate::load;
use crate::model::Loaded;
use crate::session::{Level, Session};

/// Decides whether every reachable state has a successor, and one for every input. Prints the answers, and returns the exit status.
pub(super) fn check_totality(
    session: &mut Session<'_>,
    args: &VerifyArgs,
) -> Result<ExitCode, Failure> {
    if args.explain {
        return Err(Failure::usage(
            "--explain is for formulas and bad states, and not for --totality",
        ));
    }
    let model = model_of(args, &args.file);
    let (system, sources) = load::system(session, &model)?;
    let mut results: Vec<SafetyResult> = Vec::new();
    for answered in decide(&system, &means(session, args))? {
        if let (Some(stuck), Format::Human) = (&answered.stuck, session.format) {
            session.diagnose(&sources, stuck);
        }
        results.push(answered.result);
    }
    print(session, &published_name(&sources[0].name), &results)?;
    let verdicts = results.iter().map(|result| result.verdict);
    Ok(exit_code(session, args, verdicts))
}

/// The time limit for finding a deadlock of the original in a run of mutants.
const ASIDE: Duration = Duration::from_secs(5);

/// Warns if the original has a deadlock that is found within the time limit. Models without constraints, with `--complete` or without a
/// front end are not searched.
pub(super) fn warn_of_deadlock(
    session: &mut Session<'_>,
    spec: &ModelSpec,
    loaded: &Loaded,
) -> Result<(), Failure> {
    let listing = &loaded.listing;
    let frontend = languages::built_in(&listing.description.language);
    let (Some(frontend), Some(options)) = (frontend, &loaded.options) else {
        return Ok(());
    };
    let is_constrained = !loaded.model.is_unconstrained();
    if !is_constrained || spec.options.events.complete || !session.shows(Level::Warning) {
        return Ok(());
    }
    let options = FrontendOptions {
        operators: Some(NamePredicate::new(|_| false)),
        ..options.clone()
    };
    let sources = &listing.sources;
    let translation = frontend.translate(sources, &options);
    let system = translation
        .map_err(|diagnostics| Failure::diagnosed(sources, diagnostics))?
        .system;
    let budget = session.budget().job().within(Some(ASIDE));
    if let Some(diagnostic) = deadlock(&system, &budget) {
        session.warn(sources, &diagnostic);
    }
    Ok(())
}
