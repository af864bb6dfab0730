//! Where the files of a model are read: where the user says that they are, or in the folder of a run, which keeps copies of all that it
//! has read.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use hyperkill_frontend::{Loader, SourceFile, SourceLoader};
use hyperkill_run::reading::ModelSpec;
use sha2::{Digest, Sha256};

use super::files::{is_stdin, published, read_bytes};
use super::include;
use crate::documents::{MadeDigest, MadeWord, Reading, SourceDigest};
use crate::exit_code::ExitCode;
use crate::failure::Failure;
use crate::io::Io;
use crate::session::Session;
use hyperkill_audit::names::{SOURCES, digest, escaped};

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
    (spec.files.iter().enumerate())
        .map(|(number, file)| {
            let name = file.to_string_lossy().into_owned();
            let bytes = origin.bytes(io, number)?;
            match String::from_utf8(bytes) {
                Ok(text) => Ok(SourceFile::new(name, text)),
                Err(error) => {
                    let valid = error.utf8_error().valid_up_to();
                    let before = &error.as_bytes()[..valid];
                    let line = before.iter().filter(|&&byte| byte == b'\n').count() + 1;
                    Err(Failure::Bytes {
                        file: name,
                        message: format!("line {line}: byte {valid} is not UTF-8"),
                        excerpt: None,
                        help: Some("save the file as UTF-8".to_owned()),
                    })
                }
            }
        })
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

/// All that was read of a model, as documents name it and as a run keeps it.
#[derive(Debug, Default)]
pub(super) struct Kit {
    pub(super) sources: Vec<SourceDigest>,
    pub(super) made: Vec<MadeDigest>,
    source_bytes: Vec<Vec<u8>>,
    made_bytes: Vec<Vec<u8>>,
}

impl Kit {
    /// A file of the model, or one that others ask for by a name.
    pub(super) fn add(&mut self, file: &Path, bytes: Vec<u8>, asked_as: Option<&str>) {
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

    /// What another program made of the model.
    pub(super) fn add_made(&mut self, what: MadeWord, bytes: Vec<u8>) {
        self.made.push(MadeDigest {
            what,
            digest: digest(Sha256::new_with_prefix(&bytes)),
            copy: self.place(what.file()),
        });
        self.made_bytes.push(bytes);
    }

    /// Those that sources ask for, which are as they were read.
    pub(super) fn add_asked_for(&mut self, sources: &[SourceFile]) {
        for source in sources {
            if let Some(asked_as) = &source.included {
                let bytes = source.text.clone().into_bytes();
                self.add(Path::new(&source.name), bytes, Some(asked_as));
            }
        }
    }

    /// The copies, in the order in which the reading names them.
    pub(super) fn into_copies(self) -> Vec<Vec<u8>> {
        [self.source_bytes, self.made_bytes].concat()
    }

    /// Numbers keep files of the same name apart.
    fn place(&self, base: &str) -> String {
        let number = self.source_bytes.len() + self.made_bytes.len() + 1;
        format!("{SOURCES}/{number}-{}", escaped(base))
    }
}

/// Refuses a model whose sources are empty.
pub(super) fn must_have_text(spec: &ModelSpec, sources: &[SourceFile]) -> Result<(), Failure> {
    let texts: Vec<&[u8]> = sources
        .iter()
        .map(|source| source.text.as_bytes())
        .collect();
    must_say_something(&spec.files[0], &texts)
}

/// A file that is empty by accident, and not only one among others.
///
/// # Errors
/// That it is.
pub(crate) fn must_say_something(file: &Path, texts: &[&[u8]]) -> Result<(), Failure> {
    if texts.iter().any(|text| !text.trim_ascii().is_empty()) {
        return Ok(());
    }
    let message = match (is_stdin(file), texts.len()) {
        (true, _) => "standard input is empty".to_owned(),
        (_, 0 | 1) => format!("{} is empty", file.display()),
        _ => format!("{} and all other files are empty", file.display()),
    };
    Err(Failure::model(message))
}
