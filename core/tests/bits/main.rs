//! Integration tests of the core: bit-blasting, simulation, and AIGER files.

#![allow(clippy::unwrap_used)] // Tests say what must hold by panicking.

mod aiger_files;
mod aiger_roles;
mod bit_blast;
mod copies;
mod higher_order;
mod random;
mod simulation;
mod wide_words;
