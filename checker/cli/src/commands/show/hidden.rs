//! What the two runs of a kill chose where nobody sees it: read from the journal, in terms of the run's model.

use std::path::Path;

use hyperkill_core::SelectorId;
use hyperkill_core::product::Variant;
use hyperkill_core::relevance::Relevance;
use hyperkill_core::trace::{Stimulus, Trace, replay};
use hyperkill_core::values::{free_values, inputs_of};

use crate::certificates::read_run;
use crate::documents::{Choices, Hidden, MutantTable, Valuation};
use crate::exit_code::ExitCode;
use crate::failure::Failure;
use crate::load::{self, Loaded, Recorded};
use crate::run_folder;
use crate::session::Session;
use hyperkill_report::text::{Align, Style, Table, valuation};

/// How the names of choices begin among inputs.
const CHOICE: &str = "nd:";

/// One of the two runs of a kill.
pub(super) struct Side {
    pub(super) run: Stimulus,
    pub(super) trace: Trace,
}

/// The runs of a kill, with the run's model.
pub(super) struct Kill {
    pub(super) loaded: Box<Loaded>,
    pub(super) mutant: SelectorId,
    /// That of the model, and that of the mutant.
    pub(super) sides: [Side; 2],
}

impl Kill {
    /// The model and the mutant.
    pub(super) fn variants(&self) -> [Variant; 2] {
        [Variant::Original, Variant::Mutant(self.mutant)]
    }

    /// Reads it.
    ///
    /// # Errors
    /// If the mutant has no kill, or its model is no circuit or cannot be read. `option` is what wants it.
    pub(super) fn of(
        session: &mut Session<'_>,
        dir: &Path,
        table: &MutantTable,
        id: &str,
        option: &str,
    ) -> Result<Kill, Failure> {
        let entries = run_folder::journal::read(dir)?.entries;
        let entry = entries.into_iter().find(|entry| entry.result.mutant == id);
        let Some(runs) = entry.and_then(|entry| entry.runs) else {
            let message =
                format!("{option}: no runs are kept of {id}, since no test is known to kill it");
            return Err(Failure::usage(message));
        };
        let recorded = Recorded::of(&table.model, table.reading.as_ref(), dir, &[])?;
        recorded.is_unchanged()?;
        let operators = &recorded.operators;
        let loaded = load::circuit_from(session, &recorded.spec, recorded.origin(), operators)?;
        let model = &loaded.model;
        let Some(mutant) = model.selector_of_mutant(id) else {
            let error = anyhow::anyhow!("the model has no mutant {id}");
            return Err(Failure::message(ExitCode::Evidence, error));
        };
        let side = |variant, initial: &str, steps: &[String]| -> Result<Side, Failure> {
            let run = read_run(model, initial, steps)
                .map_err(|error| Failure::message(ExitCode::Evidence, error.into()))?;
            let trace = replay(model, variant, &run)
                .map_err(|error| Failure::message(ExitCode::Evidence, error.into()))?;
            Ok(Side { run, trace })
        };
        let sides = [
            side(Variant::Original, &runs.model_initial, &runs.model_steps)?,
            side(
                Variant::Mutant(mutant),
                &runs.mutant_initial,
                &runs.mutant_steps,
            )?,
        ];
        Ok(Kill {
            mutant,
            sides,
            loaded: Box::new(loaded),
        })
    }

    /// What was chosen.
    pub(super) fn hidden(&self) -> Hidden {
        let [model, mutant] = &self.sides;
        Hidden {
            model: self.choices(&model.run),
            mutant: self.choices(&mutant.run),
        }
    }

    /// What is chosen in a run that can matter to the model or the mutant.
    fn choices(&self, run: &Stimulus) -> Choices {
        let model = &self.loaded.model;
        let relevance = Relevance::to(model, &self.variants());
        let chosen = run.steps.iter().map(|bits| {
            let values = inputs_of(model, bits, Some(&relevance)).into_iter();
            let values = values.filter_map(|(name, value)| {
                let name = name.strip_prefix(CHOICE)?.to_owned();
                Some((name, value))
            });
            Valuation(values.collect())
        });
        Choices {
            initial: Valuation(free_values(model, run, &relevance)),
            steps: chosen.collect(),
        }
    }
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
