//! The report of `hyperkill certify` on a folder.

use crate::args::{CertifyArgs, Format};
use crate::certification::Findings;
use crate::documents::{self, CertifyReport, Circuits, ModelDescription};
use crate::exit_code::ExitCode;
use crate::failure::Failure;
use crate::session::Session;
use hyperkill_report::text::certified;

/// The findings of `certify` about a folder.
pub(crate) struct Certified {
    /// The model; `None` if the folder does not name one.
    pub(crate) model: Option<ModelDescription>,
    /// The findings.
    pub(crate) findings: Findings,
    /// The numbers of proofs that were written as circuits and of others; `None` unless the command writes circuits.
    pub(crate) circuits: Option<Circuits>,
    /// Statements of the folder that no evidence covers.
    pub(crate) not_covered: &'static [&'static str],
}

impl Certified {
    /// Returns the report with additional findings.
    pub(super) fn with(self, findings: Findings) -> Certified {
        Certified {
            findings: self.findings.join(findings),
            ..self
        }
    }
}

/// Prints the findings, and returns the exit status.
pub(super) fn report(
    session: &mut Session<'_>,
    args: &CertifyArgs,
    found: Certified,
) -> Result<ExitCode, Failure> {
    let Certified {
        model,
        findings,
        circuits,
        not_covered,
    } = found;
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
        Format::Human => {
            certified::certified(&report, &args.dir.display().to_string(), session.style)
        }
    };
    session.print(text)?;
    Ok(code)
}
