//! Tests of the Verilog front end as a whole.

mod alone;
mod bounds;
mod designs;
mod exchanges;
mod hostile;
mod warnings;
