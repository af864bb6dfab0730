//! The life of a run: writes the documents about the question, decides mutants, writes the documents about the verdicts.

use hyperkill_audit::certification::{Files, Texts};
use hyperkill_audit::model::Listing;
use hyperkill_core::mutant::Mutant;
use hyperkill_frontend::{SourceFile, StaleMutant};
use hyperkill_report::Findings;

use crate::asked::VERSION;
use crate::baseline::Baseline;
use crate::carry_over::Before;
use crate::decided::Decided;
use crate::documents::bits::stimulus;
use crate::documents::{
    Asked, LockState, MutantTable, Run, RunEvidence, Suite, SuiteModel, SuiteTest, Timings,
};
use crate::folder::{RunFolder, Unwritable, write_document};
use crate::names::{
    ASKED, CERTIFICATES, DIFFS, JOBS, MUTANTS, OUTCOMES, REPORT, SOURCES, SUITE, TESTS, TIMINGS,
    file_name,
};
use crate::procedure::{Procedure, RunError, Start, Surroundings, Task};
use crate::resumption::{EarlierRun, Recovered};
use crate::sink::Event;

/// A run that can begin or resume.
#[derive(Clone, Copy)]
pub struct Life<'a> {
    /// The model, read with the options that the folder names.
    pub procedure: &'a dyn Procedure,
    /// The task.
    pub task: &'a Task,
    /// Accepted mutants.
    pub accepted: &'a Baseline,
}

