//! `hyperkill export`: writes the tests of a suite in another form.
//!
//! The command finds the suite with its model: in a run folder, or in a suite file ([`source`]). It reads the model as far as the form
//! needs it ([`ReadModel`]), and drops tests that the form cannot hold. `hyperkill_export`, the front end or the procedure of the language
//! makes the texts. Only this module writes them to disk.

mod testers;

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use hyperkill_core::system::TransitionSystem;
use hyperkill_export::forms::{
    BenchForm, Design, File, leave_out, no_such_form, only, steps, stimuli, timed_waves, waves,
};
use hyperkill_export::plays::{Needed, needed};
use hyperkill_export::{tables, timed};
use hyperkill_frontend::{Diagnostic, FrontendOptions, Hardware, NamePredicate, counted};
use hyperkill_run::reading::ModelSpec;

use super::again::suite_so_far;
use crate::args::{ExportArgs, ExportFormat};
use crate::documents::{Suite, SuiteTest};
use crate::exit_code::ExitCode;
use crate::failure::Failure;
use crate::load::{self, Origin, Prepared, Recorded};
use crate::model::Draft;
use crate::run_folder::{self, read_versioned};
use crate::session::{Level, Session};
use hyperkill_audit::names::file_name;
use hyperkill_run::language::OwnModel;
use hyperkill_run::patterns::Globs;

/// Writes the tests of a suite in another form. Tests that the form cannot hold are left out, with a warning.
pub(super) fn export(session: &mut Session<'_>, args: &ExportArgs) -> Result<ExitCode, Failure> {
    let Source {
        mut suite,
        model,
        file,
    } = source(session, args)?;
    let (read, origin) = model.origin();
    // A stimulus consists of bits of a circuit, which front ends do not know.
    let (written, description) = match args.to {
        ExportFormat::AigerStimulus => {
            let draft = load::draft(session, read, origin, model.operators())?;
            let description = draft.description().clone();
            (ReadModel::Circuit(Box::new(draft)), description)
        }
        ExportFormat::Uppaal => {
            let own = load::own(session, read, origin, model.operators())?;
            let own = own.ok_or_else(|| no_such_form(&suite.model.description.language))?;
            let description = own.listing.description.clone();
            (ReadModel::Own(Box::new(own)), description)
        }
        _ => {
            let prepared = load::prepared(session, read, origin)?;
            let description = prepared.description.clone();
            (ReadModel::Source(Box::new(prepared)), description)
        }
    };
    if description.hash != suite.model.description.hash {
        let file = file.display();
        let message = format!("{file} is a suite of another model, or of another version of it");
        return Err(
            Failure::usage(message).with_help("give the same model and options as for the run")
        );
    }
    only(&mut suite, &args.test)?;
    let all = suite.tests.len();
    let follows = bench_form(args.to).is_some() || args.to == ExportFormat::Smv;
    warn(session, leave_out(&mut suite.tests, follows));
    if suite.tests.is_empty() && all > 0 {
        return Err(Failure::usage("no test of this suite has such a form")
            .with_help("the warnings say why; `run --tests linear`, `local` or `global` makes tests with fixed inputs"));
    }
    let has_times = |test: &SuiteTest| test.steps.iter().any(|step| step.at.is_some());
    let count = suite.tests.len();
    let files = match &written {
        ReadModel::Own(own) => testers::testers(session, own, &suite)?,
        _ if suite.tests.iter().any(has_times) => with_times(session, args.to, &model, &suite)?,
        ReadModel::Circuit(draft) => {
            let (mut remarks, budget) = (Vec::new(), session.budget());
            let files = stimuli(&draft.loaded.model, &suite, &budget, &mut remarks);
            warn(session, remarks);
            files?
        }
        ReadModel::Source(written) => files(session, args.to, &model, written, &suite)?,
    };
    let count = match args.to {
        ExportFormat::Uppaal | ExportFormat::Altwalker => files.len(),
        _ => count,
    };
    let disk = session.io.disk.clone();
    disk.make_folder(&args.out)?;
    for File { name, bytes } in files {
        disk.write(&args.out.join(name), &bytes)?;
    }
    session.say(
        Level::Note,
        format!("{count} tests written to {}", args.out.display()),
    );
    Ok(ExitCode::Success)
}

