//! The folder of a run: reads its documents and checks that they are about one run and one model.

use std::collections::BTreeMap;
use std::fmt;
use std::io;

use hyperkill_core::events::EventPort;
use hyperkill_evidence::verdict::Reason;
use hyperkill_frontend::SourceFile;
use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::Value;
use sha2::{Digest, Sha256};

use super::findings::{Findings, Kind, Trouble, fault, same};
use crate::documents::{
    self, Digests, JournalEntry, Lock, LockState, Machine, ModelDescription, MutantResult,
    MutantTable, Run, SourceDigest, Suite, SuiteModel, SuiteTest, Summary, Timings, VerdictWord,
};
use crate::model::Listing;
use crate::names::{self, digest, file_name};

/// The files of a folder, which the caller provides. Names have `/` between their parts.
pub trait Files: fmt::Debug + Send + Sync {
    /// Returns the contents of the file with this name.
    ///
    /// # Errors
    /// If it cannot be read.
    fn read(&self, name: &str) -> io::Result<Vec<u8>>;

    /// Whether a file with this name exists.
    fn has(&self, name: &str) -> bool;
}

/// Functions that write texts for people and other programs. Files of a run must equal their output.
#[derive(Clone, Copy, Debug)]
pub struct Texts {
    /// Returns the text file of a test; the events are shown in place of their ports.
    pub test: fn(&[EventPort], &SuiteTest) -> String,
    /// Returns an adaptive test with this name as a graph; the events are shown in place of their ports.
    pub graph: fn(&[EventPort], &str, &Machine) -> String,
    /// Returns the diff between a source and its mutant.
    pub diff: fn(&SourceFile, &str) -> String,
}

/// The reason why a folder cannot be checked.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
pub enum Unfit {
    /// No run has finished in the folder.
    #[error("there is no finished run")]
    NoRun,
    /// The run goes on, or was stopped before its end.
    #[error("the run is unfinished: it goes on, or was killed or failed before all was written")]
    Unfinished,
    /// The run is about another model.
    #[error("the model is not the one of the run: {0} has changed")]
    Changed(String),
}

/// The documents of a finished run, as they were read from its folder.
#[derive(Debug)]
pub struct Folder {
    place: Box<dyn Files>,
    /// The writers of the texts that the folder must contain.
    pub(super) texts: Texts,
    /// The list of mutants, `mutants.json`.
    pub table: MutantTable,
    /// The results, `outcomes.json`.
    pub run: Run,
    /// The tests, `suite.json`.
    pub suite: Suite,
    /// The lines of the journal, by the id of the mutant.
    pub journal: BTreeMap<String, JournalEntry>,
    /// The findings about files, from reading the folder.
    pub files: Findings,
}

impl Folder {
    /// Reads the folder of a finished run. Returns `Ok(Err(findings))` if the contents of its files prevent this.
    ///
    /// # Errors
    /// If it is not the folder of a finished run.
    pub fn read(place: Box<dyn Files>, texts: Texts) -> Result<Result<Folder, Findings>, Unfit> {
        let unfinished = [names::DIGESTS, names::OUTCOMES];
        if !unfinished.iter().any(|name| place.has(name)) {
            return Err(Unfit::NoRun);
        }
        let state = place.read(names::LOCK).ok();
        let state = state.and_then(|bytes| serde_json::from_slice::<Lock>(&bytes).ok());
        let state = state.map(|lock| lock.state);
        let is_whole = place.has(names::DIGESTS);
        if let (false, Some(LockState::Running | LockState::Failed)) = (is_whole, &state) {
            return Err(Unfit::Unfinished);
        }
        let mut files = Findings::default();
        let path = place.as_ref();
        check_digests(path, &LISTED, &mut files);
        let table = document(path, names::MUTANTS, MutantTable::SCHEMA, &mut files);
        let run = document(path, names::OUTCOMES, Run::SCHEMA, &mut files);
        let suite = document(path, names::SUITE, Suite::SCHEMA, &mut files);
        let journal = journal(path, &mut files);
        let timings = document(path, names::TIMINGS, Timings::SCHEMA, &mut files);
        let (Some(table), Some(run), Some(suite)) = (table, run, suite) else {
            return Ok(Err(files));
        };
        let folder = Folder {
            place,
            texts,
            table,
            run,
            suite,
            journal,
            files,
        };
        let timed: Option<Timings> = timings;
        match folder.agrees(timed.as_ref(), state) {
            Ok(()) => Ok(Ok(folder)),
            Err(Trouble::Wrong(what)) => {
                let mut files = folder.files;
                files.wrong(names::OUTCOMES, what);
                Ok(Err(files))
            }
            Err(_) => Ok(Err(folder.files)),
        }
    }

