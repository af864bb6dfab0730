//! One module per command. A command takes its arguments and a session and says how it ended.

mod certify;
mod check;
mod export;
mod formula;
mod list;
mod reference;
mod run;
mod safety;
mod show;
mod specs;
mod status;
mod totality;
mod translate;
mod written;

pub(crate) use written::{diff, readable, stimulus};

use crate::args::Command;
use crate::exit_code::ExitCode;
use crate::failure::Failure;
use crate::session::Session;

/// Carries a command out.
///
/// # Errors
/// If it could not do its work.
pub(crate) fn execute(session: &mut Session<'_>, command: &Command) -> Result<ExitCode, Failure> {
    match command {
        Command::Run(args) => run::run(session, args),
        Command::Translate(args) => translate::translate(session, args),
        Command::Check(args) => check::check(session, args),
        Command::Certify(args) => certify::execute(session, args),
        Command::Export(args) => export::export(session, args),
        Command::List(args) => list::list(session, args),
        Command::Show(args) => show::show(session, args),
        Command::Status(args) => status::status(session, args),
        Command::Operators(args) => reference::operators(session, args),
        Command::Engines => reference::engines(session),
        Command::Schema(args) => reference::schema(session, args),
        Command::Completions(args) => reference::completions(session, args),
    }
}
