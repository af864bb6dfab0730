//! Tests of the netlist front end as a whole.

mod clocks;
mod conformance;
mod large;
mod mangled;
mod models;
