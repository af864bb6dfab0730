//! Latches: transparent in the step. The stored value of a latch is a state; its next value is the value after the tick.

use hyperkill_core::substitution::Substitution;

use super::resolver::{Found, Resolver};
use super::result::Register;
use crate::design::{Drive, WordId};

impl Resolver<'_> {
    /// Returns `width` bits of a word from `low` up, before the latch in `process` assigns them: the stored bits of the latch, and the
    /// current bits of other drivers.
    pub(super) fn kept(
        &mut self,
        word: WordId,
        process: usize,
        low: u32,
        width: u32,
    ) -> Found<hyperkill_core::term::TermId> {
        let design = self.design;
        let drivers = design.drivers.get(&word).into_iter().flatten();
        let own: Vec<(u32, u32)> = drivers
            .filter(|driver| driver.process == process)
            .map(|driver| (driver.low, driver.width))
            .collect();
        let mut value = None;
        let mut at = low;
        while at < low + width {
            let inside = |(from, bits): &&(u32, u32)| *from <= at && at < from + bits;
            let next = own.iter().map(|(from, _)| *from).filter(|from| *from > at);
            let (part, end) = match own.iter().find(inside) {
                Some(&(from, bits)) => {
                    let end = (from + bits).min(low + width);
                    let state = self.register(word, from, bits);
                    let state = self.state_term(state);
                    (self.out.words.slice(state, at - from, end - at)?, end)
                }
                None => {
                    let end = next.min().unwrap_or(u32::MAX).min(low + width);
                    (self.word(word, at, end - at)?, end)
                }
            };
            value = Some(match value {
                None => part,
                Some(below) => self.out.words.concat(part, below)?,
            });
            at = end;
        }
        match value {
            Some(value) => Ok(value),
            None => self.word(word, low, width),
        }
    }

    /// Whether the driver of a register is a latch.
    pub(super) fn is_latch(&self, register: Register) -> bool {
        let drivers = self
            .design
            .drivers
            .get(&register.word)
            .into_iter()
            .flatten();
        drivers
            .filter(|driver| driver.low == register.low)
            .any(|driver| matches!(driver.drive, Drive::Wire))
    }

    /// Updates latches after the tick: registers have changed, inputs have not, and open latches pass the new values.
    pub(super) fn settle_latches(&mut self) -> Found<()> {
        let latches: Vec<usize> = (0..self.out.registers.len())
            .filter(|at| self.is_latch(self.out.registers[*at]))
            .map(|at| self.out.of_clocks + at)
            .collect();
        if latches.is_empty() {
            return Ok(());
        }
        let mut after = Substitution::new();
        for (index, state) in self.out.states.iter().enumerate() {
            let old = self.out.words.pool.state(index, state.sort.clone());
            after.replace(old, state.next);
        }
        for state in latches {
            let before = self.out.states[state].next;
            self.out.states[state].next = after.apply(&mut self.out.words.pool, before)?;
        }
        Ok(())
    }
}
