//! Zones, and decisions by zones: the good states of a timed automaton, and refinement between automata.
//!
//! The package is independent of syntax: automata are plain data of `core`. A package without common code checks its results. [`bound`] →
//! [`dbm`] → [`federation`] → [`game`] → `side` → `view` → `search` → `witness` → [`refine`]; [`family`] decides many mutants at once by
//! the same steps, and [`identity`] needs no search. [`replay`] and [`windows`] follow tests at exact times, [`played`] does so with many
//! mutants, and [`follow`] follows the behaviour seen of a system.

pub mod bound;
pub mod dbm;
pub mod family;
pub mod fault;
pub mod federation;
pub mod follow;
pub mod game;
pub mod identity;
pub mod played;
pub mod rational;
pub mod refine;
pub mod replay;
mod search;
mod side;
mod view;
pub mod windows;
mod witness;
