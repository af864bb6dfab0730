//! Random SystemVerilog: packages with types, constants and functions; structs, unions, enumerations and arrays of them; and blocks,
//! submodules, interfaces and `generate` that use them.
//!
//! Nothing unknown comes about, since Verilator and yosys know no x: all variables have values before they are read, and indices are
//! within bounds. What a peer does not read is not written for it ([`Forms`]).

mod draft;
mod expression;
mod fault;
mod package;
mod program;
mod statement;
mod types;

pub use draft::Forms;
pub use fault::{Fault, planted};
pub use program::program;
