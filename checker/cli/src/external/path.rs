//! Finds programs on the path, and limits their memory.

use std::path::PathBuf;

/// The default limit on the address space of a program, in bytes.
pub(crate) const MEMORY: u64 = 8 << 30;

/// Returns the path of a program that is on the path; earlier names come first. `None` if there is none.
pub(crate) fn on_path(names: &[&str]) -> Option<PathBuf> {
    let path = std::env::var_os("PATH")?;
    let candidates = names.iter().flat_map(|name| {
        let folders = std::env::split_paths(&path);
        folders.map(|folder| folder.join(name)).collect::<Vec<_>>()
    });
    candidates.into_iter().find(|program| program.is_file())
}
