//! What is made of a run's documents: that it is what others say it must be, and that browsers show it.

#![allow(clippy::unwrap_used)] // Tests say what must hold by panicking.

mod annotations;
mod assets;
mod browser;
mod found;
mod schema;
mod standing;
