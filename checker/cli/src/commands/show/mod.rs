//! `hyperkill show`: one mutant of a run in full, or a line for each.

mod hidden;
mod list;
mod waves;

use std::path::{Path, PathBuf};

use hyperkill_core::events::{Calls, EventPort, Side};
use hyperkill_frontend::counted;

use super::status::{mutants, so_far};
use crate::args::{Format, ShowArgs};
use crate::documents::{
    self, DefiniteWord, MutantDescription, MutantResult, MutantTable, Refusal, ShownInFull,
    StatusWord, Test,
};
use crate::exit_code::ExitCode;
use crate::failure::Failure;
use crate::run_folder::archive::Stored;
use crate::run_folder::{self, file_name};
use crate::session::Session;
use hidden::Kill;
use hyperkill_report::text::mutants::colored_diff;
use hyperkill_report::text::place;
use hyperkill_report::text::{Align, Style, Table, results, test_table, valuation};
use hyperkill_run::selection::resolve;

/// Carries it out.
pub(super) fn show(session: &mut Session<'_>, args: &ShowArgs) -> Result<ExitCode, Failure> {
    let filters = !args.verdict.is_empty() || !args.operator.is_empty() || !args.file.is_empty();
    match &args.mutant {
        // A folder may stand alone.
        Some(folder) if Path::new(folder).is_dir() => {
            no_hidden(args)?;
            list::list(session, args, PathBuf::from(folder))
        }
        Some(_) if filters => Err(Failure::usage(
            "--verdict, --operator and --file choose mutants, and one is named",
        )),
        Some(mutant) => one(session, args, mutant),
        None => {
            no_hidden(args)?;
            list::list(session, args, args.dir.clone())
        }
    }
}

fn no_hidden(args: &ShowArgs) -> Result<(), Failure> {
    let about_one = [("--hidden", args.hidden), ("--vcd", args.vcd.is_some())];
    match about_one.into_iter().find(|(_, given)| *given) {
        Some((option, _)) => Err(Failure::usage(format!(
            "{option} is about one mutant: name it"
        ))),
        None => Ok(()),
    }
}

/// One mutant in full.
fn one(session: &mut Session<'_>, args: &ShowArgs, id: &str) -> Result<ExitCode, Failure> {
    let table: MutantTable = mutants(&args.dir)?;
    let ids: Vec<&str> = table.mutants.iter().map(|m| m.id.as_str()).collect();
    let mut mutant = table.mutants[resolve(id, &ids)?].clone();
    let (decided, _) = so_far(&args.dir)?;
    let result = decided.into_iter().find(|r| r.mutant == mutant.id);
    let diff = format!("{}/{}", run_folder::DIFFS, file_name(&mutant.id, "diff"));
    let diff = Stored::of(&args.dir).read(&diff).ok();
    mutant.diff = diff.and_then(|bytes| String::from_utf8(bytes).ok());
    let wanted_by = match &args.vcd {
        Some(_) => Some("--vcd"),
        None => args.hidden.then_some("--hidden"),
    };
    let kill = match wanted_by {
        Some(option) => Some(Kill::of(session, &args.dir, &table, &mutant.id, option)?),
        None => None,
    };
    if let (Some(file), Some(kill)) = (&args.vcd, &kill) {
        let bytes = waves::of(kill, args.hidden)?;
        session.io.disk.write(file, &bytes)?;
    }
    let hidden = kill.filter(|_| args.hidden).map(|kill| kill.hidden());
    let text = match session.format {
        Format::Json => documents::to_text(&ShownInFull {
            schema: ShownInFull::SCHEMA.to_owned(),
            mutant,
            result,
            hidden,
        })?,
        Format::Human => {
            let events = &table.signature.events;
            let mut text = page(&mutant, result.as_ref(), events, session.style);
            if let Some(hidden) = &hidden {
                text.push_str(&hidden::text(hidden, session.style));
            }
            text
        }
    };
    session.print(text)?;
    Ok(ExitCode::Success)
}

/// Everything about a mutant.
fn page(
    mutant: &MutantDescription,
    result: Option<&MutantResult>,
    events: &[EventPort],
    style: Style,
) -> String {
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
        Some(result) => push_result(&mut text, result, events, style),
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

fn push_result(text: &mut String, result: &MutantResult, events: &[EventPort], style: Style) {
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
    let engine = result.engine.clone().unwrap_or_default();
    row(
        "found by",
        match result.carried_over {
            true => format!("{engine}, in an earlier run"),
            false => engine,
        },
    );
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
    if let Some(strength) = result.killed_when_open {
        let text = format!("killed: {}", strength.word());
        row("in an open environment", text);
    }
    for note in &result.notes {
        row("note", note.clone());
    }
    text.push_str(&table.to_string());
    if let Some(refusal) = &result.refusal {
        text.push_str(&refused(refusal, events));
    }
    let potential = result.potential.as_ref().and_then(|p| p.test.as_ref());
    let tests = [
        ("test", result.test.as_ref()),
        ("test that kills potentially", potential),
    ];
    for (heading, test) in tests {
        if let Some(test) = test {
            text.push_str(&headed_test(heading, test, events, style));
        }
    }
}

/// Inputs the last of which one side refuses.
fn refused(refusal: &Refusal, events: &[EventPort]) -> String {
    let calls = Calls::new(events);
    let mut table = Table::new([Align::Right, Align::Left, Align::Left, Align::Left]);
    for (number, inputs) in refusal.inputs.iter().enumerate() {
        let outputs = refusal.outputs.get(number);
        table.row([
            number.to_string(),
            valuation::calls(&calls, Side::Inputs, inputs),
            "│".to_owned(),
            outputs.map_or_else(String::new, |outputs| {
                valuation::calls(&calls, Side::Outputs, outputs)
            }),
        ]);
    }
    format!(
        "\nthe {} refuses the last of these inputs:\n{table}",
        refusal.by
    )
}

fn headed_test(heading: &str, test: &Test, events: &[EventPort], style: Style) -> String {
    let kind = match test.kind.as_str() {
        "linear" => String::new(),
        kind => format!(", {kind}"),
    };
    let heading = style.bold(&format!("{heading}{kind}"));
    let machine = test.machine.as_ref();
    let table = test_table::test(&test.initial, &test.steps, machine, events, style);
    format!("\n{heading}\n{table}")
}

/// What is known of definite kills where the kill given is weaker.
fn definite(word: DefiniteWord, result: &MutantResult) -> String {
    match (word, result.definite_known_to) {
        (DefiniteWord::Excluded, _) => "proved: no test kills definitely".to_owned(),
        (DefiniteWord::Unsettled, Some(steps)) => format!(
            "unsettled ({}); no test of up to {} does",
            result.definite_reason.as_deref().unwrap_or("?"),
            counted(steps, "step")
        ),
        (DefiniteWord::Unsettled, None) => "unsettled".to_owned(),
    }
}
