//! Checks evidence that decision diagrams found, by decision diagrams in the variable order of the evidence.
//!
//! Implications between diagrams are hard for a SAT solver and easy for diagrams. The store is the certifier's own, and the functions are
//! built anew from the circuit. The order is a hint: any order of all variables is sound, and an incomplete one is refused. Evidence that
//! exceeds the limits is left to the SAT solver.

mod conjunction;
mod estimates;
mod operations;
mod order;
mod simulation;
mod store;
mod system;

pub(super) use estimates::check_estimates;
pub(super) use simulation::check_simulation;
pub use store::DiagramLimits;

use super::CertifyError;

/// A constructor of the error for a claim that the evidence does not prove, from the claim that fails.
type Wrong = fn(&'static str) -> CertifyError;
