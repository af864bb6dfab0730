//! HyperLTL: the language that defines killing in hyperkill, and its translation to circuits.
//!
//! [`ast`] is the syntax, [`parser`] reads it and [`printer`] writes it; [`dialect`] has the languages of other tools. [`normal`] pushes
//! negations inwards, and [`semantics`] evaluates formulas on given traces. [`killing`] has the four formulas of \[3\] as data, and
//! [`fragment`] classifies quantifier prefixes. [`shape`] decomposes bodies of the killing shape, and [`compose`] turns them into a product
//! of circuit copies. [`monitor`] builds circuits of all other bodies, [`joint`] puts them beside copies, [`bare`] has copies without them,
//! and [`inner`] divides these into given and answering ones. [`responses`] lets universal traces answer in fixed ways, and [`strategy`]
//! reads circuits that answer. [`systems`] puts several models behind selectors. This package searches nothing and calls no solver; engines
//! are in the checker.
//!
//! Semantics.md §2 defines traces, and the finite and infinite readings.
//!
//! A formula and its self-composition with a model, in which copies of the circuit stand for traces:
//!
//! ```
//! use hyperkill_core::aiger::{NamesDecide, conditional_mutant, read};
//! use hyperkill_formulas::{Quantifier, Sharing, killing, parse, self_compose};
//!
//! // A potential kill: the mutant has a trace whose outputs no trace of the model has with the same inputs.
//! let formula = killing::phi2();
//! assert_eq!(parse(&formula.to_string())?, formula);
//!
//! let text = "aag 3 1 1 1 1\n2\n4 4 4\n6\n6 2 5\ni0 in\nl0 mut:stuck\no0 out\n";
//! let model = conditional_mutant(read(text.as_bytes())?, &NamesDecide)?;
//! let stuck = model.selector_of_mutant("stuck").ok_or("no such mutant")?;
//! let composition = self_compose(&model, stuck, &formula, Sharing::Independent)?;
//! assert_eq!(composition.traces.len(), 3);
//! assert_eq!(composition.existential().count(), 2);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

pub mod ast;
pub mod bare;
pub mod compose;
pub mod dialect;
pub mod driven;
mod error;
pub mod fragment;
pub mod inner;
pub mod joint;
pub mod killing;
mod limits;
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
pub use bare::Bare;
pub use compose::{ComposeError, Composition, Sharing, self_compose};
pub use dialect::Dialect;
pub use inner::Inner;
pub use joint::Joint;
pub use parser::{ParseError, parse};
pub use responses::{Alternation, Response};
pub use semantics::Traces;
pub use strategy::Strategy;
pub use systems::Systems;
