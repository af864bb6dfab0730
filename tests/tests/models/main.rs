//! Models of this repository: verdicts of their mutants, and exported benches that tell the mutants from the models.
//!
//! Ignored tests are the slow tier.

mod action_systems;
mod adapters;
mod bench_options;
mod benches;
mod clock_benches;
mod efsm;
mod export_forms;
mod higher_order;
mod killing_examples;
mod netlist_benches;
mod random_action_systems;
mod scores;
mod smv_manifests;
mod unsafe_states;
mod verilog_benches;
mod verilog_manifests;
mod work;
