//! One module per command. A command takes its arguments and a session, and returns an exit status.

mod again;
mod answers;
mod beyond;
mod certified;
mod certify;
mod check;
mod circuit;
mod completeness;
mod exec;
mod export;
mod formula;
mod formula_subject;
mod list;
mod merge;
mod plan;
mod queries;
mod reference;
mod report;
mod resume;
mod run;
mod run_files;
mod safety;
mod score;
mod show;
mod specs;
mod status;
mod subject;
mod summary;
mod totality;
mod translate;
mod verify;
mod whole_model;

pub(crate) use certify::findings;
pub use resume::Stopped;
pub(crate) use resume::{Found, stopped};

use crate::args::Command;
use crate::exit_code::ExitCode;
use crate::failure::Failure;
use crate::load::is_stdin;
use crate::session::Session;

/// Whether a command with these arguments only prints, so that the process may end at any moment.
fn only_prints(command: &Command) -> bool {
    match command {
        Command::Translate(args) => is_stdin(&args.out),
        Command::Certify(args) => args.hwmcc.is_none(),
        Command::List(args) => args.emit.is_none(),
        Command::Man(args) => args.out.is_none(),
        Command::Show(args) => args.vcd.is_none(),
        Command::Report(args) => args.annotate.is_some(),
        // These commands print or store their decisions before they end after an interrupt.
        Command::Run(_)
        | Command::Resume(_)
        | Command::Merge(_)
        | Command::Plan(_)
        | Command::Submit(_)
        | Command::Check(_)
        | Command::Verify(_)
        | Command::Export(_)
        | Command::Exec(_)
        | Command::Score(_) => false,
        Command::Status(_)
        | Command::Operators(_)
        | Command::Engines
        | Command::Schema(_)
        | Command::Completions(_) => true,
    }
}

/// Runs a command.
///
/// # Errors
/// If the command fails.
pub(crate) fn execute(session: &mut Session<'_>, command: &Command) -> Result<ExitCode, Failure> {
    let _stage = only_prints(command).then(|| session.stage("it was carried out"));
    match command {
        Command::Run(args) => run::run(session, args),
        Command::Resume(args) => resume::resume(session, args),
        Command::Plan(args) => plan::make::plan(session, args),
        Command::Submit(args) => plan::submit::submit(session, args),
        Command::Merge(args) => merge::merge(session, args),
        Command::Translate(args) => translate::translate(session, args),
        Command::Check(args) => check::check(session, args),
        Command::Verify(args) => verify::verify(session, args),
        Command::Certify(args) => certify::execute(session, args),
        Command::Export(args) => export::export(session, args),
        Command::Exec(args) => exec::exec(session, args),
        Command::Score(args) => score::score(session, args),
        Command::List(args) => list::list(session, args),
        Command::Show(args) => show::show(session, args),
        Command::Report(args) => report::report(session, args),
        Command::Status(args) => status::status(session, args),
        Command::Operators(args) => reference::operators(session, args),
        Command::Engines => reference::engines(session),
        Command::Schema(args) => reference::schema(session, args),
        Command::Completions(args) => reference::completions(session, args),
        Command::Man(args) => reference::man(session, args),
    }
}
