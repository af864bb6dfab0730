//! The folder of a run: all its documents, and whether they are of one piece and about one model.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

use hyperkill_evidence::determinism::Determinism;
use hyperkill_evidence::verdict::Reason;
use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::Value;
use sha2::{Digest, Sha256};

use super::certificates::Certificates;
use super::{Findings, Kind, Trouble, same};
use crate::documents::{
    self, Digests, JournalEntry, Lock, LockState, ModelDescription, MutantTable, Run, SourceDigest,
    Suite, Summary, Timings, VerdictWord, build,
};
use crate::failure::Failure;
use crate::model::Loaded;
use crate::run_folder::{self, digest, file_name, read_document};

/// A finished run on disk.
#[derive(Debug)]
pub(crate) struct Folder {
    path: PathBuf,
    /// `mutants.json`.
    pub table: MutantTable,
    /// `outcomes.json`.
    pub run: Run,
    /// `suite.json`.
    pub suite: Suite,
    /// The journal, by mutant.
    pub journal: BTreeMap<String, JournalEntry>,
    /// What was found on the way.
    pub files: Findings,
}

impl Folder {
    /// Reads a folder. `Err` with findings if that is impossible because of what it holds.
    ///
    /// # Errors
    /// If it is the folder of no finished run.
    pub(crate) fn read(path: &Path) -> Result<Result<Folder, Findings>, Failure> {
        let unfinished = [run_folder::DIGESTS, run_folder::OUTCOMES];
        if !unfinished.iter().any(|name| path.join(name).is_file()) {
            return Err(
                Failure::usage(format!("{} has no finished run", path.display()))
                    .with_help("`hyperkill run MODEL` makes one"),
            );
        }
        let state = read_document(&path.join(run_folder::LOCK)).map(|lock: Lock| lock.state);
        let is_whole = path.join(run_folder::DIGESTS).is_file();
        if let (false, Ok(LockState::Running | LockState::Failed)) = (is_whole, &state) {
            return Err(Failure::usage(format!(
                "the run in {} is unfinished: it goes on, or was killed or failed before all was written",
                path.display()
            ))
            .with_help("wait for it, or run again"));
        }
        let mut files = Findings::default();
        check_digests(path, &mut files);
        let table = document(path, run_folder::MUTANTS, MutantTable::SCHEMA, &mut files);
        let run = document(path, run_folder::OUTCOMES, Run::SCHEMA, &mut files);
        let suite = document(path, run_folder::SUITE, Suite::SCHEMA, &mut files);
        let journal = journal(path, &mut files);
        let timings = document(path, run_folder::TIMINGS, Timings::SCHEMA, &mut files);
        let (Some(table), Some(run), Some(suite)) = (table, run, suite) else {
            return Ok(Err(files));
        };
        let folder = Folder {
            path: path.to_owned(),
            table,
            run,
            suite,
            journal,
            files,
        };
        let timed: Option<Timings> = timings;
        match folder.agrees(timed.as_ref(), state.ok()) {
            Ok(()) => Ok(Ok(folder)),
            Err(Trouble::Wrong(what)) => {
                let mut files = folder.files;
                files.wrong(run_folder::OUTCOMES, what);
                Ok(Err(files))
            }
            Err(_) => Ok(Err(folder.files)),
        }
    }

    /// What a file holds.
    pub(super) fn bytes(&self, name: &str) -> Result<Vec<u8>, Trouble> {
        let inside = !name.split('/').any(|part| part.is_empty() || part == "..");
        if !inside {
            return Err(Trouble::Wrong(format!("{name} is not in the folder")));
        }
        fs::read(self.path.join(name)).map_err(Trouble::wrong)
    }

    /// The documents are about one run.
    fn agrees(&self, timings: Option<&Timings>, state: Option<LockState>) -> Result<(), Trouble> {
        self.says_whether_interrupted(state)?;
        let timed = timings.map(|timings| timings.mutants.iter().map(|timed| &timed.mutant));
        if timed.is_some_and(|timed| !timed.eq(self.table.mutants.iter().map(|m| &m.id))) {
            return Err(Trouble::wrong("the times are not those of the mutants"));
        }
        let mut ids = self.table.mutants.iter().map(|mutant| &mutant.id);
        let results = self.run.results.iter().map(|result| &result.mutant);
        if !results.eq(ids.by_ref()) {
            return Err(Trouble::wrong("the results are not those of the mutants"));
        }
        let reading = self.table.reading.as_ref();
        let name = reading.and_then(|reading| reading.model_name());
        if name.is_some_and(|name| name != self.table.model.name) {
            return Err(Trouble::wrong(
                "the first file that was read is not the model",
            ));
        }
        same(&self.table.model, &self.run.model)?;
        same(&self.table.model, &self.suite.model.description)?;
        // Earlier releases say how the model was read in one document only.
        let is_earlier = reading.is_none_or(|reading| reading.sources.is_empty());
        match &self.suite.model.reading {
            None if is_earlier => Ok(()),
            said => same(&reading, &said.as_ref()),
        }
    }

