//! The folder of a run as this package writes it.

use std::error::Error;

use serde::Serialize;

use crate::certificates::Filed;
use crate::documents::{self, JournalEntry};

/// A file that could not be written.
#[derive(Debug, thiserror::Error)]
#[error(transparent)]
pub struct Unwritable(pub Box<dyn Error + Send + Sync>);

impl Unwritable {
    /// A copy whose source cannot be read.
    pub(crate) fn of(error: std::io::Error) -> Unwritable {
        Unwritable(error.into())
    }
}

impl From<serde_json::Error> for Unwritable {
    fn from(error: serde_json::Error) -> Unwritable {
        Unwritable(error.into())
    }
}

/// A folder that a run writes.
pub trait Folder: Send {
    /// Writes a file whole or not at all. Names have `/` between their parts.
    ///
    /// # Errors
    /// If the file cannot be written.
    fn write(&mut self, name: &str, contents: &[u8]) -> Result<(), Unwritable>;

    /// Makes a folder inside, unless its files are lines of an archive.
    ///
    /// # Errors
    /// If the folder cannot be made.
    fn make_folder(&mut self, name: &str) -> Result<(), Unwritable>;

    /// Lets small files be lines of an archive from now on.
    ///
    /// # Errors
    /// If the archive cannot be begun.
    fn use_archive(&mut self) -> Result<(), Unwritable>;

    /// Writes down the digests of all files.
    ///
    /// # Errors
    /// If the file cannot be written.
    fn seal(&mut self) -> Result<(), Unwritable>;

    /// Writes certificates.
    ///
    /// # Errors
    /// If a file cannot be written.
    fn file(&mut self, filed: &[Filed]) -> Result<(), Unwritable>;

    /// Appends a line to the journal. The certificates that it names are there already.
    ///
    /// # Errors
    /// If the file cannot be written.
    fn append_journal(&mut self, entry: &JournalEntry) -> Result<(), Unwritable>;

    /// Appends a line to the jobs, with `first` before it if it is the first one of the file.
    ///
    /// # Errors
    /// If the file cannot be written.
    fn append_job(&mut self, first: &str, line: &str) -> Result<(), Unwritable>;
}

/// Writes a document.
///
/// # Errors
/// If the file cannot be written.
pub fn write_document(
    folder: &mut dyn Folder,
    name: &str,
    document: &impl Serialize,
) -> Result<(), Unwritable> {
    folder.write(name, documents::to_text(document)?.as_bytes())
}
