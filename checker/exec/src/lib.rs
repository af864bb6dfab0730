//! Tests on a real system behind an adapter, and everything that may notice the mutants of a run.
//!
//! A [`plan::Plan`] has the tests of a suite as they are run; tests of models with clocks are planned by [`timed::TimedModel`].
//! [`runs::carry_out`] plays them on programs ([`dialogue`]) that speak the protocol of [`adapter`], and [`outcome::report`] reports on it.
//! Three players say what comes next: the circuit of the model, a clock ([`waiting`]), and a model that is followed in time
//! ([`following`], [`systems`]). [`score`] says what notices the mutants of a run.
//!
//! This package only computes. Programs, clocks and threads come through small traits and values that the binary implements.

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
