//! `hyperkill status` of a plan.

use std::path::Path;

use hyperkill_report::text::plan::progress;
use hyperkill_run::plan;

use super::folder::PlanFolder;
use crate::args::Format;
use crate::documents;
use crate::exit_code::ExitCode;
use crate::failure::Failure;
use crate::session::Session;

/// Prints the progress of the plan in `dir`, and returns the exit status.
pub(in crate::commands) fn status(
    session: &mut Session<'_>,
    dir: &Path,
) -> Result<ExitCode, Failure> {
    let (status, journal) = plan::state::status(&*PlanFolder::read(dir)?)?;
    let text = match session.format {
        Format::Json => documents::to_text(&status)?,
        Format::Human => {
            let dir = dir.display().to_string();
            progress(&status, &journal, &dir, session.style)
        }
    };
    session.print(text)?;
    Ok(ExitCode::Success)
}
