//! What `run` and `check` write into the run folder.

use std::path::Path;

use hyperkill_core::mutant::Mutant;
use hyperkill_report::Findings;

use super::report;
use crate::asked::VERSION;
use crate::baseline::Baseline;
use crate::decision::Decided;
use crate::documents::bits::stimulus;
use crate::documents::{
    self, Asked, LockState, MutantTable, Reading, Run, Suite, SuiteModel, Timings,
};
use crate::exit_code::ExitCode;
use crate::failure::Failure;
use crate::languages;
use crate::load::seen_from;
use crate::model::Listing;
use crate::report::text::test_files::readable;
use crate::report::text::{Style, mutants, strategy, work};
use crate::run_folder::archive::MOST_WITHOUT;
use crate::run_folder::{self, RunFolder, file_name};
use crate::session::{Level, Session};
use crate::terminal::harmless;

/// Parts of a run that `-v` names as the dearest.
const DEAREST: usize = 5;

/// Does `work` and leaves the folder with the log of it and a word on how it ended, whatever happens.
pub(super) fn in_folder<'io, T>(
    session: &mut Session<'io>,
    mut folder: Option<&mut RunFolder>,
    work: impl FnOnce(&mut Session<'io>, Option<&mut RunFolder>) -> Result<T, Failure>,
) -> Result<T, Failure> {
    let result = work(session, folder.as_deref_mut());
    if let Some(folder) = folder {
        let why = result.as_ref().err().map(reason);
        if let Some(why) = &why {
            session.log_only(why);
        }
        let logged = folder.append_log(&session.take_log());
        // The first thing that went wrong is the one to tell.
        let result = match (result, logged) {
            (Ok(_), Err(error)) => Err(Failure::from(error)),
            (result, _) => result,
        };
        let (state, why) = match &result {
            Err(failure) if failure.code() == ExitCode::Interrupted => {
                (LockState::Interrupted, None)
            }
            Err(failure) => (LockState::Failed, why.or_else(|| Some(reason(failure)))),
            Ok(_) if session.is_interrupted() => (LockState::Interrupted, None),
            Ok(_) => (LockState::Finished, None),
        };
        return match (result, folder.finish(state, why)) {
            (Ok(_), Err(error)) => Err(error.into()),
            (Err(failure), Err(error)) => {
                session.say(Level::Warning, format!("{error:#}"));
                Err(failure)
            }
            (result, Ok(())) => result,
        };
    }
    result
}

/// A failure in words.
pub(super) fn reason(failure: &Failure) -> String {
    let text = crate::report::text::diagnostics::failure(failure, Style::new(false));
    let text = text.trim_end();
    harmless(text.strip_prefix("error: ").unwrap_or(text))
}

/// Takes a run folder, and says what of others stays there.
pub(super) fn take(session: &mut Session<'_>, path: &Path) -> Result<RunFolder, Failure> {
    let folder = RunFolder::create(&session.io.disk, path)?;
    if let [first, rest @ ..] = folder.strangers() {
        let more = match rest.len() {
            0 => String::new(),
            count => format!(" and {count} more"),
        };
        let text = format!(
            "{}: left there, since no run wrote it: {}{more}",
            path.display(),
            first.display()
        );
        session.say(Level::Note, text);
    }
    Ok(folder)
}

/// What is known before any mutant is decided. What it takes to go on with a run is whole once it says what was asked, which somebody else
/// does if it is not given here.
pub(super) fn before(
    session: &Session<'_>,
    folder: &RunFolder,
    listing: &Listing,
    selected: &[usize],
    asked: Option<&Asked>,
) -> Result<(), Failure> {
    let table = MutantTable {
        reading: Some(reading(folder, listing)),
        ..table_as_read(listing, selected)
    };
    folder.write_document(run_folder::MUTANTS, &table)?;
    folder.make_folder(run_folder::SOURCES)?;
    for ((name, _), bytes) in listing.reading.copies().zip(&listing.copies) {
        folder.write(name, bytes)?;
    }
    if let Some(asked) = asked {
        folder.write_document(run_folder::ASKED, asked)?;
    }
    differences(session, folder, listing, selected)
}

