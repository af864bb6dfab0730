//! The tests of a suite in other forms: tables, waveforms, stimuli, benches and assertions, from documents to text. Also the jobs of a
//! plan for schedulers ([`jobs`]).
//!
//! Nothing here reads a file, prints, or knows the time. [`plays::bench_tests`] finds out how the model runs where a test leaves it open;
//! [`testbench::testbench`], [`cocotb::cocotb`] and [`assertions::assertions`] write that down.

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
