//! Tests of the Verilog front end as a whole.

mod alone;
mod bounds;
mod conformance;
mod designs;
mod exchanges;
mod hostile;
mod systemverilog;
mod warnings;
