//! Terms over leaves to terms over inputs and registers: finds the wires among words, and the order of their evaluation.
//!
//! Starts at the roots and follows dependencies, so only the cone of influence of the roots is visited. A wire that depends on itself is
//! split into bits. If a bit depends on itself, the model has a combinational cycle, or a latch if the cycle is inside one block. A mutant
//! that closes a cycle by itself is set aside; the model stays as it is.

mod functions;
mod latches;
mod mutants;
mod needed;
mod parts;
mod passes;
mod races;
mod resolver;
mod result;
mod sites;
mod terms;
mod ticks;
mod wires;

pub use functions::STARTED;
pub use passes::resolve;
pub use result::{Register, Resolved, Root, Setting};
