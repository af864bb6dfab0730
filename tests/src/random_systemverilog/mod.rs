//! Random SystemVerilog: packages with types, constants and functions; structs, unions, enumerations and arrays of them; and blocks,
//! submodules, interfaces and `generate` that use them.
//!
//! Nothing unknown comes about, since Verilator knows no x: all variables have values before they are read, and indices are
//! within bounds. What Verilator does not read is not written.

mod draft;
mod expression;
mod fault;
mod package;
mod program;
mod statement;
mod types;

pub use fault::{Fault, planted};
pub use program::program;
