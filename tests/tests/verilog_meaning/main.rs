//! Meaning of Verilog texts, compared with yosys and Icarus Verilog.

mod clocked;
mod constructs;
mod forms;
mod icarus;
mod interfaces;
mod latches;
mod operators;
mod public;
mod systemverilog;
mod timing;
mod yosys;
