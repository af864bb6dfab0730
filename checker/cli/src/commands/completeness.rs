//! `hyperkill verify --suite`: checks whether a suite is complete for a domain of faults.

use std::path::Path;

use hyperkill_audit::own::read_steps;
use hyperkill_core::suite::Step;
use hyperkill_report::text::answers;
use hyperkill_verify::completeness::{self, no_domain};

use super::safety::means;
use super::whole_model::model_of;
use crate::args::{Acceptance, Format, VerifyArgs};
use crate::documents::{self, CompleteWord, Suite};
use crate::exit_code::ExitCode;
use crate::failure::Failure;
use crate::load::{self, Origin};
use crate::run_folder::read_document;
use crate::session::Session;

/// Decides whether the suite in `file` is complete for a domain of faults, prints the answer, and returns the exit status. `--proof` also
/// writes the last query with its refutation.
pub(super) fn check_suite(
    session: &mut Session<'_>,
    args: &VerifyArgs,
    file: &Path,
) -> Result<ExitCode, Failure> {
    if args.explain {
        return Err(Failure::usage(
            "--explain is for formulas and bad states, and not for --suite",
        ));
    }
    let mut model = model_of(args, &args.file);
    model.options.domain = args.domain.clone();
    model.settle();
    let origin = Origin::Places(&model.files);
    let read = load::own(session, &model, origin, &args.selection.operator)?;
    let model = read.ok_or_else(no_domain)?;
    let decider = load::decider(&model)?;
    let suite = completeness::Suite {
        model: &model,
        tests: &tests(file)?,
        decider: decider.as_ref(),
    };
    let means = means(session, args);
    let budget = means.budget.within(means.timeout);
    let answered = suite.decide(args.proof.is_some(), &budget)?;
    if let (Some(folder), Some(proof)) = (&args.proof, &answered.proof) {
        let disk = &session.io.disk;
        disk.make_folder(folder)?;
        disk.write(&folder.join("complete.cnf"), proof.clauses.as_bytes())?;
        disk.write(&folder.join("complete.lrat"), proof.steps.as_bytes())?;
    }
    let report = &answered.report;
    let text = match session.format {
        Format::Json => documents::to_text(report)?,
        Format::Human => answers::completeness(report, &answered.size.rounded, session.style),
    };
    session.print(text)?;
    let accepts = args.limits.accept == Some(Acceptance::Unknown);
    Ok(match report.domain.complete {
        _ if session.is_interrupted() => ExitCode::Interrupted,
        CompleteWord::Proved => ExitCode::Success,
        CompleteWord::Refuted => ExitCode::Failed,
        CompleteWord::Unknown if accepts => ExitCode::Success,
        CompleteWord::Unknown => ExitCode::Undecided,
    })
}

/// Returns the tests of a suite file as lists of steps, in the order of the file.
pub(super) fn tests(file: &Path) -> Result<Vec<Vec<Step>>, Failure> {
    let suite: Suite = read_document(file)?;
    let tests = suite.tests.iter().map(|test| {
        read_steps(&test.steps).map_err(|what| {
            let (file, test) = (file.display(), &test.id);
            Failure::usage(format!("{file}: {test} is no test: {what}"))
        })
    });
    tests.collect()
}
