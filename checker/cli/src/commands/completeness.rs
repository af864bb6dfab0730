//! `hyperkill verify --suite`: whether tests tell every mutant of a domain of faults that can be told.

use std::path::Path;

use hyperkill_audit::own::read_steps;
use hyperkill_core::suite::Step;
use hyperkill_frontend::counted;
use hyperkill_frontend::decision::Refutation;
use hyperkill_frontend::domain::{Completeness, DomainSize, Survivor};
use hyperkill_run::language::OwnModel;
use hyperkill_run::own::Procedures;
use hyperkill_run::own::domain::{Refuted, unproved};

use super::whole_model::model_of;
use crate::args::{Acceptance, Format, VerifyArgs};
use crate::decision::budget;
use crate::documents::build::steps;
use crate::documents::{self, CompleteWord, CompletenessReport, Suite, SurvivorResult, Valuation};
use crate::exit_code::ExitCode;
use crate::failure::Failure;
use crate::files::Disk;
use crate::load::{self, Origin};
use crate::run_folder::read_document;
use crate::session::Session;
use hyperkill_report::text::test_table;

/// Carries it out.
pub(super) fn check_suite(
    session: &mut Session<'_>,
    args: &VerifyArgs,
    file: &Path,
) -> Result<ExitCode, Failure> {
    if args.explain {
        return Err(Failure::usage(
            "--explain says how formulas and bad states are decided, and nothing of --suite",
        ));
    }
    let mut model = model_of(args, &args.file);
    model.options.domain = args.domain.clone();
    model.settle();
    let origin = Origin::Places(&model.files);
    let read = load::own(session, &model, origin, &args.selection.operator)?;
    let model = read.ok_or_else(no_domain)?;
    let tests = tests(file)?;
    let (size, found) = decided(session, args, &model, &tests)?;
    let report = report(&model, tests.len(), size.clone(), found);
    let text = match session.format {
        Format::Json => documents::to_text(&report)?,
        Format::Human => page(session, &report, &size),
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

/// The tests of a suite in a file.
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

pub(super) fn no_domain() -> Failure {
    Failure::usage("--suite is for languages with domains of faults, such as timed-fsm")
}

/// What the language says of the tests; a proof is checked by its second procedure.
fn decided(
    session: &mut Session<'_>,
    args: &VerifyArgs,
    model: &OwnModel,
    tests: &[Vec<Step>],
) -> Result<(DomainSize, Completeness), Failure> {
    let decider = load::decider(model)?;
    let rechecker = &model.rechecker;
    let budget = budget(session, &args.limits).within(args.limits.timeout.0);
    let domain = decider.domain().ok_or_else(no_domain)?;
    let size = domain.size();
    let Some(found) = domain.completeness(tests, &budget) else {
        return Err(Failure::usage(
            "these are no tests of the model: it does not answer as they expect",
        ));
    };
    let checks = rechecker.domain().ok_or_else(no_domain)?;
    let checked = match &found {
        Completeness::Open(_) => return Ok((size, found)),
        Completeness::Complete { classes, proof } => {
            let checked = checks.recheck_complete(tests, proof, &budget);
            if let (Ok(_), Some(folder)) = (&checked, &args.proof) {
                let both = Procedures {
                    language: model.language,
                    decider: decider.as_ref(),
                    rechecker: rechecker.as_ref(),
                };
                let refuted = both.refuted(tests, proof, &budget)?;
                let refuted = refuted.map_err(|reason| {
                    Failure::usage(format!("--proof: no proof was found ({reason})"))
                })?;
                write_proof(&session.io.disk, folder, &refuted)?;
            }
            checked.map(|checked| checked == *classes)
        }
        Completeness::Survivor {
            choices,
            test,
            mutant,
        } => {
            let survivor = Survivor {
                choices,
                test,
                mutant,
            };
            checks.recheck_survivor(tests, survivor).map(|()| true)
        }
    };
    match checked {
        Ok(true) => Ok((size, found)),
        Err(Refutation::Stopped(stop)) => Ok((size, Completeness::Open(stop))),
        Ok(false) | Err(Refutation::Wrong(_)) => {
            let error = anyhow::anyhow!("what was found out about the suite does not check");
            Err(Failure::message(ExitCode::Evidence, error)
                .with_help("this is a bug in hyperkill; please report it with the model"))
        }
    }
}

/// Writes down a question and the proof of its answer.
fn write_proof(disk: &Disk, folder: &Path, refuted: &Refuted) -> Result<(), Failure> {
    disk.make_folder(folder)?;
    disk.write(&folder.join("complete.cnf"), refuted.clauses.as_bytes())?;
    disk.write(&folder.join("complete.lrat"), refuted.steps.as_bytes())?;
    Ok(())
}

fn report(
    model: &OwnModel,
    tests: usize,
    size: DomainSize,
    found: Completeness,
) -> CompletenessReport {
    let mut domain = unproved(&size);
    let mut survivor = None;
    match found {
        Completeness::Complete { classes, .. } => {
            domain.complete = CompleteWord::Proved;
            domain.classes = Some(classes);
        }
        Completeness::Survivor { choices, test, .. } => {
            domain.complete = CompleteWord::Refuted;
            survivor = Some(SurvivorResult {
                choices,
                test: steps(test),
            });
        }
        Completeness::Open(stop) => {
            domain.reason = Some(hyperkill_core::verdict::Reason::from(stop).to_string());
        }
    }
    CompletenessReport {
        schema: CompletenessReport::SCHEMA.to_owned(),
        model: model.listing.description.clone(),
        tests,
        domain,
        survivor,
    }
}

fn page(session: &Session<'_>, report: &CompletenessReport, size: &DomainSize) -> String {
    let style = session.style;
    let title = format!(
        "{}: {}, {} mutants with any of these faults",
        report.model.name,
        counted(report.tests, "test"),
        size.rounded
    );
    let title = style.bold(&title);
    let domain = &report.domain;
    let said = match domain.complete {
        CompleteWord::Proved => style.green("proved"),
        CompleteWord::Refuted => style.red("a mutant passes all of them"),
        CompleteWord::Unknown => {
            let reason = domain.reason.as_deref().unwrap_or("engines");
            style.yellow(&format!("unknown ({reason})"))
        }
    };
    let mut text = format!("{title}\n\n  {}  {said}\n", style.bold("complete"));
    if let Some(survivor) = &report.survivor {
        text.push('\n');
        for choice in &survivor.choices {
            text.push_str(&format!("  {choice}\n"));
        }
        let initial = Valuation::default();
        let needed = test_table::test(&initial, &survivor.test, None, &[], style);
        text.push_str(&format!("\n{}\n{needed}", style.bold("the test it needs")));
    }
    text
}
