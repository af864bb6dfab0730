//! Substitution of terms for variables.

use rustc_hash::{FxHashMap, FxHashSet};

use crate::sort::Sort;
use crate::term::{Term, TermError, TermId, TermPool, UnaryOp};

/// Returns all subterms of a term, including itself, operands first.
#[must_use]
pub fn subterms(pool: &TermPool, root: TermId) -> Vec<TermId> {
    let mut seen = FxHashSet::default();
    let mut stack = vec![root];
    while let Some(term) = stack.pop() {
        if seen.insert(term) {
            stack.extend(pool.term(term).operands().into_iter().flatten());
        }
    }
    // Operands precede terms.
    let mut found: Vec<TermId> = seen.into_iter().collect();
    found.sort_unstable();
    found
}

/// Replacements for some terms of one pool, and the images of the terms that contain them.
///
/// The replacement of a variable must have its sort, or a smaller one of the same kind.
#[derive(Clone, Default, Debug)]
pub struct Substitution {
    images: FxHashMap<TermId, TermId>,
}

impl Substitution {
    /// Returns the empty substitution.
    #[must_use]
    pub fn new() -> Substitution {
        Substitution::default()
    }

    /// Replaces a term, usually a variable, by another one. Must be called before the first [`Substitution::apply`].
    pub fn replace(&mut self, term: TermId, by: TermId) {
        self.images.insert(term, by);
    }

    /// Returns the term with all replacements made, and new constants folded.
    ///
    /// # Errors
    /// If a replacement has a sort that an operator does not accept.
    pub fn apply(&mut self, pool: &mut TermPool, root: TermId) -> Result<TermId, TermError> {
        let mut pending = Vec::new();
        let mut stack = vec![root];
        let mut seen = FxHashSet::default();
        while let Some(term) = stack.pop() {
            if !self.images.contains_key(&term) && seen.insert(term) {
                pending.push(term);
                stack.extend(pool.term(term).operands().into_iter().flatten());
            }
        }
        // Operands precede terms.
        pending.sort_unstable();
        for term in pending {
            let image = self.rebuilt(pool, term)?;
            self.images.insert(term, image);
        }
        Ok(self.image(root))
    }

    fn image(&self, term: TermId) -> TermId {
        self.images.get(&term).copied().unwrap_or(term)
    }

    fn rebuilt(&self, pool: &mut TermPool, term: TermId) -> Result<TermId, TermError> {
        let sort = pool.sort(term).clone();
        let of = |id: &TermId| self.image(*id);
        match pool.term(term).clone() {
            Term::Constant(_) | Term::Input(_) | Term::State(_) | Term::Selector(_) => Ok(term),
            Term::Unary(UnaryOp::Not, a) => pool.not(of(&a)),
            Term::Unary(UnaryOp::Neg, a) => pool.neg(of(&a)),
            Term::Binary(op, a, b) => pool.binary(op, of(&a), of(&b)),
            Term::Ite(c, a, b) => pool.ite(of(&c), of(&a), of(&b)),
            Term::Cast(a) => pool.cast(of(&a), &sort),
            Term::InDomain(a, inside) => pool.in_domain(of(&a), &inside),
            Term::Slice(a, low) => match sort {
                Sort::Word { width, signed } => pool.slice(of(&a), low, width, signed),
                // Such a term cannot be built.
                _ => Ok(term),
            },
            Term::Concat(high, low) => pool.concat(of(&high), of(&low)),
            Term::Number(a) => pool.number(of(&a)),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::term::BinaryOp;

    #[test]
    fn a_constant_in_the_place_of_a_variable_folds_what_is_made_of_it() {
        let mut pool = TermPool::new();
        let sort = Sort::Range { low: 0, high: 5 };
        let (x, y) = (pool.state(0, sort.clone()), pool.state(1, sort));
        let two = pool.int(2);
        let sum = pool.binary(BinaryOp::Add, x, two).unwrap();
        let four = pool.int(4);
        let equal = pool.binary(BinaryOp::Eq, sum, four).unwrap();
        let less = pool.binary(BinaryOp::Lt, y, sum).unwrap();
        let mut constant = Substitution::new();
        constant.replace(x, two);
        let folded = constant.apply(&mut pool, equal).unwrap();
        assert_eq!(pool.as_bool(folded), Some(true));
        let left = constant.apply(&mut pool, less).unwrap();
        assert_eq!(left, pool.binary(BinaryOp::Lt, y, four).unwrap());
    }
}
