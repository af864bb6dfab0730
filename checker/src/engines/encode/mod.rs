//! From graphs to clauses: combinational cones by Tseitin's transformation, and unrollings over time.

mod frames;
mod tseitin;
mod unroller;

pub use frames::Frames;
pub use tseitin::Encoder;
pub use unroller::{Start, Unroller};
