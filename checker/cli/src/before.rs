//! Finds and reads the run of the model before an edit, whose verdicts may be carried over.

use std::path::Path;

use hyperkill_run::asked::{VERSION, asks_the_same, is_same_reading};
use hyperkill_run::carry_over::{Before, Version};
use hyperkill_run::procedure::Procedure;

use crate::args::RunArgs;
use crate::audited::OnDisk;
use crate::documents::{Asked, MutantTable, Run};
use crate::exit_code::ExitCode;
use crate::failure::Failure;
use crate::load::{self, Recorded};
use crate::run_folder::{self, ASKED, MUTANTS, OUTCOMES, read_versioned};
use crate::session::{Level, Session};

/// The ending of the folder to which a new run moves the earlier run, after the name of the run folder.
const OLD: &str = ".old";

/// Returns the run whose verdicts may be carried over: the run of `--from`, by default the run in the output folder or in `DIR.old`. `None`
/// with `--force`, and if the default run is missing or cannot be used.
///
/// A run of `--from` by another version of hyperkill, too, that cannot be read gives `None`.
///
/// # Errors
/// If a run of `--from` by this version cannot be used, or the user interrupts the reading.
pub(crate) fn find(
    session: &mut Session<'_>,
    args: &RunArgs,
    asked: &Asked,
    new: &dyn Procedure,
) -> Result<Option<Before>, Failure> {
    if args.force {
        return Ok(None);
    }
    // The stage shows progress: the earlier run may have hundreds of thousands of files, and this run has written nothing yet.
    let _reading = session.stage("the run before was read");
    if let Some(dir) = &args.from {
        return match of(session, dir, asked, new) {
            Err(failure) if run_folder::run_in(dir).is_of_other_version() => {
                unused(session, dir, failure, Level::Note)
            }
            read => read.map(Some),
        };
    }
    let mut places = vec![args.out.clone()];
    if let Some(name) = args.out.file_name() {
        // A run that was stopped early may have moved the earlier run to `DIR.old` without writing a question of its own.
        let mut old = name.to_owned();
        old.push(OLD);
        places.push(args.out.with_file_name(old));
    }
    let Some(dir) = places.into_iter().find(|place| place.join(ASKED).is_file()) else {
        return Ok(None);
    };
    match of(session, &dir, asked, new) {
        Ok(before) => Ok(Some(before)),
        Err(failure) => unused(session, &dir, failure, Level::Detail),
    }
}

/// Says why no verdict of a run is carried over.
///
/// # Errors
/// If the user interrupted the reading.
fn unused(
    session: &mut Session<'_>,
    dir: &Path,
    failure: Failure,
    level: Level,
) -> Result<Option<Before>, Failure> {
    if failure.code() == ExitCode::Interrupted {
        return Err(failure);
    }
    let why = crate::diagnostics::failure(&failure, hyperkill_report::text::Style::new(false));
    let why = why.lines().next().unwrap_or_default();
    let why = why.strip_prefix("error: ").unwrap_or(why).to_owned();
    let text = format!("nothing is carried over from {}: {why}", dir.display());
    session.say(level, text);
    Ok(None)
}

fn of(
    session: &mut Session<'_>,
    dir: &Path,
    asked: &Asked,
    new: &dyn Procedure,
) -> Result<Before, Failure> {
    let had = run_folder::run_in(dir).asked_by_any()?;
    let table: MutantTable = read_versioned(&dir.join(MUTANTS), MutantTable::SCHEMA)?;
    if !asks_the_same(&had, asked) {
        return Err(Failure::usage(format!(
            "the run in {} was asked something else",
            dir.display()
        ))
        .with_help("verdicts are carried over between runs with the same options"));
    }
    let listing = new.listing();
    let (had_language, language) = (&table.model.language, &listing.description.language);
    if had_language != language {
        return Err(Failure::usage(format!(
            "the run in {} is of a model in {had_language}, and this one is in {language}",
            dir.display()
        )));
    }
    let journal = run_folder::journal::read(dir)?;
    let reading = table.reading.as_ref();
    let is_foreign = had.version != VERSION;
    let is_same = !is_foreign && reading.is_some_and(|had| is_same_reading(had, &listing.reading));
    let recorded = Recorded::of(&table.model, reading, dir, &[])?;
    let loaded = match is_same || !new.abilities().compares_circuits {
        true => None,
        false => {
            let read = session.quietly(|session| {
                let origin = recorded.origin();
                load::circuit_from(session, &recorded.spec, origin, &recorded.operators)
            });
            Some(Box::new(read?))
        }
    };
    let outcomes = dir.join(OUTCOMES);
    let original = match outcomes.is_file() {
        true => Some(read_versioned::<Run>(&outcomes, Run::SCHEMA)?.original),
        false => None,
    };
    Ok(new.before(Version {
        dir: dir.to_owned(),
        run: had.hash,
        files: &OnDisk::at(dir),
        entries: journal.entries,
        original,
        is_same,
        is_foreign,
        loaded,
    }))
}
