//! Scores for people, and the kill matrix.

use std::fmt::Write;
use std::path::Path;

use hyperkill_frontend::counted;

use crate::args::ScoreArgs;
use crate::documents::{ScoreReport, ScoreResult, ScoredMutant, StrengthWord, VerdictWord};
use crate::run_folder::DEFAULT;
use hyperkill_report::text::mutants::change;
use hyperkill_report::text::place;
use hyperkill_report::text::{Align, Style, Table};

/// Mutants that are listed of one kind.
const LISTED: usize = 50;

/// What to do without anything to score. Projects of mcy say how they look at a mutant.
pub(super) fn proposal(args: &ScoreArgs) -> String {
    let example =
        "give a command behind --, such as -- sh bench.sh {mutant}, or tests with --suite";
    let Ok(text) = std::fs::read_to_string("config.mcy") else {
        return example.to_owned();
    };
    let runs = commands_of_mcy(&text);
    if runs.is_empty() {
        return example.to_owned();
    }
    let dir = match args.of == Path::new(DEFAULT) {
        true => String::new(),
        false => format!(" {}", args.of.display()),
    };
    let runs = runs
        .iter()
        .map(|run| format!("\n    hyperkill score{dir} -- {run} {{mutant}}"));
    format!(
        "{example}; config.mcy starts what follows, where create_mutated.sh makes the file that {{mutant}} is here, and output.txt \
         says what the exit status says here:{}",
        runs.collect::<String>()
    )
}

/// The `run` lines of the `[test …]` sections of a project of mcy.
fn commands_of_mcy(text: &str) -> Vec<String> {
    let mut in_test = false;
    let mut runs = Vec::new();
    for line in text.lines().map(str::trim) {
        if let Some(section) = line.strip_prefix('[') {
            in_test = section.starts_with("test ");
        } else if let (true, Some(run)) = (in_test, line.strip_prefix("run ")) {
            let run = run.trim().replace("$PRJDIR/", "").replace("${PRJDIR}/", "");
            runs.push(run);
        }
    }
    runs
}

/// The kill matrix: a row for each mutant.
pub(super) fn matrix(report: &ScoreReport) -> String {
    let mut text = String::from("mutant,operator,file,line,column,verdict,result");
    for test in &report.tests {
        let _ = write!(text, ",{}", cell(test));
    }
    text.push('\n');
    for mutant in &report.mutants {
        let (file, line, column) = match &mutant.place {
            Some(place) => (
                place.file.clone(),
                place.line.to_string(),
                place.column.to_string(),
            ),
            None => Default::default(),
        };
        let cells = [
            cell(&mutant.mutant),
            cell(mutant.operator.as_deref().unwrap_or_default()),
            cell(&file),
            line,
            column,
            word(&mutant.verdict),
            word(&mutant.result),
        ];
        text.push_str(&cells.join(","));
        for test in &report.tests {
            // What was not looked at is neither.
            text.push_str(match (mutant.killed_by.contains(test), mutant.result) {
                (true, _) => ",1",
                (false, ScoreResult::Killed | ScoreResult::NotEnded | ScoreResult::Survived) => {
                    ",0"
                }
                (false, _) => ",",
            });
        }
        text.push('\n');
    }
    text
}

/// As documents have it.
fn word(value: &impl serde::Serialize) -> String {
    match serde_json::to_value(value) {
        Ok(serde_json::Value::String(text)) => text,
        _ => String::new(),
    }
}

/// A cell of CSV.
fn cell(text: &str) -> String {
    match text.contains([',', '"', '\n', '\r']) {
        true => format!("\"{}\"", text.replace('"', "\"\"")),
        false => text.to_owned(),
    }
}

/// For people.
pub(super) fn text(report: &ScoreReport, dir: &Path, style: Style) -> String {
    let counts = report.counts;
    let whose = match (&report.of.command, &report.of.suite) {
        (Some(words), _) => format!("`{}`", quoted(words)),
        (None, None) => "what the model states itself".to_owned(),
        (None, Some(file)) => format!("the suite {file}"),
    };
    let all = report.mutants.len();
    let mut text = match report.score {
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
    };
    text.push('\n');
    let mut table = Table::new([Align::Left, Align::Right, Align::Left]).indented(2);
    let survivors = report.mutants.iter();
    let survivors = survivors.filter(|mutant| mutant.result == ScoreResult::Survived);
    let killable = survivors.clone().filter(|m| m.would_kill.is_some()).count();
    let refuses =
        |m: &&ScoredMutant| m.verdict == VerdictWord::RefusesInput && m.would_kill.is_none();
    let refusing = survivors.filter(refuses).count();
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
            killable,
            "though a test of the run kills them",
        ),
        (
            style.yellow("survived, refusing"),
            refusing,
            "no test kills them: they refuse an input that the model accepts",
        ),
        (
            style.yellow("survived, without a test"),
            counts.survived - counts.survived_undecided - killable - refusing,
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
    let _ = write!(text, "{table}");
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
    if killable > 0 {
        let dir = dir.display();
        let _ = writeln!(
            text,
            "\n  the tests that kill survivors are in {dir}/tests; `hyperkill export` writes them as benches"
        );
    }
    text
}

/// How many of the mutants that tests kill may also choose to answer as the model does.
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

/// Words as a shell takes them, for people.
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
        let whither = mutant
            .place
            .as_ref()
            .map_or_else(String::new, |p| place(&p.file, p.line, p.column));
        let change = match (&mutant.original, &mutant.replacement) {
            (Some(original), Some(replacement)) => change(original, replacement, style),
            _ => String::new(),
        };
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_commands_of_a_project_of_mcy_are_those_of_its_tests() {
        let text = "[options]\nsize 10\n[script]\nread_verilog a.v\n[test test_sim]\nmaxbatchsize 10\nexpect PASS FAIL\n\
            run bash $PRJDIR/test_sim.sh\n[logic]\nrun nothing\n[test test_eq]\nrun bash $PRJDIR/test_eq.sh\n";
        assert_eq!(
            commands_of_mcy(text),
            ["bash test_sim.sh", "bash test_eq.sh"]
        );
    }

    #[test]
    fn cells_of_the_matrix_keep_to_themselves() {
        assert_eq!(cell("a,\"b\""), "\"a,\"\"b\"\"\"");
    }
}
