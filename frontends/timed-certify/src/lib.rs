//! Checks evidence about timed automata: refinement relations, tests, and proofs of inconsistency.
//!
//! It has no code in common with the search for them. There are no matrices and no canonical forms: sets are unions of lists of
//! constraints. A list is empty if its constraints have a cycle with a negative sum. Inclusion in a union is decided by removing its parts
//! one constraint at a time. Good states are computed anew from their definition.
//!
//! [`constraint`] → [`good`] → [`relation`], [`replay`] → [`windows`]

pub mod constraint;
pub mod fraction;
pub mod good;
pub mod relation;
pub mod replay;
pub mod windows;
