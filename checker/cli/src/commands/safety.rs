//! `hyperkill verify` without a formula: checks whether a bad state is reachable.

use hyperkill_checker::external::External;
use hyperkill_report::text::answers;
use hyperkill_verify::explain;
use hyperkill_verify::means::Means;
use hyperkill_verify::safety::{Deciding, Keep, options, properties, warning};

use crate::args::{Acceptance, Format, VerifyArgs};
use crate::decision::{budget, pool};
use crate::documents::{self, CheckReport, SafetyReport, SafetyResult, TruthWord};
use crate::exit_code::ExitCode;
use crate::external;
use crate::failure::Failure;
use crate::model::Loaded;
use crate::session::{Level, Session};

/// Returns the engines and limits that options select.
pub(super) fn means(session: &Session<'_>, args: &VerifyArgs) -> Means {
    let limits = &args.limits;
    Means {
        bound: limits.bound,
        engines: limits.engine.own,
        timeout: limits.timeout.0,
        timings: limits.timings,
        budget: budget(session, limits),
    }
}

/// Decides the bad states of a circuit and prints the answers, and returns the exit status. With `--explain`, prints the schedule instead.
/// `unchecked` are properties without an answer, which are reported with the others.
pub(super) fn check_safety(
    session: &mut Session<'_>,
    args: &VerifyArgs,
    loaded: &Loaded,
    unchecked: Vec<SafetyResult>,
) -> Result<ExitCode, Failure> {
    let asked = properties(&loaded.model);
    if let Some(warning) = warning(&asked) {
        session.say(Level::Warning, warning);
    }
    if let Some(folder) = args.witness.as_ref().filter(|_| !args.explain) {
        session.io.disk.make_folder(folder)?;
    }
    let programs: Option<External> = external::programs(session, &args.limits, &args.external)?;
    let means = means(session, args);
    let options = options(&means);
    if args.explain {
        let others = programs.is_some();
        session.print(explain::safety(&asked, &options, others, session.style))?;
        return Ok(ExitCode::Success);
    }
    let disk = session.io.disk.clone();
    let keep = args.witness.as_ref().map(|folder| {
        move |name: &str, bytes: &[u8]| {
            let path = folder.join(name);
            disk.write(&path, bytes)
                .map_err(|error| hyperkill_run::folder::Unwritable(error.into()))?;
            Ok(path.to_string_lossy().into_owned())
        }
    });
    let deciding = Deciding {
        model: &loaded.model,
        means: &means,
        options,
        programs,
        keep: keep.as_ref().map(|keep| keep as &Keep<'_>),
        with_traces: args.specs,
    };
    let mut results = deciding.decide_all(&asked, &pool(session.jobs)?)?;
    results.extend(unchecked);
    for result in &results {
        for note in &result.notes {
            session.say(Level::Note, format!("{}: {note}", result.property));
        }
    }
    print(session, &loaded.listing.description.name, &results)?;
    Ok(exit_code(
        session,
        args,
        results.iter().map(|result| result.verdict),
    ))
}

/// Returns the exit status for answers, the first that applies: interrupted, one fails, one is unknown and not accepted, success.
pub(super) fn exit_code(
    session: &Session<'_>,
    args: &VerifyArgs,
    mut answers: impl Iterator<Item = TruthWord> + Clone,
) -> ExitCode {
    let accepts = args.limits.accept == Some(Acceptance::Unknown);
    if session.is_interrupted() {
        ExitCode::Interrupted
    } else if answers.clone().any(|word| word == TruthWord::Fails) {
        ExitCode::Failed
    } else if answers.any(|word| word == TruthWord::Unknown) && !accepts {
        ExitCode::Undecided
    } else {
        ExitCode::Success
    }
}

pub(super) fn print(
    session: &mut Session<'_>,
    model: &str,
    results: &[SafetyResult],
) -> Result<(), Failure> {
    let text = match session.format {
        Format::Json => documents::to_text(&SafetyReport {
            schema: CheckReport::SCHEMA.to_owned(),
            model: model.to_owned(),
            seed: session.seed,
            results: results.to_vec(),
        })?,
        Format::Human => answers::properties(results, session.style),
    };
    session.print(text)
}