/// The table of the mutants of a run, with how the model was read as the listing says it.
pub(super) fn table_as_read(listing: &Listing, selected: &[usize]) -> MutantTable {
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

/// How the model was read, as the folder says it. What it says already stays, wherever the files are now.
fn reading(folder: &RunFolder, listing: &Listing) -> Reading {
    match folder.is_resumed() {
        true => listing.reading.clone(),
        false => seen_from(&listing.reading, folder.path()),
    }
}

/// The differences of the sources.
pub(super) fn differences(
    session: &Session<'_>,
    folder: &RunFolder,
    listing: &Listing,
    selected: &[usize],
) -> Result<(), Failure> {
    let is_own = languages::own(&listing.description.language).is_some();
    if is_own && selected.len() > MOST_WITHOUT {
        folder.use_archive()?;
    }
    folder.make_folder_of_files(run_folder::DIFFS)?;
    folder.make_folder_of_files(run_folder::CERTIFICATES)?;
    for &index in selected {
        // There may be tens of thousands.
        if let Some(over) = session.over() {
            return Err(over);
        }
        let entry = &listing.catalogue[index];
        if let Some(diff) = diff(listing, entry.mutant.as_ref())? {
            let name = file_name(&entry.id.0, "diff");
            folder.write(Path::new(run_folder::DIFFS).join(name), diff.as_bytes())?;
        }
    }
    Ok(())
}

/// The source difference of a mutant, where there is a source.
pub(super) fn diff(listing: &Listing, mutant: Option<&Mutant>) -> Result<Option<String>, Failure> {
    let mutated = listing.mutated(mutant);
    let mutated = mutated.map_err(|error| Failure::message(ExitCode::Internal, error.into()))?;
    Ok(mutated.map(|(source, mutated)| mutants::source_diff(source, &mutated)))
}

/// Everything found out. Mutants of the baseline are accepted.
pub(super) fn after(
    session: &mut Session<'_>,
    folder: &RunFolder,
    listing: &Listing,
    decided: &Decided,
    baseline: &Baseline,
) -> Result<(), Failure> {
    folder.make_folder_of_files(run_folder::TESTS)?;
    let events = &listing.signature.events;
    for (test, run) in &decided.tests {
        let place = |extension| Path::new(run_folder::TESTS).join(file_name(&test.id, extension));
        folder.write(place("txt"), readable(events, test).as_bytes())?;
        let Some(run) = run else {
            continue;
        };
        folder.write(place("run.json"), documents::to_text(run)?.as_bytes())?;
        if let Some(machine) = &test.machine {
            // The inputs depend on the answers: there is no one stimulus.
            let graph = strategy::dot(events, &test.id, machine);
            folder.write(place("dot"), graph.as_bytes())?;
            folder.write(place("json"), documents::to_text(machine)?.as_bytes())?;
            continue;
        }
        let steps = run.steps.iter();
        let steps: Vec<Vec<bool>> = steps
            .map(|step| step.chars().map(|bit| bit == '1').collect())
            .collect();
        folder.write(place("stim"), stimulus(&steps).as_bytes())?;
    }
    let suite = Suite {
        schema: Suite::SCHEMA.to_owned(),
        model: SuiteModel {
            description: listing.description.clone(),
            reading: Some(reading(folder, listing)),
        },
        signature: listing.signature.clone(),
        tests: decided.tests.iter().map(|(test, _)| test.clone()).collect(),
    };
    folder.write_document(run_folder::SUITE, &suite)?;
    folder.write_document(run_folder::OUTCOMES, &outcomes(session, listing, decided))?;
    let timings = decided.timings(session);
    folder.write_document(run_folder::TIMINGS, &timings)?;
    for line in work::dearest(&timings, DEAREST) {
        session.say(Level::Detail, line);
    }
    let page = page(listing, decided, (&suite, &timings), baseline)?;
    folder.write(run_folder::REPORT, page.as_bytes())?;
    Ok(folder.seal()?)
}

/// `report.html`.
fn page(
    listing: &Listing,
    decided: &Decided,
    (suite, timings): (&Suite, &Timings),
    baseline: &Baseline,
) -> Result<String, Failure> {
    let table = MutantTable {
        mutants: decided.mutants.clone(),
        ..table_as_read(listing, &[])
    };
    let mut copies = listing.reading.copies().zip(&listing.copies);
    let sources = report::sources(&listing.reading, |name, _| {
        let copy = copies.find(|((copy, _), _)| *copy == name);
        Ok(copy.map(|(_, bytes)| bytes.clone()).unwrap_or_default())
    })?;
    let by_operator = decided.by_operator();
    let findings = Findings {
        table: &table,
        results: &decided.results,
        by_operator: by_operator.as_deref(),
        suite: Some(&suite.tests),
        asked: Some((&decided.property, decided.original)),
        seconds: report::seconds(timings),
        timings: Some(timings),
        accepted: baseline.reasons(),
        sources: &sources,
        state: match decided.interrupted {
            true => LockState::Interrupted,
            false => LockState::Finished,
        },
        version: VERSION,
    };
    Ok(hyperkill_report::page::page(&findings)?)
}

/// `outcomes.json`.
pub(super) fn outcomes(session: &Session<'_>, listing: &Listing, decided: &Decided) -> Run {
    Run {
        schema: Run::SCHEMA.to_owned(),
        model: listing.description.clone(),
        seed: session.seed,
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
