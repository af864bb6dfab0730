//! What the two runs of a kill chose where nobody sees it: read from the journal, in terms of the run's model.

use std::path::Path;

use hyperkill_core::product::Variant;
use hyperkill_core::relevance::Relevance;
use hyperkill_core::values::{free_values, inputs_of};
use hyperkill_core::{ConditionalMutant, SelectorId};

use crate::certificates::read_run;
use crate::documents::{Choices, Hidden, MutantTable, Valuation};
use crate::exit_code::ExitCode;
use crate::failure::Failure;
use crate::languages;
use crate::load::{self, Model, Recorded};
use crate::report::text::{Align, Style, Table, valuation};
use crate::run_folder;
use crate::session::Session;

/// How the names of choices begin among inputs.
const CHOICE: &str = "nd:";

/// What was chosen.
///
/// # Errors
/// If the mutant has no kill, or its model is no circuit or cannot be read.
pub(super) fn of(
    session: &mut Session<'_>,
    dir: &Path,
    table: &MutantTable,
    id: &str,
) -> Result<Hidden, Failure> {
    let entries = run_folder::journal::read(dir)?.entries;
    let entry = entries.into_iter().find(|entry| entry.result.mutant == id);
    let Some(runs) = entry.and_then(|entry| entry.runs) else {
        let message =
            format!("--hidden: no runs are kept of {id}, since no test is known to kill it");
        return Err(Failure::usage(message));
    };
    let recorded = Recorded::of(&table.model, table.reading.as_ref(), dir, &[])?;
    recorded.is_unchanged()?;
    let operators = &recorded.operators;
    let loaded = match load::model_from(session, &recorded.args, recorded.origin(), operators)? {
        Model::Circuit(loaded) => loaded,
        Model::Own(own) => {
            return Err(languages::no_circuit(&own.listing.description.language));
        }
    };
    let model = &loaded.model;
    let Some(mutant) = model.selector_of_mutant(id) else {
        let error = anyhow::anyhow!("the model has no mutant {id}");
        return Err(Failure::message(ExitCode::Evidence, error));
    };
    Ok(Hidden {
        model: choices(model, mutant, &runs.model_initial, &runs.model_steps)?,
        mutant: choices(model, mutant, &runs.mutant_initial, &runs.mutant_steps)?,
    })
}

/// What is chosen in a run that can matter to the model or the mutant.
fn choices(
    model: &ConditionalMutant,
    mutant: SelectorId,
    initial: &str,
    steps: &[String],
) -> Result<Choices, Failure> {
    let run = read_run(model, initial, steps)
        .map_err(|error| Failure::message(ExitCode::Evidence, error.into()))?;
    let relevance = Relevance::to(model, &[Variant::Original, Variant::Mutant(mutant)]);
    let chosen = run.steps.iter().map(|bits| {
        let values = inputs_of(model, bits, Some(&relevance)).into_iter();
        let values = values.filter_map(|(name, value)| {
            let name = name.strip_prefix(CHOICE)?.to_owned();
            Some((name, value))
        });
        Valuation(values.collect())
    });
    Ok(Choices {
        initial: Valuation(free_values(model, &run, &relevance)),
        steps: chosen.collect(),
    })
}

/// The same for people.
pub(super) fn text(hidden: &Hidden, style: Style) -> String {
    let sides = [("model", &hidden.model), ("mutant", &hidden.mutant)];
    let is_nothing = |choices: &Choices| {
        choices.initial.is_empty() && choices.steps.iter().all(Valuation::is_empty)
    };
    let mut text = format!("\n{}\n", style.bold("chosen, where nobody sees it"));
    if sides.iter().all(|(_, choices)| is_nothing(choices)) {
        text.push_str("nothing: the runs follow from the inputs\n");
        return text;
    }
    let mut table = Table::new([
        Align::Right,
        Align::Left,
        Align::Left,
        Align::Left,
        Align::Left,
    ]);
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
