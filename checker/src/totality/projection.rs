//! Can inputs be chosen so that a condition holds? The answer as a condition without these inputs.
//!
//! It is a disjunction of instances of the condition, found one after the other by a solver until nothing is missing:
//! each has a constant in the place of an input, or a term that the condition compares the input with. It reads state
//! variables, the other inputs, and selectors, of which at most one is on.

use hyperkill_core::budget::Budget;
use hyperkill_core::substitution::{Substitution, subterms};
use hyperkill_core::system::TransitionSystem;
use hyperkill_core::term::{BinaryOp, Term, TermId, TermPool};
use rustc_hash::FxHashSet;

use super::Undone;
use super::instances::Instances;

/// What stands for an input in an instance.
#[derive(Clone, Copy)]
pub(super) enum Witness {
    /// The value with this code.
    Constant(u64),
    /// The candidate with this index.
    Candidate(usize),
}

/// A term that may stand for an input, where it has a value of the input's sort.
pub(super) struct Candidate {
    /// Index of the input.
    pub(super) input: usize,
    /// In the input's sort.
    pub(super) term: TermId,
    /// Whether it has a value of that sort.
    pub(super) inside: TermId,
}

/// The condition under which values of the inputs make `condition` hold.
pub(super) fn exists(
    system: &mut TransitionSystem,
    condition: TermId,
    inputs: &[usize],
    budget: &Budget,
) -> Result<TermId, Undone> {
    let cone = cone(&system.terms, condition);
    let inputs: Vec<usize> = (inputs.iter().copied())
        .filter(|input| cone.contains(&Term::Input(*input as u32)))
        .collect();
    if inputs.is_empty() {
        return Ok(condition);
    }
    let candidates = candidates(system, condition, &inputs)?;
    let mut found = Instances::new(system, condition, &inputs, &candidates)?;
    let terms = &mut system.terms;
    let mut result = terms.bool(false);
    while let Some(witnesses) = found.missing(budget)? {
        found.add(&witnesses)?;
        let mut instance = Substitution::new();
        let mut inside = terms.bool(true);
        for (input, witness) in inputs.iter().zip(witnesses) {
            let sort = system.inputs[*input].sort.clone();
            let variable = terms.input(*input, sort.clone());
            let by = match witness {
                Witness::Constant(code) => terms.constant(sort, code),
                Witness::Candidate(index) => {
                    let Candidate {
                        term, inside: here, ..
                    } = candidates[index];
                    inside = terms.binary(BinaryOp::And, inside, here)?;
                    term
                }
            };
            instance.replace(variable, by);
        }
        let holds = instance.apply(terms, condition)?;
        let holds = terms.binary(BinaryOp::And, inside, holds)?;
        result = terms.binary(BinaryOp::Or, result, holds)?;
    }
    Ok(result)
}

/// The variables that a term is made of.
fn cone(terms: &TermPool, root: TermId) -> FxHashSet<Term> {
    let mut found = FxHashSet::default();
    for term in subterms(terms, root) {
        if let variable @ (Term::Input(_) | Term::State(_) | Term::Selector(_)) = terms.term(term) {
            found.insert(variable.clone());
        }
    }
    found
}

/// What the condition compares inputs with, if that does not depend on any of them.
fn candidates(
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
