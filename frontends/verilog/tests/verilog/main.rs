//! Tests of the Verilog front end as a whole.

mod alone;
mod bounds;
mod boxes;
mod clock_events;
mod clock_gates;
mod clock_resets;
mod clocks;
mod conformance;
mod designs;
mod effort;
mod exchanges;
mod foreign;
mod hostile;
mod latches;
mod random_clocks;
mod refused_clocks;
mod streams;
mod systemverilog;
mod together;
mod warnings;
