//! What readers of texts need: a cursor with positions, numbers, and a limit for nesting. Knows no language.

mod cursor;
mod nesting;
mod number;

pub use cursor::{Cursor, Remarks};
pub use nesting::{MOST_NESTING, Nesting};
pub use number::number;
