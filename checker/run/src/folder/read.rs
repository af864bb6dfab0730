//! Reads documents in the folders of runs.

use std::path::Path;

use serde::de::DeserializeOwned;
use sha2::{Digest, Sha256};

use super::error::FolderError;
use super::file_system::FileSystem;
use crate::journal::Journal;
use crate::names::{JOURNAL, digest, stays_inside};
use crate::unfit::Unfit;

/// Returns the contents of a file.
///
/// # Errors
/// If the file cannot be read.
pub fn bytes(disk: &dyn FileSystem, path: &Path) -> Result<Vec<u8>, FolderError> {
    disk.read(path)
        .map_err(FolderError::refused(path, "cannot be read"))
}

/// Returns the contents of a file in a folder, and their digest.
///
/// # Errors
/// If the file cannot be read, or the name leads out of the folder.
pub fn kept(
    disk: &dyn FileSystem,
    dir: &Path,
    name: &str,
) -> Result<(Vec<u8>, String), FolderError> {
    if !stays_inside(name) {
        return Err(leads_out(dir, name));
    }
    let bytes = bytes(disk, &dir.join(name))?;
    let digest = digest(Sha256::new_with_prefix(&bytes));
    Ok((bytes, digest))
}

/// Returns the error of a name in a document that leads out of the folder of its run.
pub(super) fn leads_out(dir: &Path, name: &str) -> FolderError {
    let dir = dir.display();
    Unfit::new(format!(
        "a document names {name}, which is not in the folder {dir}"
    ))
    .into()
}

/// Reads a document.
///
/// # Errors
/// If the file cannot be read or is not such a document.
pub fn document<T: DeserializeOwned>(disk: &dyn FileSystem, path: &Path) -> Result<T, FolderError> {
    let bytes = bytes(disk, path)?;
    serde_json::from_slice(&bytes).map_err(|source| FolderError::Malformed {
        path: path.to_owned(),
        line: None,
        source,
    })
}

/// Reads a document of this schema.
///
/// # Errors
/// As [`document`]; if the document is of another version.
pub fn versioned<T: DeserializeOwned>(
    disk: &dyn FileSystem,
    path: &Path,
    schema: &str,
) -> Result<T, FolderError> {
    #[derive(serde::Deserialize)]
    struct Named {
        schema: String,
    }
    // The version is checked first, since a document of another version may have any form.
    let named: Named = document(disk, path)?;
    if named.schema == schema {
        return document(disk, path);
    }
    let (path, found) = (path.display(), named.schema);
    let message = format!("{path} is a `{found}`, and this hyperkill reads `{schema}`");
    let help = "use the version of hyperkill that made the run, or run again";
    Err(Unfit::new(message).with_help(help).into())
}

/// Reads the journal of the run in a folder.
///
/// # Errors
/// If the file cannot be read, or a line before the last one is spoilt.
pub fn journal(disk: &dyn FileSystem, dir: &Path) -> Result<Journal, FolderError> {
    let path = dir.join(JOURNAL);
    let bytes = bytes(disk, &path)?;
    Journal::read(&bytes).map_err(|spoilt| FolderError::Malformed {
        line: Some(spoilt.line),
        source: spoilt.source,
        path,
    })
}
