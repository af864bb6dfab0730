//! The run of the version of the model before an edit, as its folder has it.

use std::path::Path;

use hyperkill_core::trace::Stimulus;
use hyperkill_run::carry_over::Before;
use hyperkill_run::resumption;

use crate::args::RunArgs;
use crate::asked;
use crate::audited::OnDisk;
use crate::certificates::read_run;
use crate::documents::{Asked, MutantTable, Run, RunEvidence, Suite};
use crate::exit_code::ExitCode;
use crate::failure::Failure;
use crate::load::{self, Model, Recorded};
use crate::model::Loaded;
use crate::run_folder::archive::Stored;
use crate::run_folder::{self, ASKED, MUTANTS, OUTCOMES, SUITE, TESTS, file_name, read_versioned};
use crate::session::{Level, Session};

/// Options that say which mutants are decided, how long that may take and what is made of it, but not what a verdict is.
const BESIDE: [&str; 14] = [
    "--mutant",
    "--operator",
    "--file",
    "--in-diff",
    "--exclude",
    "--sample",
    "--shard",
    "--timeout",
    "--total-timeout",
    "--memory",
    "--accept",
    "--fail-under",
    "--no-minimise",
    "--accept-mutant",
];

/// How the names of folders end whose runs have made room for others.
const OLD: &str = ".old";

/// The run whose verdicts may be carried over: the one that the user names or, if nobody says otherwise, the one in the folder that is to
/// be written.
///
/// # Errors
/// If the one named by the user cannot be used.
pub(crate) fn find(
    session: &mut Session<'_>,
    args: &RunArgs,
    asked: &Asked,
    new: &Loaded,
) -> Result<Option<Before>, Failure> {
    if args.force {
        return Ok(None);
    }
    if let Some(dir) = &args.from {
        return of(session, dir, asked, new).map(Some);
    }
    let mut places = vec![args.out.clone()];
    if let Some(name) = args.out.file_name() {
        // A run that was stopped before it had begun has moved the one before.
        let mut old = name.to_owned();
        old.push(OLD);
        places.push(args.out.with_file_name(old));
    }
    let Some(dir) = places.into_iter().find(|place| place.join(ASKED).is_file()) else {
        return Ok(None);
    };
    match of(session, &dir, asked, new) {
        Ok(before) => Ok(Some(before)),
        Err(failure) if failure.code() == ExitCode::Interrupted => Err(failure),
        Err(failure) => {
            let why = crate::report::text::diagnostics::failure(
                &failure,
                crate::report::text::Style::new(false),
            );
            let why = why.lines().next().unwrap_or_default();
            let why = why.strip_prefix("error: ").unwrap_or(why).to_owned();
            let text = format!("nothing is carried over from {}: {why}", dir.display());
            session.say(Level::Detail, text);
            Ok(None)
        }
    }
}

fn of(
    session: &mut Session<'_>,
    dir: &Path,
    asked: &Asked,
    new: &Loaded,
) -> Result<Before, Failure> {
    let had = asked::of(dir)?;
    let table: MutantTable = read_versioned(&dir.join(MUTANTS), MutantTable::SCHEMA)?;
    if of_verdicts(&had) != of_verdicts(asked) {
        return Err(Failure::usage(format!(
            "the run in {} was asked something else",
            dir.display()
        ))
        .with_help("verdicts are carried over between runs with the same options"));
    }
    let journal = run_folder::journal::read(dir)?;
    let loaded = match table.reading.as_ref() {
        Some(reading) if asked::is_same_reading(reading, &new.listing.reading) => None,
        reading => {
            let recorded = Recorded::of(&table.model, reading, dir, &[])?;
            let read = session.quietly(|session| {
                let origin = recorded.origin();
                load::model_from(session, &recorded.args, origin, &recorded.operators)
            });
            match read? {
                Model::Circuit(loaded) => Some(loaded),
                Model::Own(_) => {
                    return Err(Failure::usage("the language decides its mutants itself"));
                }
            }
        }
    };
    let outcomes = dir.join(OUTCOMES);
    let original = match outcomes.is_file() {
        true => Some(read_versioned::<Run>(&outcomes, Run::SCHEMA)?.original),
        false => None,
    };
    let read = loaded.as_deref().unwrap_or(new);
    Ok(Before {
        dir: dir.to_owned(),
        run: had.hash,
        known: resumption::outcomes(&OnDisk::at(dir), read, &journal.entries),
        original,
        tests: suite(dir, read),
        loaded,
    })
}

/// The tests of the suite, as far as they can be read: without them nothing is lost but time.
fn suite(dir: &Path, loaded: &Loaded) -> Vec<Stimulus> {
    let suite = read_versioned::<Suite>(&dir.join(SUITE), Suite::SCHEMA);
    let tests = suite.into_iter().flat_map(|suite| suite.tests);
    let stored = Stored::of(dir);
    let tests = tests.filter_map(|test| {
        let name = format!("{TESTS}/{}", file_name(&test.id, "run.json"));
        let bytes = stored.read(&name).ok()?;
        let run: RunEvidence = serde_json::from_slice(&bytes).ok()?;
        read_run(&loaded.model, &run.initial, &run.steps).ok()
    });
    tests.collect()
}

/// The options that say what a verdict is.
fn of_verdicts(asked: &Asked) -> Vec<&str> {
    let options = asked.options.iter().map(String::as_str);
    let options = options.filter(|option| {
        let name = option.split_once('=').map_or(*option, |(name, _)| name);
        !BESIDE.contains(&name)
    });
    options.collect()
}
