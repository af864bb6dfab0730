//! The netlists of ISCAS'89: `INPUT(a)`, `OUTPUT(y)`, `y = NAND(a, b)`, `q = DFF(d)`. Reading them, and writing mutants into them.
//!
//! After F. Brglez, D. Bryan and K. Kozminski, "Combinational profiles of sequential benchmark circuits", ISCAS 1989, with the constants
//! `gnd` and `vdd` and the tables `LUT` that ABC adds. There is no clock in the text: all registers change at every step, and start
//! anywhere.

mod read;
mod rewrite;
mod words;

pub use read::read;

pub(crate) use rewrite::gate;