impl Life<'_> {
    /// Begins the run and takes it to its end. Takes over verdicts of `before`, a run of an earlier version of the model, if their evidence
    /// still checks. Without a folder nothing is written.
    ///
    /// # Errors
    /// If evidence does not check or the folder cannot be written.
    pub fn begin(
        &self,
        asked: &Asked,
        before: Option<Before>,
        around: &mut Surroundings<'_>,
    ) -> Result<Decided, RunError> {
        // With an earlier run, the question is written after the verdicts are carried over.
        let at_once = before.is_none().then_some(asked);
        self.write_before(at_once, around)?;
        let start = Start {
            before: before.map(|before| (before, asked)),
            ..Start::default()
        };
        let decided = self.procedure.decide(self.task, start, around)?;
        self.write_after(&decided, around)?;
        Ok(decided)
    }

    /// Resumes a stopped run from the verdicts in its folder, and takes it to its end.
    ///
    /// # Errors
    /// As [`Life::begin`].
    pub fn go_on(
        &self,
        earlier: EarlierRun,
        around: &mut Surroundings<'_>,
    ) -> Result<Decided, RunError> {
        self.write_differences(around)?;
        self.go_on_in(earlier, around)
    }

    /// Resumes a run like [`Life::go_on`], in a folder that already has the documents about the question.
    pub(crate) fn go_on_in(
        &self,
        earlier: EarlierRun,
        around: &mut Surroundings<'_>,
    ) -> Result<Decided, RunError> {
        let start = Start::from(earlier);
        let decided = self.procedure.decide(self.task, start, around)?;
        self.write_after(&decided, around)?;
        Ok(decided)
    }

    /// Resumes the run of another process in a new folder: copies its verdicts, certificates and jobs, and decides the other mutants.
    ///
    /// # Errors
    /// As [`Life::begin`].
    pub fn go_on_elsewhere(
        &self,
        asked: &Asked,
        recovered: Recovered,
        there: &dyn Files,
        around: &mut Surroundings<'_>,
    ) -> Result<Decided, RunError> {
        self.write_before(Some(asked), around)?;
        if let Some(folder) = &mut around.folder {
            for name in recovered.files.keys() {
                let bytes = there.read(name).map_err(Unwritable::of)?;
                folder.write(name, &bytes)?;
            }
            for entry in &recovered.entries {
                folder.append_journal(entry)?;
            }
            copy_jobs(there, recovered.jobs, folder)?;
        }
        self.go_on_in(recovered.earlier, around)
    }

    /// Writes the documents that exist before any decision. A folder with the question has enough for resumption; differences follow.
    pub(crate) fn write_before(
        &self,
        asked: Option<&Asked>,
        around: &mut Surroundings<'_>,
    ) -> Result<(), RunError> {
        let listing = self.procedure.listing();
        let Some(folder) = &mut around.folder else {
            return Ok(());
        };
        let table = table(listing, &self.task.selected);
        write_document(folder, MUTANTS, &table)?;
        folder.make_folder(SOURCES)?;
        for ((name, _), bytes) in listing.reading.copies().zip(&listing.copies) {
            folder.write(name, bytes)?;
        }
        if let Some(asked) = asked {
            write_document(folder, ASKED, asked)?;
        }
        self.write_differences(around)
    }

    /// Writes the source differences of the mutants. An archive has none if the places of mutants are places of the copies of the sources:
    /// `show` computes them then. Uppaal models get declarations of channels before mutation, so that their places differ.
    fn write_differences(&self, around: &mut Surroundings<'_>) -> Result<(), RunError> {
        let listing = self.procedure.listing();
        let Some(folder) = &mut around.folder else {
            return Ok(());
        };
        let is_archived = self.task.selected.len() > self.procedure.abilities().archives;
        if is_archived {
            folder.use_archive()?;
        }
        folder.make_folder(DIFFS)?;
        folder.make_folder(CERTIFICATES)?;
        let is_copied = |source: &SourceFile| {
            let mut copies = listing.copies.iter();
            copies.any(|copy| copy.as_slice() == source.text.as_bytes())
        };
        if is_archived && listing.sources.iter().all(is_copied) {
            return Ok(());
        }
        for &index in &self.task.selected {
            // There may be tens of thousands of differences, so a stop is checked here.
            if let Some(stop) = around.limits.stopped() {
                return Err(RunError::Over(stop));
            }
            let entry = &listing.catalogue[index];
            if let Some(diff) = difference(listing, entry.mutant.as_ref(), &around.texts)? {
                let name = file_name(&entry.id.0, "diff");
                folder.write(&format!("{DIFFS}/{name}"), diff.as_bytes())?;
            }
        }
        Ok(())
    }

    /// Returns the suite as a document.
    #[must_use]
    pub fn suite(&self, decided: &Decided) -> Suite {
        let listing = self.procedure.listing();
        Suite {
            schema: Suite::SCHEMA.to_owned(),
            model: SuiteModel {
                description: listing.description.clone(),
                reading: Some(listing.reading.clone()),
            },
            signature: listing.signature.clone(),
            tests: decided.tests.iter().map(|(test, _)| test.clone()).collect(),
        }
    }

    /// Writes the documents about the results.
    fn write_after(
        &self,
        decided: &Decided,
        around: &mut Surroundings<'_>,
    ) -> Result<(), RunError> {
        let listing = self.procedure.listing();
        let limits = around.limits;
        let Some(folder) = &mut around.folder else {
            return Ok(());
        };
        folder.make_folder(TESTS)?;
        for (test, run) in &decided.tests {
            write_test(folder, listing, (test, run.as_ref()), &around.texts)?;
        }
        let suite = self.suite(decided);
        write_document(folder, SUITE, &suite)?;
        let outcomes = outcomes(limits.seed, listing, decided);
        write_document(folder, OUTCOMES, &outcomes)?;
        let timings = decided.timings(&limits.ledger, limits.jobs);
        write_document(folder, TIMINGS, &timings)?;
        let page = page(listing, decided, (&suite, &timings), self.accepted)?;
        folder.write(REPORT, page.as_bytes())?;
        folder.seal()?;
        around.sink.hear(Event::Timed(&timings));
        Ok(())
    }
}

/// Copies the jobs in the first `bytes` bytes of an earlier process's file.
fn copy_jobs(there: &dyn Files, bytes: usize, folder: &mut RunFolder) -> Result<(), RunError> {
    if bytes == 0 {
        return Ok(());
    }
    let text = there.read(JOBS).map_err(Unwritable::of)?;
    let text = String::from_utf8_lossy(&text[..bytes.min(text.len())]).into_owned();
    let mut lines = text.split_inclusive('\n');
    let first = lines.next().unwrap_or_default();
    for line in lines {
        folder.append_job(first, line)?;
    }
    Ok(())
}

