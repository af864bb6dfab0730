//! Tests of the Verilog front end as a whole.

mod alone;
mod bounds;
mod clock_gates;
mod clocks;
mod conformance;
mod designs;
mod exchanges;
mod hostile;
mod systemverilog;
mod warnings;