    /// Returns results that are not yet in a folder in the form of a folder, without tests and findings. `entries` become its journal.
    pub fn of_results(
        place: Box<dyn Files>,
        texts: Texts,
        (table, run): (MutantTable, Run),
        entries: &[JournalEntry],
    ) -> Folder {
        let suite = Suite {
            schema: Suite::SCHEMA.to_owned(),
            model: SuiteModel {
                description: table.model.clone(),
                reading: None,
            },
            signature: table.signature.clone(),
            tests: Vec::new(),
        };
        let journal = entries.iter();
        let journal = journal.map(|entry| (entry.result.mutant.clone(), entry.clone()));
        Folder {
            place,
            texts,
            table,
            run,
            suite,
            journal: journal.collect(),
            files: Findings::default(),
        }
    }

    /// Returns the contents of the file with this name in the folder.
    pub(super) fn bytes(&self, name: &str) -> Result<Vec<u8>, Trouble> {
        bytes(self.place.as_ref(), name)
    }

    /// Checks that the documents agree: they are about one run of one model and about the same mutants. `state` is the state of the lock.
    fn agrees(&self, timings: Option<&Timings>, state: Option<LockState>) -> Result<(), Trouble> {
        self.says_whether_interrupted(state)?;
        let timed = timings.map(|timings| timings.mutants.iter().map(|timed| &timed.mutant));
        if timed.is_some_and(|timed| !timed.eq(self.table.mutants.iter().map(|m| &m.id))) {
            return Err(Trouble::wrong(
                "the mutants of the times are not those of the list of mutants",
            ));
        }
        let mut ids = self.table.mutants.iter().map(|mutant| &mutant.id);
        let results = self.run.results.iter().map(|result| &result.mutant);
        if !results.eq(ids.by_ref()) {
            return Err(Trouble::wrong(
                "the mutants of the results are not those of the list of mutants",
            ));
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
        // Earlier releases store the options of the model in one document only.
        let is_earlier = reading.is_none_or(|reading| reading.sources.is_empty());
        match &self.suite.model.reading {
            None if is_earlier => Ok(()),
            said => same(&reading, &said.as_ref()),
        }
    }

    /// Checks the flag `interrupted` of the results. A mutant with the reason `interrupted` requires it, and it requires such a mutant or
    /// an interrupted run by the lock's `state`.
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
                "the document says that the run was {not}interrupted, but the results show the opposite"
            )));
        }
        Ok(())
    }

    /// Checks that the run is about this model, by its hash. If not, nothing can be checked.
    ///
    /// # Errors
    /// If the run is about another model.
    pub fn is_about(&self, model: &ModelDescription) -> Result<(), Unfit> {
        match self.table.model.hash == model.hash {
            true => Ok(()),
            false => Err(Unfit::Changed(self.table.model.name.clone())),
        }
    }

    /// Checks all that the documents and diffs say about the model and its mutants. Returns the findings.
    pub(super) fn is_of(&self, listing: &Listing) -> Findings {
        let mut findings = Findings::default();
        let mut expect = |place: &str, result: Result<(), Trouble>| match result {
            Ok(()) | Err(Trouble::Elsewhere) => {}
            Err(Trouble::Wrong(what)) => findings.wrong(place, what),
            Err(Trouble::Open(what)) => findings.open.push(fault(place, what)),
        };
        let signature = &listing.signature;
        expect(names::MUTANTS, self.lists_the_sources(listing));
        let reading = self.table.reading.iter();
        for (name, expected) in reading.flat_map(|reading| reading.copies()) {
            expect(name, is_copy(self.place.as_ref(), name, expected));
        }
        expect(
            names::MUTANTS,
            same(&listing.description, &self.table.model),
        );
        expect(names::MUTANTS, same(signature, &self.table.signature));
        expect(names::MUTANTS, same(&listing.role_notes, &self.table.roles));
        expect(names::SUITE, same(signature, &self.suite.signature));
        let by_id: BTreeMap<&str, usize> = listing
            .catalogue
            .iter()
            .enumerate()
            .map(|(index, entry)| (entry.id.0.as_str(), index))
            .collect();
        let selected = self.table.mutants.iter();
        let selected = selected.map(|mutant| by_id.get(mutant.id.as_str()).copied());
        match selected.collect::<Option<Vec<usize>>>() {
            None => expect(
                names::MUTANTS,
                Err(Trouble::wrong(
                    "the list names a mutant that the model does not have",
                )),
            ),
            Some(selected) if !selected.is_sorted_by(|a, b| a < b) => expect(
                names::MUTANTS,
                Err(Trouble::wrong("the mutants are not in catalogue order")),
            ),
            Some(selected) => {
                let described = listing.descriptions(&selected);
                expect(names::MUTANTS, same(&described, &self.table.mutants));
                for index in selected {
                    let entry = &listing.catalogue[index];
                    let name = file_name(&entry.id.0, "diff");
                    let name = format!("{}/{name}", names::DIFFS);
                    // Archives of Uppaal models and of earlier releases have source differences, others have none.
                    let is_left_out = self.place.has(names::ARCHIVE) && !self.place.has(&name);
                    match listing.mutated(entry.mutant.as_ref()) {
                        Ok(None) => {}
                        Ok(Some(_)) if is_left_out => {}
                        Ok(Some((source, mutated))) => {
                            let text = (self.texts.diff)(source, &mutated);
                            expect(&name, self.is_text(&name, &text));
                        }
                        Err(error) => expect(&name, Err(Trouble::wrong(error))),
                    }
                }
            }
        }
        let summary = Summary::of(&self.run.results);
        expect(names::OUTCOMES, same(&summary, &self.run.summary));
        findings
    }

    /// Checks that the run lists exactly the files of the model.
    fn lists_the_sources(&self, listing: &Listing) -> Result<(), Trouble> {
        let reading = self.table.reading.as_ref();
        let said = reading.map_or(&[][..], |reading| &reading.sources);
        // Earlier releases list no sources.
        let named = |sources: &[SourceDigest]| -> Vec<_> {
            let sources = sources.iter().map(|source| {
                let SourceDigest {
                    file,
                    digest,
                    asked_as,
                    copy,
                    ..
                } = source;
                // Earlier releases keep no copies.
                let asked_as = asked_as.clone().filter(|_| copy.is_some());
                (file.clone(), digest.clone(), asked_as, copy.clone())
            });
            sources.collect()
        };
        let keeps_copies = said.iter().any(|source| source.copy.is_some());
        let mut read = listing.reading.sources.clone();
        if !keeps_copies {
            read.iter_mut().for_each(|source| source.copy = None);
        }
        match said.is_empty() {
            true => Ok(()),
            false => same(&named(&read), &named(said)),
        }
    }

    /// Checks that the file with this name has the expected text.
    pub(super) fn is_text(&self, name: &str, expected: &str) -> Result<(), Trouble> {
        match self.bytes(name)? == expected.as_bytes() {
            true => Ok(()),
            false => Err(Trouble::wrong(
                "the file differs from the results of the check",
            )),
        }
    }
}

