//! Records of models in runs: files and options, for reading the model again.

use std::path::{Component, Path, PathBuf};

use hyperkill_frontend::counted;
use hyperkill_run::reading::{ModelSpec, Taken};
use sha2::{Digest, Sha256};

use super::origin::{self, Copies, Origin};
use crate::documents::{MadeWord, ModelDescription, Reading, SourceDigest};
use crate::failure::Failure;
use hyperkill_audit::names::digest;

/// Returns `reading` with paths relative to `folder`, so that both can be moved together. Without a relative path, paths are left out.
pub(crate) fn seen_from(reading: &Reading, folder: &Path) -> Reading {
    let places = reading.places.iter();
    let places = places.map(|place| way(folder, Path::new(place)));
    let sources = reading.sources.iter().map(|source| SourceDigest {
        place: (source.place.as_ref()).and_then(|place| way(folder, Path::new(place))),
        ..source.clone()
    });
    Reading {
        places: places.collect::<Option<_>>().unwrap_or_default(),
        sources: sources.collect(),
        ..reading.clone()
    }
}

/// Converts paths relative to `from` to paths relative to `to`. The files need not exist.
pub(crate) fn rebased(reading: &Reading, from: &Path, to: &Path) -> Reading {
    let real = |folder: &Path| folder.canonicalize().unwrap_or_else(|_| folder.to_owned());
    let (from, to) = (real(from), real(to));
    let again = |place: &String| relative(&to, &normal(&from, place));
    let places = reading.places.iter().map(again);
    let sources = reading.sources.iter().map(|source| SourceDigest {
        place: source.place.as_ref().and_then(again),
        ..source.clone()
    });
    Reading {
        places: places.collect::<Option<_>>().unwrap_or_default(),
        sources: sources.collect(),
        ..reading.clone()
    }
}

/// Returns the path of `path`, which is relative to `folder`, without `..` components.
fn normal(folder: &Path, path: &str) -> PathBuf {
    let mut normal = folder.to_owned();
    for part in Path::new(path).components() {
        match part {
            Component::ParentDir => drop(normal.pop()),
            part => normal.push(part),
        }
    }
    normal
}

/// Returns the relative path from a folder to a file, with links resolved; `None` if one does not exist, or the path is not UTF-8.
fn way(folder: &Path, file: &Path) -> Option<String> {
    relative(&folder.canonicalize().ok()?, &file.canonicalize().ok()?)
}

/// Returns the relative path from a folder to a file, both without links and `..` components; `None` if it is not UTF-8.
fn relative(folder: &Path, file: &Path) -> Option<String> {
    let same = folder.components().zip(file.components());
    let same = same.take_while(|(a, b)| a == b).count();
    let up = folder.components().skip(same).map(|_| Component::ParentDir);
    let way: PathBuf = up.chain(file.components().skip(same)).collect();
    way.to_str().map(str::to_owned)
}

/// Returns a name for each file of a model, in the order of `reading`: its path if `reading` has one, so that equal file names in different
/// folders differ, otherwise its file name. The files need not exist.
fn names(reading: &Reading, folder: &Path) -> Vec<PathBuf> {
    let folder = folder.canonicalize().unwrap_or_else(|_| folder.to_owned());
    let name = |source: &SourceDigest| {
        let Some(place) = &source.place else {
            return PathBuf::from(&source.file);
        };
        normal(&folder, place).with_file_name(&source.file)
    };
    reading.sources.iter().map(name).collect()
}

/// A model that a run has read.
#[derive(Debug)]
pub(crate) struct Recorded {
    /// Its files, with the names in the run, and its options.
    pub spec: ModelSpec,
    /// The present paths of the files.
    pub places: Vec<PathBuf>,
    /// The requested mutation operators.
    pub operators: Vec<String>,
    /// The copies in the run folder; `None` if `--model` names other files.
    copies: Option<Copies>,
    sources: Vec<SourceDigest>,
    folder: PathBuf,
}

