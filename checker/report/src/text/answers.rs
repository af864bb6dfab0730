//! Answers to questions about a model itself, as text for people.

use hyperkill_audit::documents::{
    CompleteWord, CompletenessReport, Evidence, FormulaResult, FormulaStep, FormulaTrace,
    QueryReport, SafetyResult, TruthWord, Valuation, build,
};
use hyperkill_frontend::counted;

use super::results::proof;
use super::{Align, Style, Table, test_table};

/// Returns the answers on properties of a model as a table, followed by the counterexamples.
#[must_use]
pub fn properties(results: &[SafetyResult], style: Style) -> String {
    let mut text = table(results, style).to_string();
    for result in results {
        for trace in &result.traces {
            let title = style.bold(&result.property);
            let table = steps(trace, style);
            text.push_str(&format!("\n{title}, the run that breaks it\n{table}"));
        }
    }
    text
}

fn table(results: &[SafetyResult], style: Style) -> Table {
    let mut table = Table::new([Align::Left; 5]);
    for result in results {
        let word = result.verdict.word();
        let (word, basis) = match result.verdict {
            TruthWord::Holds => (
                style.green(word),
                result.clauses.map_or_else(String::new, |clauses| {
                    format!("invariant of {}", counted(clauses, "clause"))
                }),
            ),
            TruthWord::Fails => (
                style.red(word),
                format!("run of {}", counted(result.steps.unwrap_or(0), "step")),
            ),
            TruthWord::Unknown => {
                let mut why = result.reason.clone().unwrap_or_default();
                if let Some(known) = result.known_to {
                    why.push_str(&format!(", no run of up to {}", counted(known, "step")));
                }
                (style.yellow(word), why)
            }
        };
        let seconds = result.seconds.map(|seconds| format!("{seconds:.3} s"));
        table.row([
            style.cyan(&result.property),
            word,
            basis,
            result.name.clone().unwrap_or_default(),
            seconds.or(result.evidence.clone()).unwrap_or_default(),
        ]);
    }
    table
}

/// Returns the answers on a formula as text; a single answer includes its traces. `timed`: the answers include times. `infinite`: traces
/// continue after their last step.
#[must_use]
pub fn formula(results: &[FormulaResult], timed: bool, infinite: bool, style: Style) -> String {
    let mut text = String::new();
    for result in results {
        text.push_str(&heading(result, timed, style));
        // Many answers are a list without traces; `--mutant` or JSON gives traces.
        if let [_] = results {
            for trace in &result.traces {
                text.push('\n');
                text.push_str(&shown(trace, infinite, style));
            }
        }
    }
    text
}

/// Returns the answer on a formula in one line: the verdict, its evidence or the reason why there is none, and with `timed` the time.
fn heading(result: &FormulaResult, timed: bool, style: Style) -> String {
    let mut parts = Vec::new();
    let word = result.verdict.word();
    parts.push(match result.verdict {
        TruthWord::Holds => style.green(word),
        TruthWord::Fails => style.red(word),
        TruthWord::Unknown => style.yellow(word),
    });
    if let Some(steps) = result.steps {
        parts.push(format!("shown by traces within {}", counted(steps, "step")));
    }
    if let Some(evidence) = &result.evidence {
        parts.push(match (evidence.kind.as_str(), evidence.k) {
            (build::END, Some(steps)) => {
                format!("proved: no traces have {}", counted(steps, "step"))
            }
            ("no-lasso" | "k-liveness", _) => fair_proof(evidence),
            (build::INCLUDED, _) => inclusion(evidence),
            _ => format!("proved: {}", proof(evidence)),
        });
    }
    if result.reason.as_deref() == Some("strategy") {
        parts.push("the strategy loses: these traces decide nothing else".to_owned());
    } else if let (Some(reason), Some(known_to)) = (&result.reason, result.known_to) {
        let known = counted(known_to, "step");
        parts.push(format!("{reason}, no traces of up to {known} decide it"));
    }
    if let Some(seconds) = result.seconds.filter(|_| timed) {
        parts.push(format!("{seconds:.3} s"));
    }
    let mutant = result.mutant.as_ref();
    let mutant = mutant.map_or_else(String::new, |id| format!("{}  ", style.cyan(id)));
    format!("{mutant}{}\n", parts.join("  "))
}

/// Describes a proof about infinite traces in a few words: its method, and the size of its invariant.
fn fair_proof(evidence: &Evidence) -> String {
    let way = match evidence.k {
        Some(k) => format!("k-liveness, k = {k}"),
        None => "no lasso".to_owned(),
    };
    let clauses = counted(evidence.clauses.unwrap_or(0), "clause");
    match evidence.positions {
        Some(responses) => {
            let responses = counted(responses, "response");
            format!("proved: {way}, {responses}, {clauses}")
        }
        None => format!("proved: {way}, {clauses}"),
    }
}

