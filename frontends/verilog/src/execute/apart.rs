//! Mutants that are executed apart from all others.
//!
//! Usually a process is executed once, with each mutant as an alternative at its place. Some mutants need an execution of their own. They
//! change the number of turns of a loop or the end of a recursion, the order of assignments in a block without memory, or a first value; or
//! they change a function that calls itself from the changed place. For each of these the process is executed again as if it were the only
//! mutant; its drivers then are alternatives to the original's. So a mutant means its own text, independent of other mutants.

use std::collections::BTreeSet;

use hyperkill_core::term::{Term, TermId};
use hyperkill_frontend::Span;

use crate::ast::{ExprId, StmtId, StmtKind};
use crate::design::{Claim, Drive, Driver, Process, Run, Stop, WordId};
use crate::state::{Alternative, Elaborator, Made, Mode, World};

impl Elaborator<'_> {
    /// Executes a process with all its mutants, and adds its drivers to the design.
    pub(crate) fn execute(&mut self, process: &Process, place: Span) -> Run<()> {
        self.apart.clear();
        self.old.clear();
        self.unknowns.clear();
        let rejected = self.rejected.clone();
        let choices = self.choices.clone();
        let mut all = loop {
            let known = self.apart.len();
            self.is_late = false;
            let made = match self.made_in(World::All, process, place) {
                Err(Stop::Apart(mutants)) => {
                    self.apart.extend(mutants);
                    None
                }
                made => Some(made?),
            };
            // A mutant with several changes may have been noted after one of them was executed.
            let is_late = self.is_late || self.plan.combined > 0 && self.apart.len() > known;
            match made {
                Some(made) if !is_late => break made,
                // Repeat without these mutants, and discard the rejections and choices of this run.
                _ => {
                    self.rejected.clone_from(&rejected);
                    self.choices.clone_from(&choices);
                }
            }
        };
        let apart = std::mem::take(&mut self.apart);
        if !apart.is_empty() {
            let original = self.made_in(World::Original, process, place)?;
            for mutant in apart {
                if self.rejected.contains_key(&mutant) {
                    continue;
                }
                std::mem::swap(&mut self.fuel, &mut self.fuel_apart);
                let mutated = self.made_in(World::Only(mutant), process, place);
                std::mem::swap(&mut self.fuel, &mut self.fuel_apart);
                let outcome = match mutated {
                    Ok(mutated) => self.alternative(mutant, &original, &mutated, &mut all, place),
                    Err(stop) => Err(stop),
                };
                if let Err(stop) = outcome {
                    let message = stop.located(place).message;
                    self.rejected.entry(mutant).or_insert(message);
                }
            }
        }
        for (word, drivers) in all.drivers {
            self.design.drivers.entry(word).or_default().extend(drivers);
        }
        for (word, partial) in all.partial {
            self.design.partial.entry(word).or_default().extend(partial);
        }
        self.design.initial.extend(all.initial);
        self.design.claims.extend(all.claims);
        Ok(())
    }

    fn made_in(&mut self, world: World, process: &Process, place: Span) -> Run<Made> {
        self.world = world;
        self.mute = world != World::All;
        self.made = Made::default();
        self.reading = None;
        match world {
            World::All => self.unknowns.clear(),
            _ => self.unknowns.begin(),
        }
        let outcome = self.execute_once(process, place);
        (self.world, self.mute) = (World::All, false);
        let made = std::mem::take(&mut self.made);
        outcome.map(|()| made)
    }

    /// Returns a value for the mutants of the current world only. The other mutants of the value are noted for execution apart.
    pub(super) fn in_this_world(&mut self, mut value: TermId) -> TermId {
        while let Term::Ite(condition, mutated, other) = *self.design.words.pool.term(value)
            && let Term::Selector(mutant) = *self.design.words.pool.term(condition)
        {
            if self.world == World::All {
                self.apart.insert(mutant as usize);
            }
            let only = self.world == World::Only(mutant as usize);
            value = if only { mutated } else { other };
        }
        value
    }

    /// Returns the replacement of a statement by the only mutant, and whether it exchanges `<=` and `=`. `None` if all mutants are present,
    /// or the only one does not change the statement.
    pub(super) fn only_stmt(&self, id: StmtId) -> Option<(Alternative, bool)> {
        let World::Only(mutant) = self.world else {
            return None;
        };
        let (mut here, mut parts, mut found) = (id, Vec::new(), None);
        // Another change of the mutant may replace the replacement.
        loop {
            let mut all = self.plan.stmts.get(&here).into_iter().flatten();
            let next = all.find(|choice| choice.has(mutant) && !parts.contains(&choice.part));
            let Some(choice) = next else { return found };
            let exchanges = found.is_some_and(|(_, exchanges)| exchanges);
            let exchanges = exchanges || self.changes_timing(here, choice.with);
            found = Some((choice.with, exchanges));
            parts.push(choice.part);
            match choice.with {
                Alternative::Delete => return found,
                Alternative::Replace(with) => here = with,
            }
        }
    }

    /// Returns the replacement of an expression by the only mutant. `None` in constant expressions, if all mutants are present, or if the
    /// only one does not change the expression.
    pub(super) fn only_expr(&self, id: ExprId) -> Option<ExprId> {
        let (World::Only(mutant), true) = (self.world, self.mode != Mode::Constant) else {
            return None;
        };
        let mut all = self.plan.exprs.get(&id)?.iter();
        all.find(|choice| choice.has(mutant))
            .map(|choice| choice.with)
    }

    /// Evaluates the mutated expression that replaces another one, which may be an operand of it.
    pub(super) fn in_place_of<T>(
        &mut self,
        expr: ExprId,
        run: impl FnOnce(&mut Self) -> Run<T>,
    ) -> Run<T> {
        let before = self.replaced.replace((expr, self.calls));
        let result = run(self);
        self.replaced = before;
        result
    }

    /// Whether the replacement of a statement exchanges blocking and non-blocking assignment.
    pub(super) fn changes_timing(&self, id: StmtId, alternative: Alternative) -> bool {
        let timing = |id: StmtId| match self.source.stmt(id).kind {
            StmtKind::Assign { blocking, .. } => Some(blocking),
            _ => None,
        };
        match alternative {
            Alternative::Replace(with) => {
                matches!((timing(id), timing(with)), (Some(a), Some(b)) if a != b)
            }
            Alternative::Delete => false,
        }
    }

    /// Returns the error for a loop whose condition is not constant: because of some mutants, or in the original.
    pub(super) fn not_constant(&self, term: TermId, place: Span) -> Stop {
        let mutants = self.design.words.selectors(term);
        if mutants.is_empty() {
            return Stop::at(
                place,
                "the number of iterations of this loop must be constant",
            );
        }
        Stop::Apart(mutants)
    }

    /// Adds the result of one mutant to `all` as an alternative, where it differs from the result of the original.
    ///
    /// # Errors
    /// If the mutant assigns bits that nothing else assigns, or leaves bits without a driver.
    fn alternative(
        &mut self,
        mutant: usize,
        original: &Made,
        mutated: &Made,
        all: &mut Made,
        place: Span,
    ) -> Run<()> {
        let words: BTreeSet<WordId> = (original.drivers.keys())
            .chain(mutated.drivers.keys())
            .copied()
            .collect();
        let none = Vec::new();
        let mut changed = Vec::new();
        for word in words {
            let before = original.drivers.get(&word).unwrap_or(&none);
            let after = mutated.drivers.get(&word).unwrap_or(&none);
            let same = |(a, b): (&Driver, &Driver)| {
                (a.low, a.width, a.value, &a.drive) == (b.low, b.width, b.value, &b.drive)
            };
            if before.len() == after.len() && before.iter().zip(after).all(same) {
                continue;
            }
            let here = all.drivers.get(&word).unwrap_or(&none).clone();
            let driven = self.behind_drivers(mutant, word, after, &here, place)?;
            changed.push((word, driven));
        }
        all.drivers.extend(changed);
        let selector = self.design.words.pool.selector(mutant);
        for (word, mutated) in &mutated.partial {
            let here = all.partial.get_mut(word).into_iter().flatten();
            for (partial, mutated) in here.zip(mutated) {
                let words = &mut self.design.words;
                partial.value = words.ite(selector, mutated.value, partial.value)?;
                partial.driven = words.ite(selector, mutated.driven, partial.driven)?;
            }
        }
        let words: BTreeSet<WordId> = (original.initial.keys())
            .chain(mutated.initial.keys())
            .copied()
            .collect();
        for word in words {
            let after = mutated.initial.get(&word);
            if after == original.initial.get(&word) {
                continue;
            }
            let width = self.design.var(self.design.elements[word.0].0).width;
            let mut or_unknown = |value: Option<&TermId>| match value {
                Some(value) => *value,
                None => self.unknown(width),
            };
            let (after, here) = (or_unknown(after), or_unknown(all.initial.get(&word)));
            let value = self.design.words.ite(selector, after, here)?;
            all.initial.insert(word, value);
        }
        let terms = |claims: &[Claim]| claims.iter().map(|claim| claim.term).collect::<Vec<_>>();
        if terms(&original.claims) != terms(&mutated.claims) {
            let pool = &mut self.design.words.pool;
            let holds = pool.bool(true);
            for claim in &mut all.claims {
                claim.term = pool.ite(selector, holds, claim.term)?;
            }
            for claim in &mutated.claims {
                let term = pool.ite(selector, claim.term, holds)?;
                all.claims.push(Claim { term, ..*claim });
            }
        }
        Ok(())
    }

    /// Returns the drivers `all` of a word, with the drivers of a mutant as alternatives.
    ///
    /// # Errors
    /// If the mutant assigns bits that nothing else assigns, or leaves bits without a driver.
    fn behind_drivers(
        &mut self,
        mutant: usize,
        word: WordId,
        mutated: &[Driver],
        all: &[Driver],
        place: Span,
    ) -> Run<Vec<Driver>> {
        let name = self.design.word_name(word);
        let bits = |drivers: &[Driver]| {
            let all = drivers.iter().flat_map(|d| d.low..d.low + d.width);
            all.collect::<BTreeSet<u32>>()
        };
        if !bits(mutated).is_subset(&bits(all)) {
            let message = format!("it would be the only one to assign some bits of `{name}`");
            return Err(Stop::at(place, message));
        }
        let cuts: BTreeSet<u32> = (mutated.iter().chain(all))
            .flat_map(|d| [d.low, d.low + d.width])
            .collect();
        let selector = self.design.words.pool.selector(mutant);
        let mut found = Vec::new();
        for driver in all {
            let end = driver.low + driver.width;
            let inner: Vec<u32> = cuts.range(driver.low..=end).copied().collect();
            for pair in inner.windows(2) {
                let (low, width) = (pair[0], pair[1] - pair[0]);
                let here = self.part_of_driver(driver, low, width)?;
                let other = mutated
                    .iter()
                    .find(|d| d.low <= low && low + width <= d.low + d.width);
                let other = match other {
                    Some(other) => self.part_of_driver(other, low, width)?,
                    None => self.nothing_new(word, &here, &name)?,
                };
                found.push(self.either_driver(word, selector, &other, here)?);
            }
        }
        Ok(found)
    }

    /// Returns the part of a driver for `width` bits of the word from `low` up.
    fn part_of_driver(&mut self, driver: &Driver, low: u32, width: u32) -> Run<Driver> {
        let words = &mut self.design.words;
        let mut part = |term| words.slice(term, low - driver.low, width);
        let value = part(driver.value)?;
        let mut drive = driver.drive.clone();
        if let Drive::Register { overrides, .. } = &mut drive {
            for (_, value) in overrides {
                if let Some(value) = value {
                    *value = part(*value)?;
                }
            }
        }
        Ok(Driver {
            low,
            width,
            drive,
            value,
            ..*driver
        })
    }

    /// Returns the driver of bits that a mutant does not assign: a register keeps its value.
    ///
    /// # Errors
    /// If the driver is no register.
    fn nothing_new(&mut self, word: WordId, driver: &Driver, name: &str) -> Run<Driver> {
        let Drive::Register { clock, overrides } = &driver.drive else {
            let message = format!("it would leave bits of `{name}` that nothing assigns");
            return Err(Stop::at(driver.place, message));
        };
        let overrides = overrides.iter().map(|(condition, _)| (*condition, None));
        let drive = Drive::Register {
            clock: *clock,
            overrides: overrides.collect(),
        };
        let value = self.design.word(word);
        let value = self.design.words.slice(value, driver.low, driver.width)?;
        Ok(Driver {
            drive,
            value,
            ..*driver
        })
    }

    fn either_driver(
        &mut self,
        word: WordId,
        selector: TermId,
        mutated: &Driver,
        mut driver: Driver,
    ) -> Run<Driver> {
        if let (
            Drive::Register {
                overrides: mutated, ..
            },
            Drive::Register { overrides, .. },
        ) = (&mutated.drive, &mut driver.drive)
        {
            for ((other, after), (condition, before)) in mutated.iter().zip(overrides) {
                *condition = self.design.words.ite(selector, *other, *condition)?;
                if after == before {
                    continue;
                }
                let held = self.held_value(word);
                let words = &mut self.design.words;
                let held = words.slice(held, driver.low, driver.width)?;
                let (after, here) = (after.unwrap_or(held), before.unwrap_or(held));
                *before = Some(words.ite(selector, after, here)?);
            }
        }
        driver.value = self
            .design
            .words
            .ite(selector, mutated.value, driver.value)?;
        Ok(driver)
    }
}
