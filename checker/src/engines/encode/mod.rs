//! Encodes graphs as clauses: combinational cones by Tseitin's transformation, and unrollings over time.

mod partial;
mod tseitin;
mod unroller;
mod unrolling;

pub use partial::PartialCone;
pub use tseitin::Encoder;
pub use unroller::{Start, Unroller};
pub use unrolling::Unrolling;
