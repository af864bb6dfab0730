//! Parts of terms, with as few dependencies as possible: a bit of `a & b` needs one bit of each operand.

use hyperkill_core::sort::Sort;
use hyperkill_core::term::{BinaryOp as Core, Term, TermId, UnaryOp};

use super::resolver::{Found, Key, Resolver};

impl Resolver<'_> {
    /// Returns `width` bits of a term from `low` up, with as few dependencies as possible.
    pub(super) fn part(&mut self, id: TermId, low: u32, width: u32) -> Found<TermId> {
        let pool = &self.design.words.pool;
        let sort = pool.sort(id);
        let is_whole = *sort == Sort::Bool || (low == 0 && width as usize == sort.width());
        // Other bits of a function of inputs do no harm.
        if is_whole || self.of_inputs[id.index()] {
            let value = self.term(id)?;
            return Ok(self.out.words.slice(value, low, width)?);
        }
        let key = Key::Part(id, low, width);
        match self.known(key)? {
            Some(known) => Ok(known),
            None => self.found(key, |this| {
                this.deeper(|this| this.part_one(id, low, width))
            }),
        }
    }

    fn part_one(&mut self, id: TermId, low: u32, width: u32) -> Found<TermId> {
        let pool = &self.design.words.pool;
        match *pool.term(id) {
            Term::Input(leaf) => self.leaf(leaf, low, width),
            Term::Slice(a, from) => self.part(a, from + low, width),
            Term::Concat(high, below) => {
                let split = pool.sort(below).width() as u32;
                if low >= split {
                    return self.part(high, low - split, width);
                }
                if low + width <= split {
                    return self.part(below, low, width);
                }
                let below = self.part(below, low, split - low)?;
                let above = self.part(high, 0, low + width - split)?;
                Ok(self.out.words.concat(above, below)?)
            }
            Term::Unary(UnaryOp::Not, a) => {
                let a = self.part(a, low, width)?;
                Ok(self.out.words.not(a)?)
            }
            Term::Binary(op @ (Core::And | Core::Or), a, b) => {
                let key = Key::Part(id, low, width);
                self.junction(key, op, |this, first| {
                    this.part(if first { a } else { b }, low, width)
                })
            }
            Term::Binary(op @ Core::Xor, a, b) => {
                let (a, b) = (self.part(a, low, width)?, self.part(b, low, width)?);
                Ok(self.out.words.bitwise(op, a, b)?)
            }
            Term::Ite(c, a, b) => self.either(Key::Part(id, low, width), c, |this, first| {
                this.part(if first { a } else { b }, low, width)
            }),
            _ => {
                let value = self.term(id)?;
                Ok(self.out.words.slice(value, low, width)?)
            }
        }
    }
}
