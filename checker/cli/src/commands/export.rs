//! `hyperkill export`: the tests of a suite in another form.

use std::fs;

use anyhow::Context;
use hyperkill_frontend::ReplayStep;

use crate::args::{ExportArgs, ExportFormat};
use crate::documents::Suite;
use crate::exit_code::ExitCode;
use crate::failure::Failure;
use crate::load;
use crate::run_folder::{file_name, read_document, write_atomically};
use crate::session::{Level, Session};

/// Carries it out.
pub(super) fn export(session: &mut Session<'_>, args: &ExportArgs) -> Result<ExitCode, Failure> {
    let suite: Suite = read_document(&args.suite)?;
    let written = load::prepared(session, &args.model)?;
    if written.description.hash != suite.model.hash {
        let message = format!(
            "{} is a suite of another model, or of another version of it",
            args.suite.display()
        );
        return Err(Failure::usage(message)
            .with_help("give the model and the constants (-D) that the run was given"));
    }
    fs::create_dir_all(&args.out)
        .with_context(|| format!("{} cannot be created", args.out.display()))?;
    let mut count = 0;
    for test in &suite.tests {
        if test.controllable {
            let message = format!("{}: choices cannot be given as inputs; left out", test.id);
            session.say(Level::Warning, message);
            continue;
        }
        let steps = test.steps.iter().map(|step| ReplayStep {
            inputs: step.inputs.0.clone(),
            outputs: step.outputs.0.clone(),
        });
        let steps: Vec<ReplayStep> = steps.collect();
        let text = match args.to {
            ExportFormat::Smv => written.frontend.replay(&written.sources, &steps),
        };
        let text = text.map_err(|diagnostics| Failure::Model {
            code: ExitCode::InvalidModel,
            sources: written.sources.clone(),
            diagnostics,
        })?;
        let Some(text) = text else {
            let language = written.frontend.name();
            return Err(Failure::usage(format!(
                "tests of models in {language} cannot be written so"
            )));
        };
        let path = args.out.join(file_name(&test.id, "smv"));
        write_atomically(&path, text.as_bytes())?;
        count += 1;
    }
    session.say(
        Level::Note,
        format!("{count} tests written to {}", args.out.display()),
    );
    Ok(ExitCode::Success)
}