impl Recorded {
    /// Reads the record in a document of `folder`. `moved` are the model files to read in place of the run's copies.
    ///
    /// # Errors
    /// If the record is incomplete, or a copy differs from the file that the run has read.
    pub(crate) fn of(
        model: &ModelDescription,
        reading: Option<&Reading>,
        folder: &Path,
        moved: &[PathBuf],
    ) -> Result<Recorded, Failure> {
        let Some(reading) = reading.filter(|reading| !reading.files.is_empty()) else {
            return Err(Failure::usage(format!(
                "{} does not say how the model was read",
                folder.display()
            )));
        };
        let mut spec = ModelSpec::recorded(model, reading);
        let places: Vec<PathBuf> = match moved {
            [] if reading.places.is_empty() => spec.files.clone(),
            [] if reading.places.len() != spec.files.len() => {
                return Err(Failure::usage(format!(
                    "{} does not record the place of every file of the model",
                    folder.display()
                ))
                .with_help("name the present files of the model with --model"));
            }
            [] => (reading.places.iter())
                .map(|place| folder.join(place))
                .collect(),
            moved if moved.len() == spec.files.len() => moved.to_vec(),
            moved => {
                return Err(Failure::usage(format!(
                    "the run read {}, but {} named",
                    counted(spec.files.len(), "file"),
                    match moved.len() {
                        1 => "1 is".to_owned(),
                        count => format!("{count} are"),
                    }
                )));
            }
        };
        let names = names(reading, folder);
        let copies = match moved {
            [] => Copies::read(reading, folder, &names)?,
            _ => None,
        };
        spec.combinations = origin::list(reading, folder, MadeWord::Combinations)?;
        spec.taken = origin::list(reading, folder, MadeWord::Taken)?.map(Taken::Listed);
        // Includes are relative to these names, so absolute names are restored.
        if copies.is_some() {
            spec.files = names.into_iter().take(spec.files.len()).collect();
        } else if !reading.places.is_empty() {
            for (file, place) in spec.files.iter_mut().zip(&places) {
                if let (true, Ok(place)) =
                    (place.file_name() == file.file_name(), place.canonicalize())
                {
                    *file = place;
                }
            }
        }
        Ok(Recorded {
            spec,
            places,
            operators: reading.operators.clone(),
            copies,
            sources: reading.sources.clone(),
            folder: folder.to_owned(),
        })
    }

    /// Returns the origin of the model's files.
    pub(crate) fn origin(&self) -> Origin<'_> {
        match &self.copies {
            Some(copies) => Origin::Copies(copies),
            None => Origin::Places(&self.places),
        }
    }

    /// Checks that every file exists and is the file that the run read. Copies were checked when they were read.
    ///
    /// # Errors
    /// If a file is missing or differs: its name.
    pub(crate) fn is_unchanged(&self) -> Result<(), Failure> {
        if self.copies.is_some() {
            return Ok(());
        }
        if let Some(missing) = self.places.iter().find(|place| !place.is_file()) {
            return Err(Failure::usage(format!(
                "the model file {} is not there",
                missing.display()
            ))
            .with_help("name the present files of the model with --model"));
        }
        for (number, source) in self.sources.iter().enumerate() {
            let place = match (self.places.get(number), &source.place) {
                (Some(place), _) => place.clone(),
                (None, Some(place)) => self.folder.join(place),
                (None, None) => PathBuf::from(&source.file),
            };
            // An included file may have moved; the comparison of the complete model then decides.
            let Ok(bytes) = std::fs::read(&place) else {
                continue;
            };
            if digest(Sha256::new_with_prefix(&bytes)) != source.digest {
                return Err(Failure::usage(format!(
                    "the model is not the one of the run: {} has changed",
                    place.display()
                ))
                .with_help("name the files as they were with --model, or run again"));
            }
        }
        Ok(())
    }

    /// Checks that `given` contradicts no option of the run; missing options agree. The folders of included files may have changed: given
    /// folders replace the folders of the run.
    ///
    /// # Errors
    /// If an option differs: its name.
    pub(crate) fn agrees_with(&mut self, given: &ModelSpec) -> Result<(), Failure> {
        self.spec.agrees_with(given)?;
        let include = &given.options.hardware.include;
        if !include.is_empty() {
            (self.spec.options.hardware.include).clone_from(include);
        }
        Ok(())
    }

    /// Checks that a suite has the options with which this run read the model.
    ///
    /// # Errors
    /// If an option differs: its name.
    pub(crate) fn is_as_in(
        &self,
        suite: &ModelDescription,
        reading: &Reading,
    ) -> Result<(), Failure> {
        Ok(self.spec.is_as_in(&ModelSpec::recorded(suite, reading))?)
    }
}
