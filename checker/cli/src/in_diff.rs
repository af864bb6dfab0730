//! `--in-diff`: translates the lines that a difference changes to lines of files, in the form of `--file`.
//!
//! The translation precedes all other work. Selections and the documents of a run therefore contain only lines of files.

use std::ffi::OsString;
use std::path::Path;
use std::time::Duration;

use hyperkill_run::changed_lines::changed_lines;
use hyperkill_run::selection::Lines;

use crate::args::Command;
use crate::children::{self, Job};
use crate::external::{MEMORY, on_path};
use crate::failure::Failure;
use crate::load::{is_stdin, read_bytes};
use crate::session::Session;

/// Limit on the time of one call of git. A difference normally takes seconds, also in a large repository.
const MOST_TIME: Duration = Duration::from_secs(60);

/// Replaces the option `--in-diff` of a command by the changed lines.
///
/// # Errors
/// If the argument is neither a readable file nor a revision that git knows.
pub(crate) fn resolve(session: &mut Session<'_>, command: &mut Command) -> Result<(), Failure> {
    let selection = match command {
        Command::Run(args) => &mut args.selection,
        Command::Plan(args) => &mut args.run.selection,
        Command::List(args) => &mut args.selection,
        Command::Check(args) => &mut args.selection,
        Command::Verify(args) => &mut args.selection,
        _ => return Ok(()),
    };
    let Some(named) = selection.in_diff.take() else {
        return Ok(());
    };
    let difference = difference(session, &named)?;
    let changed = changed_lines(&difference).ok_or_else(|| {
        Failure::usage(format!("--in-diff {named}: the file is not a difference"))
            .with_help("give the output of `git diff` or `diff -u`")
    })?;
    selection.lines = changed;
    if selection.lines.is_empty() {
        // No file has this name, so that a difference without changed lines selects no mutant.
        selection.lines.push(Lines {
            file: String::new(),
            lines: None,
        });
    }
    Ok(())
}

/// Returns the text of a difference: the contents of the file `named` or of standard input, or the output of `git diff` since that
/// revision.
fn difference(session: &mut Session<'_>, named: &str) -> Result<String, Failure> {
    let file = Path::new(named);
    let bytes = match is_stdin(file) || file.is_file() {
        true => read_bytes(session.io, file)?,
        false => since(session, named)?,
    };
    Ok(String::from_utf8_lossy(&bytes).into_owned())
}

/// Returns the output of `git diff` for the changes below the working directory since a revision.
fn since(session: &Session<'_>, revision: &str) -> Result<Vec<u8>, Failure> {
    let wrong = |why: String| {
        Failure::usage(format!("--in-diff {revision}: {why}"))
            .with_help("name a file with a difference, or a revision of this git repository")
    };
    if revision.starts_with('-') {
        return Err(wrong("git knows no such revision".to_owned()));
    }
    let Some(git) = on_path(&["git"]) else {
        return Err(wrong(
            "there is no such file, and git is not on the path".to_owned(),
        ));
    };
    // These options keep git from starting programs that the configuration of the repository names.
    let options = [
        "diff",
        "--unified=0",
        "--no-color",
        "--no-ext-diff",
        "--no-textconv",
        "--relative",
        revision,
        "--",
    ];
    let words: Vec<OsString> = std::iter::once(git.into_os_string())
        .chain(options.iter().map(OsString::from))
        .collect();
    let budget = session.budget().within(Some(MOST_TIME));
    let ended = children::run(&Job {
        words: &words,
        folder: None,
        input: None,
        memory: MEMORY,
        budget: &budget,
    });
    let ended = ended.map_err(|trouble| wrong(format!("git {trouble}")))?;
    match ended.status.success() {
        true => Ok(ended.stdout),
        false => Err(wrong(format!("git: {}", ended.describe()))),
    }
}
