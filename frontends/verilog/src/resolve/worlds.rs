//! Assigns missing values to the mutants that cause them.
//!
//! There is one mutant at a time: inside the mutated part of one, no other is present. Two mutants together may leave a part without a
//! value, as each closes half of a cycle. Then the inner mutant is left out inside the outer one, and only there: values found so hold for
//! the outer mutant only, and are not reused elsewhere. A mutant is set aside if its part has no value without other mutants around it;
//! then the mutant alone has no meaning.

use std::rc::Rc;

use hyperkill_core::sort::Sort;
use hyperkill_core::term::{Term, TermId, UnaryOp};
use hyperkill_frontend::Span;
use rustc_hash::FxHashMap;

use super::{Fail, Found, Known, Resolver};
use crate::design::WordId;

/// `COUNTED_DEPTH` is the nesting depth from which visits to mutants inside others are counted. `MOST_DEEP` limits these visits; beyond it,
/// mutants are left out inside others. Values found inside hold only there, so the visits would grow with the number of orders of mutants.
const COUNTED_DEPTH: usize = 4;
const MOST_DEEP: usize = 20_000;

/// Most values that are kept for mutants outside the current path. Each takes about 100 bytes.
const MOST_WITHIN: usize = 4_000_000;

/// The key of a found value.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub(super) enum Key {
    Term(TermId),
    Part(TermId, u32, u32),
    Piece(WordId, usize),
    Bit(WordId, u32),
}

/// A mutant whose mutated part the resolver is in.
#[derive(Debug)]
pub(super) struct World {
    mutation: usize,
    /// Values that hold only in this world, each with the numbers of all worlds that it depends on.
    known: FxHashMap<Key, (TermId, Vec<usize>)>,
}

