//! Score reports as text for people.

use std::fmt::Write;

use hyperkill_audit::documents::{
    ScoreReport, ScoreResult, ScoredMutant, StrengthWord, VerdictWord,
};
use hyperkill_frontend::counted;

use super::mutants::place_and_change;
use super::{Align, Style, Table};

/// Number of mutants of each kind, at most, that are listed.
const LISTED: usize = 50;

/// Returns a score report as text: the score, its parts, and the surviving mutants. `dir` is the folder of the run.
#[must_use]
pub fn scored(report: &ScoreReport, dir: &str, style: Style) -> String {
    let mut text = headline(report, style);
    text.push('\n');
    let survivors = Survivors::of(report);
    let _ = write!(text, "{}", parts(report, &survivors, style));
    let of = |result: ScoreResult| -> Vec<&ScoredMutant> {
        let mutants = report.mutants.iter();
        mutants.filter(|mutant| mutant.result == result).collect()
    };
    for (title, result) in [
        ("survived", ScoreResult::Survived),
        ("no end", ScoreResult::NotEnded),
        ("time-out", ScoreResult::TimeOut),
        ("open", ScoreResult::Open),
    ] {
        push_mutants(&mut text, title, &of(result), style);
    }
    if survivors.killable > 0 {
        let _ = writeln!(
            text,
            "\n  the tests that kill survivors are in {dir}/tests; `hyperkill export` writes them as benches"
        );
    }
    text
}

/// Returns a line with what was scored (a command, a suite or properties), and the score.
fn headline(report: &ScoreReport, style: Style) -> String {
    let counts = report.counts;
    let whose = match (&report.of.command, &report.of.suite) {
        (Some(words), _) => format!("`{}`", quoted(words)),
        (None, None) => "the properties of the model".to_owned(),
        (None, Some(file)) => format!("the suite {file}"),
    };
    let all = report.mutants.len();
    match report.score {
        None => format!("{whose}: no mutant can be killed\n"),
        Some(score) => {
            let percent = match score.low == score.high {
                true => format!("{:.1} %", score.low),
                false => format!("{:.1} to {:.1} %", score.low, score.high),
            };
            let headline = format!(
                "{whose} kills {} of {}: {percent}",
                counts.killed + counts.not_ended,
                counted(all, "mutant")
            );
            format!("{}\n", style.bold(&headline))
        }
    }
}

/// Numbers of surviving mutants by kind.
struct Survivors {
    /// Survivors that a test of the run kills.
    killable: usize,
    /// Survivors that refuse an input and that no test kills.
    refusing: usize,
}

impl Survivors {
    fn of(report: &ScoreReport) -> Survivors {
        let mutants = report.mutants.iter();
        let all = mutants.filter(|mutant| mutant.result == ScoreResult::Survived);
        let refuses =
            |m: &&ScoredMutant| m.verdict == VerdictWord::RefusesInput && m.would_kill.is_none();
        Survivors {
            killable: all.clone().filter(|m| m.would_kill.is_some()).count(),
            refusing: all.filter(refuses).count(),
        }
    }
}

/// Returns a table of the numbers of mutants by result, with the meaning of each result.
fn parts(report: &ScoreReport, survivors: &Survivors, style: Style) -> Table {
    let mut table = Table::new([Align::Left, Align::Right, Align::Left]).indented(2);
    let counts = report.counts;
    let possibly = possibly_killed(report);
    let rows = [
        (style.green("killed"), counts.killed - possibly, ""),
        (
            style.green("killed, possibly"),
            possibly,
            "they may also answer as the model does: repeat the tests",
        ),
        (
            style.green("killed, no end"),
            counts.not_ended,
            "the command did not end on them in time",
        ),
        (
            style.red("survived"),
            survivors.killable,
            "though a test of the run kills them",
        ),
        (
            style.yellow("survived, refusing"),
            survivors.refusing,
            "no test kills them: they refuse an input that the model accepts",
        ),
        (
            style.yellow("survived, without a test"),
            counts.survived - counts.survived_undecided - survivors.killable - survivors.refusing,
            "the run has no test that kills them as it was asked to",
        ),
        (
            style.yellow("survived, undecided"),
            counts.survived_undecided,
            "the run has not found out whether any test kills them",
        ),
        (
            style.yellow("time-out"),
            counts.time_out,
            "stopped by --timeout: neither killed nor survived",
        ),
        (style.yellow("open"), counts.open, "not looked at"),
        (
            "equivalent".to_owned(),
            counts.equivalent,
            "proved: no test kills them, left out",
        ),
        (
            "duplicate".to_owned(),
            counts.duplicate,
            "the same circuit as another mutant, left out",
        ),
        (
            "invalid".to_owned(),
            counts.invalid,
            "not a model at all, left out",
        ),
    ];
    for (word, count, meaning) in rows {
        if count > 0 {
            table.row([word, count.to_string(), style.dim(meaning)]);
        }
    }
    table
}

/// Returns the number of killed mutants whose kill is only potential: they may also answer as the model does.
fn possibly_killed(report: &ScoreReport) -> usize {
    let killed = report.mutants.iter().filter(|mutant| {
        let possibly = mutant.strength == Some(StrengthWord::Potential);
        possibly && mutant.result == ScoreResult::Killed
    });
    match report.of.suite {
        Some(_) => killed.count(),
        None => 0,
    }
}

/// Returns words in one line, in single quotes if they have blanks.
fn quoted(words: &[String]) -> String {
    let words = words.iter().map(|word| match word.contains(' ') {
        true => format!("'{word}'"),
        false => word.clone(),
    });
    words.collect::<Vec<String>>().join(" ")
}

fn push_mutants(text: &mut String, title: &str, mutants: &[&ScoredMutant], style: Style) {
    if mutants.is_empty() {
        return;
    }
    let _ = writeln!(text, "\n{}", style.yellow(title));
    let mut table = Table::new([Align::Left; 5]).indented(2);
    for mutant in mutants.iter().take(LISTED) {
        let edit = [&mutant.original, &mutant.replacement];
        let [whither, change] = place_and_change(mutant.place.as_ref(), edit, style);
        let last = match (&mutant.would_kill, mutant.verdict, &mutant.ended) {
            (Some(test), ..) => format!("{test} kills it"),
            (None, VerdictWord::Unknown, _) => "undecided".to_owned(),
            (None, VerdictWord::RefusesInput, _) => "refuses an input".to_owned(),
            (None, _, Some(ended)) => ended.clone(),
            _ => String::new(),
        };
        let operator = mutant.operator.clone().unwrap_or_default();
        table.row([style.cyan(&mutant.mutant), operator, whither, change, last]);
    }
    let _ = write!(text, "{table}");
    if mutants.len() > LISTED {
        let _ = writeln!(text, "  … and {} more", mutants.len() - LISTED);
    }
}