/// The model of the suite, read as far as the form needs it: exports are written from it.
enum ReadModel {
    /// The circuit, for stimuli.
    Circuit(Box<Draft>),
    /// The prepared sources with their front end, for all forms but stimuli and Uppaal.
    Source(Box<Prepared>),
    /// The model in a language with procedures of its own, for Uppaal.
    Own(Box<OwnModel>),
}

/// Returns the form of a test bench; `None` for other forms.
fn bench_form(to: ExportFormat) -> Option<BenchForm> {
    match to {
        ExportFormat::VerilogTestbench => Some(BenchForm::Verilog),
        ExportFormat::Cocotb => Some(BenchForm::Cocotb),
        ExportFormat::Sva => Some(BenchForm::Assertions),
        _ => None,
    }
}

fn warn(session: &mut Session<'_>, remarks: Vec<String>) {
    for remark in remarks {
        session.say(Level::Warning, remark);
    }
}

/// Returns the files of tests without times, in all forms but stimuli and Uppaal.
fn files(
    session: &mut Session<'_>,
    to: ExportFormat,
    model: &SuiteModel,
    written: &Prepared,
    suite: &Suite,
) -> Result<Vec<File>, Failure> {
    if let Some(form) = bench_form(to) {
        let (read, _) = model.origin();
        let mut hardware = pins(written)?;
        told(session, read, &mut hardware)?;
        let design = Design {
            hardware: &hardware,
            sources: &written.sources,
            system: as_needed(written, needed(&hardware, suite, form.followed()), model)?,
        };
        let (mut remarks, budget) = (Vec::new(), session.budget());
        let files = form.written(design, suite, &budget, &mut remarks);
        warn(session, remarks);
        return Ok(files?);
    }
    let mut files = Vec::new();
    match to {
        ExportFormat::Smv => {
            for test in &suite.tests {
                let name = file_name(&test.id, "smv");
                files.push(File::text(name, replayed(written, test)?));
            }
        }
        ExportFormat::Altwalker => {
            for test in &suite.tests {
                match walk(written, test)? {
                    Ok(text) => files.push(File::text(file_name(&test.id, "json"), text)),
                    Err(why) => {
                        session.say(Level::Warning, format!("{}: {why}; left out", test.id));
                    }
                }
            }
        }
        ExportFormat::Csv => {
            let text = tables::comma_separated(&suite.signature, &suite.tests);
            files.push(File::text("tests.csv", text));
        }
        ExportFormat::Vcd => files = waves(suite, written.hardware()?)?,
        // `export` makes stimuli and Uppaal files; benches have returned above.
        _ => {}
    }
    Ok(files)
}

/// Translates the model, with mutants only if `needed` says so; `None` if no model is needed.
fn as_needed(
    written: &Prepared,
    needed: Needed,
    model: &SuiteModel,
) -> Result<Option<TransitionSystem>, Failure> {
    let operators = match needed {
        Needed::Nothing => return Ok(None),
        Needed::Model => Some(NamePredicate::new(|_| false)),
        Needed::Mutants => {
            let operators = Globs::compile("--operator", model.operators())?;
            operators.as_ref().map(Globs::predicate)
        }
    };
    let options = FrontendOptions {
        operators,
        ..written.options.clone()
    };
    let translation = written.frontend.translate(&written.sources, &options);
    let translation = translation.map_err(|diagnostics| refused(written, diagnostics))?;
    Ok(Some(translation.system))
}

