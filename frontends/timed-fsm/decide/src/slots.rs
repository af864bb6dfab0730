//! The times at which a real clock gives the inputs of a test.
//!
//! No real clock meets an exact time. If only integer units matter, an input may be given anywhere in its unit. If bounds of guards matter,
//! the same holds for an input between two integers. An input at an integer is given in the unit after it or before it, if the machine has
//! the same transition there.

use hyperkill_frontend::decision::Slot;
use hyperkill_timed_fsm::machine::{Answer, Machine};

use crate::implementation::Runs;
use crate::run::Stimulus;

/// Returns the unit in which each input is given.
///
/// # Errors
/// The first input with a different or missing transition just before and just after its exact time.
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
