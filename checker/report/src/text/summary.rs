//! Summary of a run, as text for people.

use std::collections::BTreeMap;
use std::fmt::Write;

use hyperkill_audit::counted;
use hyperkill_core::time::Time;
use hyperkill_core::verdict::Reason;

use super::{Align, Style, Table};
use hyperkill_audit::documents::{
    CompleteWord, DomainResult, Interval, MutantResult, SuiteTest, Summary, VerdictWord,
};

/// Number of undecided mutants, at most, that are listed one by one.
const LISTED: usize = 20;

/// Returns the summary of a run as text: the counts with their meaning, the undecided mutants and the score.
#[must_use]
pub fn summary(summary: &Summary, results: &[MutantResult], style: Style) -> String {
    let mut table = Table::new([Align::Left, Align::Right, Align::Left]).indented(2);
    let reasons = reasons(results);
    let unknown = (style.yellow("unknown"), summary.unknown, reasons.as_str());
    for (word, count, meaning) in decided(summary, style).into_iter().chain([unknown]) {
        if count > 0 {
            table.row([word, count.to_string(), style.dim(meaning)]);
        }
    }
    if summary.carried_over > 0 {
        let what = "decided by an earlier run: its evidence holds of this version, too";
        let count = summary.carried_over.to_string();
        table.row(["carried over".to_owned(), count, style.dim(what)]);
    }
    let mut text = table.to_string();
    text.push('\n');
    push_score(&mut text, summary, style);
    text
}

/// Returns the rows for decided mutants: label, count and meaning.
fn decided(summary: &Summary, style: Style) -> [(String, usize, &'static str); 12] {
    let kind = |word: &str| format!("  {word}");
    [
        (
            style.green("killed"),
            summary.killed(),
            "a test tells them from the model",
        ),
        (
            kind("definite"),
            summary.killed_definite,
            "the mutant cannot pass",
        ),
        (
            kind("adaptive"),
            summary.killed_adaptive,
            "the mutant cannot pass a tester who follows its outputs",
        ),
        (
            kind("potential"),
            summary.killed_potential,
            "the mutant may show it, or not",
        ),
        (
            kind("controllable"),
            summary.killed_controllable,
            "if choices are controlled as the test says",
        ),
        (
            "equivalent".to_owned(),
            summary.equivalent,
            "proved: no test exists",
        ),
        (
            kind("killed when open"),
            summary.killed_when_open,
            "other processes do not give the test that kills them",
        ),
        (
            style.red("not definitely killable"),
            summary.not_definitely_killable,
            "proved: no test kills them for certain",
        ),
        (
            kind("potential"),
            summary.not_definitely_killable_killed,
            "the mutant may show it, or not",
        ),
        (
            style.yellow("refuses input"),
            summary.refuses_input,
            "same outputs, but an input that the model accepts is refused",
        ),
        (
            "duplicate".to_owned(),
            summary.duplicate,
            "the same circuit as another mutant",
        ),
        ("invalid".to_owned(), summary.invalid, "not a model at all"),
    ]
}

/// Returns how many mutants are undecided for each reason: `bound 1, time 3`.
fn reasons(results: &[MutantResult]) -> String {
    let mut counts: BTreeMap<&str, usize> = BTreeMap::new();
    for result in undecided(results) {
        *counts
            .entry(result.reason.as_deref().unwrap_or("?"))
            .or_default() += 1;
    }
    let counts = counts
        .into_iter()
        .map(|(reason, n)| format!("{reason} {n}"));
    counts.collect::<Vec<_>>().join(", ")
}

fn undecided(results: &[MutantResult]) -> impl Iterator<Item = &MutantResult> {
    results
        .iter()
        .filter(|result| result.verdict == VerdictWord::Unknown)
}

fn push_score(text: &mut String, summary: &Summary, style: Style) {
    let label = style.bold("mutation score");
    // Writing to a string cannot fail.
    let Some(score) = summary.score else {
        let _ = writeln!(text, "  {label}  none: no mutant counts");
        return;
    };
    let counted = summary.counted();
    let certain = summary.killed_definite + summary.killed_adaptive;
    let what = if summary.killed_adaptive > 0 {
        "definite and adaptive kills"
    } else {
        "definite kills"
    };
    let mut lines = vec![(score.certain, certain, what)];
    if summary.potential() > 0 {
        let killed = certain + summary.potential();
        lines.push((score.with_potential, killed, "with potential kills"));
    }
    if summary.killed_controllable > 0 {
        let killed = certain + summary.potential() + summary.killed_controllable;
        lines.push((score.with_controllable, killed, "with controllable kills"));
    }
    if certain == 0 && lines.len() > 1 {
        lines.remove(0);
    }
    for (interval, killed, what) in lines {
        let _ = writeln!(
            text,
            "  {label}  {}  {}",
            style.bold(&percent(interval)),
            style.dim(&format!("{killed} of {counted}, {what}"))
        );
    }
}

fn percent(interval: Interval) -> String {
    if interval.low == interval.high {
        format!("{:.1} %", interval.low)
    } else {
        format!("{:.1} to {:.1} %", interval.low, interval.high)
    }
}

/// Returns the undecided mutants with their reasons as text; empty if there are none.
#[must_use]
pub fn open_questions(results: &[MutantResult], style: Style) -> String {
    let mut table = Table::new([Align::Left, Align::Left]).indented(2);
    let was_interrupted = Reason::Interrupted.to_string();
    let (mut count, mut interrupted) = (0, 0);
    for result in undecided(results) {
        // An interrupted mutant without notes gets no line of its own.
        if result.reason.as_deref() == Some(&*was_interrupted) && result.notes.is_empty() {
            interrupted += 1;
            continue;
        }
        count += 1;
        if count <= LISTED {
            let mut basis = super::results::basis(result);
            for note in &result.notes {
                let _ = write!(basis, "; {note}");
            }
            table.row([style.cyan(&result.mutant), basis]);
        }
    }
    if count + interrupted == 0 {
        return String::new();
    }
    let mut text = format!(
        "\n{}\n{table}",
        style.yellow(&format!(
            "undecided: {}",
            counted(count + interrupted, "mutant")
        ))
    );
    if count > LISTED {
        let _ = writeln!(text, "  … and {} more", count - LISTED);
    }
    if interrupted > 0 {
        let _ = writeln!(text, "  {interrupted} interrupted before they were decided");
    }
    text
}

/// Returns a sentence that says what pass and fail of a suite's tests mean for a system; `None` without tests.
#[must_use]
pub fn meaning(tests: &[&SuiteTest], is_deterministic: bool) -> Option<&'static str> {
    let some = |kind: &str| tests.iter().any(|test| test.kind == kind);
    if tests.is_empty() {
        None
    } else if tests.iter().any(|test| test.controllable) {
        Some(
            "once its choices are arranged as the tests say, a system fails if it does not answer as the model does",
        )
    } else if is_deterministic {
        Some(
            "a system fails if it does not answer as the model does; no mutant that is killed definitely passes",
        )
    } else if some("linear") {
        Some(
            "a system that conforms may fail, by other choices; no mutant that is killed definitely passes",
        )
    } else if some("local") {
        Some(
            "a system that conforms may fail, from another hidden state; no mutant that is killed definitely passes",
        )
    } else {
        Some(
            "only a system that does not conform fails; mutants killed definitely or adaptively never pass",
        )
    }
}

