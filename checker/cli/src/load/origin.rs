//! The origin of a model's files: paths from the user, or the copies in a run folder.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use hyperkill_frontend::{Loader, SourceFile, SourceLoader};
use hyperkill_run::load::kit::source;
use hyperkill_run::reading::ModelSpec;
use sha2::{Digest, Sha256};

use super::files::read_bytes;
use super::include;
use crate::documents::{MadeWord, Reading};
use crate::exit_code::ExitCode;
use crate::failure::Failure;
use crate::io::Io;
use crate::session::Session;
use hyperkill_audit::names::{SOURCES, digest};

/// The origin of a model's files.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Origin<'a> {
    /// The present paths of the files.
    Places(&'a [PathBuf]),
    /// Copies in a run folder.
    Copies(&'a Copies),
}

impl Origin<'_> {
    /// Returns the bytes of the file of the model with this number, from 0.
    ///
    /// # Errors
    /// If the file cannot be read.
    pub(super) fn bytes(self, io: &mut Io, number: usize) -> Result<Vec<u8>, Failure> {
        match self {
            Origin::Places(places) => read_bytes(io, &places[number]),
            Origin::Copies(copies) => Ok(copies.files[number].clone()),
        }
    }

    /// Returns the loader for included files.
    pub(super) fn loader(self, session: &Session<'_>, spec: &ModelSpec) -> Loader {
        match self {
            Origin::Places(_) => include::loader(spec, session.allow_outside),
            Origin::Copies(copies) => Loader(Arc::new(Kept(copies.asked_for.clone()))),
        }
    }

    /// Returns the stored file of this kind that hyperkill or another program made from the model; `None` if it is not stored.
    pub(super) fn made(&self, what: MadeWord) -> Option<&[u8]> {
        match self {
            Origin::Places(_) => None,
            Origin::Copies(copies) => copies.made.get(&what).map(Vec::as_slice),
        }
    }
}

/// Returns the texts of a model's files.
///
/// # Errors
/// If a file cannot be read, or is not UTF-8.
pub(super) fn read_sources(
    io: &mut Io,
    spec: &ModelSpec,
    origin: Origin<'_>,
) -> Result<Vec<SourceFile>, Failure> {
    let files = spec.files.iter().enumerate();
    files
        .map(|(number, file)| Ok(source(file, origin.bytes(io, number)?)?))
        .collect()
}

/// The copies of all files of a model in a run folder.
#[derive(Debug)]
pub(crate) struct Copies {
    /// The bytes of the model's own files, in their order.
    files: Vec<Vec<u8>>,
    /// Included files by the name in the including source: their full name and text.
    asked_for: BTreeMap<String, (String, String)>,
    made: BTreeMap<MadeWord, Vec<u8>>,
}

impl Copies {
    /// Reads the copies in a run folder; `None` if the folder has none. `names` are the names of the files.
    ///
    /// # Errors
    /// If a copy differs from the file that the run has read.
    pub(super) fn read(
        reading: &Reading,
        folder: &Path,
        names: &[PathBuf],
    ) -> Result<Option<Copies>, Failure> {
        let kept = reading.sources.iter().all(|source| source.copy.is_some());
        // A suite may have been moved out of its run folder.
        let is_there = folder.join(SOURCES).is_dir();
        if !kept || !is_there || reading.sources.len() < reading.files.len() {
            return Ok(None);
        }
        let mut bytes = Vec::new();
        for (name, expected) in reading.copies() {
            bytes.push(copy(folder, name, expected)?);
        }
        let mut bytes = bytes.into_iter();
        let files = bytes.by_ref().take(reading.files.len()).collect();
        let mut asked_for = BTreeMap::new();
        for (number, source) in reading.sources.iter().enumerate().skip(reading.files.len()) {
            let text = String::from_utf8(bytes.next().unwrap_or_default());
            let (Some(asked), Ok(text)) = (&source.asked_as, text) else {
                return Err(spoilt(folder, source.copy.as_deref().unwrap_or_default()));
            };
            let name = names.get(number).map(|name| name.to_string_lossy());
            let name = name.map_or_else(|| source.file.clone(), |name| name.into_owned());
            asked_for.insert(asked.clone(), (name, text));
        }
        let made = reading.made.iter().map(|made| made.what).zip(bytes);
        Ok(Some(Copies {
            files,
            asked_for,
            made: made.collect(),
        }))
    }
}

/// Returns the list of mutants of kind `what` that the run in `folder` has stored; `None` if it has stored none.
///
/// # Errors
/// If it was changed after the run wrote it.
pub(super) fn list(
    reading: &Reading,
    folder: &Path,
    what: MadeWord,
) -> Result<Option<String>, Failure> {
    let mut made = reading.made.iter();
    let made = made.find(|made| made.what == what);
    // A suite may have been moved out of its run folder.
    let Some(made) = made.filter(|_| folder.join(SOURCES).is_dir()) else {
        return Ok(None);
    };
    let bytes = copy(folder, &made.copy, &made.digest)?;
    let text = String::from_utf8(bytes).map_err(|_| spoilt(folder, &made.copy))?;
    Ok(Some(text))
}

/// Returns the bytes of the copy `name` in `folder`, after a check that its digest is `expected`.
fn copy(folder: &Path, name: &str, expected: &str) -> Result<Vec<u8>, Failure> {
    // A manipulated document must not name files outside of the folder.
    let inside = name.split_once('/');
    let inside = inside.is_some_and(|(first, rest)| first == SOURCES && !rest.contains('/'));
    let bytes = fs::read(folder.join(name));
    match bytes {
        Ok(bytes) if inside && digest(Sha256::new_with_prefix(&bytes)) == expected => Ok(bytes),
        _ => Err(spoilt(folder, name)),
    }
}

fn spoilt(folder: &Path, name: &str) -> Failure {
    let place = folder.join(name);
    let error = anyhow::anyhow!("{} has changed since the run read it", place.display());
    Failure::message(ExitCode::Evidence, error)
        .with_help("name the files of the model with --model, or run again")
}

/// A loader of stored copies of included files: by the name in the including source, their full name and text.
struct Kept(BTreeMap<String, (String, String)>);

impl SourceLoader for Kept {
    fn load(&self, name: &str, _: &str) -> Option<(String, String)> {
        self.0.get(name).cloned()
    }
}