    /// Whether the run was interrupted shows in what it left undecided, and the lock says it too.
    fn says_whether_interrupted(&self, state: Option<LockState>) -> Result<(), Trouble> {
        let reasons = self.run.results.iter().flat_map(|result| {
            let potential = result.potential.as_ref();
            [
                result.reason.as_ref(),
                result.definite_reason.as_ref(),
                potential.and_then(|potential| potential.reason.as_ref()),
            ]
        });
        let word = Reason::Interrupted.to_string();
        let shows = reasons.flatten().any(|reason| *reason == word);
        let said = self.run.interrupted;
        let locked = state == Some(LockState::Interrupted);
        if (said && !shows && !locked) || (!said && shows) {
            let not = if said { "" } else { "not " };
            return Err(Trouble::Wrong(format!(
                "the run was {not}interrupted, it says, but what it left shows otherwise"
            )));
        }
        Ok(())
    }

    /// Fails if the run is about another model: then nothing can be said.
    ///
    /// # Errors
    /// That it is.
    pub(crate) fn is_about(&self, model: &ModelDescription) -> Result<(), Failure> {
        match self.table.model.hash == model.hash {
            true => Ok(()),
            false => Err(Failure::usage(format!(
                "the model is not the one of the run: {} has changed",
                self.table.model.name
            ))
            .with_help("name the files as they were with --model, or run again")),
        }
    }

    /// Whether all that the documents say of the model is so.
    ///
    /// # Errors
    /// If a difference of sources cannot be made.
    pub(super) fn is_of(&self, loaded: &Loaded) -> Result<Findings, Failure> {
        let mut findings = Findings::default();
        let mut expect = |place: &str, result: Result<(), Trouble>| match result {
            Ok(()) | Err(Trouble::Elsewhere) => {}
            Err(Trouble::Wrong(what)) => findings.wrong(place, what),
            Err(Trouble::Open(what)) => findings.open.push(super::fault(place, what)),
        };
        let signature = build::signature(&loaded.model);
        expect(run_folder::MUTANTS, self.lists_the_sources(loaded));
        expect(
            run_folder::MUTANTS,
            same(&loaded.description, &self.table.model),
        );
        expect(run_folder::MUTANTS, same(&signature, &self.table.signature));
        expect(
            run_folder::MUTANTS,
            same(&loaded.role_notes, &self.table.roles),
        );
        expect(run_folder::SUITE, same(&signature, &self.suite.signature));
        let by_id: BTreeMap<&str, usize> = loaded
            .catalogue
            .iter()
            .enumerate()
            .map(|(index, entry)| (entry.id.0.as_str(), index))
            .collect();
        let selected = self.table.mutants.iter();
        let selected = selected.map(|mutant| by_id.get(mutant.id.as_str()).copied());
        match selected.collect::<Option<Vec<usize>>>() {
            None => expect(
                run_folder::MUTANTS,
                Err(Trouble::wrong("the model has no such mutant")),
            ),
            Some(selected) if !selected.is_sorted_by(|a, b| a < b) => expect(
                run_folder::MUTANTS,
                Err(Trouble::wrong("the mutants are not in catalogue order")),
            ),
            Some(selected) => {
                let described = loaded.descriptions(&selected);
                expect(run_folder::MUTANTS, same(&described, &self.table.mutants));
                for index in selected {
                    let entry = &loaded.catalogue[index];
                    if let Some(expected) = loaded.diff(entry.mutant.as_ref())? {
                        let name = file_name(&entry.id.0, "diff");
                        let name = format!("{}/{name}", run_folder::DIFFS);
                        expect(&name, self.is_text(&name, &expected));
                    }
                }
            }
        }
        let summary = Summary::of(&self.run.results);
        expect(run_folder::OUTCOMES, same(&summary, &self.run.summary));
        Ok(findings)
    }

    /// The files that were read are those that the run lists.
    fn lists_the_sources(&self, loaded: &Loaded) -> Result<(), Trouble> {
        let reading = self.table.reading.as_ref();
        let said = reading.map_or(&[][..], |reading| &reading.sources);
        // Earlier releases list none.
        let named = |sources: &[SourceDigest]| -> Vec<[String; 2]> {
            let sources = sources.iter();
            sources
                .map(|source| [source.file.clone(), source.digest.clone()])
                .collect()
        };
        match said.is_empty() {
            true => Ok(()),
            false => same(&named(&loaded.reading.sources), &named(said)),
        }
    }

