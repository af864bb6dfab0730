//! What readers of texts need: a cursor with positions, numbers, a limit for nesting, JSON that knows its bytes, and
//! graphs in DOT. Knows no language.

mod cursor;
pub mod dot;
pub mod json;
mod nesting;
mod number;

pub use cursor::{Cursor, Remarks};
pub use nesting::{MOST_NESTING, Nesting};
pub use number::number;