/// Returns the contents of a file of a folder; an error if the name leads out of the folder or the file cannot be read.
fn bytes(place: &dyn Files, name: &str) -> Result<Vec<u8>, Trouble> {
    let inside = !name.split('/').any(|part| part.is_empty() || part == "..");
    if !inside {
        return Err(Trouble::Wrong(format!("{name} is not in the folder")));
    }
    place.read(name).map_err(Trouble::wrong)
}

/// Checks that the copy with this name has the expected digest, that of the file that was read.
pub(super) fn is_copy(place: &dyn Files, name: &str, expected: &str) -> Result<(), Trouble> {
    let bytes = bytes(place, name)?;
    match digest(Sha256::new_with_prefix(bytes)) == expected {
        true => Ok(()),
        false => Err(Trouble::wrong("the file has changed since the run")),
    }
}

/// Documents of a run that the list of digests must contain.
const LISTED: [&str; 5] = [
    names::MUTANTS,
    names::OUTCOMES,
    names::SUITE,
    names::JOURNAL,
    names::TIMINGS,
];

/// Checks that every file in the list of digests exists with its digest, and that the list contains the files in `listed`. Records the
/// results in `files`.
pub(super) fn check_digests(path: &dyn Files, listed: &[&str], files: &mut Findings) {
    let digests = document(path, names::DIGESTS, Digests::SCHEMA, files);
    let Some(digests): Option<Digests> = digests else {
        return;
    };
    let as_written = path.read(names::DIGESTS).map_err(Trouble::wrong);
    let text = documents::to_text(&digests).map_err(Trouble::wrong);
    let canonical = as_written.and_then(|bytes| match bytes == text?.as_bytes() {
        true => Ok(()),
        false => Err(Trouble::wrong(
            "the file is not in the form that a run writes",
        )),
    });
    files.take(Kind::File, names::DIGESTS, canonical);
    for listed in &digests.files {
        let found = path.read(&listed.file).map_err(Trouble::wrong);
        let checked =
            found.and_then(
                |bytes| match digest(Sha256::new_with_prefix(bytes)) == listed.digest {
                    true => Ok(()),
                    false => Err(Trouble::wrong(
                        "the file has changed since the run wrote it",
                    )),
                },
            );
        files.take(Kind::File, &listed.file, checked);
    }
    for &name in listed {
        if !digests.files.iter().any(|listed| listed.file == name) {
            files.wrong(names::DIGESTS, format!("it does not list {name}"));
        }
    }
}

