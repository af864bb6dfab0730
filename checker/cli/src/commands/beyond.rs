//! `--beyond`: of mutants of higher order, those that no test of an earlier run of the model kills.

use std::collections::BTreeSet;
use std::path::Path;

use hyperkill_checker::testgen::{Effort, Noticed, noticed};
use hyperkill_core::budget::Budget;
use hyperkill_core::mutant::MutantId;
use hyperkill_core::verdict::Strength;
use hyperkill_core::{ConditionalMutant, SelectorId};
use hyperkill_exec::score::inputs::of_suite;
use hyperkill_frontend::counted;
use hyperkill_run::asked::is_same_reading;
use hyperkill_run::language::OwnModel;
use hyperkill_run::reading::{ModelSpec, Taken};
use rayon::prelude::*;

use super::completeness::tests;
use super::subject::{Source, subject};
use crate::args::ModelArgs;
use crate::decision::pool;
use crate::documents::reading::ModelOptions;
use crate::documents::{MadeWord, Reading, Suite};
use crate::failure::Failure;
use crate::load::{self, Origin, combinations};
use crate::model::Loaded;
use crate::progress::Screen;
use crate::run_folder::{SUITE, outcomes, read_versioned};
use crate::session::{Level, Session};

/// The model with the mutants only that the tests of the run in a folder leave; as it is if there is no such folder.
///
/// # Errors
/// If the model or the run cannot be read, or do not belong together.
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
    let lines = list.lines().zip(combinations(&list));
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

/// The mutants that are left of a model of processes, whose language plays the tests.
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
    let tests = tests(&file)?;
    let decider = load::decider(model)?;
    // When outputs come is left open in processes, so that most mutants are killed by tests that they may pass.
    let needed = match model.contents.deterministic {
        Some(false) => Strength::Definite,
        Some(true) | None => Strength::Potential,
    };
    let catalogue = model.listing.catalogue.iter();
    let live = catalogue.filter(|entry| entry.invalid().is_none());
    let live: Vec<&MutantId> = live.map(|entry| &entry.id).collect();
    let killed = pool(session.jobs)?.install(|| {
        let played = tests.par_iter().map(|test| {
            let kills = decider.kills_of(test, &live);
            let kills = live.iter().zip(kills);
            let killed = kills.filter(|(_, kill)| kill.is_some_and(|kill| kill >= needed));
            killed.map(|(mutant, _)| *mutant).collect()
        });
        played.reduce(BTreeSet::new, |mut all, some: BTreeSet<&MutantId>| {
            all.extend(some);
            all
        })
    });
    say(session, killed.len());
    let left = model.listing.catalogue.iter();
    let left = left.filter(|entry| !killed.contains(&entry.id));
    let left: String = left.map(|entry| format!("{}\n", entry.id)).collect();
    Ok(Taken::Listed(left))
}

/// How a model was read but for its mutants: tests are about the model alone.
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

/// The mutants that a test of this run kills: for certain, if the model chooses.
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
    let needed = match outcomes(folder)?.original.as_str() {
        "deterministic" => Noticed::Possibly,
        _ => Noticed::Certainly,
    };
    let model = &loaded.model;
    let tests = of_suite(subject.suite, &mut Screen::of(session));
    let tests = tests.iter().map(|test| test.bits(model));
    let tests: Vec<Vec<Vec<bool>>> = tests.collect::<Result<_, _>>()?;
    let budget = session.budget();
    let selectors: Vec<SelectorId> = model.selector_ids().collect();
    let killed = (selectors.par_iter().copied())
        .filter(|&mutant| is_killed(model, mutant, &tests, needed, &budget))
        .map(|mutant| model.selectors[mutant.0].id.to_string());
    Ok(killed.collect())
}

/// Whether one of these tests (per step one bool per circuit input) kills a mutant.
fn is_killed(
    model: &ConditionalMutant,
    mutant: SelectorId,
    tests: &[Vec<Vec<bool>>],
    needed: Noticed,
    budget: &Budget,
) -> bool {
    // Tests are short, and each is listed as far as it takes.
    let effort = Effort {
        nodes: usize::MAX,
        simulated: 1 << 22,
        ..Effort::default()
    };
    tests.iter().any(|inputs| {
        noticed(model, mutant, inputs, &effort, budget).is_some_and(|found| found >= needed)
    })
}
