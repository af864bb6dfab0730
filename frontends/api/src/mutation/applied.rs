//! Application of a mutant to a source text, so that any other tool can confirm a verdict.

use hyperkill_core::mutant::Mutant;

/// The mutant does not belong to this text: its original text is not at its place.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
#[error("mutant {id} does not fit the source: no `{original}` at bytes {start}..{end}")]
pub struct StaleMutant {
    /// The id of the mutant.
    pub id: String,
    /// Expected text at the place.
    pub original: String,
    /// The index of the first byte of the place that the mutant changes.
    pub start: usize,
    /// The index after the last byte of the place that the mutant changes.
    pub end: usize,
}

/// Returns the text of `source` (a file returned by [`crate::Frontend::prepare`]) with all changes of the mutant.
///
/// # Errors
/// If the original text of a change is not at its place.
pub fn apply(source: &str, mutant: &Mutant) -> Result<String, StaleMutant> {
    let mut text = String::with_capacity(source.len());
    let mut at = 0;
    for change in mutant.all_changes() {
        let (start, end) = (change.start, change.end);
        match (source.get(at..start), source.get(start..end)) {
            (Some(before), Some(there)) if there == change.original => {
                text.push_str(before);
                text.push_str(&change.replacement);
                at = end;
            }
            _ => {
                return Err(StaleMutant {
                    id: mutant.id.to_string(),
                    original: change.original,
                    start,
                    end,
                });
            }
        }
    }
    // Changes end at character boundaries.
    text.push_str(source.get(at..).unwrap_or_default());
    Ok(text)
}

#[cfg(test)]
mod tests {
    use hyperkill_core::mutant::{Change, MutantId, Place};

    use super::*;

    fn at(start: usize, end: usize) -> Mutant {
        Mutant {
            id: MutantId("m".to_owned()),
            operator: "ROR".to_owned(),
            path: String::new(),
            place: Place {
                file: "x".to_owned(),
                start,
                end,
                line: 1,
                column: 1,
            },
            original: "a < b".to_owned(),
            replacement: "a <= b".to_owned(),
            changes: Vec::new(),
        }
    }

    #[test]
    fn the_place_is_replaced_and_nothing_else() {
        assert_eq!(apply("ε: a < b;", &at(4, 9)).unwrap(), "ε: a <= b;");
    }

    #[test]
    fn several_changes_leave_the_text_between_them() {
        let change = |start: usize, original: &str, replacement: &str| Change {
            start,
            end: start + original.len(),
            original: original.to_owned(),
            replacement: replacement.to_owned(),
        };
        let one = at(0, 11);
        let changes = vec![
            change(0, "ε", "δε"),
            change(6, "<", ">="),
            change(9, ";", ""),
        ];
        let mutant = Mutant::of_changes((one.id, one.operator, one.path), one.place, changes);
        assert_eq!(mutant.original, "ε … < … ;");
        assert_eq!(mutant.replacement, "δε … >= … ");
        assert_eq!(apply("ε: a < b;", &mutant).unwrap(), "δε: a >= b");
        assert_eq!(apply("ε: a > b;", &mutant).unwrap_err().start, 6);
        assert_eq!(apply("ε: a", &mutant).unwrap_err().start, 6);
    }

    #[test]
    fn a_mutant_of_another_text_is_refused() {
        for (start, end) in [(3, 8), (1, 6), (4, 90), (9, 4)] {
            assert_eq!(
                apply("ε: a < b;", &at(start, end)).unwrap_err().start,
                start
            );
        }
    }
}
