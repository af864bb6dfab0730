//! From a mutant to the plain mutated source text, so that any other tool can confirm a verdict.

use hyperkill_core::mutant::Mutant;

/// The mutant does not belong to this text: its original is not at its place.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
#[error("mutant {id} does not fit the source: no `{original}` at bytes {start}..{end}")]
pub struct StaleMutant {
    /// Id of the mutant.
    pub id: String,
    /// What should be there.
    pub original: String,
    /// First byte of its place.
    pub start: usize,
    /// One past the last byte of its place.
    pub end: usize,
}

/// The text of `source` (a file as [`crate::Frontend::prepare`] returned it) with the mutant's place replaced.
///
/// # Errors
/// If the mutant's original text is not at its place.
pub fn apply(source: &str, mutant: &Mutant) -> Result<String, StaleMutant> {
    let (start, end) = (mutant.place.start, mutant.place.end);
    let parts = (
        source.get(..start),
        source.get(start..end),
        source.get(end..),
    );
    match parts {
        (Some(before), Some(there), Some(after)) if there == mutant.original => {
            Ok([before, &mutant.replacement, after].concat())
        }
        _ => Err(StaleMutant {
            id: mutant.id.to_string(),
            original: mutant.original.clone(),
            start,
            end,
        }),
    }
}

#[cfg(test)]
mod tests {
    use hyperkill_core::mutant::{MutantId, Place};

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
        }
    }

    #[test]
    fn the_place_is_replaced_and_nothing_else() {
        assert_eq!(apply("ε: a < b;", &at(4, 9)).unwrap(), "ε: a <= b;");
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
