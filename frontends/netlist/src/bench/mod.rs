//! The netlists of ISCAS'89: `INPUT(a)`, `OUTPUT(y)`, `y = NAND(a, b)`, `q = DFF(d)`. Reads them, and writes mutants into them.
//!
//! The format follows F. Brglez, D. Bryan and K. Kozminski, "Combinational profiles of sequential benchmark circuits", ISCAS 1989, with the
//! constants `gnd` and `vdd` and the tables `LUT` of ABC. The text has no clock: all registers change at every step, and start with any
//! value.

mod gate;
mod read;
mod words;

pub use read::read;

pub(crate) use gate::gate;
