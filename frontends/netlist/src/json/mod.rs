//! The JSON netlists of yosys (`write_json`): reads them, and writes mutants into them.
//!
//! Cells may be word-level, as after `prep`, or gates, as after `techmap`. Memories, latches, tri-state buffers and other cells that a pass
//! of yosys simplifies are refused with the name of that pass.

mod cells;
mod document;
mod parameters;
mod pins;
mod read;
mod registers;
mod rewrite;

pub use read::read;
pub use rewrite::rewrite;

pub(crate) use rewrite::fresh;
