//! Mutants as lines and as source differences.

use std::borrow::Borrow;

use similar::TextDiff;

use super::place::{in_one_line, place};
use super::{Align, Style, Table};
use hyperkill_frontend::SourceFile;

use hyperkill_audit::documents::build::published_name;
use hyperkill_audit::documents::{
    ChangeDescription, MutantDescription, PlaceDescription, StatusWord,
};

use crate::Source;

/// Columns of each source text, at most, in a line about a mutant.
const SNIPPET: usize = 40;

/// Returns the place of a mutant as `file:line:column`, and its change; each is empty if unknown.
pub(super) fn place_and_change(
    at: Option<&PlaceDescription>,
    [original, replacement]: [&Option<String>; 2],
    style: Style,
) -> [String; 2] {
    let at = at.map_or_else(String::new, |at| place(&at.file, at.line, at.column));
    let change = match (original, replacement) {
        (Some(original), Some(replacement)) => change(original, replacement, style),
        _ => String::new(),
    };
    [at, change]
}

/// Returns the change of a source text as `original ⇒ replacement`, both shortened.
#[must_use]
pub fn change(original: &str, replacement: &str, style: Style) -> String {
    let old = in_one_line(original, SNIPPET);
    let new = in_one_line(replacement, SNIPPET);
    let new = if new.is_empty() {
        style.dim("(deleted)")
    } else {
        style.green(&new)
    };
    format!("{} ⇒ {new}", style.red(&old))
}

/// Returns a table of mutants, one line each: id, operator, place, change, and the reason if it is invalid.
#[must_use]
pub fn table<D: Borrow<MutantDescription>>(
    mutants: impl IntoIterator<Item = D>,
    style: Style,
) -> Table {
    let mut table = Table::new([Align::Left; 5]);
    for mutant in mutants {
        let mutant = mutant.borrow();
        let edit = [&mutant.original, &mutant.replacement];
        let [place, change] = place_and_change(mutant.place.as_ref(), edit, style);
        let status = match (mutant.status, &mutant.reason) {
            (StatusWord::Live, _) => String::new(),
            (StatusWord::Invalid, Some(reason)) => style.yellow(&format!("invalid: {reason}")),
            (StatusWord::Invalid, None) => style.yellow("invalid"),
        };
        let operator = mutant.operator.clone().unwrap_or_default();
        table.row([style.cyan(&mutant.id), operator, place, change, status]);
    }
    table
}

/// Returns the difference between the sources of model and mutant, as a patch.
#[must_use]
pub fn diff(file: &str, original: &str, mutated: &str) -> String {
    TextDiff::from_lines(original, mutated)
        .unified_diff()
        .context_radius(3)
        .header(&format!("a/{file}"), &format!("b/{file}"))
        .to_string()
}

/// Returns a patch with its added, removed and position lines in colours.
#[must_use]
pub fn colored_diff(diff: &str, style: Style) -> String {
    let mut text = String::new();
    for line in diff.lines() {
        let painted = match line.as_bytes().first() {
            Some(b'+') => style.green(line),
            Some(b'-') => style.red(line),
            Some(b'@') => style.cyan(line),
            _ => line.to_owned(),
        };
        text.push_str(&painted);
        text.push('\n');
    }
    text
}

/// Returns the difference between a source file and its mutant, as a patch.
#[must_use]
pub fn source_diff(source: &SourceFile, mutated: &str) -> String {
    diff(&published_name(&source.name), &source.text, mutated)
}

/// Returns the difference between the source of a described mutant and the mutant, as a patch. `None` if the description names no place, or
/// the source does not have the text that it names there.
#[must_use]
pub fn described_diff(sources: &[Source], mutant: &MutantDescription) -> Option<String> {
    let place = mutant.place.as_ref()?;
    let source = sources.iter().find(|source| source.name == place.file)?;
    let single = ChangeDescription {
        start: place.start,
        end: place.end,
        original: mutant.original.clone()?,
        replacement: mutant.replacement.clone()?,
    };
    let changes = match mutant.changes.as_slice() {
        [] => std::slice::from_ref(&single),
        several => several,
    };
    let mut mutated = String::with_capacity(source.text.len());
    let mut at = 0;
    for change in changes {
        if source.text.get(change.start..change.end)? != change.original {
            return None;
        }
        mutated.push_str(source.text.get(at..change.start)?);
        mutated.push_str(&change.replacement);
        at = change.end;
    }
    mutated.push_str(source.text.get(at..)?);
    Some(diff(&source.name, &source.text, &mutated))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Returns a change of the text from byte `start` on.
    fn change_at(start: usize, original: &str, replacement: &str) -> ChangeDescription {
        ChangeDescription {
            start,
            end: start + original.len(),
            original: original.to_owned(),
            replacement: replacement.to_owned(),
        }
    }

    /// Returns a description of the mutant that makes these changes.
    fn described(changes: Vec<ChangeDescription>) -> MutantDescription {
        let (first, last) = (&changes[0], &changes[changes.len() - 1]);
        let place = PlaceDescription {
            file: "m.smv".to_owned(),
            line: 1,
            column: 1,
            start: first.start,
            end: last.end,
        };
        MutantDescription {
            place: Some(place),
            original: Some(first.original.clone()),
            replacement: Some(first.replacement.clone()),
            changes: if changes.len() > 1 {
                changes
            } else {
                Vec::new()
            },
            ..MutantDescription::of("m-0", None, None)
        }
    }

    #[test]
    fn a_description_of_one_or_several_changes_has_the_patch_of_the_mutant() {
        let source = Source {
            name: "m.smv".to_owned(),
            text: "a\nb\nc\n".to_owned(),
        };
        let sources = std::slice::from_ref(&source);
        let one = described_diff(sources, &described(vec![change_at(2, "b", "B")]));
        assert_eq!(one, Some(diff("m.smv", &source.text, "a\nB\nc\n")));
        let two = described(vec![change_at(0, "a", ""), change_at(4, "", "d")]);
        let two = described_diff(sources, &two);
        assert_eq!(two, Some(diff("m.smv", &source.text, "\nb\ndc\n")));
        for misfit in [change_at(2, "x", "B"), change_at(5, "c", "C")] {
            assert_eq!(described_diff(sources, &described(vec![misfit])), None);
        }
    }

    #[test]
    fn a_patch_names_both_sides_and_keeps_unchanged_lines() {
        let patch = diff("m.smv", "a\nb\nc\n", "a\nB\nc\n");
        assert_eq!(
            patch,
            "--- a/m.smv\n+++ b/m.smv\n@@ -1,3 +1,3 @@\n a\n-b\n+B\n c\n"
        );
    }

    #[test]
    fn a_deletion_says_so() {
        let plain = Style::new(false);
        assert_eq!(change("x := 1;", "", plain), "x := 1; ⇒ (deleted)");
    }
}