/// Returns the lines of the summary on a domain of faults: its size, and whether the suite is proved complete for it.
///
/// `rounded` is the number of its mutants as text. The times of the last steps of `tests` are added up as the time on the clock. A suite
/// that is refuted or undecided is reported as unknown, with the reason.
#[must_use]
pub fn domain(said: &DomainResult, rounded: &str, tests: &[&SuiteTest], style: Style) -> String {
    let complete = match (said.complete, &said.reason) {
        (CompleteWord::Proved, _) => {
            let classes = said.classes.unwrap_or_default();
            format!("proved, with {} of conforming mutants", classes_of(classes))
        }
        (CompleteWord::Unknown | CompleteWord::Refuted, reason) => {
            let reason = reason.as_deref().unwrap_or("engines");
            style.yellow(&format!("unknown ({reason})"))
        }
    };
    let last = tests.iter().map(|test| test.steps.last());
    let moments = last.filter_map(|step| step?.at);
    let mut moments = moments;
    let time = moments.try_fold(Time::ZERO, |sum, at| sum.checked_add(at));
    let time = time.map_or_else(String::new, |time| format!("  on the clock    {time}\n"));
    format!(
        "{time}  {}          {} mutants with any of these faults, {} at {}\n  {}        {complete}\n",
        style.bold("domain"),
        rounded,
        counted(
            usize::try_from(said.transitions).unwrap_or(usize::MAX),
            "other transition"
        ),
        counted(said.places, "place"),
        style.bold("complete"),
    )
}

fn classes_of(count: usize) -> String {
    match count {
        1 => "1 class".to_owned(),
        _ => format!("{count} classes"),
    }
}
