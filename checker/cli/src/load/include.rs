//! Finds files that sources include or initialise memories from: first in the folder of the source, then in the folders of `-I`.
//!
//! A model may come from an untrusted author. So included files must lie in a folder of the model's files or of `-I`, after links are
//! resolved.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use hyperkill_frontend::{Loader, SourceLoader};
use hyperkill_run::reading::ModelSpec;

struct Folders {
    /// The additional folders.
    include: Vec<PathBuf>,
    /// The folders that may contain included files, with links resolved; `None` for any folder.
    inside: Option<Vec<PathBuf>>,
}

/// The result of a search for a file.
enum Found {
    /// A readable file, by the path under which it was found.
    Allowed(PathBuf),
    /// Only files outside of the allowed folders: the resolved path of the first.
    Outside(PathBuf),
    Nothing,
}

/// Returns a loader for the included files of a model. If `outside` holds, they may lie in any folder.
pub(super) fn loader(spec: &ModelSpec, outside: bool) -> Loader {
    let include = spec.options.hardware.include.clone();
    let inside = (!outside).then(|| folders(&spec.files, &include));
    Loader(Arc::new(Folders { include, inside }))
}

/// Returns the folders of `files`, for a link also the folder of its target, and `folders`, all with links resolved.
fn folders(files: &[PathBuf], folders: &[PathBuf]) -> Vec<PathBuf> {
    let real = files.iter().filter_map(|file| file.canonicalize().ok());
    let parents = files.iter().cloned().chain(real);
    let parents = parents.filter_map(|file| file.parent().map(Path::to_owned));
    let named = parents.chain(folders.iter().cloned());
    named
        .filter_map(|folder| or_here(&folder).canonicalize().ok())
        .collect()
}

/// Returns `folder`, or `.` if it is empty.
fn or_here(folder: &Path) -> &Path {
    match folder.as_os_str().is_empty() {
        true => Path::new("."),
        false => folder,
    }
}

impl Folders {
    fn find(&self, name: &str, asked_by: &str) -> Found {
        let beside = Path::new(asked_by).parent().unwrap_or(Path::new(""));
        let places = std::iter::once(beside).chain(self.include.iter().map(PathBuf::as_path));
        let mut outside = None;
        for file in places.map(|folder| folder.join(name)) {
            // Reading a device may never end.
            if !file.is_file() {
                continue;
            }
            let (Some(inside), Ok(real)) = (&self.inside, file.canonicalize()) else {
                return Found::Allowed(file);
            };
            if inside.iter().any(|folder| real.starts_with(folder)) {
                return Found::Allowed(file);
            }
            outside.get_or_insert(real);
        }
        outside.map_or(Found::Nothing, Found::Outside)
    }
}

impl SourceLoader for Folders {
    fn load(&self, name: &str, asked_by: &str) -> Option<(String, String)> {
        let Found::Allowed(file) = self.find(name, asked_by) else {
            return None;
        };
        let text = std::fs::read_to_string(&file).ok()?;
        Some((file.to_string_lossy().into_owned(), text))
    }

    fn refusal(&self, name: &str, asked_by: &str) -> Option<String> {
        match self.find(name, asked_by) {
            Found::Outside(real) => Some(format!(
                "{} is outside of the model's folders",
                real.display()
            )),
            Found::Allowed(_) | Found::Nothing => None,
        }
    }
}
