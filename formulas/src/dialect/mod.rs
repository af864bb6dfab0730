//! The formula languages of other tools, read into the same trees as our own and written from them.
//!
//! | dialect | looks like | tool |
//! | --- | --- | --- |
//! | [`Dialect::Hyperkill`] | `forall p. exists q. G (a[p] = a[q])` | ours, see [`crate::parser`] |
//! | [`Dialect::MCHyper`] | `Forall (Exists (G (Eq (AP "a" 0) (AP "a" 1))))` | MCHyper; 0 is the outermost trace |
//! | [`Dialect::HyperQb1`] | `forall A. exists B. G(*a[A] = a[B]* /\ ~b[A])` | HyperQB 1 |
//! | [`Dialect::HyperQb2`] | `Forall A . Exists B . G(a[A] = a[B])` | HyperQB 2; `=` binds loosest |
//! | [`Dialect::AutoHyper`] | `forall A. exists B. G({a}_A = {a}_B)` | AutoHyper, also `*a*_A` |
//!
//! Names are taken as they are written. HyperQB 2 itself cuts the first letter off names that begin with `F`, `G` or `X`; here such a name
//! is one word. What another language has no word for is rewritten with what it has (`W` as `R`) or refused by name when written.

mod cursor;
mod infix;
mod language;
mod mchyper;
mod write;

use crate::ast::Formula;
use crate::parser::{ParseError, parse};

pub use language::Dialect;
pub use write::WriteError;

impl Dialect {
    /// Reads a formula of this language.
    ///
    /// # Errors
    /// If the text is none: where and why. [`ParseErrorKind::Asynchronous`](crate::parser::ParseErrorKind::Asynchronous) if it is one of
    /// asynchronous HyperLTL, of which only the syntax is known.
    pub fn read(self, text: &str) -> Result<Formula, ParseError> {
        match self {
            Dialect::Hyperkill => parse(text),
            Dialect::MCHyper => mchyper::read(text),
            Dialect::HyperQb1 | Dialect::HyperQb2 | Dialect::AutoHyper => infix::read(text, self),
        }
    }

    /// Writes a formula in this language.
    ///
    /// # Errors
    /// If the language has no words for some part of it.
    pub fn write(self, formula: &Formula) -> Result<String, WriteError> {
        match self {
            Dialect::Hyperkill => Ok(formula.to_string()),
            other => write::write(formula, other),
        }
    }
}