/// Returns the files of tests with times. Only tables and waveforms support times here; Uppaal files are made in [`testers`].
fn with_times(
    session: &mut Session<'_>,
    to: ExportFormat,
    model: &SuiteModel,
    suite: &Suite,
) -> Result<Vec<File>, Failure> {
    let (signature, tests) = (&suite.signature, &suite.tests);
    let mut steps = tests.iter().flat_map(|test| &test.steps);
    if steps.any(|step| step.windows.is_some()) {
        let message = "the tests say what may come while one waits, and this form does not";
        return Err(Failure::usage(message).with_help("use `--to uppaal`, or read suite.json"));
    }
    match to {
        ExportFormat::Csv => {
            let text = timed::comma_separated(signature, tests);
            Ok(vec![File::text("tests.csv", text)])
        }
        ExportFormat::Vcd => {
            let (read, origin) = model.origin();
            let read = load::own(session, read, origin, model.operators())?;
            let decider = read.as_ref().map(load::decider);
            let ticks = decider.transpose()?.and_then(|decider| decider.ticks());
            let unit = ticks.and_then(|ticks| ticks.unit);
            Ok(timed_waves(suite, unit.as_deref())?)
        }
        _ => {
            let language = &suite.model.description.language;
            let message =
                format!("the tests of models in {language} have times, and this form has none");
            Err(Failure::usage(message).with_help("use --to csv or --to vcd, or read suite.json"))
        }
    }
}

/// A suite with its model.
struct Source {
    suite: Suite,
    model: SuiteModel,
    /// The path of the suite.
    file: PathBuf,
}

/// How to read the model of a suite.
enum SuiteModel {
    /// The model as the run has read it.
    Recorded(Box<Recorded>),
    /// The model as the command line says.
    Given(Box<ModelSpec>),
}

impl SuiteModel {
    /// Returns the operators of the run; an empty list means the default operators.
    fn operators(&self) -> &[String] {
        match self {
            SuiteModel::Recorded(recorded) => &recorded.operators,
            SuiteModel::Given(_) => &[],
        }
    }

    /// Returns the options for reading the model, and the origin of its files.
    fn origin(&self) -> (&ModelSpec, Origin<'_>) {
        match self {
            SuiteModel::Recorded(recorded) => (&recorded.spec, recorded.origin()),
            SuiteModel::Given(spec) => (spec, Origin::Places(&spec.files)),
        }
    }
}

/// Returns the suite of a run with its model, or a suite file with the model files.
fn source(session: &mut Session<'_>, args: &ExportArgs) -> Result<Source, Failure> {
    if args.dir.is_file() || !args.files.is_empty() {
        return suite_of_files(args);
    }
    let table = run_folder::run_in(&args.dir).mutants()?;
    let file = match &args.suite {
        Some(file) => file.clone(),
        None => args.dir.join(run_folder::SUITE),
    };
    let suite = match (file.is_file(), &args.suite) {
        (true, _) => read_versioned(&file, Suite::SCHEMA)?,
        (false, None) => so_far(session, &args.dir)?,
        (false, Some(_)) => {
            let message = format!("there is no suite {}", file.display());
            return Err(Failure::usage(message));
        }
    };
    let reading = table.reading.as_ref();
    let mut recorded = Recorded::of(&table.model, reading, &args.dir, &args.model)?;
    recorded.agrees_with(&args.options.spec(Vec::new()))?;
    if let (Some(_), Some(reading)) = (&args.suite, &suite.model.reading) {
        recorded.is_as_in(&suite.model.description, reading)?;
    }
    recorded.is_unchanged()?;
    Ok(Source {
        suite,
        model: SuiteModel::Recorded(Box::new(recorded)),
        file,
    })
}

/// Returns the suite of a run that is still running or was killed.
fn so_far(session: &mut Session<'_>, dir: &Path) -> Result<Suite, Failure> {
    let suite = suite_so_far(session, dir)?;
    let kills = suite.tests.iter().flat_map(|test| &test.kills);
    let killed: BTreeSet<&str> = kills.map(|kill| kill.mutant.as_str()).collect();
    let text = format!(
        "{} has no suite, since the run goes on or was stopped: these are tests for the {} that it has killed so far",
        dir.display(),
        counted(killed.len(), "mutant")
    );
    session.say(Level::Warning, text);
    Ok(suite)
}

