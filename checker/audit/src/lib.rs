//! The documents of a run, and the check of its evidence from the model and the folder alone.
//!
//! The package has the documents as types, certificates in terms of a circuit, and the checks of all documents against each other and by
//! `checker/certify`. It depends on no engine and on no solver of an engine. It reads no files itself: the caller passes them as
//! [`certification::Files`].

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
