//! Finds the stand-ins for values of mutants that the design reads. One mutant is present at a time, so that a stand-in of one mutant in a
//! term that only another mutant reads does not count.

use hyperkill_core::term::{BinaryOp as Core, Term, TermId};
use rustc_hash::FxHashSet;

use super::resolver::{Found, Resolver};
use crate::words::Words;

/// The terms that contain each term, one level up.
pub(super) struct Readers {
    /// The readers of a term are those from its number in `first` up to the next one.
    first: Vec<u32>,
    readers: Vec<TermId>,
    roots: FxHashSet<TermId>,
    /// For each term, the number of the last search that has come to it.
    seen: Vec<u32>,
    searches: u32,
}

impl Readers {
    /// Finds the readers of all terms. The values of the design are `roots`.
    pub(super) fn new(words: &Words, roots: FxHashSet<TermId>) -> Readers {
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
            first,
            readers: readers.into_iter().flatten().collect(),
            roots,
            seen: vec![0; words.pool.len()],
            searches: 0,
        }
    }

    /// Returns the numbers of the readers of a term in `readers`.
    fn of(&self, term: TermId) -> std::ops::Range<usize> {
        self.first[term.index()] as usize..self.first[term.index() + 1] as usize
    }

    /// Whether the current search comes to a term for the first time.
    fn is_new(&mut self, term: TermId) -> bool {
        std::mem::replace(&mut self.seen[term.index()], self.searches) != self.searches
    }
}

impl Resolver<'_> {
    /// Whether a value of the design reads a term if only this mutant is present, by its selector.
    pub(super) fn reach(
        &mut self,
        readers: &mut Readers,
        term: TermId,
        mutant: usize,
    ) -> Found<bool> {
        readers.searches += 1;
        let mut stack = vec![term];
        while let Some(term) = stack.pop() {
            if !readers.is_new(term) {
                continue;
            }
            if readers.roots.contains(&term) {
                return Ok(true);
            }
            for at in readers.of(term) {
                let reader = readers.readers[at];
                if self.reads(reader, term, mutant)? {
                    stack.push(reader);
                }
            }
        }
        Ok(false)
    }

    /// Whether the value of a reader depends on its operand if only this mutant is present.
    fn reads(&mut self, reader: TermId, operand: TermId, mutant: usize) -> Found<bool> {
        Ok(match *self.out.words.pool.term(reader) {
            Term::Ite(c, a, b) => {
                let chosen = match *self.out.words.pool.term(c) {
                    Term::Selector(index) => Some(index as usize == mutant),
                    _ => {
                        let chosen = self.alone(c, Some(mutant))?;
                        self.out.words.pool.as_bool(chosen)
                    }
                };
                c == operand
                    || a == operand && chosen != Some(false)
                    || b == operand && chosen != Some(true)
            }
            Term::Binary(op @ (Core::And | Core::Or), a, b) => {
                let other = if a == operand { b } else { a };
                let other = self.alone(other, Some(mutant))?;
                !self.out.words.decides(op, other)
            }
            _ => true,
        })
    }
}
