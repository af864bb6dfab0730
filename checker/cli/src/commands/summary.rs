//! The summary that `run` and `check` print at the end.

use std::collections::BTreeSet;
use std::path::Path;

use hyperkill_checker::determinism::Determinism;
use hyperkill_frontend::counted;
use hyperkill_run::decided::Decided;

use crate::args::DecisionArgs;
use crate::decision::{fails_the_gate, gated};
use crate::documents::{MadeWord, StatusWord, SuiteTest, VerdictWord, build};
use crate::failure::Failure;
use crate::languages;
use crate::model::Listing;
use crate::run_folder;
use crate::session::{Level, Session};
use hyperkill_report::text::{Align, Table, by_operator, summary};
use hyperkill_run::baseline::Baseline;

/// Prints the table of verdicts, the score and the suite.
pub(super) fn print_summary(
    session: &mut Session<'_>,
    listing: &Listing,
    decided: &Decided,
) -> Result<(), Failure> {
    let style = session.style;
    let title = format!(
        "{}: {}, {} model, question {}",
        listing.description.name,
        counted(decided.results.len(), "mutant"),
        decided.original,
        decided.property
    );
    session.print(format!("{}\n\n", style.bold(&title)))?;
    session.print(summary::summary(&decided.summary, &decided.results, style))?;
    let steps = decided.tests.iter().map(|(test, _)| test.steps.len()).sum();
    session.print(format!(
        "  {}           {}, {} in all\n",
        style.bold("suite"),
        counted(decided.tests.len(), "test"),
        counted(steps, "step")
    ))?;
    let tests = decided.tests.iter();
    let without_times = tests.clone().filter(|(_, run)| run.is_some());
    let without_times: Vec<&SuiteTest> = without_times.map(|(test, _)| test).collect();
    let is_deterministic = decided.original == build::determinism(Determinism::Deterministic);
    if let Some(meaning) = summary::meaning(&without_times, is_deterministic) {
        session.print(format!("  {}         {meaning}\n", style.bold("meaning")))?;
    }
    if decided.summary.refuses_input > 0 && accepts_what_it_does(listing) {
        let text = "with --complete, tests show the refused inputs";
        session.print(format!("  {}         {text}\n", style.bold("refused")))?;
    }
    if let Some(of) = &decided.domain {
        let tests: Vec<&SuiteTest> = tests.map(|(test, _)| test).collect();
        session.print(summary::domain(&of.document, &of.rounded, &tests, style))?;
    }
    if let Some(rows) = decided.by_operator() {
        session.print(format!("\n{}", by_operator::table(&rows)))?;
    }
    session.print(summary::open_questions(&decided.results, style))?;
    if decided.interrupted {
        let text = "interrupted: mutants without a decision are unknown";
        session.print(format!("\n{}\n", style.yellow(text)))?;
    }
    Ok(())
}

/// Whether models in the language of `listing` offer events, so that `--complete` would make refusals visible.
fn accepts_what_it_does(listing: &Listing) -> bool {
    let frontend = languages::by_name(&listing.description.language);
    frontend.is_ok_and(|frontend| frontend.is_about_events())
}

/// Prints the ten mutants with the longest times, longest first.
pub(super) fn print_times(session: &mut Session<'_>, decided: &Decided) -> Result<(), Failure> {
    let mut times: Vec<_> = decided.results.iter().zip(&decided.times).collect();
    times.sort_by_key(|(_, took)| std::cmp::Reverse(**took));
    let mut table = Table::new([Align::Left, Align::Right]).indented(2);
    for (result, took) in times.into_iter().take(10) {
        table.row([
            result.mutant.clone(),
            format!("{:.3} s", took.as_secs_f64()),
        ]);
    }
    session.print(format!("\nlongest\n{table}"))?;
    Ok(())
}

