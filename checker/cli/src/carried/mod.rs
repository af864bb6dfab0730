//! A run of an edited model: verdicts of the run before the edit are written into its folder.

mod before;

pub(crate) use before::find;

use hyperkill_core::budget::Budget;
use hyperkill_frontend::counted;
use hyperkill_run::carry_over::{Asking, Before, Carried, carried};
use hyperkill_run::resumption::EarlierRun;

use crate::failure::Failure;
use crate::model::Loaded;
use crate::run_folder::{EARLIER, RunFolder};
use crate::session::{Level, Session};

/// Writes verdicts that are carried over into the folder, and says how many.
///
/// # Errors
/// If the file system refuses.
pub(crate) fn carry_over(
    session: &mut Session<'_>,
    loaded: &Loaded,
    folder: &mut RunFolder,
    (before, asking): (&Before, &Asking<'_>),
    pool: &rayon::ThreadPool,
    budget: &Budget,
) -> Result<EarlierRun, Failure> {
    let Carried {
        filed,
        entries,
        suite,
        earlier,
        wanted,
        refused,
    } = pool.install(|| carried(loaded, before, asking, budget))?;
    // Before the journal says that they are there.
    folder.file(&filed)?;
    for entry in &entries {
        folder.append_journal(entry)?;
    }
    folder.write_document(EARLIER, &suite)?;
    say(session, before, wanted, (entries.len(), refused));
    Ok(earlier)
}

fn say(
    session: &mut Session<'_>,
    before: &Before,
    wanted: usize,
    (carried, refused): (usize, usize),
) {
    let dir = before.dir.display();
    let all = counted(wanted, "different mutant");
    let text = format!("carried over from {dir}: {carried} verdicts, of {all}");
    session.say(Level::Note, text);
    if refused > 0 {
        let text = format!(
            "decided anew: {}, whose evidence does not show it of this version",
            counted(refused, "mutant")
        );
        session.say(Level::Note, text);
    }
}
