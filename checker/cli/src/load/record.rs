//! Models as runs write them down: files and options, to be read again as they were.

use std::path::{Component, Path, PathBuf};

use hyperkill_frontend::counted;
use hyperkill_run::reading::{ModelSpec, Taken};
use sha2::{Digest, Sha256};

use super::origin::{self, Copies, Origin};
use crate::documents::{MadeWord, ModelDescription, Reading, SourceDigest};
use crate::failure::Failure;
use hyperkill_audit::names::digest;

/// How a model was read, with places as seen from a folder, so that nothing depends on where both are. Where there is no way from
/// one to the other, places are left out.
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

/// The same as said in one folder and now to be said in another one. None of the files need be there.
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

/// A path from a folder without the steps back in it.
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

/// The path from a folder to a file, both of which are there.
fn way(folder: &Path, file: &Path) -> Option<String> {
    relative(&folder.canonicalize().ok()?, &file.canonicalize().ok()?)
}

/// The path from a folder to a file, both without links and steps back.
fn relative(folder: &Path, file: &Path) -> Option<String> {
    let same = folder.components().zip(file.components());
    let same = same.take_while(|(a, b)| a == b).count();
    let up = folder.components().skip(same).map(|_| Component::ParentDir);
    let way: PathBuf = up.chain(file.components().skip(same)).collect();
    way.to_str().map(str::to_owned)
}

/// What the files of a model go by: names that were absolute are so again, so that those of the same name in different folders are
/// different. None of them need be there.
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
    /// Its files, as the run called them, and options.
    pub spec: ModelSpec,
    /// Where the files are now.
    pub places: Vec<PathBuf>,
    /// The mutation operators asked for.
    pub operators: Vec<String>,
    /// What the run has kept of it, unless the files are somewhere else now.
    copies: Option<Copies>,
    sources: Vec<SourceDigest>,
    folder: PathBuf,
}

impl Recorded {
    /// What a document in `folder` says of a model. `moved` are its files, if they are to be read and not what the run has kept.
    ///
    /// # Errors
    /// If it does not say enough, or what the run has kept is not what it has read.
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
                    "{} does not say where every file of the model was",
                    folder.display()
                ))
                .with_help("say with --model where the files of the run are now"));
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
        // Names that were absolute are so again, so that files are included from where they were.
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

    /// Where the model is read.
    pub(crate) fn origin(&self) -> Origin<'_> {
        match &self.copies {
            Some(copies) => Origin::Copies(copies),
            None => Origin::Places(&self.places),
        }
    }

    /// Every file is there and holds what the run read. Of a run that has kept what it read, this was seen when that was read.
    ///
    /// # Errors
    /// Which does not.
    pub(crate) fn is_unchanged(&self) -> Result<(), Failure> {
        if self.copies.is_some() {
            return Ok(());
        }
        if let Some(missing) = self.places.iter().find(|place| !place.is_file()) {
            return Err(Failure::usage(format!(
                "the model file {} is not there",
                missing.display()
            ))
            .with_help("say with --model where the files of the run are now"));
        }
        for (number, source) in self.sources.iter().enumerate() {
            let place = match (self.places.get(number), &source.place) {
                (Some(place), _) => place.clone(),
                (None, Some(place)) => self.folder.join(place),
                (None, None) => PathBuf::from(&source.file),
            };
            // An included file may be found elsewhere now; then what was read in all decides.
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

    /// Nothing that `given` says is otherwise than the run had it. An option that is not given there is as the run had it; folders of
    /// included files may have moved.
    ///
    /// # Errors
    /// Which option differs.
    pub(crate) fn agrees_with(&mut self, given: &ModelSpec) -> Result<(), Failure> {
        self.spec.agrees_with(given)?;
        let include = &given.options.hardware.include;
        if !include.is_empty() {
            (self.spec.options.hardware.include).clone_from(include);
        }
        Ok(())
    }

    /// A suite is about the model as this run read it.
    ///
    /// # Errors
    /// Which option differs.
    pub(crate) fn is_as_in(
        &self,
        suite: &ModelDescription,
        reading: &Reading,
    ) -> Result<(), Failure> {
        Ok(self.spec.is_as_in(&ModelSpec::recorded(suite, reading))?)
    }
}
