//! `hyperkill score`: measures which mutants of a run another suite or command kills.

use std::ffi::OsString;
use std::path::{Path, PathBuf};

use clap::Parser;
use hyperkill_exec::score::command::{self, Patience, must_name_the_mutant};
use hyperkill_exec::score::deciding::Deciding;
use hyperkill_exec::score::inputs::{FixedTest, of_suite};
use hyperkill_exec::score::pattern::Pattern;
use hyperkill_exec::score::report::{OfRun, begun, finish};
use hyperkill_exec::score::table::of_csv;
use hyperkill_exec::score::walks::{Walked, is_walk};
use hyperkill_exec::score::waves::of_vcd;
use hyperkill_export::matrix::matrix;
use hyperkill_report::text::scored::scored;

use super::run::run_silently;
use super::subject::{Source, Subject, subject};
use crate::args::{Cli, Command, Format, ScoreArgs};
use crate::children::Bench;
use crate::decision::pool;
use crate::documents::{self, Run, ScoreReport, Scored};
use crate::exit_code::ExitCode;
use crate::failure::Failure;
use crate::load::{self, read_bytes};
use crate::progress::Screen;
use crate::run_folder::{self, read_document};
use crate::session::{Level, Session};

/// Scores a suite, a command or stated properties by the mutants of a run that it kills, and prints the report.
pub(super) fn score(session: &mut Session<'_>, args: &ScoreArgs) -> Result<ExitCode, Failure> {
    session.limit(args.total_timeout.0);
    if args.command.is_empty() && args.suite.is_none() && !args.specs {
        return Err(Failure::usage("there is nothing to score").with_help(proposal(args)));
    }
    let dir = &folder(session, args)?;
    let table = &run_folder::run_in(dir).mutants()?;
    let run = run_folder::run_in(dir).outcomes()?;
    let source = Source {
        of: std::slice::from_ref(dir),
        suite: None,
        moved: &args.model,
    };
    let subject = subject(session, &source)?;
    let of_run = OfRun {
        table,
        outcomes: &run,
        suite: &subject.suite,
    };
    let mut report = begun(of_run, of(args), &args.mutant)?;
    match &args.suite {
        None if args.specs => {
            let threads = pool(session.jobs)?;
            let deciding = deciding(session, args, &subject, &threads);
            deciding.by_specs(&mut report, &mut Screen::of(session))?;
        }
        None => by_command(session, args, &subject, &mut report)?,
        Some(file) => by_tests(session, args, &subject, &run, file, &mut report)?,
    }
    finish(&mut report, session.is_interrupted());
    if let Some(file) = &args.matrix {
        session.io.disk.write(file, matrix(&report).as_bytes())?;
    }
    let text = match session.format {
        Format::Json => documents::to_text(&report)?,
        Format::Human => scored(&report, &dir.display().to_string(), session.style),
    };
    session.print(text)?;
    Ok(exit_code(session, &report))
}

fn exit_code(session: &Session<'_>, report: &ScoreReport) -> ExitCode {
    let counts = report.counts;
    if session.is_interrupted() {
        ExitCode::Interrupted
    } else if counts.survived > counts.survived_undecided {
        ExitCode::Failed
    } else if counts.survived + counts.time_out + counts.open > 0 {
        ExitCode::Undecided
    } else {
        ExitCode::Success
    }
}

/// Returns the advice for a call without a suite or command. A project of mcy contains its command.
fn proposal(args: &ScoreArgs) -> String {
    let example =
        "give a command behind --, such as -- sh bench.sh {mutant}, or tests with --suite";
    let project = std::fs::read_to_string("config.mcy").unwrap_or_default();
    let runs = command::commands_of_mcy(&project);
    if runs.is_empty() {
        return example.to_owned();
    }
    let dir = match args.of == Path::new(run_folder::DEFAULT) {
        true => String::new(),
        false => format!(" {}", args.of.display()),
    };
    let runs = runs
        .iter()
        .map(|run| format!("\n    hyperkill score{dir} -- {run} {{mutant}}"));
    format!(
        "{example}; these are the commands of config.mcy. {{mutant}} is the file that create_mutated.sh makes there, and the exit status \
         must say what output.txt says there:{}",
        runs.collect::<String>()
    )
}

