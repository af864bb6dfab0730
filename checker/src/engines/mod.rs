//! The engines. Each answers one kind of question, and depends neither on other engines' results nor on schedules or verdicts.
//! `crate::rounds` decides mutants with them; they are public for tests and benchmarks.
//!
//! | engine | question |
//! | --- | --- |
//! | [`structure`] | which mutants are the original's circuit, or another's? |
//! | [`pairs`] | which pairs of states do original and mutant reach together? |
//! | [`random_simulation`] | do random runs differ? |
//! | [`fault_simulation`] | do they differ for certain, under all choices? |
//! | [`bmc`], [`induction`], [`pdr`] | can a product reach its goal? |
//! | [`correspondence`] | which signals of a product are always equal? |
//! | [`diagrams`] | does the model match every behaviour of a family of mutants? |
//! | [`exists_forall`], [`explicit`] | are there runs that no others match? |
//!
//! [`encode`] brings circuits to a solver; `local_solver` is the solver of [`pdr`]; `valuations` puts input valuations into classes for
//! [`pairs`] and [`explicit`].

pub mod bmc;
pub mod correspondence;
pub mod diagrams;
pub mod encode;
pub mod exists_forall;
pub mod explicit;
pub mod fault_simulation;
pub mod induction;
mod local_solver;
pub mod pairs;
pub mod pdr;
pub mod random_simulation;
pub(crate) mod stimuli;
pub mod structure;
pub(crate) mod valuations;
