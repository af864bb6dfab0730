//! The Verilog front end: the synthesizable part of Verilog-2005 to a featured transition system with its mutants.
//!
//! Supported are modules with parameters and `generate`, vectors with any bounds, signed arithmetic by the standard's rules of width and
//! sign, memories, functions and tasks, blocks without memory, blocks at edges of clocks, and gates. Common SystemVerilog is supported, too
//! (`logic`, `always_ff`, `always_comb`, `enum`, `struct packed`, vectors of vectors, packages, `.*`, `break`, `return`, casts, assignment
//! patterns, `inside`, `foreach`). The drivers of tri-state nets (`enable ? value : 'z`, `bufif1`), `wand` and `wor` are joined. Tri-state
//! elsewhere, `inout` ports and clocks made by logic are refused with their place; `--one-clock` takes all clocks for one.
//!
//! **Unknown values.** A register without initial value or reset starts with any value. Other unknown values are choices, new at every
//! step: `x` in an expression, reads outside the bounds of a vector or array, quotients by 0, undriven bits of nets, and bits with drivers
//! that differ. `===` compares like `==`, since no value is ever unknown.
//!
//! **A mutant means its own text**, independent of other mutants, also if it makes several changes. Mutants that change the number of turns
//! of a loop, the calls of a recursive function, or the order of assignments in a block without memory, are executed apart. A block without
//! memory that assigns by `<=` has the meaning that simulation and synthesis agree on when all values are at rest; if they disagree, the
//! block is refused with the reason.
//!
//! The passes: [`lexer`] → [`preprocess`] → [`parser`] → [`elaborate`] by [`execute`] → [`resolve`] → [`reset`], [`lower`]; [`pins`] says
//! how to drive the design in a simulator.

pub mod ast;
pub mod cells;
pub mod clocks;
pub mod design;
mod early;
pub mod elaborate;
pub mod execute;
pub mod gates;
pub mod inferred;
pub mod layout;
pub mod lexer;
pub mod lower;
pub mod mutate;
pub mod number;
pub mod parser;
pub mod pins;
pub mod preprocess;
pub mod reset;
pub mod resolve;
pub mod state;
pub mod words;

mod frontend;

pub use frontend::{VerilogFrontend, macro_names, work};