/// Writes the files of a test.
fn write_test(
    folder: &mut RunFolder,
    listing: &Listing,
    (test, run): (&SuiteTest, Option<&RunEvidence>),
    texts: &Texts,
) -> Result<(), RunError> {
    let events = &listing.signature.events;
    let place = |extension| format!("{TESTS}/{}", file_name(&test.id, extension));
    folder.write(&place("txt"), (texts.test)(events, test).as_bytes())?;
    let Some(run) = run else {
        return Ok(());
    };
    write_document(folder, &place("run.json"), run)?;
    if let Some(machine) = &test.machine {
        // The inputs of a tree depend on the outputs, so a tree has a graph in place of a stimulus.
        let graph = (texts.graph)(events, &test.id, machine);
        folder.write(&place("dot"), graph.as_bytes())?;
        write_document(folder, &place("json"), machine)?;
        return Ok(());
    }
    let steps = run.steps.iter();
    let steps: Vec<Vec<bool>> = steps
        .map(|step| step.chars().map(|bit| bit == '1').collect())
        .collect();
    folder.write(&place("stim"), stimulus(&steps).as_bytes())?;
    Ok(())
}

/// Returns the source difference of a mutant; `None` if the model has no source.
///
/// # Errors
/// If the mutant does not fit the source.
pub fn difference(
    listing: &Listing,
    mutant: Option<&Mutant>,
    texts: &Texts,
) -> Result<Option<String>, StaleMutant> {
    let mutated = listing.mutated(mutant)?;
    Ok(mutated.map(|(source, mutated)| (texts.diff)(source, &mutated)))
}

/// Returns the table of the mutants of a run.
#[must_use]
pub fn table(listing: &Listing, selected: &[usize]) -> MutantTable {
    MutantTable {
        schema: MutantTable::SCHEMA.to_owned(),
        model: listing.description.clone(),
        reading: Some(listing.reading.clone()),
        signature: listing.signature.clone(),
        roles: listing.role_notes.clone(),
        choices_of_mutants: Vec::new(),
        mutants: listing.descriptions(selected),
    }
}

/// Returns the contents of `report.html`.
fn page(
    listing: &Listing,
    decided: &Decided,
    (suite, timings): (&Suite, &Timings),
    baseline: &Baseline,
) -> Result<String, RunError> {
    let table_of_all = MutantTable {
        mutants: decided.mutants.clone(),
        ..table(listing, &[])
    };
    let mut copies = listing.reading.copies().zip(&listing.copies);
    let sources = hyperkill_report::sources(&listing.reading, |name, _| {
        let copy = copies.find(|((copy, _), _)| *copy == name);
        Ok::<_, RunError>(copy.map(|(_, bytes)| bytes.clone()).unwrap_or_default())
    })?;
    let by_operator = decided.by_operator();
    let findings = Findings {
        table: &table_of_all,
        results: &decided.results,
        by_operator: by_operator.as_deref(),
        suite: Some(&suite.tests),
        asked: Some((&decided.property, decided.original)),
        seconds: hyperkill_report::seconds(timings),
        timings: Some(timings),
        accepted: baseline.reasons(),
        sources: &sources,
        state: LockState::after(decided.interrupted),
        version: VERSION,
    };
    Ok(hyperkill_report::page::page(&findings)?)
}

/// Returns the contents of `outcomes.json`.
#[must_use]
pub fn outcomes(seed: u64, listing: &Listing, decided: &Decided) -> Run {
    Run {
        schema: Run::SCHEMA.to_owned(),
        model: listing.description.clone(),
        seed,
        property: decided.property.clone(),
        original: decided.original.to_owned(),
        original_certificate: decided.certificates.original.clone(),
        validity_certificate: decided.certificates.validity.clone(),
        domain: decided.domain.as_ref().map(|of| of.document.clone()),
        interrupted: decided.interrupted,
        summary: decided.summary.clone(),
        by_operator: decided.by_operator(),
        results: decided.results.clone(),
    }
}
