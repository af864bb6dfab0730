//! A suite with its model: of a run, or of a suite file beside its model.

use std::path::{Path, PathBuf};

use hyperkill_core::ConditionalMutant;

use crate::documents::{ModelDescription, MutantTable, Suite};
use crate::failure::Failure;
use crate::languages;
use crate::load::{self, Recorded};
use crate::model::Draft;
use crate::run_folder::{self, read_document};
use crate::session::Session;

/// The location of a suite and its model.
pub(super) struct Source<'a> {
    /// The folder of a run, or the model files.
    pub(super) of: &'a [PathBuf],
    /// The suite file; `None` for the suite of the run.
    pub(super) suite: Option<&'a Path>,
    /// The present paths of the model files, if they have moved since the run.
    pub(super) moved: &'a [PathBuf],
}

/// A suite with its model.
pub(super) struct Subject {
    pub(super) suite: Suite,
    pub(super) draft: Draft,
    /// The recorded reading of the model.
    pub(super) recorded: Recorded,
}

impl Subject {
    /// Returns the circuit of the model with all of its mutants.
    pub(super) fn model(&self) -> &ConditionalMutant {
        &self.draft.loaded.model
    }
}

/// Returns the run folder that the arguments name: the default folder without arguments. `None` if they name a file, or several paths.
pub(super) fn run_folder(of: &[PathBuf]) -> Option<&Path> {
    match of {
        [] => Some(Path::new(run_folder::DEFAULT)),
        [one] if !one.is_file() => Some(one),
        _ => None,
    }
}

/// Reads a suite and its model.
///
/// # Errors
/// If they cannot be read, or the suite is of another model.
pub(super) fn subject(session: &mut Session<'_>, source: &Source<'_>) -> Result<Subject, Failure> {
    let (suite, recorded) = suite_and_model(source)?;
    subject_of(session, suite, recorded)
}

/// Reads a suite, and the record of how its model was read.
///
/// # Errors
/// If they cannot be read, or the model has changed.
pub(super) fn suite_and_model(source: &Source<'_>) -> Result<(Suite, Recorded), Failure> {
    let (suite, recorded) = match run_folder(source.of) {
        Some(folder) => of_run(source, folder)?,
        None => beside_model(source)?,
    };
    recorded.is_unchanged()?;
    Ok((suite, recorded))
}

/// Reads the model of a suite as a circuit.
///
/// # Errors
/// If the model has no circuit, or differs from the suite's model.
pub(super) fn subject_of(
    session: &mut Session<'_>,
    suite: Suite,
    recorded: Recorded,
) -> Result<Subject, Failure> {
    let language = recorded.spec.language.as_deref();
    if let Some(own) = language.filter(|name| languages::own(name).is_some()) {
        return Err(Failure::usage(format!(
            "the tests of models in {own} have times, and this command needs tests of a circuit"
        )));
    }
    let draft = load::draft(
        session,
        &recorded.spec,
        recorded.origin(),
        &recorded.operators,
    )?;
    must_be_same(draft.description(), &suite.model.description)?;
    Ok(Subject {
        suite,
        draft,
        recorded,
    })
}

/// Returns the suite of the run in `folder` or another suite of its model, and how the run read the model.
fn of_run(source: &Source<'_>, folder: &Path) -> Result<(Suite, Recorded), Failure> {
    let table: MutantTable = run_folder::run_in(folder).mutants()?;
    let own = folder.join(run_folder::SUITE);
    let file = source.suite.unwrap_or(&own);
    if !file.is_file() {
        return Err(Failure::usage(match source.suite {
            Some(_) => format!("there is no suite {}", file.display()),
            None => format!("{} has no suite: the run is unfinished", folder.display()),
        }));
    }
    let suite: Suite = read_document(file)?;
    let reading = table.reading.as_ref();
    let recorded = Recorded::of(&table.model, reading, folder, source.moved)?;
    if let (Some(_), Some(reading)) = (source.suite, &suite.model.reading) {
        recorded.is_as_in(&suite.model.description, reading)?;
    }
    Ok((suite, recorded))
}

/// Returns the suite in a file, and how to read its model: the files of `source` with the suite's options.
fn beside_model(source: &Source<'_>) -> Result<(Suite, Recorded), Failure> {
    let Some(file) = source.suite else {
        return Err(Failure::usage("a model alone has no tests")
            .with_help("name the folder of a run, or a suite with --suite"));
    };
    if !source.moved.is_empty() {
        return Err(Failure::usage(
            "--model is for moved files of a run, but the files of the model are named already",
        ));
    }
    let suite: Suite = read_document(file)?;
    let folder = file.parent().unwrap_or(Path::new(""));
    let reading = suite.model.reading.as_ref();
    let recorded = Recorded::of(&suite.model.description, reading, folder, source.of)?;
    Ok((suite, recorded))
}

/// Checks that a suite is of the model that was read: `read` and the suite's description `said` have the same hash.
///
/// # Errors
/// If it is of another model.
pub(super) fn must_be_same(
    read: &ModelDescription,
    said: &ModelDescription,
) -> Result<(), Failure> {
    if read.hash == said.hash {
        return Ok(());
    }
    Err(Failure::usage(
        "the suite is of another model, or of another version of it",
    ))
}
