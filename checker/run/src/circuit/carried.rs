//! A run of an edited model: verdicts of the run before the edit go into its folder.

use hyperkill_audit::certificates::read_run;
use hyperkill_audit::certification::Files;
use hyperkill_audit::model::Loaded;
use hyperkill_checker::Options;
use hyperkill_checker::rounds::Plan;
use hyperkill_checker::testgen::Form;
use hyperkill_core::trace::Stimulus;
use hyperkill_frontend::counted;

use crate::carry_over::{Asking, Before, carried, say};
use crate::documents::{Asked, RunEvidence, Suite};
use crate::folder::write_document;
use crate::names::{ASKED, EARLIER, SUITE, TESTS, file_name};
use crate::procedure::{RunError, Surroundings};
use crate::resumption::EarlierRun;

/// Writes verdicts that are carried over into the folder, then the question, and says how many. Without a folder nothing is carried over.
pub(super) fn carry_over(
    loaded: &Loaded,
    (before, asked): (&Before, &Asked),
    (options, plan, form): (&Options, &Plan, &Form),
    around: &mut Surroundings<'_>,
) -> Result<EarlierRun, RunError> {
    let limits = around.limits;
    let Some(folder) = &mut around.folder else {
        return Ok(EarlierRun::default());
    };
    let asking = Asking {
        options,
        property: plan.property,
        original: plan.original,
        form,
        texts: around.texts,
        seed: limits.seed,
    };
    let budget = limits.budget();
    let carried = (around.threads).install(|| carried(loaded, before, &asking, &budget))?;
    // Before the journal says that they are there.
    folder.file(&carried.filed)?;
    for entry in &carried.entries {
        folder.append_journal(entry)?;
    }
    write_document(folder, EARLIER, &carried.suite)?;
    let counts = (carried.entries.len(), carried.refused);
    let all = counted(carried.wanted, "different mutant");
    say(around.sink, before, counts, &all);
    // A run that goes on has to have all that this one would have had.
    if let Some(stop) = limits.stopped().filter(|_| limits.is_interrupted()) {
        return Err(RunError::Over(stop));
    }
    write_document(folder, ASKED, asked)?;
    Ok(carried.earlier)
}

/// The tests of the suite, as far as they can be read: without them nothing is lost but time.
pub(super) fn suite(files: &dyn Files, loaded: &Loaded) -> Vec<Stimulus> {
    let suite = files.read(SUITE).ok();
    let suite: Option<Suite> = suite.and_then(|bytes| serde_json::from_slice(&bytes).ok());
    let suite = suite.filter(|suite| suite.schema == Suite::SCHEMA);
    let tests = suite.into_iter().flat_map(|suite| suite.tests);
    let tests = tests.filter_map(|test| {
        let name = format!("{TESTS}/{}", file_name(&test.id, "run.json"));
        let run: RunEvidence = serde_json::from_slice(&files.read(&name).ok()?).ok()?;
        read_run(&loaded.model, &run.initial, &run.steps).ok()
    });
    tests.collect()
}
