//! `--beyond`: of mutants of higher order, those that no test of an earlier run of the model kills.

use std::borrow::Cow;
use std::collections::BTreeSet;
use std::path::Path;

use hyperkill_checker::testgen::{Effort, Noticed, noticed};
use hyperkill_core::budget::Budget;
use hyperkill_core::{ConditionalMutant, SelectorId};
use hyperkill_frontend::counted;
use rayon::prelude::*;

use super::fixed_inputs::with_fixed_inputs;
use super::subject::{Source, subject};
use crate::args::{ModelArgs, ProcessArgs};
use crate::documents::MadeWord;
use crate::failure::Failure;
use crate::load::{self, Origin, combinations};
use crate::model::Loaded;
use crate::run_folder::outcomes;
use crate::session::{Level, Session};

/// How the model is read with these mutants only; as it is if none are to be left out.
///
/// # Errors
/// If the model or the run cannot be read, or do not belong together.
pub(super) fn those_left<'a>(
    session: &mut Session<'_>,
    args: &'a ModelArgs,
    operators: &[String],
) -> Result<Cow<'a, ModelArgs>, Failure> {
    let Some(folder) = &args.process.beyond else {
        return Ok(Cow::Borrowed(args));
    };
    let draft = load::draft(session, args, Origin::Places(&args.files), operators)?;
    let hash = draft.description().hash.clone();
    let loaded = load::judged(session, draft)?;
    let Some(list) = loaded.listing.made(MadeWord::Combinations) else {
        return Err(Failure::usage(
            "--beyond: of processes every mutant is decided",
        ));
    };
    let list = String::from_utf8_lossy(list).into_owned();
    let killed = killed(session, folder, &loaded, &hash)?;
    let is_left = |id: &str| !killed.contains(id);
    let lines = list.lines().zip(combinations(&list));
    let left = lines.filter(|(_, (id, _))| is_left(id));
    let left: String = left.map(|(line, _)| line.to_owned() + "\n").collect();
    let said = format!(
        "{} set aside: tests for mutants of one change kill them",
        counted(killed.len(), "mutant")
    );
    session.say(Level::Note, said);
    Ok(Cow::Owned(ModelArgs {
        process: ProcessArgs {
            combinations: Some(left),
            ..args.process.clone()
        },
        ..args.clone()
    }))
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
    let tests = with_fixed_inputs(session, subject.suite, model)?;
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
