//! Executes a test on a system: computes the next input, and judges the answers (semantics.md §4).
//!
//! This module performs no input or output. The caller asks [`Play::next`] for the values to set, sets them on the system, and hands over
//! its answer. Tests that continue after an answer that they do not list follow the model: [`Follower`] keeps the model states that agree
//! with the answers so far.

mod follower;
mod observer;
mod play;
mod values;

pub use follower::{Follower, Reference};
pub use observer::{Escape, Observer, Place, Then};
pub use play::{Ending, Next, Play, Script, Strategy, Turn, Values, Verdict, Why};
pub use values::{Misfit, pattern};
