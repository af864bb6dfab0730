//! Clocks and resets of a circuit: what is inferred, what is asked for, and what is refused. The same for every hardware language.
//!
//! A language collects [`Facts`]: its inputs, the edges that registers change at, and the levels that registers are reset by at any time,
//! each followed back to an input where that is possible ([`origin`]). [`infer`] makes a [`Timing`] of them:
//!
//! - **Clock.** One edge of one input, which may be inverted or buffered on its way, is the clock of all registers: one step of the model.
//!   With `--one-clock` all edges are taken for one. Languages that know several clocks ask [`infer_several`]: a step is a tick of some
//!   clocks, which a test input of the name of each clock, or a schedule (`--clock NAME:PERIOD`), says.
//! - **Resets.** An input that resets registers at any time is a reset, active at the level at which it does so. Resets at a clock step
//!   look like any other logic; they are named by `--reset`, or found by what they make known ([`infer_synchronous`]).
//!   An input that resets some registers at any time at 0 and others at 1 is refused, unless
//!   `--reset` says its level or that nothing is inferred: whatever were guessed, some registers would not be reset.
//! - **Before the first step** every reset is active for its own number of clock steps (1 unless `--reset` says otherwise), and all of
//!   them end together, right before the first step of a run. All other inputs are 0 meanwhile.
//! - **When the power comes on** a register has the value that the source says; else any, or 0 with `--zero-init`.

mod facts;
mod infer;
mod several;
mod synchronous;
mod timing;

#[cfg(test)]
mod tests;

pub use facts::{ClockUse, Facts, Input, Link, Origin, Read, ResetUse, origin};
pub use infer::{infer, infer_several};
pub use several::MOST_ROUND;
pub use synchronous::{MOST_STEPS, ROUND, infer_synchronous, is_looked_for};
pub use timing::{ClockEdge, ResetInput, Ticking, Timing};

use crate::options::FrontendOptions;

/// What a register holds when the power comes on, if the source does not say it; `None`: anything.
#[must_use]
pub fn power_up(options: &FrontendOptions) -> Option<bool> {
    options.zero_init.then_some(false)
}
