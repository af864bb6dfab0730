//! HyperLTL: the language in which hyperkill says what killing a mutant means, and its way to circuits.
//!
//! [`ast`] is the syntax, [`parser`] reads it and [`printer`] writes it, [`dialect`] the languages of other tools, [`normal`] pushes
//! negations inwards, [`semantics`] says on given traces what is true,
//! [`killing`] holds the four formulas of \[3\] as data, [`fragment`] classifies quantifier prefixes and
//! [`shape`] takes bodies of the killing shape apart and [`compose`] turns them into a product of circuit copies. [`monitor`] makes
//! circuits of all other bodies, [`joint`] puts them beside copies, [`inner`] parts these into given and answering ones, and
//! [`responses`] lets universal traces answer in fixed ways. [`strategy`] reads the circuits that say what they answer. [`systems`] puts
//! several models behind selectors. Nothing here searches for anything or knows a solver: engines are the checker's.
//!
//! Traces, finite and infinite readings: semantics.md §2.

pub mod ast;
pub mod compose;
pub mod dialect;
pub mod driven;
mod error;
pub mod fragment;
pub mod inner;
pub mod joint;
pub mod killing;
mod lower;
pub mod monitor;
pub mod normal;
pub mod parser;
pub mod printer;
pub mod responses;
pub mod semantics;
pub mod shape;
pub mod signals;
pub mod strategy;
pub mod systems;

pub use ast::{Atom, Formula, Ltl, Quantifier, TraceVar};
pub use compose::{ComposeError, Composition, Sharing, self_compose};
pub use dialect::Dialect;
pub use inner::Inner;
pub use joint::Joint;
pub use parser::{ParseError, parse};
pub use responses::{Alternation, Response};
pub use semantics::Traces;
pub use strategy::Strategy;
pub use systems::Systems;
