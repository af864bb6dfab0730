//! `--in-diff`: the lines that a difference changes, as lines of files like those that `--file` names.
//!
//! They are found before anything else is done, so that everything behind, what a run writes down too, knows lines only.

use std::ffi::OsString;
use std::path::Path;
use std::time::Duration;

use hyperkill_run::selection::Lines;

use crate::args::Command;
use crate::children::{self, Job};
use crate::external::{MEMORY, on_path};
use crate::failure::Failure;
use crate::load::{is_stdin, read_bytes};
use crate::session::Session;

/// How long git may take.
const MOST_TIME: Duration = Duration::from_secs(60);

/// Puts the lines of a difference in the place of the option that names it.
///
/// # Errors
/// If there is no such difference.
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
        Failure::usage(format!("--in-diff {named}: this is no difference of texts"))
            .with_help("`git diff` and `diff -u` write such")
    })?;
    selection.lines = changed;
    if selection.lines.is_empty() {
        // No file is called so: nothing is selected.
        selection.lines.push(Lines {
            file: String::new(),
            lines: None,
        });
    }
    let asked = &mut session.asked;
    asked.retain(|option| !option.starts_with("--in-diff="));
    asked.extend(
        selection
            .lines
            .iter()
            .map(|lines| format!("--file={lines}")),
    );
    asked.sort_unstable();
    Ok(())
}

/// The text of a difference: what a file holds, or what has changed since a revision.
fn difference(session: &mut Session<'_>, named: &str) -> Result<String, Failure> {
    let file = Path::new(named);
    let bytes = match is_stdin(file) || file.is_file() {
        true => read_bytes(session.io, file)?,
        false => since(session, named)?,
    };
    Ok(String::from_utf8_lossy(&bytes).into_owned())
}

/// What git says has changed below this folder since a revision.
fn since(session: &Session<'_>, revision: &str) -> Result<Vec<u8>, Failure> {
    let wrong = |why: String| {
        Failure::usage(format!("--in-diff {revision}: {why}"))
            .with_help("name a file with a difference, or a revision that git knows here")
    };
    if revision.starts_with('-') {
        return Err(wrong("this is no revision".to_owned()));
    }
    let Some(git) = on_path(&["git"]) else {
        return Err(wrong("there is no such file, and no git".to_owned()));
    };
    // Nothing that the repository is set up for may be started.
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

/// The lines of new files that a difference adds or changes, and those around what it only deletes; `None` if it is none.
fn changed_lines(difference: &str) -> Option<Vec<Lines>> {
    let mut found: Vec<Lines> = Vec::new();
    let mut file: Option<String> = None;
    let mut lines = difference.lines();
    let mut is_one = difference.trim().is_empty();
    while let Some(line) = lines.next() {
        if let Some(name) = line.strip_prefix("+++ ") {
            is_one = true;
            file = new_file(name);
            continue;
        }
        let Some(hunk) = line.strip_prefix("@@ ") else {
            continue;
        };
        let (mut old, (mut at, mut new)) = ranges(hunk)?;
        // The line before a deletion is the one that is named.
        if new == 0 {
            at += 1;
        }
        let mut is_gone = false;
        while old > 0 || new > 0 {
            let (kind, _) = lines.next()?.split_at_checked(1).unwrap_or((" ", ""));
            match kind {
                "\\" => continue,
                "-" => is_gone = true,
                "+" => {
                    add(&mut found, file.as_deref(), at);
                    is_gone = false;
                }
                _ if is_gone => {
                    around(&mut found, file.as_deref(), at);
                    is_gone = false;
                }
                _ => {}
            }
            old = old.saturating_sub(usize::from(kind != "+"));
            new = new.saturating_sub(usize::from(kind != "-"));
            at += usize::from(kind != "-");
        }
        if is_gone {
            around(&mut found, file.as_deref(), at);
        }
    }
    is_one.then_some(found)
}

/// The name of a new file as a difference has it; `None` if there is none.
fn new_file(name: &str) -> Option<String> {
    let name = name.split('\t').next().unwrap_or(name);
    let name = name.trim_matches('"');
    match name {
        "/dev/null" => None,
        name => Some(name.strip_prefix("b/").unwrap_or(name).to_owned()),
    }
}

/// How many old lines a hunk has, and where its new ones begin and how many there are: `-1,2 +3,4 @@`.
fn ranges(hunk: &str) -> Option<(usize, (usize, usize))> {
    let mut words = hunk.split(' ');
    let mut range = |sign: char| {
        let range = words.next()?.strip_prefix(sign)?;
        let (first, count) = range.split_once(',').unwrap_or((range, "1"));
        Some((first.parse::<usize>().ok()?, count.parse::<usize>().ok()?))
    };
    let ((_, old), new) = (range('-')?, range('+')?);
    Some((old, new))
}

/// Adds the lines before and behind what was deleted before this line.
fn around(found: &mut Vec<Lines>, file: Option<&str>, line: usize) {
    add(found, file, line.saturating_sub(1).max(1));
    add(found, file, line);
}

/// Adds a line, to the last lines if it is one of them or comes right behind.
fn add(found: &mut Vec<Lines>, file: Option<&str>, line: usize) {
    let Some(file) = file else { return };
    if let Some(Lines {
        file: last,
        lines: Some((first, end)),
    }) = found.last_mut()
        && last == file
        && (*first..=*end + 1).contains(&line)
    {
        *end = (*end).max(line);
        return;
    }
    found.push(Lines {
        file: file.to_owned(),
        lines: Some((line, line)),
    });
}

#[cfg(test)]
mod tests {
    use super::*;

    fn changed(difference: &str) -> Vec<String> {
        let lines = changed_lines(difference).unwrap();
        lines.iter().map(ToString::to_string).collect()
    }

    #[test]
    fn added_and_changed_lines_and_those_around_deleted_ones_are_found() {
        let text = "\
diff --git a/m.smv b/m.smv
--- a/m.smv
+++ b/m.smv
@@ -3,4 +3,5 @@ MODULE main
 same
-old
+new
+more
 same
 same
@@ -20,2 +21,0 @@
-gone
-gone
--- a/dir/x.v\t2020-01-01
+++ b/dir/x.v\t2020-01-02
@@ -1 +1 @@
-a
\\ No newline at end of file
+b
\\ No newline at end of file
--- a/left
+++ /dev/null
@@ -1,2 +0,0 @@
-a
-b
";
        let expected = ["m.smv:4-5", "m.smv:21-22", "dir/x.v:1"];
        assert_eq!(changed(text), expected);
        assert_eq!(changed(""), [""; 0]);
    }

    #[test]
    fn what_looks_like_a_header_inside_of_a_hunk_is_a_line() {
        let text = "--- a/m\n+++ b/m\n@@ -1,2 +1,2 @@\n--- x\n+++ y\n same\n";
        assert_eq!(changed(text), ["m:1"]);
    }

    #[test]
    fn what_is_no_difference_is_refused() {
        for text in [
            "MODULE main\n",
            "+++ b/m\n@@ nonsense\n",
            "+++ b/m\n@@ -1,2 +1,2 @@\n x\n",
        ] {
            assert_eq!(changed_lines(text), None, "{text}");
        }
    }
}
