//! Classic methods by their names, and proofs about complete suites as files.

use std::path::Path;

use hyperkill_core::suite::Step;
use hyperkill_frontend::decision::Method;
use hyperkill_run::own::domain::Refuted;

use crate::failure::Failure;
use crate::files::Disk;

/// What a classic method is called.
pub(crate) fn name_of(method: Method) -> &'static str {
    match method {
        Method::W => "w",
        Method::Wp => "wp",
        Method::Hsi => "hsi",
        Method::H => "h",
        Method::Spy => "spy",
    }
}

/// How large the suite of a method is, for comparison with what becomes of it.
pub(crate) fn size_of(method: Method, tests: &[Vec<Step>]) -> String {
    let (count, steps) = (tests.len(), tests.iter().map(Vec::len).sum::<usize>());
    format!(
        "method {}: {count} tests, {steps} steps in all to begin with",
        name_of(method)
    )
}

/// Writes down a question and the proof of its answer.
///
/// # Errors
/// If they cannot be written.
pub(crate) fn write_proof(disk: &Disk, folder: &Path, refuted: &Refuted) -> Result<(), Failure> {
    disk.make_folder(folder)?;
    disk.write(&folder.join("complete.cnf"), refuted.clauses.as_bytes())?;
    disk.write(&folder.join("complete.lrat"), refuted.steps.as_bytes())?;
    Ok(())
}
