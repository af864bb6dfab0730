//! What the tests of hyperkill stand on: a brute-force oracle, a generator of random conditional mutants and a shrinker.
//!
//! Nothing here is used by the product. The oracle reads a circuit as data and shares no code with the engines
//! it judges; it never asks a solver, and where it cannot enumerate it says so instead of guessing.

pub mod action_systems;
pub mod against_oracle;
pub mod ascii;
pub mod bench;
pub mod blif;
pub mod circuit;
pub mod common_states;
pub mod designs;
pub mod efsm;
pub mod generate;
pub mod guessed;
pub mod icarus;
pub mod lock;
pub mod manifest;
pub mod miter;
pub mod models;
pub mod oracle;
pub mod peers;
pub mod random_verilog;
pub mod reach;
pub mod reachable;
pub mod relational;
pub mod safety;
pub mod shown;
pub mod shrink;
pub mod unsafe_states;
pub mod unstructured;
pub mod verilog;
pub mod wide;
pub mod witness;
