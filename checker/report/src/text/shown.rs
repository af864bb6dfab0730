//! One mutant of a run in full, as text for people.

use hyperkill_audit::documents::{
    Choices, DefiniteWord, Hidden, MutantDescription, MutantResult, Refusal, StatusWord, Test,
    Valuation,
};
use hyperkill_core::events::{Calls, EventPort, Side};
use hyperkill_frontend::counted;

use super::mutants::colored_diff;
use super::{Align, Style, Table, place, results, test_table, valuation};

/// Returns all information about a mutant as text. Without a result, it is shown as invalid or not decided. `events` are the model's
/// events, which are shown in place of their ports.
#[must_use]
pub fn mutant(
    mutant: &MutantDescription,
    result: Option<&MutantResult>,
    events: &[EventPort],
    style: Style,
) -> String {
    let mut text = heading(mutant, style);
    match &mutant.diff {
        Some(diff) => text.push_str(&format!("\n{}", colored_diff(diff, style))),
        None => {
            let one = mutant.original.as_ref().zip(mutant.replacement.as_ref());
            let several = mutant.changes.iter();
            let several: Vec<_> = several
                .map(|change| (&change.original, &change.replacement))
                .collect();
            let changes = match several.is_empty() {
                true => one.into_iter().collect(),
                false => several,
            };
            for (old, new) in changes {
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
        // Proofs of a language's own procedure have no common numbers.
        let text = match results::proof(proof).as_str() {
            "" => format!("{kind} of {of}, checked again independently"),
            numbers => format!("{kind} of {of}, {numbers}, checked again independently"),
        };
        row("proof", text);
    }
    let accepts = match (result.input_enabled, &result.property) {
        (Some(true), _) => "the same as the model",
        (Some(false), _) => "not the same as the model",
        // A language with its own procedure decides acceptance as part of its question.
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

/// Returns the inputs, of which model or mutant refuses the last one, as a table with the outputs before it.
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

/// Returns for a mutant with a weaker kill the knowledge about definite kills: excluded, or unsettled up to some length.
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

/// Returns a table of the hidden choices of the two runs of a kill, a row for each step.
#[must_use]
pub fn hidden(hidden: &Hidden, style: Style) -> String {
    let sides = [("model", &hidden.model), ("mutant", &hidden.mutant)];
    let is_nothing = |choices: &Choices| {
        choices.initial.is_empty() && choices.steps.iter().all(Valuation::is_empty)
    };
    let mut text = format!("\n{}\n", style.bold("chosen, where nobody sees it"));
    if sides.iter().all(|(_, choices)| is_nothing(choices)) {
        text.push_str("nothing: the runs follow from the inputs\n");
        return text;
    }
    let left = [Align::Left; 4];
    let mut table = Table::new([Align::Right].into_iter().chain(left));
    let bar = || "│".to_owned();
    table.row([
        style.bold("step"),
        bar(),
        style.bold("model"),
        bar(),
        style.bold("mutant"),
    ]);
    if sides.iter().any(|(_, choices)| !choices.initial.is_empty()) {
        let [first, second] = sides.map(|(_, choices)| valuation::assignments(&choices.initial));
        table.row(["first".to_owned(), bar(), first, bar(), second]);
    }
    let pairs = hidden.model.steps.iter().zip(&hidden.mutant.steps);
    for (number, (model, mutant)) in pairs.enumerate() {
        table.row([
            number.to_string(),
            bar(),
            valuation::assignments(model),
            bar(),
            valuation::assignments(mutant),
        ]);
    }
    text.push_str(&table.to_string());
    text
}