/// Describes a proof by a closed set (an inclusion of automata) in a few words.
fn inclusion(evidence: &Evidence) -> String {
    let sets = counted(evidence.positions.unwrap_or(0), "set");
    match evidence.clauses {
        Some(rounds) => format!("proved: inclusion, {sets}, {}", counted(rounds, "round")),
        None => format!("proved: inclusion, {sets}"),
    }
}

fn shown(trace: &FormulaTrace, infinite: bool, style: Style) -> String {
    let mut text = format!("{} ({})", style.bold(&trace.trace), trace.of);
    for (name, value) in &trace.initial.0 {
        text.push_str(&format!(" {name}={value}"));
    }
    text.push('\n');
    if trace.steps.is_empty() {
        return text;
    }
    text.push_str(&steps(trace, style).to_string());
    if trace.loop_from.is_none() && infinite {
        text.push_str("  … and on in any way, with the same inputs for all traces\n");
    }
    text
}

/// Returns a table of the inputs, choices and outputs of a trace, a row for each step.
fn steps(trace: &FormulaTrace, style: Style) -> Table {
    let Some(first) = trace.steps.first() else {
        return Table::new([]);
    };
    let groups = |step: &FormulaStep| {
        let choices = step.choices.0.iter();
        let choices = choices.map(|(name, value)| (format!("nd:{name}"), value.clone()));
        [
            step.inputs.0.clone(),
            choices.collect(),
            step.outputs.0.clone(),
        ]
    };
    let columns: usize = groups(first).iter().map(Vec::len).sum();
    let left = std::iter::repeat_n(Align::Left, columns + 3);
    let mut table = Table::new(std::iter::once(Align::Right).chain(left)).indented(2);
    let mut names = vec![style.bold("step")];
    for (number, group) in groups(first).into_iter().enumerate() {
        if number == 2 {
            names.push("│".to_owned());
        }
        names.extend(group.iter().map(|(name, _)| style.bold(name)));
    }
    table.row(names);
    for (number, step) in trace.steps.iter().enumerate() {
        let mut row = vec![number.to_string()];
        for (position, group) in groups(step).into_iter().enumerate() {
            if position == 2 {
                row.push("│".to_owned());
            }
            row.extend(group.iter().map(|(_, value)| value.to_string()));
        }
        if trace.loop_from == Some(number) {
            row.push(style.dim("◄ the loop begins"));
        }
        table.row(row);
    }
    table
}

/// Returns the answer whether a suite is complete for a domain of faults, as text. `mutants` is the rounded number of mutants of the
/// domain.
#[must_use]
pub fn completeness(report: &CompletenessReport, mutants: &str, style: Style) -> String {
    let title = format!(
        "{}: {}, {mutants} mutants with any of these faults",
        report.model.name,
        counted(report.tests, "test")
    );
    let title = style.bold(&title);
    let domain = &report.domain;
    let said = match domain.complete {
        CompleteWord::Proved => style.green("proved"),
        CompleteWord::Refuted => style.red("a mutant passes all of them"),
        CompleteWord::Unknown => {
            let reason = domain.reason.as_deref().unwrap_or("engines");
            style.yellow(&format!("unknown ({reason})"))
        }
    };
    let mut text = format!("{title}\n\n  {}  {said}\n", style.bold("complete"));
    if let Some(survivor) = &report.survivor {
        text.push('\n');
        for choice in &survivor.choices {
            text.push_str(&format!("  {choice}\n"));
        }
        let initial = Valuation::default();
        let needed = test_table::test(&initial, &survivor.test, None, &[], style);
        text.push_str(&format!("\n{}\n{needed}", style.bold("the test it needs")));
    }
    text
}

/// Returns the answers to the queries of a model of processes as text, each with the test that refutes it.
#[must_use]
pub fn queries(report: &QueryReport, style: Style) -> String {
    let mut text = String::new();
    for result in &report.results {
        let said = match result.truth {
            TruthWord::Holds => style.green("holds"),
            TruthWord::Fails => style.red("fails"),
            TruthWord::Unknown => style.yellow("unknown"),
        };
        let reason = result.reason.iter().map(|reason| format!(": {reason}"));
        let reason: String = reason.collect();
        text.push_str(&format!("{}  {said}{reason}\n", style.bold(&result.query)));
        if let Some(test) = &result.test {
            let table = test_table::test(&Valuation::default(), test, None, &[], style);
            text.push_str("\nthe right side is the model here, and the left side the mutant\n");
            text.push_str(&format!("{table}\n"));
        }
    }
    text
}
