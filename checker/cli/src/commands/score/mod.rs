//! `hyperkill score`: which mutants of a run are noticed by something else than its own suite.

mod bench;
mod specs;
mod tables;
mod tests;
mod values;
mod walks;
mod waves;

use std::collections::BTreeMap;
use std::ffi::OsString;
use std::path::PathBuf;

use clap::Parser;
use hyperkill_core::mutant::Mutant;
use hyperkill_frontend::counted;

use super::run::run_silently;
use super::status::mutants;
use super::subject::{Source, Subject, subject};
use crate::args::{Cli, Command, Format, ScoreArgs};
use crate::children::Pattern;
use crate::documents::{
    self, MutantDescription, MutantTable, Run, ScoreCounts, ScoreReport, ScoreResult, Scored,
    ScoredMutant, VerdictWord,
};
use crate::exit_code::ExitCode;
use crate::failure::Failure;
use crate::run_folder::outcomes;
use crate::session::{Level, Session};
use bench::{Bench, failure_words};
use hyperkill_run::selection::resolve;

/// The column of a command in the kill matrix.
const COMMAND: &str = "command";

/// Carries it out.
pub(super) fn score(session: &mut Session<'_>, args: &ScoreArgs) -> Result<ExitCode, Failure> {
    session.limit(args.total_timeout.0);
    if args.command.is_empty() && args.suite.is_none() && !args.specs {
        return Err(Failure::usage("there is nothing to score").with_help(tables::proposal(args)));
    }
    let dir = &folder(session, args)?;
    let table: MutantTable = mutants(dir)?;
    let run = outcomes(dir)?;
    let subject = subject(
        session,
        &Source {
            of: std::slice::from_ref(dir),
            suite: None,
            moved: &args.model,
        },
    )?;
    let mut report = ScoreReport {
        schema: ScoreReport::SCHEMA.to_owned(),
        model: run.model.clone(),
        of: scored(args),
        tests: vec![COMMAND.to_owned()],
        counts: left_out(&run),
        score: None,
        interrupted: false,
        mutants: rows(args, &table, &run, &subject)?,
    };
    match &args.suite {
        None if args.specs => specs::by_specs(session, args, &subject, &mut report)?,
        None => by_command(session, args, &subject, &mut report)?,
        Some(file) => tests::by_tests(session, args, &subject, &run, file, &mut report)?,
    }
    for mutant in &mut report.mutants {
        if mutant.result != ScoreResult::Survived {
            mutant.would_kill = None;
        }
    }
    report.interrupted = session.is_interrupted();
    report.count();
    if let Some(file) = &args.matrix {
        let text = tables::matrix(&report);
        session.io.disk.write(file, text.as_bytes())?;
    }
    match session.format {
        Format::Json => {
            let text = documents::to_text(&report)?;
            session.print(text)?;
        }
        Format::Human => {
            let style = session.style;
            session.print(tables::text(&report, dir, style))?;
        }
    }
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

/// The folder of the run, which is made of a model.
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

fn scored(args: &ScoreArgs) -> Scored {
    let words = args.command.iter();
    let words: Vec<String> = words
        .map(|word| word.to_string_lossy().into_owned())
        .collect();
    Scored {
        suite: args.suite.as_ref().map(|file| file.display().to_string()),
        command: (!words.is_empty()).then_some(words),
        specs: args.specs,
    }
}

/// What nothing can be expected to notice, by the run's evidence.
fn left_out(run: &Run) -> ScoreCounts {
    let count = |word: VerdictWord| run.results.iter().filter(|r| r.verdict == word).count();
    ScoreCounts {
        equivalent: count(VerdictWord::Equivalent),
        duplicate: count(VerdictWord::DuplicateOf),
        invalid: count(VerdictWord::Invalid),
        ..ScoreCounts::default()
    }
}

/// The mutants that can be killed, or may be, none of them looked at yet.
fn rows(
    args: &ScoreArgs,
    table: &MutantTable,
    run: &Run,
    subject: &Subject,
) -> Result<Vec<ScoredMutant>, Failure> {
    let ids: Vec<&str> = run
        .results
        .iter()
        .map(|result| result.mutant.as_str())
        .collect();
    let wanted = args.mutant.iter().map(|prefix| resolve(prefix, &ids));
    let wanted: Vec<usize> = wanted.collect::<Result<_, _>>()?;
    let described: BTreeMap<&str, &MutantDescription> = (table.mutants.iter())
        .map(|mutant| (mutant.id.as_str(), mutant))
        .collect();
    let results = run.results.iter().enumerate();
    let results = results.filter(|(number, result)| {
        let counts = !matches!(
            result.verdict,
            VerdictWord::Equivalent | VerdictWord::DuplicateOf | VerdictWord::Invalid
        );
        counts && (wanted.is_empty() || wanted.contains(number))
    });
    let rows = results.map(|(_, result)| {
        let described = described.get(result.mutant.as_str());
        let tests = subject.suite.tests.iter();
        let kills = |test: &&documents::SuiteTest| {
            test.kills.iter().any(|kill| kill.mutant == result.mutant)
        };
        ScoredMutant {
            mutant: result.mutant.clone(),
            verdict: result.verdict,
            strength: result.strength,
            operator: described.and_then(|mutant| mutant.operator.clone()),
            place: described.and_then(|mutant| mutant.place.clone()),
            original: described.and_then(|mutant| mutant.original.clone()),
            replacement: described.and_then(|mutant| mutant.replacement.clone()),
            result: ScoreResult::Open,
            ended: None,
            killed_by: Vec::new(),
            would_kill: tests.clone().find(kills).map(|test| test.id.clone()),
        }
    });
    Ok(rows.collect())
}

/// Starts the command on each mutant.
fn by_command(
    session: &mut Session<'_>,
    args: &ScoreArgs,
    subject: &Subject,
    report: &mut ScoreReport,
) -> Result<(), Failure> {
    let listing = &subject.draft.loaded.listing;
    if listing.sources.is_empty() {
        return Err(Failure::usage(
            "an AIGER file has no source that a command could look at",
        ));
    }
    let bench = Bench {
        words: &args.command,
        listing,
        timeout: args.timeout,
        failure: match &args.fail_on {
            Some(says) => Pattern {
                says: says.clone(),
                unless: None,
            },
            None => failure_words()?,
        },
        fails_on_line: args.fail_on.is_some(),
        // Benches that write files need not bear others beside them.
        jobs: session.jobs_asked_for.unwrap_or(1),
        budget: session.budget(),
    };
    bench.must_name_the_mutant()?;
    let listed: BTreeMap<&str, &Mutant> = (subject.draft.listed.iter())
        .filter_map(|listed| Some((listed.id.0.as_str(), listed.mutant.as_ref()?)))
        .collect();
    let rows = report.mutants.iter_mut();
    let (mut rows, mutants): (Vec<&mut ScoredMutant>, Vec<&Mutant>) = rows
        .filter_map(|row| {
            let mutant = *listed.get(row.mutant.as_str())?;
            Some((row, mutant))
        })
        .unzip();
    let passed = bench.original_passes(&mutants)?;
    let found = bench.of_all(&mutants, &passed)?;
    let fails = found.iter().any(|found| found.result.is_noticed());
    let survive = found
        .iter()
        .any(|found| found.result == ScoreResult::Survived);
    let mut suspicious = found.iter().filter_map(|found| found.suspicious.as_deref());
    if let Some(first) = suspicious.next() {
        let text = format!(
            "on {} the command ended with exit status 0 and wrote lines like `{first}`, which it does not for the model: if they mean \
             failures, name them with --fail-on REGEX, or let the command end with another status",
            counted(1 + suspicious.count(), "mutant")
        );
        session.say(Level::Warning, text);
    } else if survive && !fails {
        let text = "the command noticed no mutant, so nothing shows that it can fail: it has to end with another exit status than 0 if \
                    the model is wrong, or --fail-on REGEX names the lines that say so";
        session.say(Level::Warning, text);
    }
    for (row, found) in rows.iter_mut().zip(found) {
        row.result = found.result;
        row.ended = found.ended;
        if found.result.is_noticed() {
            row.killed_by.push(COMMAND.to_owned());
        }
    }
    Ok(())
}
