//! Where the files of a model are read: where the user says that they are, or in the folder of a run, which keeps copies of all that it
//! has read.

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

/// Where a model is read.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Origin<'a> {
    /// Its files are here now.
    Places(&'a [PathBuf]),
    /// A run has kept it.
    Copies(&'a Copies),
}

impl Origin<'_> {
    /// What a file of the model holds.
    ///
    /// # Errors
    /// If it cannot be read.
    pub(super) fn bytes(self, io: &mut Io, number: usize) -> Result<Vec<u8>, Failure> {
        match self {
            Origin::Places(places) => read_bytes(io, &places[number]),
            Origin::Copies(copies) => Ok(copies.files[number].clone()),
        }
    }

    /// What finds the files that sources ask for.
    pub(super) fn loader(self, session: &Session<'_>, spec: &ModelSpec) -> Loader {
        match self {
            Origin::Places(_) => include::loader(spec, session.allow_outside),
            Origin::Copies(copies) => Loader(Arc::new(Kept(copies.asked_for.clone()))),
        }
    }

    /// What another program made of the model when a run read it.
    pub(super) fn made(&self, what: MadeWord) -> Option<&[u8]> {
        match self {
            Origin::Places(_) => None,
            Origin::Copies(copies) => copies.made.get(&what).map(Vec::as_slice),
        }
    }
}

/// The texts of a model's files.
///
/// # Errors
/// If one cannot be read, or is not UTF-8.
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

/// All that a run has read of its model.
#[derive(Debug)]
pub(crate) struct Copies {
    /// What its files hold.
    files: Vec<Vec<u8>>,
    /// Files that these ask for, by the name by which they do: what they go by, and their texts.
    asked_for: BTreeMap<String, (String, String)>,
    made: BTreeMap<MadeWord, Vec<u8>>,
}

impl Copies {
    /// The copies in the folder of a run; `None` if it has kept none. `names` are what its files go by.
    ///
    /// # Errors
    /// If one is not what the run has read.
    pub(super) fn read(
        reading: &Reading,
        folder: &Path,
        names: &[PathBuf],
    ) -> Result<Option<Copies>, Failure> {
        let kept = reading.sources.iter().all(|source| source.copy.is_some());
        // A suite may have been taken out of its folder.
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

/// A list of mutants that a run has kept, wherever the files of the model are now.
///
/// # Errors
/// If it is not what the run wrote.
pub(super) fn list(
    reading: &Reading,
    folder: &Path,
    what: MadeWord,
) -> Result<Option<String>, Failure> {
    let mut made = reading.made.iter();
    let made = made.find(|made| made.what == what);
    // A suite may have been taken out of its folder.
    let Some(made) = made.filter(|_| folder.join(SOURCES).is_dir()) else {
        return Ok(None);
    };
    let bytes = copy(folder, &made.copy, &made.digest)?;
    let text = String::from_utf8(bytes).map_err(|_| spoilt(folder, &made.copy))?;
    Ok(Some(text))
}

/// What a copy holds.
fn copy(folder: &Path, name: &str, expected: &str) -> Result<Vec<u8>, Failure> {
    // A document that was changed must not lead anywhere else.
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
    let error = anyhow::anyhow!("{} is not what the run has read", place.display());
    Failure::message(ExitCode::Evidence, error)
        .with_help("say with --model where the model is, or run again")
}

/// Files that were asked for before.
struct Kept(BTreeMap<String, (String, String)>);

impl SourceLoader for Kept {
    fn load(&self, name: &str, _: &str) -> Option<(String, String)> {
        self.0.get(name).cloned()
    }
}