/// Returns the suite in a file, with its model. A suite that records how its model was read names the files; the command line may replace
/// them. Suites of earlier releases record nothing, so the command line must give the model files.
fn suite_of_files(args: &ExportArgs) -> Result<Source, Failure> {
    let file = args.dir.clone();
    if args.suite.is_some() || !args.model.is_empty() {
        return Err(Failure::usage(
            "--suite and --model go with the folder of a run, not with a suite",
        ));
    }
    let suite: Suite = read_versioned(&file, Suite::SCHEMA)?;
    let given = args.options.spec(args.files.clone());
    let Some(reading) = &suite.model.reading else {
        if args.files.is_empty() {
            let file = file.display();
            let message = format!("{file} does not say how its model was read");
            return Err(Failure::usage(message).with_help("name the folder of the run"));
        }
        return Ok(Source {
            suite,
            model: SuiteModel::Given(Box::new(given)),
            file,
        });
    };
    let folder = file.parent().unwrap_or(Path::new(""));
    let description = &suite.model.description;
    let mut recorded = Recorded::of(description, Some(reading), folder, &args.files)?;
    recorded.agrees_with(&given)?;
    recorded.is_unchanged()?;
    Ok(Source {
        suite,
        model: SuiteModel::Recorded(Box::new(recorded)),
        file,
    })
}

/// Passes the options of reading the model on to the bench: `-P` to `hardware` if Yosys read the model. Prints a warning that names the
/// macros (`-D`), which the user must pass to the simulator.
fn told(
    session: &mut Session<'_>,
    spec: &ModelSpec,
    hardware: &mut Hardware,
) -> Result<(), Failure> {
    if spec.options.hardware.via.is_some() {
        let parameters = spec.options.hardware.parameters.iter();
        let parameters = parameters.map(|definition| definition.valued());
        hardware.parameters = parameters
            .collect::<Result<_, _>>()
            .map_err(Failure::usage)?;
    }
    if !spec.options.define.is_empty() {
        let macros = spec.options.define.iter();
        let macros: Vec<String> = macros.map(|definition| format!("-D{definition}")).collect();
        session.say(
            Level::Warning,
            format!(
                "a bench does not define macros: give {} to the simulator",
                macros.join(" ")
            ),
        );
    }
    Ok(())
}

fn refused(written: &Prepared, diagnostics: Vec<Diagnostic>) -> Failure {
    Failure::diagnosed(&written.sources, diagnostics)
}

/// Returns a test as a walk through the model in the language's own format, or the reason why it is not a walk.
fn walk(written: &Prepared, test: &SuiteTest) -> Result<Result<String, String>, Failure> {
    let (sources, options) = (&written.sources, &written.options);
    match written.frontend.write_walk(sources, options, &steps(test)) {
        Ok(Some(text)) => Ok(Ok(text)),
        Ok(None) => Err(no_such_form(written.frontend.name()).into()),
        Err(diagnostics) if diagnostics.iter().any(|error| error.span.is_some()) => {
            Err(refused(written, diagnostics))
        }
        Err(diagnostics) => {
            let whys = diagnostics.into_iter().map(|error| error.message);
            Ok(Err(whys.collect::<Vec<String>>().join("; ")))
        }
    }
}

/// Returns the source of the model with a monitor that replays a test.
fn replayed(written: &Prepared, test: &SuiteTest) -> Result<String, Failure> {
    let text = written.frontend.replay(&written.sources, &steps(test));
    let text = text.map_err(|diagnostics| refused(written, diagnostics))?;
    Ok(text.ok_or_else(|| no_such_form(written.frontend.name()))?)
}

/// Returns the pins of a hardware design.
///
/// # Errors
/// If the language is not about hardware.
fn pins(written: &Prepared) -> Result<Hardware, Failure> {
    let hardware = written.hardware()?;
    Ok(hardware.ok_or_else(|| no_such_form(written.frontend.name()))?)
}
