//! AIGER 1.9 files, ascii and binary, in both directions, and their reading as conditional mutants.
//!
//! Sections B C J F, resets 0, 1 and free, symbols and comments are all kept. Malformed input gives a located
//! [`AigerError`], never a panic, and nothing is allocated because a header claims it. Works on bytes and never
//! opens a file. The syntax is [Biere, Heljanko, Wieringa: AIGER 1.9 and Beyond, FMV 11/2].

mod comment;
mod cursor;
mod error;
mod model;
mod parse;
mod read;
pub mod stimulus;
mod symbols;
mod write;

pub use error::{AigerError, AigerErrorKind, Location, RoleError, Section};
pub use model::{NamesDecide, RoleGlobs, annotate, conditional_mutant};
pub use read::{read, read_verbatim};
pub use write::{file_literals, write_ascii, write_binary};
