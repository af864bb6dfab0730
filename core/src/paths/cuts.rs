//! What a step reads of the step before: latches for the largest parts of terms that read nothing of the coming step.

use rustc_hash::{FxHashMap, FxHashSet};

use crate::substitution::Substitution;
use crate::system::{Init, StateVar, TransitionSystem};
use crate::term::{Term, TermError, TermId, TermPool};

/// What a term reads: any of these.
#[derive(Clone, Copy, Default)]
struct Reads {
    /// Inputs that are moved to the coming step.
    moved: bool,
    /// State that a latch keeps for the coming step anyway.
    late: bool,
    /// Other state and inputs.
    other: bool,
}

/// Terms about a step, as they are read one step later.
pub(super) struct Cuts {
    kept: Substitution,
}

impl Cuts {
    /// Adds the latches that these terms need.
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

    /// A term about a step, read one step later.
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
    // Operands are older than what is made of them.
    order.sort_unstable();
    let mut all: FxHashMap<TermId, Reads> = FxHashMap::default();
    for term in order {
        let mut reads = Reads::default();
        match *pool.term(term) {
            Term::Input(index) if moved.contains(&(index as usize)) => reads.moved = true,
            Term::Input(_) => reads.other = true,
            Term::State(index) if late.contains(&(index as usize)) => reads.late = true,
            // What never changes was what it is.
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

/// The largest parts that read state and inputs of the step before, and nothing else, in the order of their terms.
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
