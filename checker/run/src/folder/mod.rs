//! The folder of a run: created atomically, written atomically, locked during the run, and never taken from another process.
//!
//! The files of an earlier run move to `DIR.old` ([`rotation`]). A stopped run is resumed in its folder ([`reopen`]). The small files of a
//! run with very many mutants are lines of one file ([`archive`]).
//!
//! The traits of [`file_system`] abstract the disk. The binary implements them for the local disk, and [`memory`] for tests, which stop a
//! run or let it fail at every operation.

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
