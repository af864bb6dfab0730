//! `hyperkill certify`: all evidence of a run, checked again from the model file.

use std::fs;

use anyhow::Context;

use super::status::mutants;
use crate::args::{CertifyArgs, Format};
use crate::certifying::{Findings, Folder, NOT_COVERED, certify};
use crate::deciding::pool;
use crate::documents::{self, CertifyReport, Circuits, Fault, ModelDescription};
use crate::exit_code::ExitCode;
use crate::failure::Failure;
use crate::load::{Recorded, load_from};
use crate::render::{Align, Style, Table, results::plural};
use crate::run_folder;
use crate::session::Session;

/// Carries it out.
pub(super) fn execute(session: &mut Session<'_>, args: &CertifyArgs) -> Result<ExitCode, Failure> {
    let folder = match Folder::read(&args.dir) {
        Ok(Ok(folder)) => folder,
        Ok(Err(findings)) => return report(session, args, None, findings),
        Err(failure) => {
            // Where there is no run at all, every command says so alike.
            mutants(&args.dir)?;
            return Err(failure);
        }
    };
    // How the model was read is in that document.
    let mut faults = folder.files.faults.iter();
    if faults.any(|fault| fault.place == run_folder::MUTANTS) {
        let model = folder.table.model.clone();
        return report(session, args, Some(model), folder.files);
    }
    let table = &folder.table;
    let recorded = Recorded::of(&table.model, table.reading.as_ref(), &args.dir, &args.model)?;
    recorded.is_unchanged()?;
    let loaded = load_from(
        session,
        &recorded.args,
        &recorded.places,
        &recorded.operators,
    )?;
    let budget = session.budget();
    if let Some(place) = &args.hwmcc {
        fs::create_dir_all(place).with_context(|| format!("{} cannot be made", place.display()))?;
    }
    let circuits = args.hwmcc.as_deref();
    let findings = pool(session.jobs)?
        .install(|| certify(&loaded, &folder, args.timeout.0, circuits, &budget))?;
    let model = folder.table.model.clone();
    let findings = folder.files.join(findings);
    report(session, args, Some(model), findings)
}

fn report(
    session: &mut Session<'_>,
    args: &CertifyArgs,
    model: Option<ModelDescription>,
    findings: Findings,
) -> Result<ExitCode, Failure> {
    let code = if !findings.faults.is_empty() {
        ExitCode::Evidence
    } else if session.is_interrupted() {
        ExitCode::Interrupted
    } else if !findings.open.is_empty() {
        ExitCode::Undecided
    } else {
        ExitCode::Success
    };
    let report = CertifyReport {
        schema: CertifyReport::SCHEMA.to_owned(),
        model,
        checked: findings.checked(),
        faults: findings.faults,
        open: findings.open,
        not_covered: NOT_COVERED.map(str::to_owned).to_vec(),
        circuits: findings.circuits,
    };
    let text = match session.format {
        Format::Json => documents::to_text(&report)?,
        Format::Human => page(&report, &args.dir.display().to_string(), session.style),
    };
    session.print(text)?;
    Ok(code)
}

/// The report for people.
fn page(report: &CertifyReport, dir: &str, style: Style) -> String {
    let model = report
        .model
        .as_ref()
        .map_or("unknown model", |model| &model.name);
    let mut text = format!("{}\n\n", style.bold(&format!("{dir}: {model}")));
    let mut table = Table::new([Align::Left, Align::Right, Align::Left]).indented(2);
    for checked in &report.checked {
        table.row([
            checked.what.clone(),
            checked.count.to_string(),
            style.dim(&checked.how),
        ]);
    }
    text.push_str(&table.to_string());
    let list = |text: &mut String, title: String, faults: &[Fault]| {
        if !faults.is_empty() {
            text.push_str(&format!("\n{title}\n"));
            for fault in faults {
                text.push_str(&format!("  {}: {}\n", fault.place, fault.what));
            }
        }
    };
    list(&mut text, style.red("does not check"), &report.faults);
    list(&mut text, style.yellow("not checked"), &report.open);
    if let Some(Circuits { written, other }) = report.circuits {
        let written = plural(written, "proof");
        text.push_str(&format!(
            "\n  {written} written as circuits; {other} of another form\n"
        ));
    }
    if report.faults.is_empty() && report.open.is_empty() {
        text.push_str(&format!("\n  {}\n", style.green("all evidence checks")));
    }
    text.push_str("\n  not covered, since no evidence of it is kept\n");
    for what in &report.not_covered {
        text.push_str(&format!("    {}\n", style.dim(what)));
    }
    text
}
