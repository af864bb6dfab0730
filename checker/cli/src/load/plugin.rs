//! Models in the language of an external front end.

use anyhow::Context;
use hyperkill_frontend::SourceFile;
use hyperkill_run::load::kit::Kit;
use hyperkill_run::load::roles::Asked;

use super::origin::Origin;
use crate::documents::MadeWord;
use crate::external::{FrontendProgram, Refusal};
use crate::failure::Failure;
use crate::model::Draft;
use crate::session::Session;

/// Returns the front end `name` from output of the program that a run has stored; `None` if `origin` has none.
pub(super) fn kept(name: &str, origin: Origin<'_>) -> Option<Result<FrontendProgram, Failure>> {
    let description = origin.made(MadeWord::Frontend)?;
    let circuit = origin.made(MadeWord::Circuit)?;
    let table = origin.made(MadeWord::Mutants)?;
    let kept = FrontendProgram::kept(name, description, circuit, table);
    Some(kept.map_err(|refusal| match refusal {
        Refusal::Malformed(what) => Failure::unusable(name, &what),
        other => Failure::unusable(name, &format!("{other:?}")),
    }))
}

/// Reads a model, and keeps the output of the program.
///
/// # Errors
/// If the program breaks its protocol or refuses the model, or if options do not fit.
pub(super) fn translate(
    session: &mut Session<'_>,
    frontend: &FrontendProgram,
    sources: &[SourceFile],
    asked: &Asked<'_>,
    kit: &mut Kit,
) -> Result<Draft, Failure> {
    let description = &frontend.description;
    let options = description.options(asked)?;
    // The call ends by itself after an interrupt, and then deletes its file. So the process must not be ended earlier.
    let aside = session.io.watch.no_stage();
    let folder = tempfile::tempdir().context("no temporary folder can be made for a front end")?;
    let file = folder.path().join("model");
    std::fs::write(&file, &sources[0].text).context("the model cannot be handed to a front end")?;
    let printed = frontend.prints(&file, &options, asked.budget);
    drop(aside);
    let printed = printed.map_err(|refusal| match session.over() {
        Some(over) => over,
        None => refusal.about(&description.name, sources).into(),
    })?;
    let draft = description.draft(sources, asked, &printed)?;
    kit.add_made(MadeWord::Frontend, frontend.described.clone());
    kit.add_made(MadeWord::Circuit, printed.circuit);
    kit.add_made(MadeWord::Mutants, printed.table);
    Ok(draft)
}
