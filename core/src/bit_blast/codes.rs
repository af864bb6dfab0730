//! Code words of ranges with a nonzero lower bound, without arithmetic if a term only chooses among variables and constants.
//!
//! Integers are two's complement during computation, so the lower bound is added to a variable's code and subtracted from a result. A
//! choice among codes needs neither. This saves gates, and keeps outputs that copy a variable under a condition recognisable.

use std::collections::BTreeSet;

use rustc_hash::FxHashMap;

use super::bits::{self, Bits};
use super::{BitBlastError, Blaster, words};
use crate::Lit;
use crate::sort::Sort;
use crate::term::{Term, TermId};

impl Blaster<'_> {
    /// Encodes a term at the current step as a code word of `to`, without arithmetic.
    ///
    /// Returns `None` if `to` is not a range with a nonzero lower bound, or if the root is computed. Also returns `None` if the root
    /// chooses among more than one computed term. A term is computed unless it is a choice, a cast, a constant or a variable of sort `to`.
    pub(super) fn code_of_choice(
        &mut self,
        root: TermId,
        to: &Sort,
    ) -> Result<Option<Vec<Lit>>, BitBlastError> {
        if !matches!(to, Sort::Range { low, .. } if *low != 0) {
            return Ok(None);
        }
        let parts = self.chosen_parts(root);
        let computed = |part: &&TermId| self.is_computed(**part, to);
        if self.is_computed(root, to) || parts.iter().filter(computed).count() > 1 {
            return Ok(None);
        }
        let mut codes: FxHashMap<TermId, Vec<Lit>> = FxHashMap::default();
        // Operands precede terms.
        for part in parts {
            let terms = &self.system.terms;
            let of = |operand: &TermId| codes.get(operand).cloned();
            let code = match *terms.term(part) {
                Term::Ite(condition, ref a, ref b) => {
                    let (a, b) = (of(a), of(b));
                    let Bits::Truth(condition) = self.value(condition)? else {
                        return Ok(None);
                    };
                    let both = a.zip(b);
                    both.map(|(a, b)| words::mux(&mut self.aig, condition, &a, &b))
                }
                Term::Cast(ref a) => of(a),
                Term::Input(index) if terms.sort(part) == to => {
                    self.input_codes.get(index as usize).cloned()
                }
                Term::State(index) if terms.sort(part) == to => {
                    self.state_codes.get(index as usize).cloned()
                }
                _ => {
                    let from = terms.sort(part);
                    let value = self.value(part)?;
                    bits::encode(&mut self.aig, &value, from, to)
                }
            };
            let Some(code) = code else {
                return Ok(None);
            };
            codes.insert(part, code);
        }
        Ok(codes.remove(&root))
    }

    /// Returns all terms that the root reaches through the branches of choices and through casts, including the root, ascending. The
    /// conditions of choices are not followed.
    fn chosen_parts(&self, root: TermId) -> BTreeSet<TermId> {
        let mut parts = BTreeSet::new();
        let mut open = vec![root];
        while let Some(part) = open.pop() {
            if parts.insert(part) {
                match *self.system.terms.term(part) {
                    Term::Ite(_, a, b) => open.extend([a, b]),
                    Term::Cast(a) => open.push(a),
                    _ => {}
                }
            }
        }
        parts
    }

    /// Whether the code word of a term in `to` must be computed from its value.
    fn is_computed(&self, part: TermId, to: &Sort) -> bool {
        let terms = &self.system.terms;
        match terms.term(part) {
            Term::Ite(..) | Term::Cast(_) | Term::Constant(_) => false,
            Term::Input(_) | Term::State(_) => terms.sort(part) != to,
            _ => true,
        }
    }
}
