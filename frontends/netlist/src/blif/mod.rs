//! BLIF, the Berkeley Logic Interchange Format: reading it, and writing mutants into it.
//!
//! After "Berkeley Logic Interchange Format (BLIF)", University of California, Berkeley, 1992, with what yosys and ABC add.
//! Gates of a library (`.gate`, `.mlatch`) and state transition graphs (`.start_kiss`) are refused; delays, areas and other
//! attributes are passed over.

mod lines;
mod read;
mod rewrite;

pub use read::read;

pub(crate) use rewrite::gate;
