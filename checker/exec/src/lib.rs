//! Tests on a real system behind an adapter, and everything that may notice the mutants of a run.
//!
//! This package only computes. Programs, clocks and threads come through small traits and values that the binary implements.