/// Returns the folder of the run to score. If the argument is a model file, makes its run first.
fn folder(session: &mut Session<'_>, args: &ScoreArgs) -> Result<PathBuf, Failure> {
    if !args.of.is_file() {
        return Ok(args.of.clone());
    }
    let words = ["hyperkill", "run", "--"].map(OsString::from);
    let words = words.into_iter().chain([args.of.clone().into_os_string()]);
    let cli = Cli::try_parse_from(words).map_err(Failure::usage)?;
    let Command::Run(run_args) = cli.command else {
        return Err(Failure::usage("a model cannot be run"));
    };
    let code = run_silently(session, &run_args)?;
    session.limit(args.total_timeout.0);
    let dir = run_args.out;
    match code {
        ExitCode::Interrupted => Err(Failure::message(
            code,
            anyhow::anyhow!("interrupted while the mutants were decided"),
        )),
        _ => {
            let text = format!("the mutants were decided in {}", dir.display());
            session.say(Level::Note, text);
            Ok(dir)
        }
    }
}

fn of(args: &ScoreArgs) -> Scored {
    let words = words(args);
    Scored {
        suite: args.suite.as_ref().map(|file| file.display().to_string()),
        command: (!words.is_empty()).then_some(words),
        specs: args.specs,
    }
}

fn words(args: &ScoreArgs) -> Vec<String> {
    let words = args.command.iter();
    words
        .map(|word| word.to_string_lossy().into_owned())
        .collect()
}

fn deciding<'a>(
    session: &Session<'_>,
    args: &ScoreArgs,
    subject: &'a Subject,
    threads: &'a rayon::ThreadPool,
) -> Deciding<'a> {
    Deciding {
        model: subject.model(),
        timeout: args.time_to_decide(),
        budget: session.budget(),
        threads,
    }
}

/// Runs the user's command on each mutant, and enters the results in the report.
///
/// # Errors
/// If the model has no source, or the command does not name the mutant or fails on the model itself.
fn by_command(
    session: &mut Session<'_>,
    args: &ScoreArgs,
    subject: &Subject,
    report: &mut ScoreReport,
) -> Result<(), Failure> {
    let listing = &subject.draft.loaded.listing;
    if listing.sources.is_empty() {
        return Err(Failure::usage(
            "an AIGER file has no source to give to a command",
        ));
    }
    must_name_the_mutant(&words(args))?;
    let failure = match &args.fail_on {
        Some(says) => Pattern {
            says: says.clone(),
            unless: None,
        },
        None => Pattern::of_failures()
            .map_err(|error| Failure::message(ExitCode::Internal, error.into()))?,
    };
    let bench = command::Bench {
        command: &Bench {
            words: &args.command,
            failure,
        },
        listing,
        patience: (args.timeout).map_or(Patience::Usual, |limit| Patience::Given(limit.0)),
        fails_on_line: args.fail_on.is_some(),
        budget: session.budget(),
    };
    // Commands that write files may conflict with each other.
    let jobs = session.jobs_asked_for.unwrap_or(1);
    let threads = pool(jobs.min(report.mutants.len()).max(1))?;
    let screen = &mut Screen::of(session);
    Ok(bench.look_at_all(&subject.draft, report, &threads, screen)?)
}

/// Decides which mutants the tests of a file kill, and enters the results in the report.
///
/// # Errors
/// If the file has no test with fixed inputs.
fn by_tests(
    session: &mut Session<'_>,
    args: &ScoreArgs,
    subject: &Subject,
    run: &Run,
    file: &Path,
    report: &mut ScoreReport,
) -> Result<(), Failure> {
    let tests = tests(session, args, subject, file)?;
    if tests.is_empty() {
        return Err(Failure::usage(format!(
            "{} has no test with fixed inputs",
            file.display()
        )));
    }
    let threads = pool(session.jobs)?;
    let deciding = deciding(session, args, subject, &threads);
    Ok(deciding.by_tests(tests, run.original != "deterministic", report)?)
}

