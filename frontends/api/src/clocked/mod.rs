//! Clocks and resets of a circuit, for all hardware languages: inference, options and errors.
//!
//! A language collects [`Facts`]: its inputs, the edges that registers change at, and the levels of their asynchronous resets. Each is
//! traced back to an input if possible ([`origin`]). [`infer`] computes a [`Timing`] from them:
//!
//! - **Clock.** One edge of one input is the clock of all registers: one step of the model. The input may be inverted or buffered on its
//!   path. With `--one-clock` all edges are taken for one. Languages with several clocks call [`infer_several`]: a step is a tick of some
//!   clocks. A test input with the name of each clock selects them, or a schedule (`--clock NAME:PERIOD`).
//! - **Resets.** An input that resets registers asynchronously is a reset with this active level. A synchronous reset looks like other
//!   logic; it is named by `--reset`, or found by the registers that it makes known ([`infer_synchronous`]). An input that resets some
//!   registers asynchronously at 0 and others at 1 is refused, unless `--reset` sets its level or turns the inference off: with either
//!   level some registers would not be reset.
//! - **Before the first step** every reset is active for its own number of clock steps (1 unless `--reset` sets it). All of them end
//!   together, right before the first step of a run. All other inputs are 0 meanwhile.
//! - **At power-up** a register has its initial value in the source. Without one it has any value, or 0 with `--zero-init`.

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

/// Returns the value of a register at power-up if the source has no initial value; `None` for any value.
#[must_use]
pub fn power_up(options: &FrontendOptions) -> Option<bool> {
    options.hardware.zero_init.then_some(false)
}
