//! Systems of guarded commands: the common package of languages of this kind. It is no language itself.
//!
//! A language reads its texts into a [`tree::System`]: expressions by a table of its own operators ([`operators`], [`expression`]), the
//! rest with its own reader. This package has the later passes: names and types ([`model`]), mutants of the tree ([`mutate`]), the
//! transition system with a selector for each of them ([`lower`]), and an interpreter ([`interpret`]) that shares only the tree with it.
//! [`search`] searches for tests with that interpreter, as in \[4\].

pub mod expression;
pub mod fault;
pub mod front;
mod index;
pub mod interpret;
pub mod lexer;
mod listing;
pub mod lower;
pub mod model;
pub mod mutate;
pub mod operators;
pub mod printer;
pub mod search;
mod state;
pub mod tree;
pub mod warnings;
