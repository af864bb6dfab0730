//! From texts to a circuit with its mutants: roles, translation, valid mutants, and the choice among them.
//!
//! The caller reads the files. [`source`] translates models of front ends, and [`aiger`] parses circuits. [`own`] parses models of
//! languages that decide their mutants themselves. [`program`] parses the output of external front ends. [`judgement`] asks the engines
//! which mutants are models. [`combined`] and [`taken`] choose mutants, and [`kit`] keeps the files.

pub mod aiger;
pub mod combined;
pub mod describe;
mod error;
pub mod judgement;
pub mod kit;
pub mod own;
pub mod program;
pub mod roles;
pub mod source;
pub mod taken;
pub mod yosys;

pub use error::{Blame, LoadError, Malformed};
