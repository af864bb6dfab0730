//! Finds the stand-ins for values of mutants that the design reads. One mutant is present at a time, so that a stand-in of one mutant in a
//! term that only another mutant reads does not count.

use hyperkill_core::term::{BinaryOp as Core, Term, TermId, UnaryOp};
use rustc_hash::FxHashSet;

use crate::words::Words;

/// Deepest condition whose value in one mutant is looked for.
const DEEP: usize = 8;

/// The terms that contain each term, one level up.
pub(super) struct Readers<'a> {
    words: &'a Words,
    /// The readers of a term are those from its number in `first` up to the next one.
    first: Vec<u32>,
    readers: Vec<TermId>,
    roots: FxHashSet<TermId>,
}

impl<'a> Readers<'a> {
    /// Finds the readers of all terms. The values of the design are `roots`.
    pub(super) fn new(words: &'a Words, roots: FxHashSet<TermId>) -> Readers<'a> {
        let ids: Vec<TermId> = words.pool.ids().collect();
        let mut first = vec![0u32; ids.len() + 1];
        let of = |id: TermId| words.operands(id).into_iter().flatten();
        for operand in ids.iter().flat_map(|id| of(*id)) {
            first[operand.index() + 1] += 1;
        }
        for at in 1..first.len() {
            first[at] += first[at - 1];
        }
        let mut next = first.clone();
        let mut readers = vec![None; first.last().map_or(0, |last| *last as usize)];
        for id in ids {
            for operand in of(id) {
                let at = &mut next[operand.index()];
                readers[*at as usize] = Some(id);
                *at += 1;
            }
        }
        Readers {
            words,
            first,
            readers: readers.into_iter().flatten().collect(),
            roots,
        }
    }

    /// Whether a value of the design reads a term if only this mutant is present, by its selector.
    pub(super) fn reach(&self, term: TermId, mutant: usize) -> bool {
        let mut seen = FxHashSet::default();
        let mut stack = vec![term];
        while let Some(term) = stack.pop() {
            if !seen.insert(term) {
                continue;
            }
            if self.roots.contains(&term) {
                return true;
            }
            let [from, to] = [0, 1].map(|more| self.first[term.index() + more] as usize);
            let readers = self.readers[from..to].iter().copied();
            stack.extend(readers.filter(|reader| self.reads(*reader, term, mutant)));
        }
        false
    }

    /// Whether the value of a reader depends on its operand if only this mutant is present.
    fn reads(&self, reader: TermId, operand: TermId, mutant: usize) -> bool {
        match *self.words.pool.term(reader) {
            Term::Ite(c, a, b) => {
                let chosen = self.chosen(c, mutant, DEEP);
                c == operand
                    || a == operand && chosen != Some(false)
                    || b == operand && chosen != Some(true)
            }
            Term::Binary(op @ (Core::And | Core::Or), a, b) => {
                let other = if a == operand { b } else { a };
                self.chosen(other, mutant, DEEP) != Some(op == Core::Or)
            }
            _ => true,
        }
    }

    /// Returns the value of a condition of selectors if only this mutant is present. `None` for other conditions, and for deep ones.
    fn chosen(&self, condition: TermId, mutant: usize, deep: usize) -> Option<bool> {
        let deep = deep.checked_sub(1)?;
        match *self.words.pool.term(condition) {
            Term::Selector(selector) => Some(selector as usize == mutant),
            Term::Unary(UnaryOp::Not, a) => self.chosen(a, mutant, deep).map(|value| !value),
            Term::Binary(op @ (Core::And | Core::Or), a, b) => {
                let absorbing = Some(op == Core::Or);
                let a = self.chosen(a, mutant, deep);
                if a == absorbing {
                    return a;
                }
                match (a, self.chosen(b, mutant, deep)) {
                    (_, b) if b == absorbing => b,
                    (Some(_), b @ Some(_)) => b,
                    _ => None,
                }
            }
            _ => self.words.pool.as_bool(condition),
        }
    }
}
