//! Files that sources include: beside the file that asks, then in the folders of `-I`.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use hyperkill_frontend::{Loader, SourceLoader};

struct Folders(Vec<PathBuf>);

/// Looks for included files in these folders too.
pub(super) fn loader(folders: &[PathBuf]) -> Loader {
    Loader(Arc::new(Folders(folders.to_vec())))
}

impl SourceLoader for Folders {
    fn load(&self, name: &str, asked_by: &str) -> Option<(String, String)> {
        let beside = Path::new(asked_by).parent().unwrap_or(Path::new(""));
        let mut places = std::iter::once(beside).chain(self.0.iter().map(PathBuf::as_path));
        places.find_map(|folder| {
            let file = folder.join(name);
            let text = std::fs::read_to_string(&file).ok()?;
            Some((file.to_string_lossy().into_owned(), text))
        })
    }
}
