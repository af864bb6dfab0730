//! Second-order mutants (`--order 2`): every operator applied to every first-order mutant, in this order, as in \[0\].
//!
//! A second-order mutant has two changes, or one if the second change touches the text of the first. Mutants with equal texts are kept
//! separately, as in the tables of \[0\].

use hyperkill_core::mutant::{Change, Mutant, MutantId};
use hyperkill_frontend::{Diagnostic, SourceFile, Span, apply};
use rustc_hash::FxHashSet;

use crate::guidelines::Guideline;
use crate::mutate::{LeftOut, Mutation};

/// The number of bytes of source text in the changes of all mutants, at most, to limit memory.
const MOST_TEXT: usize = 1 << 29;

/// Second-order mutants, each with the index of its first change.
pub(crate) type Second = Vec<(usize, Mutation)>;

/// Returns all mutants that combine a change of `firsts` with a change that `again` finds in the changed text. The second result counts
/// mutants that cannot be written.
///
/// # Errors
/// If a changed text cannot be read, or the mutants exceed the limit on text.
pub(crate) fn second_order(
    source: &SourceFile,
    firsts: &[Mutation],
    again: impl Fn(&SourceFile) -> Result<(Vec<Mutation>, LeftOut), Vec<Diagnostic>>,
) -> Result<(Second, LeftOut), Vec<Diagnostic>> {
    let lines = hyperkill_frontend::LineIndex::new(&source.text);
    let mut ids = FxHashSet::default();
    let (mut all, mut bytes) = (Vec::new(), 0);
    let mut left_out = LeftOut::default();
    for (number, first) in firsts.iter().enumerate() {
        let stale =
            |error: hyperkill_frontend::StaleMutant| vec![Diagnostic::unlocated(error.to_string())];
        let changed = apply(&source.text, &first.mutant).map_err(stale)?;
        let changed = SourceFile::new(source.name.clone(), changed);
        let (seconds, lacking) = again(&changed)?;
        left_out.add_behind(&first.mutant.operator, lacking);
        for second in seconds {
            let text = apply(&changed.text, &second.mutant).map_err(stale)?;
            let changes = changes(&source.text, &text, &first.mutant, &second.mutant);
            let sizes = changes.iter();
            let sizes = sizes.map(|change| change.original.len() + change.replacement.len());
            bytes += sizes.sum::<usize>();
            if bytes > MOST_TEXT {
                let message = format!("the mutants take more than {MOST_TEXT} bytes of text");
                let error = Diagnostic::unlocated(message).with_help("choose some by --operator");
                return Err(vec![error]);
            }
            let operator = format!("{}+{}", first.mutant.operator, second.mutant.operator);
            let mut id = MutantId::derive(&operator, &first.mutant.id.0, &second.mutant.id.0, "");
            while !ids.insert(id.clone()) {
                id = MutantId::derive(&operator, &id.0, &second.mutant.id.0, "");
            }
            let (start, end) = hull(&first.mutant, &second.mutant);
            let place = lines.place(&source.name, Span::new(start, end));
            let path = format!("{}; {}", first.mutant.path, second.mutant.path);
            let mutant = Mutant::of_changes((id, operator, path), place, changes);
            let meaning = both(first.meaning, second.meaning);
            all.push((number, Mutation { mutant, meaning }));
        }
    }
    Ok((all, left_out))
}

/// Returns the guideline that the second change violates on the first mutant, if the first change violates one, too.
fn both(first: Option<Guideline>, second: Option<Guideline>) -> Option<Guideline> {
    first.and(second)
}

/// Returns the range of the source that contains both changes. The place of the second change refers to the text of the first mutant.
fn hull(first: &Mutant, second: &Mutant) -> (usize, usize) {
    let (from, to) = (first.place.start, first.place.end);
    let changed_to = from + first.replacement.len();
    let start = second.place.start.min(from);
    let end = match second.place.end {
        end if end <= changed_to => to,
        end => end - changed_to + to,
    };
    (start, end)
}

/// Returns the changes of the source that produce this text: two if they are separate.
fn changes(source: &str, text: &str, first: &Mutant, second: &Mutant) -> Vec<Change> {
    let (from, to) = (first.place.start, first.place.end);
    let changed_to = from + first.replacement.len();
    let change = |mutant: &Mutant, start: usize, end: usize| Change {
        start,
        end,
        original: mutant.original.clone(),
        replacement: mutant.replacement.clone(),
    };
    let (start, end) = (second.place.start, second.place.end);
    if end < from {
        vec![change(second, start, end), change(first, from, to)]
    } else if start > changed_to {
        let (start, end) = (start - changed_to + to, end - changed_to + to);
        vec![change(first, from, to), change(second, start, end)]
    } else {
        let (start, end) = hull(first, second);
        let kept = source.len() - end;
        vec![Change {
            start,
            end,
            original: source.get(start..end).unwrap_or("").to_owned(),
            replacement: text.get(start..text.len() - kept).unwrap_or("").to_owned(),
        }]
    }
}
