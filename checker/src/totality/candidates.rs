//! Candidate terms for an input whose value has to be found.

use hyperkill_core::substitution::subterms;
use hyperkill_core::system::TransitionSystem;
use hyperkill_core::term::{BinaryOp, Term, TermId, TermPool};
use rustc_hash::FxHashSet;

use super::Undone;

/// The replacement of an input in an instance of a condition.
#[derive(Clone, Copy)]
pub(super) enum Witness {
    /// The value of the input's sort with this code.
    Constant(u64),
    /// The term of the candidate with this index.
    Candidate(usize),
}

/// A term by which an input may be replaced in an instance of a condition, where the term's value belongs to the input's sort.
pub(super) struct Candidate {
    /// The index of the input that it may replace.
    pub(super) input: usize,
    /// The term, converted to the input's sort.
    pub(super) term: TermId,
    /// A term that is true where the candidate's value belongs to that sort.
    pub(super) inside: TermId,
}

/// Returns the terms with which the condition compares one of these inputs, if they depend on none of them.
pub(super) fn candidates(
    system: &mut TransitionSystem,
    condition: TermId,
    inputs: &[usize],
) -> Result<Vec<Candidate>, Undone> {
    let terms = &mut system.terms;
    let mut candidates = Vec::new();
    let mut seen = FxHashSet::default();
    for term in subterms(terms, condition) {
        let Term::Binary(BinaryOp::Eq, a, b) = *terms.term(term) else {
            continue;
        };
        for (variable, other) in [(a, b), (b, a)] {
            let Term::Input(input) = *terms.term(variable) else {
                continue;
            };
            let input = input as usize;
            let depends = |term: &Term| match term {
                Term::Input(read) => inputs.contains(&(*read as usize)),
                _ => false,
            };
            if !inputs.contains(&input)
                || terms.as_constant(other).is_some()
                || cone(terms, other).iter().any(depends)
                || !seen.insert((input, other))
            {
                continue;
            }
            let sort = system.inputs[input].sort.clone();
            candidates.push(Candidate {
                input,
                term: terms.cast(other, &sort)?,
                inside: terms.in_domain(other, &sort)?,
            });
        }
    }
    Ok(candidates)
}

/// Returns the inputs, state variables and selectors that a term reads.
pub(super) fn cone(terms: &TermPool, root: TermId) -> FxHashSet<Term> {
    let mut found = FxHashSet::default();
    for term in subterms(terms, root) {
        if let variable @ (Term::Input(_) | Term::State(_) | Term::Selector(_)) = terms.term(term) {
            found.insert(variable.clone());
        }
    }
    found
}
