//! Temporary folders for questions to external programs.

use std::fs::{self, File};
use std::io::Read;
use std::path::{Path, PathBuf};

use hyperkill_checker::external::Trouble;
use tempfile::TempDir;

use crate::children::MOST_BYTES;

/// The name of the file with the circuit.
pub(super) const MODEL: &str = "model.aig";

/// A temporary folder for one question, deleted with this value.
pub(super) struct Workshop(TempDir);

impl Workshop {
    /// Returns a new folder with this circuit in the file [`MODEL`].
    pub(super) fn with(circuit: &[u8]) -> Result<Workshop, Trouble> {
        let missing = |error: std::io::Error| Trouble::Missing(error.to_string());
        let folder = tempfile::tempdir().map_err(missing)?;
        fs::write(folder.path().join(MODEL), circuit).map_err(missing)?;
        Ok(Workshop(folder))
    }

    pub(super) fn folder(&self) -> &Path {
        self.0.path()
    }

    pub(super) fn path(&self, name: &str) -> PathBuf {
        self.0.path().join(name)
    }

    pub(super) fn model(&self) -> PathBuf {
        self.path(MODEL)
    }

    /// Returns the contents of a file that a program has written into the folder; `None` if there is no regular file of this name.
    pub(super) fn read(&self, name: &str) -> Result<Option<Vec<u8>>, Trouble> {
        let path = self.path(name);
        // A device or pipe might never end, so only regular files are read.
        if !fs::symlink_metadata(&path).is_ok_and(|metadata| metadata.is_file()) {
            return Ok(None);
        }
        let Ok(file) = File::open(&path) else {
            return Ok(None);
        };
        let mut bytes = Vec::new();
        if file.take(MOST_BYTES + 1).read_to_end(&mut bytes).is_err() {
            return Ok(None);
        }
        if bytes.len() as u64 > MOST_BYTES {
            return Err(Trouble::Flood(MOST_BYTES));
        }
        Ok((!bytes.is_empty()).then_some(bytes))
    }
}

/// Returns the last component of a path; the complete path if it has none.
pub(super) fn file_name(path: &Path) -> String {
    let name = path.file_name().unwrap_or(path.as_os_str());
    name.to_string_lossy().into_owned()
}
