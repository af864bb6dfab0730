//! What the folder of a run holds, and whether its evidence shows what it says: from the model and the folder alone.
//!
//! The documents of a run as types, certificates in terms of a circuit, and the checks of all of them against each other and by
//! `checker/certify`. No engine and none of their solvers is among what this package is built from. It reads no files: who has some
//! hands them over as [`certification::Files`].

pub mod catalogue;
pub mod certificates;
pub mod certification;
pub mod documents;
pub mod model;
pub mod names;
pub mod outcomes;
pub mod own;
pub mod terminal;

pub use hyperkill_frontend::counted;
