//! A test run on a system: what to give next, and what an answer means (semantics.md §4).
//!
//! Pure: who has the system asks [`Play::next`] what to set, sets it, and hands over the answer. Tests that go on after an answer
//! that the test does not name are followed with the model: [`Follower`] knows which of its states agree with all that was seen.

mod follower;
mod observer;
mod play;
mod values;

pub use follower::{Follower, Reference};
pub use observer::{Escape, Observer, Place, Then};
pub use play::{Ending, Next, Play, Script, Strategy, Turn, Values, Verdict, Why};
pub use values::{Misfit, pattern};
