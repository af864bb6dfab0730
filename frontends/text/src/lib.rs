//! The common parts of text readers: parts of texts and their places, a cursor, tokens, numbers, a limit for nesting, texts inside XML and
//! JSON, JSON with places, and graphs in DOT. The package is independent of all languages.

mod cursor;
pub mod dot;
mod excerpt;
pub mod json;
mod nesting;
mod number;
mod source;
mod tokens;
pub mod xml;

pub use cursor::{Cursor, Remarks};
pub use excerpt::Excerpt;
pub use nesting::{MOST_NESTING, Nesting};
pub use number::{is_number, number};
pub use source::{Source, Word};
pub use tokens::{Kind, Token, Tokens};