    /// A file is this text.
    pub(super) fn is_text(&self, name: &str, expected: &str) -> Result<(), Trouble> {
        match self.bytes(name)? == expected.as_bytes() {
            true => Ok(()),
            false => Err(Trouble::wrong("it does not say what was found")),
        }
    }

    /// What is said of the original is what its certificate shows.
    pub(super) fn original(&self, certificates: &Certificates, findings: &mut Findings) {
        let said = self.run.original.as_str();
        let file = self.run.original_certificate.as_deref();
        let unsettled = build::determinism(Determinism::Unsettled);
        let checked = match file {
            None if said == unsettled => return,
            None => Err(Trouble::Open(format!(
                "the run keeps no evidence that the model is {said}"
            ))),
            Some(file) => match certificates.of_original(file) {
                Ok(found) if build::determinism(found) == said => Ok(()),
                Ok(found) => Err(Trouble::Wrong(format!(
                    "the model is {}, not {said}",
                    build::determinism(found)
                ))),
                Err(trouble) => Err(trouble),
            },
        };
        findings.take(Kind::Original, run_folder::OUTCOMES, checked);
    }
}

/// Every file is there and what the run wrote.
fn check_digests(path: &Path, files: &mut Findings) {
    let digests = document(path, run_folder::DIGESTS, Digests::SCHEMA, files);
    let Some(digests): Option<Digests> = digests else {
        return;
    };
    let as_written = fs::read(path.join(run_folder::DIGESTS)).map_err(Trouble::wrong);
    let text = documents::to_text(&digests).map_err(Trouble::wrong);
    let canonical = as_written.and_then(|bytes| match bytes == text?.as_bytes() {
        true => Ok(()),
        false => Err(Trouble::wrong("it is not as a run writes it")),
    });
    files.take(Kind::File, run_folder::DIGESTS, canonical);
    for listed in &digests.files {
        let found = fs::read(path.join(&listed.file)).map_err(Trouble::wrong);
        let checked =
            found.and_then(
                |bytes| match digest(Sha256::new_with_prefix(bytes)) == listed.digest {
                    true => Ok(()),
                    false => Err(Trouble::wrong("it is not as the run wrote it")),
                },
            );
        files.take(Kind::File, &listed.file, checked);
    }
    for name in [
        run_folder::MUTANTS,
        run_folder::OUTCOMES,
        run_folder::SUITE,
        run_folder::JOURNAL,
        run_folder::TIMINGS,
    ] {
        if !digests.files.iter().any(|listed| listed.file == name) {
            files.wrong(run_folder::DIGESTS, format!("it does not list {name}"));
        }
    }
}

/// A document that has the fields of its type and no others: what is left out by mistake might be taken for a default.
pub(super) fn strictly<T: DeserializeOwned + Serialize>(bytes: &[u8]) -> Result<T, Trouble> {
    let document: T = serde_json::from_slice(bytes).map_err(Trouble::wrong)?;
    let found: Value = serde_json::from_slice(bytes).map_err(Trouble::wrong)?;
    same(&document, &found)?;
    Ok(document)
}

/// A document with this schema, if it is one.
fn document<T: DeserializeOwned + Serialize>(
    path: &Path,
    name: &str,
    schema: &str,
    files: &mut Findings,
) -> Option<T> {
    let read = || -> Result<T, Trouble> {
        let bytes = fs::read(path.join(name)).map_err(Trouble::wrong)?;
        let value: Value = serde_json::from_slice(&bytes).map_err(Trouble::wrong)?;
        let found = value.get("schema").and_then(|schema| schema.as_str());
        if found != Some(schema) {
            return Err(Trouble::Wrong(format!("it is no {schema}")));
        }
        strictly(&bytes)
    };
    match read() {
        Ok(document) => Some(document),
        Err(trouble) => {
            files.take(Kind::File, name, Err(trouble));
            None
        }
    }
}

fn journal(path: &Path, files: &mut Findings) -> BTreeMap<String, JournalEntry> {
    let read = || -> Result<BTreeMap<String, JournalEntry>, Trouble> {
        let text = fs::read_to_string(path.join(run_folder::JOURNAL)).map_err(Trouble::wrong)?;
        let entries = text.lines().map(|line| {
            let entry: JournalEntry = strictly(line.as_bytes())?;
            Ok((entry.result.mutant.clone(), entry))
        });
        entries.collect()
    };
    match read() {
        Ok(journal) => journal,
        Err(trouble) => {
            files.take(Kind::File, run_folder::JOURNAL, Err(trouble));
            BTreeMap::new()
        }
    }
}

/// Whether a mutant of this verdict has a line in the journal.
pub(super) fn is_journaled(verdict: VerdictWord, reason: Option<&str>) -> bool {
    match verdict {
        VerdictWord::Invalid => false,
        VerdictWord::Unknown => reason != Some("interrupted"),
        _ => true,
    }
}
