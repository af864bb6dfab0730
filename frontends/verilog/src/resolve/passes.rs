//! The passes of the resolver, until every wire has a value and every mutant has a meaning.

use std::collections::BTreeSet;
use std::rc::Rc;

use hyperkill_core::sort::Sort;
use hyperkill_core::term::{Term, TermId};
use rustc_hash::FxHashSet;

use super::races;
use super::resolver::{Fail, Found, Resolver, Source};
use super::result::{Register, Resolved, Root, Setting};
use crate::ast::Direction;
use crate::design::{Design, Leaf, Run, Stop, WordId};

/// Returns the values of roots, and of all registers that they depend on. `mutations` is the number of mutations.
///
/// # Errors
/// If the roots depend, without any mutant, on a cycle, a latch or a net with several drivers.
pub fn resolve(
    design: &Design,
    setting: &Setting<'_>,
    roots: &[Root],
    mutations: usize,
) -> Run<Resolved> {
    let mut setting = setting.clone();
    let mut apart = FxHashSet::default();
    let mut raced: Option<BTreeSet<WordId>> = None;
    let mut work = 0;
    let of_inputs = of_inputs(design, &setting);
    loop {
        let kept = (0..mutations).filter(|m| !setting.rejected.contains_key(m));
        let numbers = kept.enumerate().map(|(new, old)| (old, new)).collect();
        let mut resolver = Resolver::new(
            design,
            &setting,
            numbers,
            Rc::clone(&of_inputs),
            std::mem::take(&mut apart),
        );
        let found = resolver.all(roots);
        work += resolver.out.work;
        apart = std::mem::take(&mut resolver.apart);
        if !matches!(found, Err(Fail::Apart(_))) && resolver.added > 0 {
            // Wires that were resolved as words may have searched for more than their bits need.
            continue;
        }
        match found {
            Ok(()) if resolver.out.rejected.is_empty() => {
                let making = resolver.making;
                let (mut out, numbers) = (resolver.out, resolver.numbers);
                if raced.is_none() {
                    let races = races::races(design, &out, &setting.rejected, &making);
                    raced = Some(races.original);
                    if !races.mutants.is_empty() {
                        setting.rejected.extend(races.mutants);
                        continue;
                    }
                }
                out.selectors = numbers.into_keys().collect();
                out.rejected = setting.rejected;
                out.raced = raced.unwrap_or_default();
                out.work = work;
                return Ok(out);
            }
            // Repeat the pass without the selectors of the mutants that were set aside.
            Ok(()) => {
                let rejected = std::mem::take(&mut resolver.out.rejected);
                drop(resolver);
                setting.rejected.extend(rejected);
            }
            Err(Fail::Apart(pieces)) => {
                drop(resolver);
                apart.extend(pieces);
            }
            Err(Fail::Stop(stop)) => return Err(stop),
            Err(Fail::Never(error)) => return Err(Stop::Model(Box::new((*error).clone()))),
        }
    }
}

/// Returns for each term of a design whether it is a function of choices and of inputs that are no clocks.
fn of_inputs(design: &Design, setting: &Setting<'_>) -> Rc<[bool]> {
    let timing = &setting.pins.timing;
    let pool = &design.words.pool;
    let mut found = Vec::with_capacity(pool.len());
    // Operands precede terms.
    for id in pool.ids() {
        let is_one = match *pool.term(id) {
            Term::Input(leaf) => match design.leaves[leaf as usize].0 {
                Leaf::Word(word) => {
                    let (var, ..) = design.elements[word.0];
                    design.var(var).port == Some(Direction::Input) && !timing.is_clock(var)
                }
                Leaf::Choice(_) => true,
                _ => false,
            },
            _ => true,
        };
        let mut operands = design.words.operands(id).into_iter().flatten();
        found.push(is_one && operands.all(|operand| found[operand.index()]));
    }
    found.into()
}

impl Resolver<'_> {
    pub(super) fn all(&mut self, roots: &[Root]) -> Found<()> {
        let timing = &self.setting.pins.timing;
        self.round()?;
        self.tables()?;
        for var in &self.design.ports {
            if self.design.var(*var).port != Some(Direction::Input) {
                continue;
            }
            match timing.is_clock(*var) {
                true if timing.is_chosen(*var) => self.chosen_tick(*var)?,
                true => {}
                false => {
                    self.input(*var);
                }
            }
        }
        self.levels()?;
        for root in roots {
            let value = match root {
                Root::Term(term) => self.term(*term)?,
                Root::Word(word) => {
                    let width = self.design.var(self.design.elements[word.0].0).width;
                    self.word(*word, 0, width)?
                }
                Root::Ticks(edge) => self.ticks(*edge)?,
            };
            self.out.roots.push(value);
        }
        let mut at = 0;
        loop {
            // The list grows while values are found.
            while at < self.out.registers.len() {
                let next = self.next_value(self.out.registers[at])?;
                self.becomes(self.out.of_clocks + at, next)?;
                at += 1;
            }
            self.mutants_alone()?;
            if at == self.out.registers.len() {
                break;
            }
        }
        self.fill_stand_ins()?;
        self.on_derived_clocks()?;
        self.settle_latches()?;
        self.tidy()
    }

    /// Gives a state its next value, an unsigned word.
    pub(super) fn becomes(&mut self, state: usize, next: TermId) -> Found<()> {
        let signed = matches!(self.out.states[state].sort, Sort::Word { signed: true, .. });
        self.out.states[state].next = match signed {
            true => {
                let width = self.out.words.width(next);
                self.out.words.pool.slice(next, 0, width, true)?
            }
            false => next,
        };
        Ok(())
    }

    pub(super) fn next_value(&mut self, register: Register) -> Found<TermId> {
        let pieces = self.pieces(register.word);
        let piece = pieces.iter().find(|piece| piece.low == register.low);
        match piece.map(|piece| &piece.source) {
            // Until the tick a latch has its visible value.
            Some(Source::Driven(_)) if self.is_latch(register) => {
                self.word(register.word, register.low, register.width)
            }
            Some(Source::Driven(driver)) => {
                let driver = &self.design.drivers[&register.word][*driver];
                let value = self.term(driver.value)?;
                self.at_edge(register, driver, value)
            }
            // The register never changes.
            _ => {
                let state = self.register(register.word, register.low, register.width);
                Ok(self.state_term(state))
            }
        }
    }
}
