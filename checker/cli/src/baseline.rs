//! `--accept-file`: mutants that a team knows of and has accepted, so that a gate is about all others.
//!
//! The file is read before anything else is done; everything behind, what a run writes down too, knows the mutants in it.

use hyperkill_run::baseline::lines;

use crate::args::Command;
use crate::failure::Failure;
use crate::load::read_bytes;
use crate::session::Session;

/// Puts the mutants of a baseline in the place of the option that names its file.
///
/// # Errors
/// If the file cannot be read, or names something that is no id.
pub(crate) fn resolve(session: &mut Session<'_>, command: &mut Command) -> Result<(), Failure> {
    let decision = match command {
        Command::Run(args) => &mut args.decision,
        Command::Check(args) => &mut args.decision,
        _ => return Ok(()),
    };
    let Some(file) = decision.accept_file.take() else {
        return Ok(());
    };
    let bytes = read_bytes(session.io, &file)?;
    let text = String::from_utf8_lossy(&bytes);
    decision.accept_mutant = lines(&text).map_err(|number| {
        let file = file.display();
        Failure::usage(format!("{file}:{number}: a mutant is named twice"))
    })?;
    Ok(())
}