/// Returns a JSON document of a type; an error unless it has exactly the fields that the type writes. A field that is missing by mistake
/// would otherwise get a default.
pub(super) fn strictly<T: DeserializeOwned + Serialize>(bytes: &[u8]) -> Result<T, Trouble> {
    let document: T = serde_json::from_slice(bytes).map_err(Trouble::wrong)?;
    let found: Value = serde_json::from_slice(bytes).map_err(Trouble::wrong)?;
    same(&document, &found)?;
    Ok(document)
}

/// Returns the document with this file name and schema. `None` if it is missing, malformed or of another schema, with the finding in
/// `files`.
pub(super) fn document<T: DeserializeOwned + Serialize>(
    path: &dyn Files,
    name: &str,
    schema: &str,
    files: &mut Findings,
) -> Option<T> {
    let read = || -> Result<T, Trouble> {
        let bytes = path.read(name).map_err(Trouble::wrong)?;
        let value: Value = serde_json::from_slice(&bytes).map_err(Trouble::wrong)?;
        let found = value.get("schema").and_then(|schema| schema.as_str());
        if found != Some(schema) {
            return Err(Trouble::Wrong(format!(
                "the document is not of schema {schema}"
            )));
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

fn journal(path: &dyn Files, files: &mut Findings) -> BTreeMap<String, JournalEntry> {
    let read = || -> Result<BTreeMap<String, JournalEntry>, Trouble> {
        let bytes = path.read(names::JOURNAL).map_err(Trouble::wrong)?;
        let text = std::str::from_utf8(&bytes).map_err(Trouble::wrong)?;
        let entries = text.lines().map(|line| {
            let entry: JournalEntry = strictly(line.as_bytes())?;
            Ok((entry.result.mutant.clone(), entry))
        });
        entries.collect()
    };
    match read() {
        Ok(journal) => journal,
        Err(trouble) => {
            files.take(Kind::File, names::JOURNAL, Err(trouble));
            BTreeMap::new()
        }
    }
}

/// Whether the journal must have a line for a result. Mutants that are invalid before the run decides anything have none, nor have
/// interrupted ones.
pub(super) fn is_journaled(result: &MutantResult) -> bool {
    match result.verdict {
        VerdictWord::Invalid => result.certificate.is_some(),
        VerdictWord::Unknown => result.reason.as_deref() != Some("interrupted"),
        _ => true,
    }
}
