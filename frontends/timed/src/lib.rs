//! Zones, and what is decided with them: which states of a timed automaton are good, and whether one automaton refines another.
//!
//! Knows no syntax: automata are plain data of `core`. What it finds is checked by a package that shares no code with it.
//! [`bound`] → [`dbm`] → [`federation`] → [`game`] → `side` → `view` → `search` → `witness` → [`refine`]; [`family`] decides many
//! mutants at once by the same steps, and [`identity`] needs no search. [`replay`] and [`windows`] walk along tests at exact times,
//! [`played`] does so with many mutants, and [`follow`] keeps to what is seen of a system.

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
