//! The formula languages of other tools: reads them to the syntax trees of our own language, and writes them.
//!
//! | dialect | looks like | tool |
//! | --- | --- | --- |
//! | [`Dialect::Hyperkill`] | `forall p. exists q. G (a[p] = a[q])` | ours, see [`crate::parser`] |
//! | [`Dialect::MCHyper`] | `Forall (Exists (G (Eq (AP "a" 0) (AP "a" 1))))` | MCHyper; 0 is the outermost trace |
//! | [`Dialect::HyperQb1`] | `forall A. exists B. G(*a[A] = a[B]* /\ ~b[A])` | HyperQB 1 |
//! | [`Dialect::HyperQb2`] | `Forall A . Exists B . G(a[A] = a[B])` | HyperQB 2; `=` binds loosest |
//! | [`Dialect::AutoHyper`] | `forall A. exists B. G({a}_A = {a}_B)` | AutoHyper, also `*a*_A` |
//!
//! Names are kept as they are written. HyperQB 2 itself removes the first letter of names that begin with `F`, `G` or `X`; here such a name
//! is one word. Operators that a language does not have are rewritten by others (`W` by `R`), or refused by name, when a formula is
//! written.

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
    /// If the text is no formula of the language; the error has the location and the reason.
    /// [`ParseErrorKind::Asynchronous`](crate::parser::ParseErrorKind::Asynchronous) if it is a formula of asynchronous HyperLTL; only its
    /// syntax is supported.
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
    /// If the language cannot express a part of it.
    pub fn write(self, formula: &Formula) -> Result<String, WriteError> {
        match self {
            Dialect::Hyperkill => Ok(formula.to_string()),
            other => write::write(formula, other),
        }
    }
}
