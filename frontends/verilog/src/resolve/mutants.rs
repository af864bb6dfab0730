//! Values with mutants.
//!
//! Values are found with all mutants at once, each under its selector: such a value is a choice between what a mutant says in one place and
//! the original. Since one mutant is present at a time, values may contain as many as they like, and each value is found once. But mutants
//! together may close a cycle that none closes alone, and a branch that the original never takes may close one, too. Then the mutant gets
//! its value in this place later and alone: a stand-in keeps the place. The mutant is set aside if it has no value alone.
//!
//! Alone a mutant has the values of the original where nothing depends on the mutant. So finding its values takes as long as it changes
//! some, however large the design is.

use std::rc::Rc;

use hyperkill_core::sort::Sort;
use hyperkill_core::substitution::Substitution;
use hyperkill_core::system::{Init, InputRole, InputVar};
use hyperkill_core::term::{Term, TermId, UnaryOp};
use hyperkill_frontend::Span;

use super::needed::Readers;
use super::resolver::{Deferred, Fail, Found, Key, Presence, Resolver, Source};
use super::sites::Sites;

/// Number of the first stand-in among the inputs of terms; there are never as many inputs.
const STAND_INS: usize = 1 << 31;

impl Resolver<'_> {
    /// Returns a value that has been found before; `None` if it has not.
    ///
    /// # Errors
    /// If it is known that there is no value.
    pub(super) fn known(&mut self, key: Key) -> Found<Option<TermId>> {
        match self.present {
            Presence::All => match self.known.get(&key) {
                Some(known) => known.clone().map(Some).map_err(Fail::Never),
                None => Ok(None),
            },
            Presence::Original => {
                let Some(Some((value, sites))) = self.originals.get(&key) else {
                    return Ok(None);
                };
                let (value, sites) = (*value, *sites);
                self.add_sites(sites);
                Ok(Some(value))
            }
            Presence::Only(mutation) => {
                if let Some(value) = self.own.get(&key) {
                    return Ok(Some(*value));
                }
                Ok(match self.original(key)? {
                    Some((value, sites)) if !self.all_sites.contains(sites, mutation) => {
                        Some(value)
                    }
                    _ => None,
                })
            }
        }
    }

    /// Returns the value that `find` finds, and keeps it under `key` for later readers. With all mutants present, an error that holds on
    /// every path is kept, too.
    pub(super) fn found(
        &mut self,
        key: Key,
        find: impl FnOnce(&mut Self) -> Found<TermId>,
    ) -> Found<TermId> {
        self.out.work += 1;
        if self.present == Presence::Original {
            let around = std::mem::take(&mut self.sites);
            let value = find(self);
            let sites = self.joined_sites(around);
            self.add_sites(sites);
            let value = value?;
            self.originals.insert(key, Some((value, sites)));
            return Ok(value);
        }
        let value = find(self);
        match (&value, self.present) {
            (Ok(value), Presence::All) => {
                self.known.insert(key, Ok(*value));
            }
            // Without this, every reader would search for the value again.
            (Err(Fail::Never(error)), Presence::All) => {
                self.known.insert(key, Err(Rc::clone(error)));
            }
            (Ok(value), _) => {
                self.own.insert(key, *value);
            }
            (Err(_), _) => {}
        }
        value
    }

    /// Returns the selector of a mutation: a constant unless all mutants are present.
    pub(super) fn selector(&mut self, mutation: usize) -> TermId {
        let pool = &mut self.out.words.pool;
        match (self.present, self.numbers.get(&mutation)) {
            (Presence::All, Some(number)) => pool.selector(*number),
            (Presence::Only(only), _) => pool.bool(only == mutation),
            (Presence::All, None) => pool.bool(false),
            (Presence::Original, _) => {
                let value = pool.bool(false);
                if self.apart_mutants.contains(&mutation) {
                    let sites = self.all_sites.of_one(mutation);
                    self.add_sites(sites);
                }
                value
            }
        }
    }

    /// Returns `if condition then first else second`, the value of `key`; `branch` finds the operands.
    pub(super) fn either(
        &mut self,
        key: Key,
        condition: TermId,
        branch: impl Fn(&mut Self, bool) -> Found<TermId>,
    ) -> Found<TermId> {
        let asked = self.term(condition)?;
        self.either_of(key, asked, branch)
    }

    /// Does the same as [`either`](Self::either) for a condition that has been found.
    pub(super) fn either_of(
        &mut self,
        key: Key,
        asked: TermId,
        branch: impl Fn(&mut Self, bool) -> Found<TermId>,
    ) -> Found<TermId> {
        if let Some(first) = self.out.words.pool.as_bool(asked) {
            return branch(self, first);
        }
        let Some(usual) = self.original_takes(asked)? else {
            let (first, second) = (branch(self, true)?, branch(self, false)?);
            return Ok(self.out.words.ite(asked, first, second)?);
        };
        // The original first: a failure there is no fault of the mutants.
        let original = branch(self, usual)?;
        self.mutated.push(self.way.len());
        let mutated = branch(self, !usual);
        self.mutated.pop();
        match mutated {
            Ok(mutated) if usual => Ok(self.out.words.ite(asked, original, mutated)?),
            Ok(mutated) => Ok(self.out.words.ite(asked, mutated, original)?),
            Err(again @ Fail::Apart(_)) => Err(again),
            Err(Fail::Stop(_) | Fail::Never(_)) => {
                let mut value = original;
                for selector in self.deciding(asked, usual)? {
                    if let Some(mutation) = self.mutations.get(selector).copied() {
                        value = self.later(mutation, key, value)?;
                    }
                }
                Ok(value)
            }
        }
    }

    /// Returns the branch that the original takes if a condition is constant there, and not for all mutants. `None` for other conditions,
    /// and unless values have all mutants.
    fn original_takes(&mut self, asked: TermId) -> Found<Option<bool>> {
        if self.present != Presence::All || !self.has_selectors(asked) {
            return Ok(None);
        }
        let original = self.alone(asked, None)?;
        Ok(self.out.words.pool.as_bool(original))
    }

    /// Returns the selectors of the mutants with which the condition `asked` is not constant, or differs from `usual`, its value in the
    /// original.
    fn deciding(&mut self, asked: TermId, usual: bool) -> Found<Vec<usize>> {
        let selectors = self.out.words.selectors(asked);
        let mut found = Vec::new();
        for selector in selectors {
            let chosen = self.alone(asked, Some(selector))?;
            if self.out.words.pool.as_bool(chosen) != Some(usual) {
                found.push(selector);
            }
        }
        Ok(found)
    }

    /// Whether a term contains selectors.
    pub(super) fn has_selectors(&mut self, term: TermId) -> bool {
        let words = &self.out.words;
        let known = self.with_selectors.len();
        // Operands precede terms.
        for id in words
            .pool
            .ids()
            .skip(known)
            .take((term.index() + 1).saturating_sub(known))
        {
            let is_one = matches!(words.pool.term(id), Term::Selector(_));
            let mut operands = words.operands(id).into_iter().flatten();
            let found = is_one || operands.any(|operand| self.with_selectors[operand.index()]);
            self.with_selectors.push(found);
        }
        self.with_selectors[term.index()]
    }

    /// Returns a value in which a stand-in takes the place of the mutant, which gets its value alone.
    fn later(&mut self, mutation: usize, key: Key, other: TermId) -> Found<TermId> {
        let Some(number) = self.numbers.get(&mutation).copied() else {
            return Ok(other);
        };
        let pool = &mut self.out.words.pool;
        let sort = pool.sort(other).clone();
        let stand_in = pool.input(STAND_INS + self.stand_ins, sort);
        let selector = pool.selector(number);
        self.stand_ins += 1;
        self.deferred.push(Deferred {
            mutation,
            key,
            stand_in,
        });
        Ok(self.out.words.ite(selector, stand_in, other)?)
    }

    fn add_sites(&mut self, sites: Sites) {
        if sites != 0 && self.sites.last() != Some(&sites) {
            self.sites.push(sites);
        }
    }

    /// Returns the union of the current sets of mutants, and goes on with the sets `around`.
    fn joined_sites(&mut self, around: Vec<Sites>) -> Sites {
        let parts = std::mem::replace(&mut self.sites, around);
        self.all_sites.union(parts)
    }

    /// Returns a value of the original, with the mutants that change what it depends on. `None` if it has none.
    fn original(&mut self, key: Key) -> Found<Option<(TermId, Sites)>> {
        if let Some(known) = self.originals.get(&key) {
            return Ok(*known);
        }
        let present = std::mem::replace(&mut self.present, Presence::Original);
        let busy = std::mem::take(&mut self.busy);
        let way = std::mem::take(&mut self.way);
        let sites = std::mem::take(&mut self.sites);
        let value = self.value(key);
        let found = self.joined_sites(sites);
        (self.present, self.busy, self.way) = (present, busy, way);
        let value = match value {
            Ok(value) => Some((value, found)),
            Err(again @ Fail::Apart(_)) => return Err(again),
            Err(Fail::Stop(_) | Fail::Never(_)) => None,
        };
        self.originals.insert(key, value);
        Ok(value)
    }

    /// Returns the term of the expression, the piece or the bit that `key` names, in the design with the mutants of `self.present`.
    fn value(&mut self, key: Key) -> Found<TermId> {
        let design = self.design;
        match key {
            Key::Term(id) => self.term(id),
            Key::Part(id, low, width) => self.part(id, low, width),
            Key::Piece(word, index) => {
                let pieces = self.pieces(word);
                let piece = &pieces[index];
                match piece.source {
                    Source::Driven(driver) => {
                        self.whole_piece(word, index, &design.drivers[&word][driver])
                    }
                    _ => self.piece(word, index, piece, 0, piece.width),
                }
            }
            Key::Bit(word, bit) => {
                let pieces = self.pieces(word);
                let index = pieces.partition_point(|piece| piece.low + piece.width <= bit);
                let piece = &pieces[index];
                let low = bit - piece.low;
                match piece.source {
                    Source::Driven(driver) => {
                        self.piece_bit(word, index, &design.drivers[&word][driver], low)
                    }
                    _ => self.piece(word, index, piece, low, 1),
                }
            }
        }
    }

    /// Finds the deferred values of mutants, each alone. Sets aside those that have none.
    pub(super) fn mutants_alone(&mut self) -> Found<()> {
        let mut open = self.take_needed()?;
        let known = self.apart_mutants.len();
        let mutations = open.iter().map(|deferred| deferred.mutation);
        self.apart_mutants.extend(mutations);
        if self.apart_mutants.len() > known {
            self.originals.clear();
            self.all_sites.clear();
        }
        open.sort_by_key(|deferred| deferred.mutation);
        for of_one in open.chunk_by(|one, other| one.mutation == other.mutation) {
            let mutation = of_one[0].mutation;
            self.present = Presence::Only(mutation);
            self.split.clear();
            let reason = loop {
                let known = self.split.len();
                self.own.clear();
                let reason = match self.values_alone(of_one) {
                    Ok(()) => None,
                    Err(Fail::Stop(stop)) => Some(stop.located(Span::default()).message),
                    Err(Fail::Never(error)) => Some(error.message.clone()),
                    Err(Fail::Apart(wires)) => {
                        self.take_apart(wires);
                        continue;
                    }
                };
                // Wires that were resolved as words may have searched for more than their bits need.
                if reason.is_none() || self.split.len() == known {
                    break reason;
                }
            };
            if let Some(reason) = reason {
                self.out.rejected.insert(mutation, reason);
            }
        }
        self.present = Presence::All;
        Ok(())
    }

    /// Takes the deferred values that the design reads. More of them may be read when more registers are known.
    fn take_needed(&mut self) -> Found<Vec<Deferred>> {
        let all = std::mem::take(&mut self.deferred);
        if all.is_empty() {
            return Ok(all);
        }
        let later = self.later.iter();
        let later = later.flat_map(|later| [later.signal, later.value, later.held]);
        let states = self.out.states.iter().map(|state| state.next);
        let roots = self.out.roots.iter().copied();
        let roots = roots.chain(states).chain(later).collect();
        let mut readers = Readers::new(&self.out.words, roots);
        let (mut needed, mut others) = (Vec::new(), Vec::new());
        for deferred in all {
            let selector = self.numbers.get(&deferred.mutation).copied();
            let is_read = match selector {
                Some(selector) => self.reach(&mut readers, deferred.stand_in, selector)?,
                None => false,
            };
            match is_read {
                true => needed.push(deferred),
                false => others.push(deferred),
            }
        }
        self.deferred = others;
        Ok(needed)
    }

    /// Finds the deferred values of the only mutant.
    fn values_alone(&mut self, of_one: &[Deferred]) -> Found<()> {
        let known = self.replacements.len();
        for deferred in of_one {
            match self.value(deferred.key) {
                Ok(value) => self.replacements.push((deferred.stand_in, value)),
                Err(fail) => {
                    self.replacements.truncate(known);
                    self.busy.clear();
                    self.way.clear();
                    return Err(fail);
                }
            }
        }
        Ok(())
    }

    /// Replaces all stand-ins by the values of the mutants. Must precede the replacement of states by their values after a tick: a stand-in
    /// hides the states that its value reads.
    pub(super) fn fill_stand_ins(&mut self) -> Found<()> {
        let mut values = Substitution::new();
        for (stand_in, value) in &self.replacements {
            values.replace(*stand_in, *value);
        }
        // No mutant has these values.
        for deferred in std::mem::take(&mut self.deferred) {
            let words = &mut self.out.words;
            let any = match words.pool.sort(deferred.stand_in) {
                Sort::Word { width, signed } => {
                    let zeros = vec![false; *width as usize];
                    let signed = *signed;
                    words.pool.word(&zeros, signed)
                }
                _ => words.pool.bool(false),
            };
            values.replace(deferred.stand_in, any);
            self.replacements.push((deferred.stand_in, any));
        }
        if self.replacements.is_empty() {
            return Ok(());
        }
        let pool = &mut self.out.words.pool;
        for later in &mut self.later {
            for term in [&mut later.signal, &mut later.value, &mut later.held] {
                *term = values.apply(pool, *term)?;
            }
        }
        self.replace(&mut values)
    }

    /// Leaves out choices that no value reads.
    pub(super) fn tidy(&mut self) -> Found<()> {
        let states = self.out.states.iter();
        let inits = states.clone().filter_map(|state| match state.init {
            Init::Term(term) => Some(term),
            _ => None,
        });
        let roots = self.out.roots.iter().copied();
        let roots = roots
            .chain(states.clone().map(|state| state.next))
            .chain(inits);
        let read = self.out.words.inputs(roots);
        let is_left = |(at, input): (usize, &InputVar)| {
            input.role != InputRole::Choice || self.declared.contains(&at) || read.contains(&at)
        };
        let left: Vec<bool> = self.out.inputs.iter().enumerate().map(is_left).collect();
        if left.iter().all(|left| *left) {
            return Ok(());
        }
        let mut moved = Substitution::new();
        let mut kept = Vec::new();
        for (at, (input, left)) in std::mem::take(&mut self.out.inputs)
            .into_iter()
            .zip(left)
            .enumerate()
        {
            if !left {
                continue;
            }
            if at != kept.len() {
                let pool = &mut self.out.words.pool;
                let old = pool.input(at, input.sort.clone());
                let new = pool.input(kept.len(), input.sort.clone());
                moved.replace(old, new);
            }
            kept.push(input);
        }
        self.out.inputs = kept;
        self.replace(&mut moved)
    }

    fn replace(&mut self, by: &mut Substitution) -> Found<()> {
        let pool = &mut self.out.words.pool;
        for root in &mut self.out.roots {
            *root = by.apply(pool, *root)?;
        }
        for state in &mut self.out.states {
            state.next = by.apply(pool, state.next)?;
        }
        Ok(())
    }

    /// Returns a term over inputs and registers with only one mutant present, by its new number, or none.
    pub(super) fn alone(&mut self, id: TermId, mutant: Option<usize>) -> Found<TermId> {
        if !self.has_selectors(id) {
            return Ok(id);
        }
        // A mutant passes the selectors of many others. Selectors are not worth an entry for each.
        if let Term::Selector(index) = *self.out.words.pool.term(id) {
            return Ok(self.out.words.pool.bool(mutant == Some(index as usize)));
        }
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
