//! Programs on the path, and the memory that they may use.

use std::path::PathBuf;

/// Bytes of address space that a program may use, if nobody says otherwise.
pub(crate) const MEMORY: u64 = 8 << 30;

/// The first program of these names on the path.
pub(crate) fn on_path(names: &[&str]) -> Option<PathBuf> {
    let path = std::env::var_os("PATH")?;
    let candidates = names.iter().flat_map(|name| {
        let folders = std::env::split_paths(&path);
        folders.map(|folder| folder.join(name)).collect::<Vec<_>>()
    });
    candidates.into_iter().find(|program| program.is_file())
}
