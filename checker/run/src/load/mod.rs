//! From texts to a circuit with its mutants: roles, translation, the mutants that are models, and those that are taken.
//!
//! Files are read by the caller. [`source`] translates models of front ends, [`aiger`] reads circuits, [`own`] reads models of languages
//! that decide their mutants themselves, [`program`] what front ends print that are other programs. [`judgement`] asks the engines which
//! mutants are models; [`combined`] and [`taken`] choose mutants, and [`kit`] keeps all that was read.

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
