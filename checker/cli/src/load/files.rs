//! Files of models: their bytes and their names.

use std::fmt::Write;
use std::io::Read;
use std::path::{Path, PathBuf};

use anyhow::Context;
use sha2::{Digest, Sha256};

use crate::documents::ModelDescription;
use crate::documents::build::published_name;
use crate::failure::Failure;
use crate::io::Io;

/// Whether this is the name of standard input.
#[must_use]
pub fn is_stdin(file: &Path) -> bool {
    file.as_os_str() == "-"
}

/// The bytes of a file, or of standard input for `-`.
///
/// # Errors
/// If it cannot be read.
pub fn read_bytes(io: &mut Io, file: &Path) -> Result<Vec<u8>, Failure> {
    let mut bytes = Vec::new();
    if is_stdin(file) {
        io.stdin
            .read_to_end(&mut bytes)
            .context("standard input cannot be read")?;
    } else {
        bytes =
            std::fs::read(file).with_context(|| format!("{} cannot be read", file.display()))?;
    }
    Ok(bytes)
}

pub(super) fn published(file: &Path) -> String {
    published_name(&file.to_string_lossy())
}

/// The names of files, if one of them is absolute; what is written of them is [`seen_from`] the run folder.
pub(super) fn absolute(files: &[PathBuf]) -> Vec<String> {
    match files.iter().any(|file| file.is_absolute()) {
        true => files
            .iter()
            .map(|file| file.to_string_lossy().into_owned())
            .collect(),
        false => Vec::new(),
    }
}

/// Names, language and hash of what was read.
pub(super) fn describe<'a>(
    name: &str,
    language: &str,
    contents: impl Iterator<Item = (&'a str, &'a [u8])>,
) -> ModelDescription {
    let mut hash = Sha256::new();
    for (name, bytes) in contents {
        let name = published_name(name);
        // Lengths keep names and contents apart.
        hash.update((name.len() as u64).to_le_bytes());
        hash.update(name.as_bytes());
        hash.update((bytes.len() as u64).to_le_bytes());
        hash.update(bytes);
    }
    let mut digits = String::from("sha256:");
    for byte in hash.finalize() {
        // Writing to a string cannot fail.
        let _ = write!(digits, "{byte:02x}");
    }
    ModelDescription {
        name: published_name(name),
        language: language.to_owned(),
        hash: digits,
    }
}
