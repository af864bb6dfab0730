//! `hyperkill report`: writes the results of a run for readers and for other programs.

use std::collections::BTreeMap;
use std::path::Path;

use hyperkill_report::{Findings, annotations, junit, page, seconds, sources, stryker};

use crate::args::{AnnotationChoice, ReportArgs};
use crate::documents::{self, Asked, LockState, MutantTable, Run, Suite, Timings};
use crate::exit_code::ExitCode;
use crate::failure::Failure;
use crate::run_folder::{
    self, ASKED, OUTCOMES, REPORT as PAGE, SUITE, TIMINGS, kept, read_versioned,
};
use crate::session::{Level, Session};
use hyperkill_run::asked::VERSION;
use hyperkill_run::baseline::Baseline;
use hyperkill_run::stored_run::results_so_far;

/// The file for the mutation testing report.
const REPORT: &str = "report.json";
/// The file for the results in JUnit form.
const JUNIT: &str = "junit.xml";

/// Writes the results of a run in the requested form.
pub(super) fn report(session: &mut Session<'_>, args: &ReportArgs) -> Result<ExitCode, Failure> {
    let table: MutantTable = run_folder::run_in(&args.dir).mutants()?;
    let (decided, state) = run_folder::run_in(&args.dir).so_far()?;
    let results = results_so_far(&table, decided, state);
    let is_over = matches!(state, LockState::Finished | LockState::Interrupted);
    let outcomes: Option<Run> = document(&args.dir, OUTCOMES, Run::SCHEMA, is_over)?;
    let suite: Option<Suite> = document(&args.dir, SUITE, Suite::SCHEMA, is_over)?;
    let timings: Option<Timings> = document(&args.dir, TIMINGS, Timings::SCHEMA, is_over)?;
    let sources = match &table.reading {
        Some(reading) => sources(reading, |name, expected| copy(&args.dir, name, expected))?,
        None => Vec::new(),
    };
    let asked: Option<Asked> = document(&args.dir, ASKED, Asked::SCHEMA, true)?;
    let baseline = asked.map_or_else(Baseline::default, |asked| Baseline::asked(&asked.options));
    let findings = Findings {
        table: &table,
        results: &results,
        by_operator: outcomes.as_ref().and_then(|run| run.by_operator.as_deref()),
        suite: suite.as_ref().map(|suite| suite.tests.as_slice()),
        asked: outcomes
            .as_ref()
            .map(|run| (&*run.property, &*run.original)),
        accepted: baseline.reasons(),
        seconds: timings.as_ref().map_or_else(BTreeMap::new, seconds),
        timings: timings.as_ref(),
        sources: &sources,
        state,
        version: VERSION,
    };
    match args.annotate {
        Some(choice) => session.print(annotated(&findings, choice)?)?,
        None => write(session, &findings, &args.out)?,
    }
    Ok(ExitCode::Success)
}

fn annotated(findings: &Findings<'_>, choice: AnnotationChoice) -> Result<String, Failure> {
    Ok(match choice {
        AnnotationChoice::Github => annotations::github(findings),
        AnnotationChoice::Gitlab => annotations::gitlab(findings)?,
        AnnotationChoice::Sarif => annotations::sarif(findings)?,
    })
}

fn write(session: &mut Session<'_>, findings: &Findings<'_>, out: &Path) -> Result<(), Failure> {
    let files = [
        (PAGE, page::page(findings)?),
        (REPORT, documents::to_text(&stryker::report(findings))?),
        (JUNIT, junit::junit(findings)),
    ];
    let disk = session.io.disk.clone();
    disk.make_folder(out)?;
    for (name, text) in files {
        let place = out.join(name);
        disk.write(&place, text.as_bytes())?;
        session.say(Level::Note, format!("{} written", place.display()));
    }
    Ok(())
}

/// Returns the document `name` of a run; `None` if it does not exist, or the run goes on (not `is_over`).
fn document<T: serde::de::DeserializeOwned>(
    dir: &Path,
    name: &str,
    schema: &str,
    is_over: bool,
) -> Result<Option<T>, Failure> {
    let path = dir.join(name);
    match is_over && path.is_file() {
        true => Ok(Some(read_versioned(&path, schema)?)),
        false => Ok(None),
    }
}

/// Returns the run's copy of a file, after a check of its digest.
pub(super) fn copy(dir: &Path, name: &str, expected: &str) -> Result<Vec<u8>, Failure> {
    let (bytes, found) = kept(dir, name)?;
    match found == expected {
        true => Ok(bytes),
        false => {
            let place = dir.join(name);
            let error = anyhow::anyhow!("{} has changed since the run read it", place.display());
            Err(Failure::message(ExitCode::Evidence, error))
        }
    }
}
