//! Reports on a run's documents conform to the formats of other programs, and browsers show them.

#![allow(clippy::unwrap_used)] // Tests say what must hold by panicking.

mod annotations;
mod assets;
mod browser;
mod found;
mod schema;
mod standing;