/// Returns the tests of a file: a suite of hyperkill, the suite of a run, walks of another program, or inputs as CSV or VCD. `--scope`
/// selects the scope of a VCD file.
fn tests(
    session: &mut Session<'_>,
    args: &ScoreArgs,
    subject: &Subject,
    file: &Path,
) -> Result<Vec<FixedTest>, Failure> {
    let (model, name) = (subject.model(), file.display().to_string());
    let is = |extension: &str| file.extension().is_some_and(|e| e == extension);
    if args.scope.is_some() && !is("vcd") {
        return Err(Failure::usage("--scope is about VCD files"));
    }
    if is("csv") {
        let bytes = read_bytes(session.io, file)?;
        return Ok(of_csv(&name, &bytes, model)?);
    }
    if is("vcd") {
        let recorded = &subject.recorded;
        let hardware = match &subject.draft.loaded.listing.sources[..] {
            [] => None,
            _ => load::prepared(session, &recorded.spec, recorded.origin())?.hardware()?,
        };
        let bytes = read_bytes(session.io, file)?;
        let scope = args.scope.as_deref();
        return Ok(vec![FixedTest {
            id: "vcd-1".to_owned(),
            inputs: of_vcd(&name, &bytes, model, hardware.as_ref(), scope)?,
        }]);
    }
    let walks = walks(session, subject, file)?;
    match walks.is_empty() {
        true => suite(session, file),
        false => Ok(walks),
    }
}

/// Returns the tests with fixed inputs of a suite file, or of the run in the folder `file`.
fn suite(session: &mut Session<'_>, file: &Path) -> Result<Vec<FixedTest>, Failure> {
    let file = match file.is_dir() {
        true => file.join(run_folder::SUITE),
        false => file.to_owned(),
    };
    if !file.is_file() {
        return Err(Failure::usage(format!(
            "there is no suite {}",
            file.display()
        )));
    }
    Ok(of_suite(read_document(&file)?, &mut Screen::of(session)))
}

/// Returns the walks of a file, or of all files of a folder without a suite; an empty list if there are no walks.
fn walks(
    session: &mut Session<'_>,
    subject: &Subject,
    file: &Path,
) -> Result<Vec<FixedTest>, Failure> {
    let files = match file.is_dir() {
        true if file.join(run_folder::SUITE).exists() => return Ok(Vec::new()),
        true => walks_in(file)?,
        false => vec![file.to_owned()],
    };
    let mut texts = Vec::new();
    for file in files.into_iter().filter(|file| file.is_file()) {
        let bytes = read_bytes(session.io, &file)?;
        match String::from_utf8(bytes) {
            Ok(text) if is_walk(&text) => texts.push((file, text)),
            _ => {}
        }
    }
    if texts.is_empty() {
        return Ok(Vec::new());
    }
    let recorded = &subject.recorded;
    let prepared = load::prepared(session, &recorded.spec, recorded.origin())?;
    let model = Walked {
        frontend: prepared.frontend.as_ref(),
        sources: &prepared.sources,
        options: &prepared.options,
    };
    let walks = texts.into_iter().map(|(file, text)| {
        let stem = file.file_stem().unwrap_or(file.as_os_str());
        Ok(FixedTest {
            id: stem.to_string_lossy().into_owned(),
            inputs: model.read(&file.to_string_lossy(), text)?,
        })
    });
    walks.collect()
}

/// Returns the `.json` files of a folder, sorted by path: walks have this extension.
fn walks_in(folder: &Path) -> Result<Vec<PathBuf>, Failure> {
    let cannot = |error| {
        let folder = folder.display();
        Failure::usage(format!("{folder} cannot be read: {error}"))
    };
    let entries = std::fs::read_dir(folder).map_err(cannot)?;
    let paths = entries.map(|entry| entry.map(|entry| entry.path()));
    let mut paths = paths.collect::<Result<Vec<PathBuf>, _>>().map_err(cannot)?;
    paths.retain(|path| {
        path.extension()
            .is_some_and(|extension| extension == "json")
    });
    paths.sort();
    Ok(paths)
}
