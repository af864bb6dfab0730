//! `--accept-file`: accepted mutants that a gate does not count.
//!
//! The file is read first. From then on the mutants are in the options of the command, and a run records them there.

use hyperkill_run::baseline::lines;

use crate::args::Command;
use crate::failure::Failure;
use crate::load::read_bytes;
use crate::session::Session;

/// Replaces the option that names a baseline file by the mutants in the file.
///
/// # Errors
/// If the file cannot be read, or has a line without an id.
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
