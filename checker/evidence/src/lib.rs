//! Verdicts and the evidence for them, as plain data: what engines hand over, what documents hold, and what the certifier checks.
//!
//! Nothing here searches, proves or checks. The certifier sees this package, the circuit and a solver of its own, and no engine.

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
