//! The files of a model, as documents name them and as a run keeps them.

use std::path::{Path, PathBuf};

use hyperkill_audit::model::Listing;
use hyperkill_audit::names::{SOURCES, digest, escaped};
use hyperkill_frontend::SourceFile;
use sha2::{Digest, Sha256};

use super::error::{LoadError, Malformed};
use crate::documents::build::published_name;
use crate::documents::{MadeDigest, MadeWord, Reading, SourceDigest};
use crate::reading::ModelSpec;

/// Whether the name means standard input.
#[must_use]
pub fn is_stdin(file: &Path) -> bool {
    file.as_os_str() == "-"
}

/// The files of a model, as documents name them and as a run keeps them.
#[derive(Debug, Default)]
pub struct Kit {
    /// The source files.
    pub sources: Vec<SourceDigest>,
    /// Files that external programs generated from the sources.
    pub made: Vec<MadeDigest>,
    source_bytes: Vec<Vec<u8>>,
    made_bytes: Vec<Vec<u8>>,
}

impl Kit {
    /// Adds a source file. `asked_as` is the name by which another source includes it.
    pub fn add(&mut self, file: &Path, bytes: Vec<u8>, asked_as: Option<&str>) {
        let place = file.to_string_lossy().into_owned();
        let name = published(file);
        let base = match is_stdin(file) {
            true => "stdin".to_owned(),
            false => file
                .file_name()
                .map_or_else(|| name.clone(), |base| base.to_string_lossy().into_owned()),
        };
        self.sources.push(SourceDigest {
            file: name,
            place: file.is_absolute().then_some(place),
            digest: digest(Sha256::new_with_prefix(&bytes)),
            asked_as: asked_as.map(str::to_owned),
            copy: Some(self.place(&base)),
        });
        self.source_bytes.push(bytes);
    }

    /// Adds a file that an external program generated from the sources.
    pub fn add_made(&mut self, what: MadeWord, bytes: Vec<u8>) {
        self.made.push(MadeDigest {
            what,
            digest: digest(Sha256::new_with_prefix(&bytes)),
            copy: self.place(what.file()),
        });
        self.made_bytes.push(bytes);
    }

    /// Adds the included sources, with their text as it was read.
    pub fn add_asked_for(&mut self, sources: &[SourceFile]) {
        for source in sources {
            if let Some(asked_as) = &source.included {
                let bytes = source.text.clone().into_bytes();
                self.add(Path::new(&source.name), bytes, Some(asked_as));
            }
        }
    }

    /// Returns the copies, in the order of their entries.
    pub fn into_copies(self) -> Vec<Vec<u8>> {
        [self.source_bytes, self.made_bytes].concat()
    }

    /// Returns the path of a copy. A number separates files of the same name.
    fn place(&self, base: &str) -> String {
        let number = self.source_bytes.len() + self.made_bytes.len() + 1;
        format!("{SOURCES}/{number}-{}", escaped(base))
    }
}

/// Returns the name of a file in documents.
#[must_use]
pub fn published(file: &Path) -> String {
    published_name(&file.to_string_lossy())
}

/// Returns the paths of the files for documents, if one of them is absolute; otherwise none, since documents then name files relative to
/// the run folder.
#[must_use]
pub fn absolute(files: &[PathBuf]) -> Vec<String> {
    match files.iter().any(|file| file.is_absolute()) {
        true => files
            .iter()
            .map(|file| file.to_string_lossy().into_owned())
            .collect(),
        false => Vec::new(),
    }
}

/// Records in a listing how the model was read, and the copies of its files.
pub fn keep(listing: &mut Listing, spec: &ModelSpec, operators: &[String], kit: Kit) {
    listing.reading = Reading {
        files: spec.files.iter().map(|file| published(file)).collect(),
        places: absolute(&spec.files),
        options: spec.options.clone(),
        operators: operators.to_vec(),
        sources: kit.sources.clone(),
        made: kit.made.clone(),
    };
    listing.copies = kit.into_copies();
}

/// Returns the text of a file.
///
/// # Errors
/// If the file is not UTF-8.
pub fn source(file: &Path, bytes: Vec<u8>) -> Result<SourceFile, Malformed> {
    let name = file.to_string_lossy().into_owned();
    match String::from_utf8(bytes) {
        Ok(text) => Ok(SourceFile::new(name, text)),
        Err(error) => {
            let valid = error.utf8_error().valid_up_to();
            let before = &error.as_bytes()[..valid];
            let line = before.iter().filter(|&&byte| byte == b'\n').count() + 1;
            Err(Malformed {
                file: name,
                message: format!("line {line}: byte {valid} is not UTF-8"),
                excerpt: None,
                help: Some("save the file as UTF-8".to_owned()),
            })
        }
    }
}

/// Checks that the sources of a model are not all empty.
///
/// # Errors
/// If all are empty.
pub fn must_have_text(spec: &ModelSpec, sources: &[SourceFile]) -> Result<(), LoadError> {
    let texts: Vec<&[u8]> = sources
        .iter()
        .map(|source| source.text.as_bytes())
        .collect();
    must_say_something(&spec.files[0], &texts)
}

/// Checks that one of the texts is not empty.
///
/// # Errors
/// If all are empty.
pub fn must_say_something(file: &Path, texts: &[&[u8]]) -> Result<(), LoadError> {
    if texts.iter().any(|text| !text.trim_ascii().is_empty()) {
        return Ok(());
    }
    let message = match (is_stdin(file), texts.len()) {
        (true, _) => "standard input is empty".to_owned(),
        (_, 0 | 1) => format!("{} is empty", file.display()),
        _ => format!("{} and all other files are empty", file.display()),
    };
    Err(LoadError::Model(message))
}
