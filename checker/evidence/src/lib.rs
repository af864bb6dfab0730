//! Verdicts and their evidence as plain data, which engines return, documents store and the certifier checks.
//!
//! This package searches, proves and checks nothing. The certifier depends on this package, the circuit and a solver of its own, and on no
//! engine.

pub mod accepted_sets;
pub mod allowed_outputs;
pub mod answer;
pub mod closed_set;
pub mod determinism;
pub mod estimates;
pub mod fault;
pub mod inclusion;
pub mod multiplexers;
pub mod proof;
pub mod question;
pub mod simulation;
pub mod strategy_tree;
pub mod validity;
pub mod verdict;
