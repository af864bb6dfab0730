//! `--beyond`: mutants of higher order that the tests of an earlier run do not kill.

use std::collections::BTreeSet;
use std::path::Path;

use hyperkill_exec::score::beyond::killed_processes;
use hyperkill_exec::score::deciding::Deciding;
use hyperkill_exec::score::inputs::of_suite;
use hyperkill_frontend::counted;
use hyperkill_run::asked::is_same_reading;
use hyperkill_run::language::OwnModel;
use hyperkill_run::load::combined::parts;
use hyperkill_run::reading::{ModelSpec, Taken};

use super::completeness::tests;
use super::subject::{Source, subject};
use crate::args::ModelArgs;
use crate::decision::pool;
use crate::documents::reading::ModelOptions;
use crate::documents::{MadeWord, Reading, Suite};
use crate::failure::Failure;
use crate::load::{self, Origin};
use crate::model::Loaded;
use crate::progress::Screen;
use crate::run_folder::{self, SUITE, read_versioned};
use crate::session::{Level, Session};

/// Returns how to read the model with only the mutants that the tests of the `--beyond` run do not kill; all mutants without the option.
///
/// # Errors
/// If the model or the run cannot be read, or the run is of another model.
pub(super) fn those_left(
    session: &mut Session<'_>,
    args: &ModelArgs,
    operators: &[String],
) -> Result<ModelSpec, Failure> {
    let spec = args.spec();
    let Some(folder) = &args.process.beyond else {
        return Ok(spec);
    };
    let origin = Origin::Places(&spec.files);
    let own = session.quietly(|session| load::own(session, &spec, origin, operators));
    if let Some(model) = own? {
        let taken = Some(processes_left(session, folder, &model)?);
        return Ok(ModelSpec { taken, ..spec });
    }
    let draft = load::draft(session, &spec, origin, operators)?;
    let hash = draft.description().hash.clone();
    let loaded = load::judged(session, draft)?;
    let list = loaded.listing.made(MadeWord::Combinations);
    let list = String::from_utf8_lossy(list.unwrap_or_default()).into_owned();
    let killed = killed(session, folder, &loaded, &hash)?;
    let is_left = |id: &str| !killed.contains(id);
    let lines = list.lines().zip(parts(&list));
    let left = lines.filter(|(_, (id, _))| is_left(id));
    let left: String = left.map(|(line, _)| line.to_owned() + "\n").collect();
    say(session, killed.len());
    Ok(ModelSpec {
        combinations: Some(left),
        ..spec
    })
}

fn say(session: &mut Session<'_>, killed: usize) {
    let said = format!(
        "{} set aside: tests for mutants of one change kill them",
        counted(killed, "mutant")
    );
    session.say(Level::Note, said);
}

/// Returns the mutants of a model of processes that the suite in `folder` does not kill. The procedure of its language simulates the tests.
fn processes_left(
    session: &mut Session<'_>,
    folder: &Path,
    model: &OwnModel,
) -> Result<Taken, Failure> {
    let file = folder.join(SUITE);
    let suite: Suite = read_versioned(&file, Suite::SCHEMA)?;
    let now = read_once(&model.listing.reading);
    let had = suite.model.reading.as_ref().map(read_once);
    if had.is_none_or(|had| !is_same_reading(&had, &now)) {
        let folder = folder.display();
        return Err(Failure::usage(format!(
            "{folder} is a run of another model"
        )));
    }
    let decider = load::decider(model)?;
    let threads = pool(session.jobs)?;
    let killed = killed_processes(model, decider.as_ref(), &tests(&file)?, &threads);
    say(session, killed.len());
    let left = model.listing.catalogue.iter();
    let left = left.filter(|entry| !killed.contains(&entry.id));
    let left: String = left.map(|entry| format!("{}\n", entry.id)).collect();
    Ok(Taken::Listed(left))
}

/// Returns how a model was read, without the options for mutants: tests do not depend on mutants.
fn read_once(reading: &Reading) -> Reading {
    Reading {
        options: ModelOptions {
            order: None,
            order_sample: None,
            ..reading.options.clone()
        },
        operators: Vec::new(),
        made: Vec::new(),
        ..reading.clone()
    }
}

/// Returns the ids of the mutants that a test of the run in `folder` kills. For a nondeterministic model only definite kills count.
///
/// # Errors
/// If the hash of the run's model is not `hash`, or its suite or model cannot be read.
fn killed(
    session: &mut Session<'_>,
    folder: &Path,
    loaded: &Loaded,
    hash: &str,
) -> Result<BTreeSet<String>, Failure> {
    let of = [folder.to_owned()];
    let source = Source {
        of: &of,
        suite: None,
        moved: &[],
    };
    let subject = subject(session, &source)?;
    if subject.suite.model.description.hash != hash {
        let folder = folder.display();
        return Err(Failure::usage(format!(
            "{folder} is a run of another model"
        )));
    }
    let chooses = run_folder::run_in(folder).outcomes()?.original != "deterministic";
    let tests = of_suite(subject.suite, &mut Screen::of(session));
    let deciding = Deciding {
        model: &loaded.model,
        timeout: None,
        budget: session.budget(),
        threads: &pool(session.jobs)?,
    };
    Ok(deciding.killed(&tests, chooses)?)
}
