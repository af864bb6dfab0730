//! What `hyperkill certify` says of a folder.

use hyperkill_frontend::counted;

use crate::args::{CertifyArgs, Format};
use crate::certification::Findings;
use crate::documents::{self, CertifyReport, Circuits, Fault, ModelDescription};
use crate::exit_code::ExitCode;
use crate::failure::Failure;
use crate::session::Session;
use hyperkill_report::text::{Align, Style, Table};

/// The findings of `certify` about a folder.
pub(crate) struct Certified {
    /// The model, as far as the folder names it.
    pub(crate) model: Option<ModelDescription>,
    /// The findings.
    pub(crate) findings: Findings,
    /// Proofs as circuits, if they were written.
    pub(crate) circuits: Option<Circuits>,
    /// Statements of the folder that no evidence covers.
    pub(crate) not_covered: &'static [&'static str],
}

impl Certified {
    /// The same with more findings.
    pub(super) fn with(self, findings: Findings) -> Certified {
        Certified {
            findings: self.findings.join(findings),
            ..self
        }
    }
}

/// Prints the findings.
pub(super) fn report(
    session: &mut Session<'_>,
    args: &CertifyArgs,
    certified: Certified,
) -> Result<ExitCode, Failure> {
    let Certified {
        model,
        findings,
        circuits,
        not_covered,
    } = certified;
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
        not_covered: not_covered.iter().map(|&what| what.to_owned()).collect(),
        circuits,
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
        let written = counted(written, "proof");
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
