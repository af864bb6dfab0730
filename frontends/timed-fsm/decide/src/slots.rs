//! When a real clock gives the inputs of a test.
//!
//! No clock meets a moment. If only whole units matter, an input may come anywhere in its unit. If bounds of guards matter, so may one that
//! comes between two whole numbers of units; one at such a number comes in the unit behind it or in the one before it, wherever the machine
//! takes the same transition.

use hyperkill_frontend::decision::Slot;
use hyperkill_timed_fsm::machine::{Answer, Machine};

use crate::implementation::Runs;
use crate::run::Stimulus;

/// The unit in which each input comes.
///
/// # Errors
/// The first input that the machine answers only at that very moment so, or not at all.
pub(crate) fn slots(machine: &Machine, scale: u32, test: &[Stimulus]) -> Result<Vec<Slot>, usize> {
    let mut state = 0;
    let slots = test.iter().enumerate().map(|(index, &(delay, input))| {
        let (slot, answer) = slot(machine, state, scale, (delay, input)).ok_or(index)?;
        state = answer.target;
        Ok(slot)
    });
    slots.collect()
}

fn slot(
    machine: &Machine,
    state: usize,
    scale: u32,
    (delay, input): Stimulus,
) -> Option<(Slot, Answer)> {
    let after = |delay: u64| machine.answer(machine.wait(state, delay), input);
    let own = after(delay)?;
    let (units, is_whole) = match scale {
        1 => (delay, false),
        _ => (delay / 2, delay.is_multiple_of(2)),
    };
    let slot = Slot {
        units,
        at_once: delay == 0,
        is_beside: is_whole,
    };
    if !is_whole || after(delay.checked_add(1)?) == Some(own) {
        return Some((slot, own));
    }
    let before = after(delay.checked_sub(1)?) == Some(own);
    let units = units.checked_sub(1)?;
    before.then_some((Slot { units, ..slot }, own))
}
