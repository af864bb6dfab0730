//! Checks what is said of refinement of timed automata: relations, tests, and that an automaton cannot live on.
//!
//! Shares no code with what finds them. There are no matrices and no closed forms here: sets are unions of lists of constraints, one is
//! empty if its constraints have a cycle that adds up to less than nothing, and what is inside a union is found by taking its parts away
//! one constraint at a time. Good states are computed anew from their definition.
//!
//! [`constraint`] → [`good`] → [`relation`], [`replay`] → [`windows`]

pub mod constraint;
pub mod fraction;
pub mod good;
pub mod relation;
pub mod replay;
pub mod windows;
