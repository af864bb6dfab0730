//! Reads of the previous step: latches store the largest subterms that do not read the coming step.

use rustc_hash::{FxHashMap, FxHashSet};

use crate::substitution::Substitution;
use crate::system::{Init, StateVar, TransitionSystem};
use crate::term::{Term, TermError, TermId, TermPool};

/// The kinds of variables that a term reads.
#[derive(Clone, Copy, Default)]
struct Reads {
    /// Whether the term reads inputs that move to the coming step.
    moved: bool,
    /// Whether it reads state that a latch stores for the coming step anyway.
    late: bool,
    /// Whether it reads other state or inputs.
    other: bool,
}

/// Translates terms about a step for use one step later, where latches hold the values of their subterms.
pub(super) struct Cuts {
    kept: Substitution,
}

impl Cuts {
    /// Adds latches to the system that store the largest subterms of `roots` without moved inputs and late state. Each latch holds the
    /// value of its subterm in the previous step.
    ///
    /// `moved` are the inputs that move to the coming step. `late` is the state that a latch stores anyway.
    pub(super) fn new(
        system: &mut TransitionSystem,
        roots: &[TermId],
        moved: &FxHashSet<usize>,
        late: &[usize],
    ) -> Cuts {
        let reads = all_reads(system, roots, moved, late);
        let found = found(&system.terms, roots, &reads);
        let mut kept = Substitution::new();
        for (number, term) in found.into_iter().enumerate() {
            let sort = system.terms.sort(term).clone();
            let latch = system.terms.state(system.states.len(), sort.clone());
            let nothing = system.terms.constant(sort.clone(), 0);
            system.states.push(StateVar {
                name: format!("hyperkill:kept.{number}"),
                sort,
                init: Init::Term(nothing),
                next: term,
            });
            kept.replace(term, latch);
        }
        Cuts { kept }
    }

    /// Returns the term with the same value as `term`, one step later: its stored subterms are replaced by their latches.
    pub(super) fn apply(
        &mut self,
        terms: &mut TermPool,
        term: TermId,
    ) -> Result<TermId, TermError> {
        self.kept.apply(terms, term)
    }
}

fn all_reads(
    system: &TransitionSystem,
    roots: &[TermId],
    moved: &FxHashSet<usize>,
    late: &[usize],
) -> FxHashMap<TermId, Reads> {
    let pool = &system.terms;
    let late: FxHashSet<usize> = late.iter().copied().collect();
    let mut order: Vec<TermId> = super::reached::reached(pool, roots.iter().copied())
        .into_iter()
        .collect();
    // Operands precede terms.
    order.sort_unstable();
    let mut all: FxHashMap<TermId, Reads> = FxHashMap::default();
    for term in order {
        let mut reads = Reads::default();
        match *pool.term(term) {
            Term::Input(index) if moved.contains(&(index as usize)) => reads.moved = true,
            Term::Input(_) => reads.other = true,
            Term::State(index) if late.contains(&(index as usize)) => reads.late = true,
            // A constant state variable had the same value before.
            Term::State(index) => reads.other = system.states[index as usize].next != term,
            _ => {}
        }
        for operand in pool.term(term).operands().into_iter().flatten() {
            let of = all.get(&operand).copied().unwrap_or_default();
            reads.moved |= of.moved;
            reads.late |= of.late;
            reads.other |= of.other;
        }
        all.insert(term, reads);
    }
    all
}

/// Returns the largest subterms of `roots` that read other state and inputs, and no moved inputs or late state. They are in the order of
/// their terms. Subterms of wide sorts are split, except variables.
fn found(pool: &TermPool, roots: &[TermId], reads: &FxHashMap<TermId, Reads>) -> Vec<TermId> {
    let mut found = Vec::new();
    let mut seen: FxHashSet<TermId> = FxHashSet::default();
    let mut stack = roots.to_vec();
    while let Some(term) = stack.pop() {
        let of = reads.get(&term).copied().unwrap_or_default();
        if !of.other || !seen.insert(term) {
            continue;
        }
        let is_leaf = matches!(pool.term(term), Term::Input(_) | Term::State(_));
        let sort = pool.sort(term);
        if !of.moved && !of.late && (is_leaf || sort.is_well_formed() && !sort.is_wide()) {
            found.push(term);
        } else {
            stack.extend(pool.term(term).operands().into_iter().flatten());
        }
    }
    found.sort_unstable();
    found
}
