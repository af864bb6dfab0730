//! Reads and writes AIGER 1.9 files, ASCII and binary, and reads circuits as conditional mutants.
//!
//! Sections B C J F, resets 0, 1 and free, symbols and comments are preserved. Malformed input gives a located [`AigerError`] and never a
//! panic; a header's counts cause no allocation by themselves. The module works on bytes and opens no files. The syntax is [Biere,
//! Heljanko, Wieringa: AIGER 1.9 and Beyond, FMV 11/2].

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
