//! `hyperkill show`: one mutant of a run in full.

use std::fs;

use serde::Serialize;

use super::status::{journal, mutants};
use crate::args::{Format, ShowArgs};
use crate::documents::{
    self, DefiniteWord, MutantDescription, MutantResult, Refusal, Run, StatusWord, Test,
};
use crate::exit_code::ExitCode;
use crate::failure::Failure;
use crate::report::text::diagnostics::place;
use crate::report::text::mutants::colored_diff;
use crate::report::text::{Align, Style, Table, results, test_table, valuation};
use crate::run_folder::{self, file_name, read_document};
use crate::selection::resolve;
use crate::session::Session;

/// `show --format json`.
#[derive(Serialize)]
struct Shown {
    schema: &'static str,
    mutant: MutantDescription,
    result: Option<MutantResult>,
}

/// Carries it out.
pub(super) fn show(session: &mut Session<'_>, args: &ShowArgs) -> Result<ExitCode, Failure> {
    let table = mutants(&args.dir)?;
    let ids: Vec<&str> = table.mutants.iter().map(|m| m.id.as_str()).collect();
    let mut mutant = table.mutants[resolve(&args.mutant, &ids)?].clone();
    let outcomes = args.dir.join(run_folder::OUTCOMES);
    let decided = if outcomes.is_file() {
        read_document::<Run>(&outcomes)?.results
    } else {
        // The run goes on, or was killed.
        journal(&args.dir)?
    };
    let result = decided.into_iter().find(|r| r.mutant == mutant.id);
    let diff = args
        .dir
        .join(run_folder::DIFFS)
        .join(file_name(&mutant.id, "diff"));
    mutant.diff = fs::read_to_string(diff).ok();
    match session.format {
        Format::Json => {
            let text = documents::to_text(&Shown {
                schema: "hyperkill.show/1",
                mutant,
                result,
            })?;
            session.print(text)?;
        }
        Format::Human => {
            let text = page(&mutant, result.as_ref(), session.style);
            session.print(text)?;
        }
    }
    Ok(ExitCode::Success)
}

/// Everything about a mutant.
fn page(mutant: &MutantDescription, result: Option<&MutantResult>, style: Style) -> String {
    let mut text = heading(mutant, style);
    match &mutant.diff {
        Some(diff) => text.push_str(&format!("\n{}", colored_diff(diff, style))),
        None => {
            if let (Some(old), Some(new)) = (&mutant.original, &mutant.replacement) {
                let diff = format!("-{old}\n+{new}\n");
                text.push_str(&format!("\n{}", colored_diff(&diff, style)));
            }
        }
    }
    text.push('\n');
    match result {
        Some(result) => push_result(&mut text, result, style),
        None if mutant.status == StatusWord::Invalid => {
            let reason = mutant.reason.as_deref().unwrap_or_default();
            text.push_str(&format!("invalid: {reason}\n"));
        }
        None => text.push_str("not decided\n"),
    }
    text
}

fn heading(mutant: &MutantDescription, style: Style) -> String {
    let mut text = style.bold(&mutant.id);
    if let Some(operator) = &mutant.operator {
        text.push_str(&format!("  {operator}"));
    }
    if let Some(p) = &mutant.place {
        text.push_str(&format!("  {}", place(&p.file, p.line, p.column)));
    }
    if let Some(path) = &mutant.path {
        text.push_str(&format!("  {}", style.dim(path)));
    }
    text.push('\n');
    text
}

fn push_result(text: &mut String, result: &MutantResult, style: Style) {
    let mut table = Table::new([Align::Left, Align::Left]);
    let mut row = |what: &str, value: String| {
        if !value.is_empty() {
            table.row([style.bold(what), value]);
        }
    };
    let basis = results::basis(result);
    let separator = if basis.is_empty() { "" } else { ": " };
    row(
        "verdict",
        format!("{}{separator}{basis}", results::verdict(result, style)),
    );
    row("question", result.property.clone().unwrap_or_default());
    row("found by", result.engine.clone().unwrap_or_default());
    if let Some(word) = result.definite {
        row("definite", definite(word, result));
    }
    if let Some(proof) = &result.evidence {
        let (kind, of) = (&proof.kind, &proof.of);
        // Proofs of a language's own have no numbers that are the same for all.
        let text = match results::proof(proof).as_str() {
            "" => format!("{kind} of {of}, checked again independently"),
            numbers => format!("{kind} of {of}, {numbers}, checked again independently"),
        };
        row("proof", text);
    }
    let accepts = match (result.input_enabled, &result.property) {
        (Some(true), _) => "the same as the model",
        (Some(false), _) => "not the same as the model",
        // Of a language that decides its mutants itself, what is accepted is part of its question.
        (None, Some(property)) if property.starts_with("phi") => "not settled",
        (None, _) => "",
    };
    row("accepts", accepts.to_owned());
    for note in &result.notes {
        row("note", note.clone());
    }
    text.push_str(&table.to_string());
    if let Some(refusal) = &result.refusal {
        text.push_str(&refused(refusal));
    }
    let potential = result.potential.as_ref().and_then(|p| p.test.as_ref());
    let tests = [
        ("test", result.test.as_ref()),
        ("test that kills potentially", potential),
    ];
    for (heading, test) in tests {
        if let Some(test) = test {
            text.push_str(&headed_test(heading, test, style));
        }
    }
}

/// Inputs the last of which one side refuses.
fn refused(refusal: &Refusal) -> String {
    let mut table = Table::new([Align::Right, Align::Left, Align::Left, Align::Left]);
    for (number, inputs) in refusal.inputs.iter().enumerate() {
        let outputs = refusal.outputs.get(number);
        table.row([
            number.to_string(),
            valuation::assignments(inputs),
            "│".to_owned(),
            outputs.map_or_else(String::new, valuation::assignments),
        ]);
    }
    format!(
        "\nthe {} refuses the last of these inputs:\n{table}",
        refusal.by
    )
}

fn headed_test(heading: &str, test: &Test, style: Style) -> String {
    let kind = match test.kind.as_str() {
        "linear" => String::new(),
        kind => format!(", {kind}"),
    };
    let heading = style.bold(&format!("{heading}{kind}"));
    let machine = test.machine.as_ref();
    let table = test_table::test(&test.initial, &test.steps, machine, style);
    format!("\n{heading}\n{table}")
}

/// What is known of definite kills where the kill given is weaker.
fn definite(word: DefiniteWord, result: &MutantResult) -> String {
    match (word, result.definite_known_to) {
        (DefiniteWord::Excluded, _) => "proved: no test kills definitely".to_owned(),
        (DefiniteWord::Unsettled, Some(steps)) => format!(
            "unsettled ({}); no test of up to {} does",
            result.definite_reason.as_deref().unwrap_or("?"),
            results::plural(steps, "step")
        ),
        (DefiniteWord::Unsettled, None) => "unsettled".to_owned(),
    }
}
