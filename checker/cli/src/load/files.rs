//! Reads files of models.

use std::io::Read;
use std::path::Path;

use anyhow::Context;
pub use hyperkill_run::load::kit::is_stdin;

use crate::failure::Failure;
use crate::io::Io;

/// Returns the bytes of a file, or of standard input for `-`.
///
/// # Errors
/// If the file cannot be read.
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
