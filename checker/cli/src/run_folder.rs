//! Run folders on the local disk.

use std::path::Path;
use std::sync::Arc;

use hyperkill_run::folder::archive::Stored;
use hyperkill_run::folder::{FolderError, lock, read};
use hyperkill_run::journal::Journal;
use hyperkill_run::stored_run::StoredRun;
use serde::de::DeserializeOwned;

use crate::files::Disk;

pub use crate::files::write_atomically;
pub use hyperkill_audit::names::*;
pub(crate) use hyperkill_run::folder::Reopened;
pub use hyperkill_run::folder::RunFolder;

/// The folder of a run without `--out`.
pub const DEFAULT: &str = "hyperkill.out";

/// Reads a document.
///
/// # Errors
/// If the file cannot be read or is not such a document.
pub fn read_document<T: DeserializeOwned>(path: &Path) -> Result<T, FolderError> {
    read::document(&Disk::default(), path)
}

/// Reads a document of this schema.
///
/// # Errors
/// As [`read_document`]. If the document is of another version.
pub fn read_versioned<T: DeserializeOwned>(path: &Path, schema: &str) -> Result<T, FolderError> {
    read::versioned(&Disk::default(), path, schema)
}

/// Returns the contents of the file `name` in a folder, and their digest.
///
/// # Errors
/// If the file cannot be read.
pub(crate) fn kept(dir: &Path, name: &str) -> Result<(Vec<u8>, String), FolderError> {
    read::kept(&Disk::default(), dir, name)
}

/// Returns access to the run in a folder. Reads no file yet.
pub(crate) fn run_in(dir: &Path) -> StoredRun {
    StoredRun::at(Arc::new(Disk::default()), dir)
}

/// Returns access to the files of a folder, in its archive or beside it.
pub(crate) fn stored(dir: &Path) -> Stored {
    Stored::of(Arc::new(Disk::default()), dir)
}

/// Whether a process holds the lock of a run folder. `None` if the lock file cannot be opened or tested.
pub(crate) fn is_written(dir: &Path) -> Option<bool> {
    lock::is_written(&Disk::default(), dir)
}

/// Returns a unique name for a run.
pub(crate) fn run_name() -> String {
    lock::run_name(&Disk::default())
}

/// The journal of the run in a folder.
pub(crate) mod journal {
    use super::{Disk, FolderError, Journal, Path, read};

    /// Reads the journal of the run in a folder.
    ///
    /// # Errors
    /// If it cannot be read, or a line before the last one is spoilt.
    pub(crate) fn read(dir: &Path) -> Result<Journal, FolderError> {
        read::journal(&Disk::default(), dir)
    }
}