impl Resolver<'_> {
    /// Returns a value that is known only in the current worlds, and records that the result depends on these worlds. `None` if it is not
    /// known.
    pub(super) fn known_here(&mut self, key: Key) -> Option<TermId> {
        let mut worlds = self.worlds.iter().rev();
        let (value, only_in) = worlds.find_map(|world| world.known.get(&key))?;
        self.only_in.extend(only_in);
        Some(*value)
    }

    /// Finds a value. Returns it also as known everywhere if it holds in all worlds; otherwise keeps it in the innermost world that it
    /// depends on.
    pub(super) fn found(
        &mut self,
        key: Key,
        find: impl FnOnce(&mut Self) -> Found<TermId>,
    ) -> (Found<TermId>, Option<Known>) {
        self.out.work += 1;
        let around = std::mem::take(&mut self.only_in);
        let value = find(self);
        let only_in = std::mem::replace(&mut self.only_in, around);
        let innermost = only_in.last().and_then(|&world| self.worlds.get_mut(world));
        if let (Some(world), Ok(value)) = (innermost, &value) {
            let own = only_in.iter().copied().collect();
            world.known.insert(key, (*value, own));
        }
        let known = match &value {
            Ok(value) => only_in.is_empty().then_some(Ok(*value)),
            // Without this, every reader would search for the value again.
            Err(Fail::Never(error)) => Some(Err(error.clone())),
            Err(_) => None,
        };
        self.only_in.extend(only_in);
        (value, known)
    }

    /// Returns `if condition then first else second`; `branch` finds the operands.
    pub(super) fn either(
        &mut self,
        condition: TermId,
        branch: impl Fn(&mut Self, bool) -> Found<TermId>,
    ) -> Found<TermId> {
        let asked = self.term(condition)?;
        if let Some(first) = self.out.words.pool.as_bool(asked) {
            return branch(self, first);
        }
        if let Term::Selector(mutation) = *self.design.words.pool.term(condition) {
            if self.setting.without_others
                && let Some(world) = self.worlds.last()
            {
                let is_there = world.mutation == mutation as usize;
                self.only_in.insert(self.worlds.len() - 1);
                return branch(self, is_there);
            }
            // The original first: values that the mutant shares with it are then known everywhere.
            let other = branch(self, false)?;
            let mutated = self.in_world(mutation as usize, |this| branch(this, true))?;
            return Ok(match mutated {
                Some(mutated) => self.out.words.ite(asked, mutated, other)?,
                None => other,
            });
        }
        if self.setting.one_by_one
            && let Some(value) = self.chosen_one_by_one(asked, &branch)?
        {
            return Ok(value);
        }
        let first = branch(self, true).map_err(|fail| self.perhaps_chosen(fail, asked, true))?;
        let second = branch(self, false).map_err(|fail| self.perhaps_chosen(fail, asked, false))?;
        Ok(self.out.words.ite(asked, first, second)?)
    }

    /// Returns the failure of one branch (the `first` or the second) of a choice by `asked`. It becomes [`Fail::OneByOne`] if the current
    /// mutant never takes the branch.
    fn perhaps_chosen(&mut self, fail: Fail, asked: TermId, first: bool) -> Fail {
        if matches!(fail, Fail::Apart(..) | Fail::OneByOne | Fail::WithoutOthers)
            || self.setting.one_by_one
        {
            return fail;
        }
        let here = self.number_here();
        match self.alone(asked, here) {
            Ok(chosen) if self.out.words.pool.as_bool(chosen) == Some(!first) => Fail::OneByOne,
            Ok(_) => fail,
            Err(other) => other,
        }
    }

    /// Returns the new number of the current mutant; `None` in the original, or if the mutant is rejected.
    fn number_here(&self) -> Option<usize> {
        let mutation = self.worlds.last()?.mutation;
        self.numbers.get(&mutation).copied()
    }

    /// Resolves a choice whose condition `asked` is constant for the current mutant, or for the original: one branch for each mutant.
    /// `None` if the condition contains no selector or is not constant.
    fn chosen_one_by_one(
        &mut self,
        asked: TermId,
        branch: &impl Fn(&mut Self, bool) -> Found<TermId>,
    ) -> Found<Option<TermId>> {
        let words = &self.out.words;
        let selectors = self.selectors.entry(asked);
        let selectors = Rc::clone(selectors.or_insert_with(|| Rc::new(words.selectors(asked))));
        if selectors.is_empty() {
            return Ok(None);
        }
        let here = self.number_here();
        let chosen = self.alone(asked, here)?;
        let Some(usual) = self.out.words.pool.as_bool(chosen) else {
            return Ok(None);
        };
        let mut value = branch(self, usual)?;
        if let Some(world) = self.worlds.len().checked_sub(1) {
            self.only_in.insert(world);
            return Ok(Some(value));
        }
        for &selector in selectors.iter() {
            let asked = self.alone(asked, Some(selector))?;
            let known = self.out.words.pool.as_bool(asked);
            let mutation = self.mutations.get(selector).copied();
            let (Some(mutation), true) = (mutation, known != Some(usual)) else {
                continue;
            };
            let mutated = self.in_world(mutation, |this| match known {
                Some(first) => branch(this, first),
                None => {
                    let (first, second) = (branch(this, true)?, branch(this, false)?);
                    Ok(this.out.words.ite(asked, first, second)?)
                }
            })?;
            if let Some(mutated) = mutated {
                let selector = self.out.words.pool.selector(selector);
                value = self.out.words.ite(selector, mutated, value)?;
            }
        }
        Ok(Some(value))
    }

    /// Returns the value that `find` finds inside a mutant; `None` if it has none. Then the mutant is rejected, unless another one is
    /// around it.
    ///
    /// # Errors
    /// If a search in other mutants, or the complete search, must begin again.
    fn in_world(
        &mut self,
        mutation: usize,
        find: impl FnOnce(&mut Self) -> Found<TermId>,
    ) -> Found<Option<TermId>> {
        let number = self.worlds.len();
        self.deep += usize::from(number >= COUNTED_DEPTH);
        if self.deep > MOST_DEEP {
            return Err(Fail::WithoutOthers);
        }
        let known = match number {
            0 => self.within.remove(&mutation).unwrap_or_default(),
            _ => FxHashMap::default(),
        };
        self.within_size -= known.len();
        self.worlds.push(World { mutation, known });
        let found = find(self);
        let world = self.worlds.pop();
        if let Some(World { known, .. }) = world
            && number == 0
            && self.within_size + known.len() <= MOST_WITHIN
        {
            self.within_size += known.len();
            self.within.insert(mutation, known);
        }
        self.only_in.remove(&number);
        let reason = match found {
            Ok(found) => return Ok(Some(found)),
            Err(Fail::Stop(stop)) => stop.located(Span::default()).message,
            Err(Fail::Never(error)) => error.message.clone(),
            Err(again) => return Err(again),
        };
        let around = self.worlds.iter();
        match around.clone().rposition(|world| world.mutation != mutation) {
            Some(other) => {
                self.only_in.insert(other);
            }
            None => {
                self.out.rejected.insert(mutation, reason);
            }
        }
        Ok(None)
    }

    /// Returns a term over inputs and registers with only one mutant present, by its new number, or none.
    pub(super) fn alone(&mut self, id: TermId, mutant: Option<usize>) -> Found<TermId> {
        if let Some(known) = self.alone.get(&(mutant, id)) {
            return Ok(*known);
        }
        let value = self.deeper(|this| this.alone_one(id, mutant))?;
        self.alone.insert((mutant, id), value);
        Ok(value)
    }

    fn alone_one(&mut self, id: TermId, mutant: Option<usize>) -> Found<TermId> {
        let pool = &mut self.out.words.pool;
        let sort = pool.sort(id).clone();
        Ok(match *pool.term(id) {
            Term::Selector(index) => pool.bool(mutant == Some(index as usize)),
            Term::Unary(op, a) => {
                let a = self.alone(a, mutant)?;
                match (op, sort) {
                    (UnaryOp::Not, Sort::Bool) => self.out.words.pool.not(a)?,
                    (UnaryOp::Not, _) => self.out.words.not(a)?,
                    (UnaryOp::Neg, _) => self.out.words.neg(a)?,
                }
            }
            Term::Binary(op, a, b) => {
                let operands = pool.sort(a).clone();
                let (a, b) = (self.alone(a, mutant)?, self.alone(b, mutant)?);
                self.binary(op, a, b, &operands)?
            }
            Term::Ite(c, a, b) => {
                let c = self.alone(c, mutant)?;
                match self.out.words.pool.as_bool(c) {
                    Some(true) => self.alone(a, mutant)?,
                    Some(false) => self.alone(b, mutant)?,
                    None => {
                        let (a, b) = (self.alone(a, mutant)?, self.alone(b, mutant)?);
                        self.out.words.ite(c, a, b)?
                    }
                }
            }
            Term::Slice(a, low) => {
                let width = sort.width() as u32;
                let a = self.alone(a, mutant)?;
                let value = self.out.words.slice(a, low, width)?;
                match sort {
                    Sort::Word { signed: true, .. } => self.signed(value, width)?,
                    _ => value,
                }
            }
            Term::Concat(a, b) => {
                let (a, b) = (self.alone(a, mutant)?, self.alone(b, mutant)?);
                self.out.words.concat(a, b)?
            }
            _ => id,
        })
    }
}
