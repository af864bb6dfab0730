//! Execution of tests on a real system behind an adapter, and scoring of suites and commands on the mutants of a run.
//!
//! A [`plan::Plan`] contains the tests of a suite in executable form; [`timed::TimedModel`] plans tests of models with clocks.
//! [`runs::carry_out`] runs them on programs ([`dialogue`]) that speak the protocol of [`adapter`], and [`outcome::report`] returns the
//! report. Three players choose the inputs: the circuit of the model, a clock ([`waiting`]), and a model that is followed in time
//! ([`following`], [`systems`]). [`score`] determines which tests, commands and properties notice a mutant.
//!
//! This package only computes. The binary implements small traits for programs, clocks and threads.

pub mod adapter;
pub mod closing;
pub mod dialogue;
mod error;
pub mod following;
pub mod outcome;
pub mod plan;
pub mod runs;
pub mod score;
pub mod systems;
pub mod timed;
pub mod waiting;

pub use error::ExecError;
