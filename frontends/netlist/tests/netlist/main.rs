//! Tests of the netlist front end as a whole.

mod large;
mod mangled;
