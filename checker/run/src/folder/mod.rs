//! The folder of a run: created whole, written atomically, locked while it grows, and never taken from anybody else.
//!
//! The files of an earlier run in it go to `DIR.old` ([`rotation`]). A run that was stopped goes on in its folder ([`reopen`]). The small
//! files of a run of very many mutants are lines of one file ([`archive`]).
//!
//! The disk is behind the traits of [`file_system`]. The binary implements them for the disk of the machine, and [`memory`] for tests,
//! which stop a run or let it fail at every operation.

pub mod archive;
#[cfg(test)]
mod crashes;
pub mod error;
pub mod file_system;
pub mod files;
pub mod jobs;
pub mod lock;
pub mod memory;
pub mod read;
pub mod reopen;
pub mod rotation;
pub mod writing;

pub use error::{FolderError, Unwritable};
pub use reopen::Reopened;
pub use writing::{RunFolder, write_document};