/// Prints the paths of the results, and the next steps.
pub(super) fn print_place(
    session: &mut Session<'_>,
    out: &Path,
    listing: &Listing,
    decided: &Decided,
) -> Result<(), Failure> {
    let style = session.style;
    let mut table = Table::new([Align::Left, Align::Left]).indented(2);
    let mut files = vec![
        (run_folder::SUITE, "the tests"),
        (run_folder::OUTCOMES, "every verdict with its evidence"),
        (
            run_folder::REPORT,
            "the mutants in the source, in a browser",
        ),
    ];
    if out.join(run_folder::ARCHIVE).is_file() {
        files.push((
            run_folder::ARCHIVE,
            "tests and evidence, a line for each file",
        ));
    } else if !listing.sources.is_empty() {
        files.push((run_folder::DIFFS, "the mutants as source differences"));
    }
    for (name, what) in files {
        table.row([out.join(name).display().to_string(), style.dim(what)]);
    }
    session.print(format!("\n{table}"))?;
    let worth_a_look = [
        VerdictWord::Unknown,
        VerdictWord::RefusesInput,
        VerdictWord::NotDefinitelyKillable,
        VerdictWord::Killed,
        VerdictWord::Equivalent,
    ];
    let example = worth_a_look.iter().find_map(|word| {
        let mut results = decided.results.iter();
        results.find(|result| result.verdict == *word)
    });
    let folder = if out == Path::new(run_folder::DEFAULT) {
        String::new()
    } else {
        format!(" {}", out.display())
    };
    let command = match example {
        _ if decided.interrupted => Some(format!("hyperkill resume{folder}")),
        Some(example) => Some(format!("hyperkill show {}{folder}", example.mutant)),
        None => None,
    };
    if let Some(command) = command {
        session.print(format!("  next: {}\n", style.cyan(&command)))?;
    }
    Ok(())
}

/// Warns if the score is under the gate `--fail-under`, and says how many mutants the gate does not count.
pub(super) fn say_gate(
    session: &mut Session<'_>,
    listing: &Listing,
    decided: &Decided,
    args: &DecisionArgs,
) {
    say_accepted(session, listing, decided, args);
    if let (true, Some(gate)) = (fails_the_gate(decided, args), &args.fail_under) {
        let gate = gate.0;
        let why = match gated(decided, args).gated_score(args.controllable_nd) {
            Some(score) => format!("the mutation score {score:.1} % is under {gate} %"),
            None => format!("no mutant is left, so there is no mutation score of {gate} %"),
        };
        session.say(Level::Warning, why);
    }
}

/// The largest number of stale baseline entries that a message names.
const MOST_NAMED: usize = 20;

/// Prints the number of accepted mutants, and the stale entries of the baseline: those that match no open result.
fn say_accepted(
    session: &mut Session<'_>,
    listing: &Listing,
    decided: &Decided,
    args: &DecisionArgs,
) {
    if args.accept_mutant.is_empty() {
        return;
    }
    let baseline = Baseline::of(&args.accept_mutant);
    let (taken, others) = baseline.used(&decided.results);
    let text = format!(
        "{} accepted by --accept-file",
        counted(taken, "open mutant")
    );
    session.say(Level::Note, text);
    // An entry outside of the selection may still be needed.
    let there: BTreeSet<&str> = listing.catalogue.iter().map(|e| e.id.0.as_str()).collect();
    let is_part = listing.made(MadeWord::Taken).is_some();
    let looked_at: BTreeSet<&str> = decided.results.iter().map(|r| r.mutant.as_str()).collect();
    let idle = others.into_iter();
    let idle: Vec<&str> = idle
        .filter(|id| looked_at.contains(id) || !(is_part || there.contains(id)))
        .collect();
    if !idle.is_empty() {
        let more = match idle.len().saturating_sub(MOST_NAMED) {
            0 => String::new(),
            more => format!(" and {more} more"),
        };
        let named = idle.iter().take(MOST_NAMED).copied();
        let text = format!(
            "--accept-file: killed, proved to need no test, or gone, and need not be accepted: {}{more}",
            named.collect::<Vec<_>>().join(", ")
        );
        session.say(Level::Warning, text);
    }
}

/// Reports the number of mutants that are not models.
pub(super) fn say_invalid(session: &mut Session<'_>, decided: &Decided) {
    let mutants = decided.mutants.iter();
    let invalid = mutants.filter(|m| m.status == StatusWord::Invalid).count();
    if invalid > 0 {
        session.say(
            Level::Detail,
            format!("{} set aside as invalid", counted(invalid, "mutant")),
        );
    }
}
