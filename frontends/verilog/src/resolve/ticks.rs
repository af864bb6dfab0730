//! Registers that change in a step: ticks of clocks, gates, and clocks made by registers.
//!
//! A step ends with simultaneous ticks of some inputs, at which registers read the values before. Registers on derived clocks follow: such
//! a clock has an edge if the register that makes it changes accordingly. Its registers read the values after that change, and may make
//! clocks in turn.

use hyperkill_core::substitution::Substitution;
use hyperkill_core::system::{Init, InputRole, StateVar};
use hyperkill_core::term::{BinaryOp as Core, TermId};
use hyperkill_frontend::Diagnostic;
use hyperkill_frontend::clocked::{ROUND, Ticking};
use hyperkill_frontend::hardware::Ticks as Steps;

use super::resolver::{Found, Later, Resolver};
use super::result::Register;
use crate::clocks::{Edge, Source, enables};
use crate::design::{Clock, Drive, Driver, Stop, VarId};
use crate::words::{Words, word_sort};

impl Resolver<'_> {
    /// Adds the test input that says whether a clock ticks.
    pub(super) fn chosen_tick(&mut self, clock: VarId) -> Found<()> {
        let name = self.design.var(clock).name.clone();
        let input = self.new_input(name, word_sort(1), InputRole::Test);
        let ticks = self.out.words.truth(input)?;
        self.ticks.ticking.insert(clock, ticks);
        Ok(())
    }

    /// Adds the states that hold the levels of clocks with both edges.
    pub(super) fn levels(&mut self) -> Found<()> {
        let pins = self.setting.pins;
        for Ticking {
            input,
            both_edges,
            ticks,
        } in &pins.timing.ticking
        {
            if !both_edges || *ticks == Steps::Never {
                continue;
            }
            let name = format!("{}@level", self.design.var(*input).name);
            let (index, level) = self.state_of_clocks(name, 1);
            let level = self.out.words.truth(level)?;
            let words = &mut self.out.words;
            let next = match self.ticks.ticking.get(input) {
                Some(ticks) => words.pool.binary(Core::Xor, level, *ticks)?,
                None => words.pool.not(level)?,
            };
            self.out.states[index].next = words.of_truth(next)?;
            self.ticks.levels.insert(*input, level);
        }
        Ok(())
    }

    /// Adds the state that counts the steps of a round, if clocks have periods, and derives from it when each clock ticks. The state takes
    /// its name before any other variable does.
    pub(super) fn round(&mut self) -> Found<()> {
        let mut clocks = self.setting.pins.timing.ticking.iter();
        let length = clocks.find_map(|clock| match &clock.ticks {
            Steps::Round(round) => Some(round.len()),
            _ => None,
        });
        let Some(length) = length else {
            return Ok(());
        };
        let width = usize::BITS - (length - 1).leading_zeros();
        let (index, at) = self.state_of_clocks(ROUND.to_owned(), width.max(1));
        let width = width.max(1);
        let words = &mut self.out.words;
        let (one, zero) = (words.number(1, width), words.number(0, width));
        let last = words.number(length as u64 - 1, width);
        let is_last = words.equal(at, last)?;
        let after = words.arithmetic(Core::Add, at, one, false)?;
        self.out.states[index].next = words.ite(is_last, zero, after)?;
        for clock in &self.setting.pins.timing.ticking {
            let Steps::Round(round) = &clock.ticks else {
                continue;
            };
            let words = &mut self.out.words;
            let mut ticks = words.pool.bool(false);
            for (step, _) in round.iter().enumerate().filter(|(_, ticks)| **ticks) {
                let step = words.number(step as u64, width);
                let here = words.equal(at, step)?;
                ticks = words.pool.binary(Core::Or, ticks, here)?;
            }
            self.ticks.ticking.insert(clock.input, ticks);
        }
        Ok(())
    }

    /// Adds a state that starts at 0. Returns its index and value.
    pub(super) fn state_of_clocks(&mut self, name: String, width: u32) -> (usize, TermId) {
        let index = self.out.states.len();
        let sort = word_sort(width);
        let name = self.unique(name);
        let value = self.out.words.pool.state(index, sort.clone());
        let zero = self.out.words.number(0, width);
        self.out.states.push(StateVar {
            name,
            sort,
            init: Init::Term(zero),
            next: value,
        });
        self.out.of_clocks += 1;
        (index, value)
    }

    /// Returns whether a step ends with an edge of an input.
    ///
    /// # Errors
    /// If a register makes the clock.
    pub(super) fn ticks(&mut self, edge: Edge) -> Found<TermId> {
        let pool = &mut self.out.words.pool;
        match edge {
            Edge::Every => Ok(pool.bool(true)),
            Edge::Never => Ok(pool.bool(false)),
            Edge::Tick(clock, before) => {
                let ticks = self.ticks.ticking.get(&clock).copied();
                let ticks = ticks.unwrap_or_else(|| pool.bool(true));
                let (Some(before), Some(level)) = (before, self.ticks.levels.get(&clock)) else {
                    return Ok(ticks);
                };
                let level = match before {
                    true => *level,
                    false => pool.not(*level)?,
                };
                Ok(pool.binary(Core::And, ticks, level)?)
            }
            Edge::Derived(_) => {
                let message =
                    "a property at the edges of a clock that a register makes is not supported";
                Err(Stop::Model(Box::new(Diagnostic::unlocated(message))).into())
            }
        }
    }

    /// Returns the next value of a register: `value` if its clock ticks and all gates of the clock are open, else its current value. If a
    /// register makes the clock, returns the current value, and the next value is determined later. The next value of a wire is `value`.
    ///
    /// # Errors
    /// If the clock is not supported.
    pub(super) fn at_edge(
        &mut self,
        register: Register,
        driver: &Driver,
        value: TermId,
    ) -> Found<TermId> {
        let Drive::Register { clock, .. } = driver.drive else {
            return Ok(value);
        };
        let design = self.design;
        let Clock {
            signal,
            rising,
            place,
        } = design.clocks[clock];
        let Some(edge) = self.setting.pins.edge(design, signal, rising) else {
            return Err(Stop::at(place, "this clock is not supported").into());
        };
        if let Edge::Derived(source) = edge {
            let signal = self.term(signal)?;
            let later = Later {
                state: self.registers[&(register.word, register.low)],
                source,
                signal: self.out.words.truth(signal)?,
                rising,
                value,
                held: self.driven(register.word, driver)?,
            };
            self.no_edge_by_reset(source)?;
            self.making.insert(source.word);
            self.later.push(later);
            return Ok(later.held);
        }
        let mut conditions = Vec::new();
        if edge != Edge::Every {
            conditions.push(self.ticks(edge)?);
        }
        for enable in enables(design, signal) {
            let enable = self.term(enable)?;
            conditions.push(self.out.words.truth(enable)?);
        }
        if conditions.is_empty() {
            return Ok(value);
        }
        let held = self.driven(register.word, driver)?;
        conditions.into_iter().try_fold(value, |value, condition| {
            Ok(self.out.words.ite(condition, value, held)?)
        })
    }

    /// Checks that an asynchronous set or reset of a register that makes a clock makes no edge. Such an edge would come with the inputs of
    /// a step, before its outputs. Mutants that make one are set aside.
    fn no_edge_by_reset(&mut self, source: Source) -> Found<()> {
        let design = self.design;
        let driver = source.driver(design);
        let Drive::Register { overrides, .. } = &driver.drive else {
            return Ok(());
        };
        let name = design.word_name(source.word);
        let message = format!(
            "`{name}` makes a clock, and is set at once to the value that is an edge of it: this is not supported"
        );
        for given in overrides.iter().filter_map(|(_, given)| *given) {
            let bit = self.part(given, source.bit - driver.low, 1)?;
            let original = self.alone(bit, None)?;
            let is_quiet = |words: &Words, bit: TermId| {
                words
                    .constant(bit)
                    .is_some_and(|bits| bits != [source.active])
            };
            if !is_quiet(&self.out.words, original) {
                return Err(Stop::at(driver.place, message).into());
            }
            for selector in self.out.words.selectors(bit) {
                let mutated = self.alone(bit, Some(selector))?;
                let mutation = self.numbers.iter().find(|(_, new)| **new == selector);
                if let (false, Some((mutation, _))) = (is_quiet(&self.out.words, mutated), mutation)
                {
                    self.out.rejected.insert(*mutation, message.clone());
                }
            }
        }
        Ok(())
    }

    /// Computes the next values of registers on derived clocks, in the order in which their clocks depend on each other.
    pub(super) fn on_derived_clocks(&mut self) -> Found<()> {
        let mut open = std::mem::take(&mut self.later);
        while !open.is_empty() {
            let waits = |later: &Later| {
                let made = later.source.driver(self.design).low;
                let made = self.registers.get(&(later.source.word, made));
                open.iter().any(|other| made == Some(&other.state))
            };
            let (later, now): (Vec<Later>, Vec<Later>) = open.iter().copied().partition(waits);
            if now.is_empty() {
                let message = "registers that make clocks are clocked by each other";
                return Err(Stop::Model(Box::new(Diagnostic::unlocated(message))).into());
            }
            // Registers that have changed by now have their next values; the others still have their old ones.
            let mut after = Substitution::new();
            for (index, state) in self.out.states.iter().enumerate() {
                if !open.iter().any(|other| other.state == index) {
                    let old = self.out.words.pool.state(index, state.sort.clone());
                    after.replace(old, state.next);
                }
            }
            for register in &now {
                let Later { signal, value, .. } = *register;
                let pool = &mut self.out.words.pool;
                let (held, value) = (after.apply(pool, register.held)?, after.apply(pool, value)?);
                let [mut off, mut on] = [signal, after.apply(pool, signal)?];
                if !register.rising {
                    (off, on) = (on, off);
                }
                let pool = &mut self.out.words.pool;
                let off = pool.not(off)?;
                let edge = pool.binary(Core::And, off, on)?;
                let next = self.out.words.ite(edge, value, held)?;
                self.becomes(register.state, next)?;
            }
            open = later;
        }
        Ok(())
    }
}
