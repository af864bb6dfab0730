//! Errors of folders of runs.

use std::error::Error;
use std::io;
use std::path::{Path, PathBuf};

use crate::unfit::Unfit;

/// The reason why a folder cannot be taken, read or written.
#[derive(Debug, thiserror::Error)]
pub enum FolderError {
    /// The folder cannot be used, independent of the file system.
    #[error(transparent)]
    Unfit(#[from] Unfit),
    /// The file system refuses.
    #[error("{} {what}", path.display())]
    Refused {
        /// The file or folder.
        path: PathBuf,
        /// The operation that failed, as the end of a sentence.
        what: &'static str,
        /// The error of the file system.
        source: io::Error,
    },
    /// A file is not as a run writes it.
    #[error("{}{} is not as hyperkill writes it", in_line(*line), path.display())]
    Malformed {
        /// The file.
        path: PathBuf,
        /// A line of it, counted from 1; `None` for the whole file.
        line: Option<usize>,
        /// The error of the JSON reader.
        source: serde_json::Error,
    },
    /// A file is not as a run or a plan wrote it.
    #[error("{} is not as {by} wrote it", path.display())]
    Changed {
        /// The file.
        path: PathBuf,
        /// The writer, with its article.
        by: &'static str,
        /// Advice.
        help: Option<&'static str>,
    },
    /// A document cannot be made a text, which the types exclude.
    #[error(transparent)]
    Text(#[from] serde_json::Error),
}

fn in_line(line: Option<usize>) -> String {
    line.map_or_else(String::new, |line| format!("line {line} of "))
}

impl FolderError {
    /// Returns a converter of errors of the file system. `what` names the failed operation, as the end of a sentence.
    pub(crate) fn refused<'p>(
        path: &'p Path,
        what: &'static str,
    ) -> impl FnOnce(io::Error) -> FolderError + use<'p> {
        move |source| FolderError::Refused {
            path: path.to_owned(),
            what,
            source,
        }
    }

    /// Returns the refusal of a path that cannot be a run folder.
    pub(crate) fn unusable(path: &Path, error: &io::Error) -> FolderError {
        let path = path.display();
        Unfit::new(format!("{path} cannot be a run folder: {error}")).into()
    }
}

/// A file that could not be written.
#[derive(Debug, thiserror::Error)]
#[error(transparent)]
pub struct Unwritable(pub Box<dyn Error + Send + Sync>);

impl Unwritable {
    /// Returns the error for a copy whose source cannot be read.
    pub(crate) fn of(error: io::Error) -> Unwritable {
        Unwritable(error.into())
    }
}

impl From<serde_json::Error> for Unwritable {
    fn from(error: serde_json::Error) -> Unwritable {
        Unwritable(error.into())
    }
}

impl From<FolderError> for Unwritable {
    fn from(error: FolderError) -> Unwritable {
        Unwritable(error.into())
    }
}
