//! Lines that a unified diff changes.

use crate::selection::Lines;

/// Returns the lines of new files that a diff adds or changes, and the two lines around each deletion. Returns `None` if the text is not a
/// diff.
#[must_use]
pub fn changed_lines(difference: &str) -> Option<Vec<Lines>> {
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
        let Hunk {
            mut old,
            mut at,
            mut new,
        } = Hunk::read(hunk)?;
        // A hunk without new lines has the number of the line before the deletion.
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

/// Returns the name of the new file from a `+++` line; `None` if the diff deletes the file.
fn new_file(name: &str) -> Option<String> {
    let name = name.split('\t').next().unwrap_or(name);
    let name = name.trim_matches('"');
    match name {
        "/dev/null" => None,
        name => Some(name.strip_prefix("b/").unwrap_or(name).to_owned()),
    }
}

/// The line numbers of a hunk.
struct Hunk {
    /// The number of old lines.
    old: usize,
    /// The number of the first new line.
    at: usize,
    /// The number of new lines.
    new: usize,
}

impl Hunk {
    /// Parses a hunk header after its first `@@ `: `-1,2 +3,4 @@`. `None` if it is malformed.
    fn read(hunk: &str) -> Option<Hunk> {
        let mut words = hunk.split(' ');
        let mut range = |sign: char| {
            let range = words.next()?.strip_prefix(sign)?;
            let (first, count) = range.split_once(',').unwrap_or((range, "1"));
            Some([first.parse::<usize>().ok()?, count.parse::<usize>().ok()?])
        };
        let ([_, old], [at, new]) = (range('-')?, range('+')?);
        Some(Hunk { old, at, new })
    }
}

/// Adds the line before a deletion and the line after it. `line` is the line after it. Without a `file`, nothing is added.
fn around(found: &mut Vec<Lines>, file: Option<&str>, line: usize) {
    add(found, file, line.saturating_sub(1).max(1));
    add(found, file, line);
}

/// Adds a line of a file. Extends the last range if the line is in it or directly after it. Without a `file`, nothing is added.
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
