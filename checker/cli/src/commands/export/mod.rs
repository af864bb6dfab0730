//! `hyperkill export`: the tests of a suite in another form.

mod literals;
mod names;
mod plays;
mod testbench;
mod waveforms;

use hyperkill_frontend::{Diagnostic, Hardware, ReplayStep};

use crate::args::{ExportArgs, ExportFormat};
use crate::documents::{Suite, SuiteTest};
use crate::exit_code::ExitCode;
use crate::failure::Failure;
use crate::files::file_name;
use crate::load::{self, Prepared};
use crate::run_folder::read_document;
use crate::session::{Level, Session};

/// Carries it out.
pub(super) fn export(session: &mut Session<'_>, args: &ExportArgs) -> Result<ExitCode, Failure> {
    let mut suite: Suite = read_document(&args.suite)?;
    let written = load::prepared(session, &args.model)?;
    if written.description.hash != suite.model.hash {
        let message = format!(
            "{} is a suite of another model, or of another version of it",
            args.suite.display()
        );
        return Err(Failure::usage(message)
            .with_help("give the model and the options that the run was given"));
    }
    leave_out(session, &mut suite.tests, args.to);
    let disk = session.io.disk.clone();
    disk.make_folder(&args.out)?;
    let count = suite.tests.len();
    match args.to {
        ExportFormat::Smv => {
            for test in &suite.tests {
                let text = replayed(&written, test)?;
                let path = args.out.join(file_name(&test.id, "smv"));
                disk.write(&path, text.as_bytes())?;
            }
        }
        ExportFormat::VerilogTestbench => {
            let hardware = pins(&written)?;
            let plays = plays::plays(session, &written, &hardware, &suite)?;
            let bench = testbench::testbench(&suite, &hardware, &plays)?;
            for remark in &bench.remarks {
                session.say(Level::Warning, remark);
            }
            let path = args.out.join("testbench.v");
            disk.write(&path, bench.text.as_bytes())?;
        }
        ExportFormat::Vcd => {
            let hardware = hardware(&written)?;
            let clocks = hardware.map_or_else(Vec::new, |hardware| hardware.clocks);
            for test in &suite.tests {
                let bytes = waveforms::waveforms(&suite.signature, test, &clocks)?;
                disk.write(&args.out.join(file_name(&test.id, "vcd")), &bytes)?;
            }
        }
    }
    session.say(
        Level::Note,
        format!("{count} tests written to {}", args.out.display()),
    );
    Ok(ExitCode::Success)
}

/// Leaves out what has no such form.
fn leave_out(session: &mut Session<'_>, tests: &mut Vec<SuiteTest>, to: ExportFormat) {
    tests.retain(|test| {
        let why = if test.controllable {
            "choices cannot be given as inputs"
        } else if test.machine.is_some() && to != ExportFormat::Smv {
            "its inputs depend on the answers"
        } else {
            return true;
        };
        session.say(Level::Warning, format!("{}: {why}; left out", test.id));
        false
    });
}

fn refused(written: &Prepared, diagnostics: Vec<Diagnostic>) -> Failure {
    Failure::Model {
        code: ExitCode::InvalidModel,
        sources: written.sources.clone(),
        diagnostics,
    }
}

/// The model with a monitor for a test.
fn replayed(written: &Prepared, test: &SuiteTest) -> Result<String, Failure> {
    let steps = test.steps.iter().map(|step| ReplayStep {
        inputs: step.inputs.0.clone(),
        outputs: step.outputs.0.clone(),
    });
    let steps: Vec<ReplayStep> = steps.collect();
    let text = written.frontend.replay(&written.sources, &steps);
    let text = text.map_err(|diagnostics| refused(written, diagnostics))?;
    text.ok_or_else(|| no_such_form(written))
}

fn no_such_form(written: &Prepared) -> Failure {
    let language = written.frontend.name();
    Failure::usage(format!(
        "tests of models in {language} cannot be written so"
    ))
}

fn hardware(written: &Prepared) -> Result<Option<Hardware>, Failure> {
    let hardware = written
        .frontend
        .hardware(&written.sources, &written.options);
    hardware.map_err(|diagnostics| refused(written, diagnostics))
}

fn pins(written: &Prepared) -> Result<Hardware, Failure> {
    hardware(written)?.ok_or_else(|| no_such_form(written))
}
