//! Files that sources include or read contents of memories from: beside the file that asks, then in the folders of `-I`.
//!
//! Models come from anywhere, so what they ask for must lie in a folder of the model's files or of `-I`, wherever links lead.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use hyperkill_frontend::{Loader, SourceLoader};
use hyperkill_run::reading::ModelSpec;

struct Folders {
    /// Where to look besides.
    include: Vec<PathBuf>,
    /// The folders that files must be in, without links; `None`: anywhere.
    inside: Option<Vec<PathBuf>>,
}

/// What there is of a name.
enum Found {
    /// A file that may be read, by the name it goes by.
    Allowed(PathBuf),
    /// Only one that may not, and where it really is.
    Outside(PathBuf),
    Nothing,
}

/// Looks for files that a model asks for; anywhere, if `outside` is allowed.
pub(super) fn loader(spec: &ModelSpec, outside: bool) -> Loader {
    let include = spec.options.hardware.include.clone();
    let inside = (!outside).then(|| folders(&spec.files, &include));
    Loader(Arc::new(Folders { include, inside }))
}

/// The folders of files, where they are named and where they really are, and these folders.
fn folders(files: &[PathBuf], folders: &[PathBuf]) -> Vec<PathBuf> {
    let real = files.iter().filter_map(|file| file.canonicalize().ok());
    let parents = files.iter().cloned().chain(real);
    let parents = parents.filter_map(|file| file.parent().map(Path::to_owned));
    let named = parents.chain(folders.iter().cloned());
    named
        .filter_map(|folder| or_here(&folder).canonicalize().ok())
        .collect()
}

/// The folder of a name without one.
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
            // Devices have no end.
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
