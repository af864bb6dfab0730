//! The foundations of hyperkill's tests: a brute-force oracle, a generator of random conditional mutants and a shrinker.
//!
//! The product does not use this crate. The oracle reads a circuit as data and shares no code with the engines that it judges. It never
//! asks a solver; where it cannot enumerate, it reports that instead of guessing.

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
pub mod random_systemverilog;
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
