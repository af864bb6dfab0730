//! The documents of a run, and the check of its evidence from the model and the folder alone.
//!
//! The package depends on no engine and on no solver of an engine. It reads no files itself: the caller passes them as
//! [`certification::Files`].
//!
//! - [`documents`] has the types of all JSON documents, [`names`] the names of the files of a run.
//! - [`model`] is a model as it was read, and [`catalogue`] its mutants.
//! - [`certificates`], [`outcomes`] and [`own`] convert documents to evidence and verdicts, and back: of the checker, and of languages with
//!   a decision procedure of their own.
//! - [`certification`] checks all documents of a run against each other, and their evidence by `checker/certify`.
//! - [`terminal`] escapes control characters in foreign texts. Documents use it, and so does all output of the program.

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
