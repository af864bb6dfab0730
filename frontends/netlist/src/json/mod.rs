//! The JSON netlists of yosys (`write_json`): reading them, and writing mutants into them.
//!
//! Word-level cells, as after `prep`, and gates, as after `techmap`. Memories, latches, tri-state buffers and what a
//! pass of yosys makes simpler are refused with the name of that pass.

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
