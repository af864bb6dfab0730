//! Terms with their operands resolved, each once.

use hyperkill_core::sort::Sort;
use hyperkill_core::term::{BinaryOp as Core, Term, TermId, UnaryOp};
use hyperkill_frontend::Diagnostic;

use super::resolver::{Fail, Found, Key, Presence, Resolver};
use crate::design::{Drive, Latch, Leaf, Stop};

impl Resolver<'_> {
    /// Returns `width` bits, from `low` up, of the value of the leaf with this index in the design.
    pub(super) fn leaf(&mut self, index: u32, low: u32, width: u32) -> Found<TermId> {
        let design = self.design;
        let (leaf, whole) = &design.leaves[index as usize];
        match leaf {
            Leaf::Word(word) => self.word(*word, low, width),
            Leaf::Choice(name) => {
                let term = match self.unknowns.get(&(index as usize)) {
                    Some(term) => *term,
                    None => {
                        let term = self.choice(name.clone(), *whole);
                        self.unknowns.insert(index as usize, term);
                        term
                    }
                };
                Ok(self.out.words.slice(term, low, width)?)
            }
            Leaf::Table(table) => {
                let table = self.tables[*table];
                Ok(self.out.words.slice(table, low, width)?)
            }
            Leaf::Held(word) => {
                let drivers = design.drivers.get(word).into_iter().flatten();
                for driver in drivers {
                    let inside = driver.low <= low && low + width <= driver.low + driver.width;
                    if inside && matches!(driver.drive, Drive::Register { .. }) {
                        let state = self.register(*word, driver.low, driver.width);
                        let state = self.state_term(state);
                        return Ok(self.out.words.slice(state, low - driver.low, width)?);
                    }
                }
                self.word(*word, low, width)
            }
            Leaf::Final(index) => {
                let value = self.deeper(|this| this.term(design.finals[*index]))?;
                Ok(self.out.words.slice(value, low, width)?)
            }
            Leaf::Old(word, process) => {
                // Only bits that this very process drives would be stored.
                let drivers = design.drivers.get(word).into_iter().flatten();
                for driver in drivers {
                    if driver.process == *process
                        && driver.low < low + width
                        && low < driver.low + driver.width
                    {
                        let why = match design.latches.get(process) {
                            Some(Latch::Yes | Latch::Perhaps) => {
                                self.out.kept.insert((*word, *process));
                                return self.kept(*word, *process, low, width);
                            }
                            Some(Latch::No(why)) => why,
                            None => "it is no latch",
                        };
                        let name = design.word_name(*word);
                        let message =
                            format!("`{name}` keeps its value in some branch of this block: {why}");
                        return Err(Fail::never(driver.place, message));
                    }
                }
                self.word(*word, low, width)
            }
        }
    }

    /// Returns a term over inputs and registers.
    pub(super) fn term(&mut self, id: TermId) -> Found<TermId> {
        let key = Key::Term(id);
        match self.known(key)? {
            Some(known) => Ok(known),
            None => self.found(key, |this| this.deeper(|this| this.term_one(id))),
        }
    }

    fn term_one(&mut self, id: TermId) -> Found<TermId> {
        let pool = &self.design.words.pool;
        let sort = pool.sort(id).clone();
        Ok(match *pool.term(id) {
            Term::Constant(code) => self.out.words.pool.constant(sort, code),
            Term::Input(leaf) => self.leaf(leaf, 0, sort.width() as u32)?,
            Term::Selector(mutation) => self.selector(mutation as usize),
            Term::Unary(UnaryOp::Not, a) => {
                let a = self.term(a)?;
                match sort {
                    Sort::Bool => self.out.words.pool.not(a)?,
                    _ => self.out.words.not(a)?,
                }
            }
            Term::Unary(UnaryOp::Neg, a) => {
                let a = self.term(a)?;
                self.out.words.neg(a)?
            }
            Term::Binary(op @ (Core::And | Core::Or), a, b) => {
                let operand = |this: &mut Self, first| this.term(if first { a } else { b });
                self.junction(Key::Term(id), op, operand)?
            }
            Term::Binary(op, a, b) => {
                let operands = pool.sort(a).clone();
                let (a, b) = (self.term(a)?, self.term(b)?);
                self.binary(op, a, b, &operands)?
            }
            Term::Ite(c, a, b) => self.either(Key::Term(id), c, |this, first| {
                this.term(if first { a } else { b })
            })?,
            Term::Slice(a, low) => {
                let width = sort.width() as u32;
                let signed = matches!(sort, Sort::Word { signed: true, .. });
                let value = self.part(a, low, width)?;
                match signed {
                    true => self.signed(value, width)?,
                    false => value,
                }
            }
            Term::Concat(a, b) => {
                let (a, b) = (self.term(a)?, self.term(b)?);
                self.out.words.concat(a, b)?
            }
            Term::State(_) | Term::Cast(_) | Term::InDomain(..) | Term::Number(_) => {
                let message = "internal error: the front end made an unexpected term";
                return Err(Stop::Model(Box::new(Diagnostic::unlocated(message))).into());
            }
        })
    }

    /// Finds the value of `key`, the conjunction or the disjunction of two operands. `operand(true)` finds the first operand, and
    /// `operand(false)` the second one. If the search for one operand fails, for example in a cycle, the other one may still decide the
    /// result in the original. Then only the mutants in which it does not decide get a value later, or are set aside.
    pub(super) fn junction(
        &mut self,
        key: Key,
        op: Core,
        operand: impl Fn(&mut Self, bool) -> Found<TermId>,
    ) -> Found<TermId> {
        let (known, is_first, fail) = match operand(self, true) {
            Ok(first) => match operand(self, false) {
                Ok(second) => return self.joined(op, first, second),
                Err(fail) => (first, false, fail),
            },
            Err(again @ Fail::Apart(_)) => return Err(again),
            Err(fail) => match operand(self, false) {
                Ok(second) => (second, true, fail),
                Err(again @ Fail::Apart(_)) => return Err(again),
                Err(_) => return Err(fail),
            },
        };
        if matches!(fail, Fail::Apart(_)) {
            return Err(fail);
        }
        let original = match self.present {
            Presence::All => self.alone(known, None)?,
            _ => known,
        };
        if !self.out.words.decides(op, original) {
            return Err(fail);
        }
        let words = &mut self.out.words;
        let decided = match (words.pool.sort(known) == &Sort::Bool, op) {
            (false, _) => words.equal(known, original)?,
            (true, Core::Or) => known,
            (true, _) => words.pool.not(known)?,
        };
        self.either_of(key, decided, |this, decided| match decided {
            true => Ok(original),
            false => {
                let other = operand(this, is_first)?;
                this.joined(op, known, other)
            }
        })
    }

    fn joined(&mut self, op: Core, a: TermId, b: TermId) -> Found<TermId> {
        let operands = self.out.words.pool.sort(a).clone();
        self.binary(op, a, b, &operands)
    }

    pub(super) fn signed(&mut self, value: TermId, width: u32) -> Found<TermId> {
        match self.out.words.constant(value) {
            Some(bits) => Ok(self.out.words.pool.word(&bits, true)),
            None => Ok(self.out.words.pool.slice(value, 0, width, true)?),
        }
    }

    pub(super) fn binary(
        &mut self,
        op: Core,
        a: TermId,
        b: TermId,
        operands: &Sort,
    ) -> Found<TermId> {
        let signed = matches!(operands, Sort::Word { signed: true, .. });
        let words = &mut self.out.words;
        if *operands == Sort::Bool {
            return Ok(words.pool.binary(op, a, b)?);
        }
        // Signed operands come from a conversion of unsigned ones, which the builders do again.
        let (a, b) = match signed {
            true => {
                let width = operands.width() as u32;
                (words.slice(a, 0, width)?, words.slice(b, 0, width)?)
            }
            false => (a, b),
        };
        Ok(match op {
            Core::And | Core::Or | Core::Xor => words.bitwise(op, a, b)?,
            Core::Eq => words.equal(a, b)?,
            Core::Lt => words.less(a, b, signed)?,
            Core::Le => {
                let greater = words.less(b, a, signed)?;
                words.pool.not(greater)?
            }
            _ => {
                let value = words.arithmetic(op, a, b, signed)?;
                match signed {
                    true => {
                        let width = operands.width() as u32;
                        self.signed(value, width)?
                    }
                    false => value,
                }
            }
        })
    }
}
