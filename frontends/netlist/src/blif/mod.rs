//! BLIF, the Berkeley Logic Interchange Format: reads it, and writes mutants into it.
//!
//! It follows "Berkeley Logic Interchange Format (BLIF)", University of California, Berkeley, 1992, with the extensions of yosys and ABC.
//! Gates of a library (`.gate`, `.mlatch`) and state transition graphs (`.start_kiss`) are refused; delays, areas and other attributes are
//! ignored.

mod gate;
mod lines;
mod read;

pub use read::read;

pub(crate) use gate::gate;
