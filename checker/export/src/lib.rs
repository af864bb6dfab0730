//! Exports of the tests of a suite: tables, waveforms, stimuli, benches and assertions, from documents to text. Also job files that run a
//! plan on schedulers ([`jobs`]).
//!
//! This package reads no files, prints nothing, and uses no clock. [`plays::bench_tests`] finds runs of the model where tests leave
//! values open; [`testbench::testbench`], [`cocotb::cocotb`] and [`assertions::assertions`] write the benches.

pub mod assertions;
pub mod cocotb;
pub mod csv;
mod error;
mod fixed;
mod following;
pub mod forms;
pub mod jobs;
pub mod kills;
mod literals;
pub mod matrix;
mod names;
pub mod plays;
pub mod scripts;
pub mod tables;
pub mod testbench;
mod ticking;
pub mod timed;
pub mod waveforms;

pub use error::ExportError;
pub use fixed::as_global;
