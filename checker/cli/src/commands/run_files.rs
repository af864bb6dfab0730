//! Entering and leaving run folders.

use std::path::Path;

use crate::documents::LockState;
use crate::exit_code::ExitCode;
use crate::failure::Failure;
use crate::run_folder::RunFolder;
use crate::session::{Level, Session};
use crate::terminal::harmless;
use hyperkill_report::text::Style;

/// Does `work`, then always writes the log and the final state of the run into the folder.
pub(super) fn in_folder<'io, T>(
    session: &mut Session<'io>,
    mut folder: Option<&mut RunFolder>,
    work: impl FnOnce(&mut Session<'io>, Option<&mut RunFolder>) -> Result<T, Failure>,
) -> Result<T, Failure> {
    let result = work(session, folder.as_deref_mut());
    if let Some(folder) = folder {
        let why = result.as_ref().err().map(reason);
        if let Some(why) = &why {
            session.log_only(why);
        }
        let logged = folder.append_log(&session.take_log());
        // The first failure is the cause, so it is reported.
        let result = match (result, logged) {
            (Ok(_), Err(error)) => Err(Failure::from(error)),
            (result, _) => result,
        };
        let (state, why) = match &result {
            Err(failure) if failure.code() == ExitCode::Interrupted => {
                (LockState::Interrupted, None)
            }
            Err(failure) => (LockState::Failed, why.or_else(|| Some(reason(failure)))),
            Ok(_) if session.is_interrupted() => (LockState::Interrupted, None),
            Ok(_) => (LockState::Finished, None),
        };
        return match (result, folder.finish(state, why)) {
            (Ok(_), Err(error)) => Err(error.into()),
            (Err(failure), Err(error)) => {
                session.say(Level::Warning, format!("{error:#}"));
                Err(failure)
            }
            (result, Ok(())) => result,
        };
    }
    result
}

/// Returns a failure as text with advice, without colours, control characters and `error:`.
pub(super) fn reason(failure: &Failure) -> String {
    let text = crate::diagnostics::failure(failure, Style::new(false));
    let text = text.trim_end();
    harmless(text.strip_prefix("error: ").unwrap_or(text))
}

/// Locks a run folder for a new run, and prints a note on files there that no run wrote, which are kept.
pub(super) fn take(session: &mut Session<'_>, path: &Path) -> Result<RunFolder, Failure> {
    let folder = RunFolder::create(&session.io.disk, path)?;
    if let [first, rest @ ..] = folder.strangers() {
        let more = match rest.len() {
            0 => String::new(),
            count => format!(" and {count} more"),
        };
        let text = format!(
            "{}: kept, since no run wrote it: {}{more}",
            path.display(),
            first.display()
        );
        session.say(Level::Note, text);
    }
    Ok(folder)
}
