//! A run of an edited circuit: carries verdicts of the earlier run over into the new folder.

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

/// Writes the certificates and lines of verdicts that are carried over, then the question, and reports their number. Does nothing without a
/// folder.
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
    // Certificates are written before the journal names them.
    folder.file(&carried.filed)?;
    for entry in &carried.entries {
        folder.append_journal(entry)?;
    }
    write_document(folder, EARLIER, &carried.suite)?;
    let counts = (carried.entries.len(), carried.refused);
    let all = counted(carried.wanted, "different mutant");
    say(around.sink, before, counts, &all);
    // An interrupted carry-over has no question, so that no later process resumes from an incomplete folder.
    if let Some(stop) = limits.stopped().filter(|_| limits.is_interrupted()) {
        return Err(RunError::Over(stop));
    }
    write_document(folder, ASKED, asked)?;
    Ok(carried.earlier)
}

/// Returns the tests of the suite, without the ones that cannot be read. A missing test only costs time.
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
