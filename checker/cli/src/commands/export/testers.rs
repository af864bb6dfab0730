//! Timed tests as processes that run in parallel with their model.

use hyperkill_audit::names::file_name;
use hyperkill_audit::own::read_steps;
use hyperkill_export::forms::{File, no_such_form};

use crate::documents::Suite;
use crate::failure::Failure;
use hyperkill_run::language::OwnModel;

use crate::load;
use crate::session::{Level, Session};

/// Returns a Uppaal file for each test that can be a process, in the order of the suite. Other tests are left out, with a warning.
///
/// # Errors
/// If no test can be a process, or the language has no such files.
pub(super) fn testers(
    session: &mut Session<'_>,
    model: &OwnModel,
    suite: &Suite,
) -> Result<Vec<File>, Failure> {
    let language = &model.listing.description.language;
    let decider = load::decider(model)?;
    let mut files = Vec::new();
    for test in &suite.tests {
        let steps = read_steps(&test.steps);
        let steps = steps.map_err(|error| Failure::usage(format!("{}: {error}", test.id)))?;
        let written = decider.exported("uppaal", &steps, None);
        match written.ok_or_else(|| no_such_form(language))? {
            Ok(text) => files.push(File::text(file_name(&test.id, "xml"), text)),
            Err(why) => session.say(Level::Warning, format!("{}: {why}; left out", test.id)),
        }
    }
    if files.is_empty() && !suite.tests.is_empty() {
        return Err(Failure::usage("no test of this suite has such a form")
            .with_help("the warnings say why"));
    }
    Ok(files)
}
