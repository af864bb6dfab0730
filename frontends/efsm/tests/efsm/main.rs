//! Tests of the reader of machines, and of the lowered systems.

mod conformance;
mod diagnostics;
mod differential;
mod graphs;
mod listing;
mod mutants;
mod peer;
mod printing;
mod random;
mod refusals;
mod search;
mod sizes;
mod steps;
mod support;
mod walk_files;
mod walker;
mod walks;
