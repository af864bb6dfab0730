//! The finite-state core of hyperkill: the definition of models, from typed terms down to gates.
//!
//! This package depends on no other package of the project. It reads no files, prints nothing and calls no solver. `semantics.md` §1
//! defines the meaning of a [`conditional::ConditionalMutant`].
//!
//! A circuit in the AIGER format, one of its mutants, and a test that tells them apart:
//!
//! ```
//! use hyperkill_core::aiger::{NamesDecide, conditional_mutant, read};
//! use hyperkill_core::product::Variant;
//! use hyperkill_core::trace::{Stimulus, replay};
//!
//! // The output repeats the input. In the mutant `stuck` it is always 0.
//! let text = "aag 3 1 1 1 1\n2\n4 4 4\n6\n6 2 5\ni0 in\nl0 mut:stuck\no0 out\n";
//! let model = conditional_mutant(read(text.as_bytes())?, &NamesDecide)?;
//! let stuck = model.selector_of_mutant("stuck").ok_or("no such mutant")?;
//!
//! // One step with input 1. The only latch is the selector, whose value the variant decides.
//! let test = Stimulus { initial: vec![false].into(), steps: vec![vec![true]] };
//! let expected = replay(&model, Variant::Original, &test)?;
//! let observed = replay(&model, Variant::Mutant(stuck), &test)?;
//! assert_eq!(expected.outputs, [[true]]);
//! assert_eq!(observed.outputs, [[false]]);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

pub mod aig;
pub mod aiger;
pub mod bit_blast;
pub mod budget;
pub mod conditional;
pub mod events;
pub mod first_values;
pub mod higher_order;
pub mod lit;
pub mod liveness;
pub mod mutant;
pub mod paths;
pub mod product;
pub mod relevance;
pub mod sim;
pub mod sort;
pub mod specialise;
pub mod substitution;
pub mod suite;
pub mod system;
pub mod term;
pub mod time;
pub mod timed;
pub mod trace;
pub mod values;
pub mod verdict;
pub mod work;

pub use aig::{Aig, Reset};
pub use conditional::{ConditionalMutant, SelectorId};
pub use lit::{Lit, Var};
