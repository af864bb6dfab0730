//! Subterms of terms.

use rustc_hash::FxHashSet;

use crate::term::{Term, TermId, TermPool};

/// Returns all subterms of these terms, including themselves.
pub(super) fn reached(
    pool: &TermPool,
    roots: impl IntoIterator<Item = TermId>,
) -> FxHashSet<TermId> {
    let mut seen = FxHashSet::default();
    let mut stack: Vec<TermId> = roots.into_iter().collect();
    while let Some(term) = stack.pop() {
        if seen.insert(term) {
            stack.extend(pool.term(term).operands().into_iter().flatten());
        }
    }
    seen
}

/// Returns the indices of the inputs among some terms.
pub(super) fn inputs_in(pool: &TermPool, terms: &FxHashSet<TermId>) -> FxHashSet<usize> {
    let input = |term: &TermId| match pool.term(*term) {
        Term::Input(index) => Some(*index as usize),
        _ => None,
    };
    terms.iter().filter_map(input).collect()
}
