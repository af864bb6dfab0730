//! `hyperkill export`: the tests of a suite in another form.

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

/// Carries it out.
pub(super) fn export(session: &mut Session<'_>, args: &ExportArgs) -> Result<ExitCode, Failure> {
    let Source {
        mut suite,
        model,
        file,
    } = source(session, args)?;
    let (read, origin) = model.origin();
    // Stimuli are bits of a circuit, of which languages know nothing.
    let (written, description) = match args.to {
        ExportFormat::AigerStimulus => {
            let draft = load::draft(session, read, origin, model.operators())?;
            let description = draft.description().clone();
            (Written::Circuit(Box::new(draft)), description)
        }
        ExportFormat::Uppaal => {
            let own = load::own(session, read, origin, model.operators())?;
            let own = own.ok_or_else(|| no_such_form(&suite.model.description.language))?;
            let description = own.listing.description.clone();
            (Written::Own(Box::new(own)), description)
        }
        _ => {
            let prepared = load::prepared(session, read, origin)?;
            let description = prepared.description.clone();
            (Written::Source(Box::new(prepared)), description)
        }
    };
    if description.hash != suite.model.description.hash {
        let file = file.display();
        let message = format!("{file} is a suite of another model, or of another version of it");
        return Err(Failure::usage(message)
            .with_help("give the model and the options that the run was given"));
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
        Written::Own(own) => testers::testers(session, own, &suite)?,
        _ if suite.tests.iter().any(has_times) => with_times(session, args.to, &model, &suite)?,
        Written::Circuit(draft) => {
            let (mut remarks, budget) = (Vec::new(), session.budget());
            let files = stimuli(&draft.loaded.model, &suite, &budget, &mut remarks);
            warn(session, remarks);
            files?
        }
        Written::Source(written) => files(session, args.to, &model, written, &suite)?,
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

/// A model as it was read.
enum Written {
    /// As a circuit.
    Circuit(Box<Draft>),
    /// As a source.
    Source(Box<Prepared>),
    /// In a language that decides its mutants itself.
    Own(Box<OwnModel>),
}

/// The form of a bench.
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

/// What is to be written.
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
        // Written by others.
        _ => {}
    }
    Ok(files)
}

/// The model, as far as it is needed.
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

/// Tests with times, in a form that has times.
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
        return Err(Failure::usage(message).with_help("`--to uppaal` and suite.json say it"));
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
            Err(Failure::usage(message)
                .with_help("--to csv and --to vcd have them, as suite.json has"))
        }
    }
}

/// A suite, and the model that it is about.
struct Source {
    suite: Suite,
    model: SuiteModel,
    /// Where the suite is.
    file: PathBuf,
}

/// The model of a suite.
enum SuiteModel {
    /// As the run read it.
    Recorded(Box<Recorded>),
    /// As the command line says.
    Given(Box<ModelSpec>),
}

impl SuiteModel {
    /// The operators of the run; none are all usual ones.
    fn operators(&self) -> &[String] {
        match self {
            SuiteModel::Recorded(recorded) => &recorded.operators,
            SuiteModel::Given(_) => &[],
        }
    }

    /// How and where it is read.
    fn origin(&self) -> (&ModelSpec, Origin<'_>) {
        match self {
            SuiteModel::Recorded(recorded) => (&recorded.spec, recorded.origin()),
            SuiteModel::Given(spec) => (spec, Origin::Places(&spec.files)),
        }
    }
}

/// The suite of a run with the model as the run read it; or a suite beside files.
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

/// The suite of a run that goes on, or was killed.
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

/// The form of earlier releases: a suite and the files of its model. Suites of those releases do not say how it was read.
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

/// What another program was told of the model, the design must be told in the bench; and what only the simulator can be told, its user.
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
                "macros are no part of a bench: give the simulator {} too",
                macros.join(" ")
            ),
        );
    }
    Ok(())
}

fn refused(written: &Prepared, diagnostics: Vec<Diagnostic>) -> Failure {
    Failure::diagnosed(&written.sources, diagnostics)
}

/// A test as a walk, or why it is none.
fn walk(written: &Prepared, test: &SuiteTest) -> Result<Result<String, String>, Failure> {
    let (sources, options) = (&written.sources, &written.options);
    match written.frontend.walk(sources, options, &steps(test)) {
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

/// The model with a monitor for a test.
fn replayed(written: &Prepared, test: &SuiteTest) -> Result<String, Failure> {
    let text = written.frontend.replay(&written.sources, &steps(test));
    let text = text.map_err(|diagnostics| refused(written, diagnostics))?;
    Ok(text.ok_or_else(|| no_such_form(written.frontend.name()))?)
}

fn pins(written: &Prepared) -> Result<Hardware, Failure> {
    let hardware = written.hardware()?;
    Ok(hardware.ok_or_else(|| no_such_form(written.frontend.name()))?)
}
