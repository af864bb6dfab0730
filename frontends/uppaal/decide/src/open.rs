//! Decides whether a test in an open environment kills a mutant that no test of the other processes kills.

use hyperkill_core::budget::Budget;
use hyperkill_core::mutant::Mutant;
use hyperkill_frontend::{FrontendOptions, ProcessOptions, apply};
use hyperkill_timed::refine::{Ending, Found, Side, refine};
use hyperkill_timed::replay::{Trace, kills};
use hyperkill_uppaal::read_automaton;
use hyperkill_uppaal::rules::Preset;
use serde_json::{Value as Document, json};

use crate::side::{model_side, strength};
use crate::steps;

/// The process under test alone, for tests in an open environment.
pub(crate) struct Open {
    model: Side,
    options: FrontendOptions,
    preset: Preset,
}

impl Open {
    pub(crate) fn new(text: &str, options: &FrontendOptions, preset: Preset) -> Option<Open> {
        let options = FrontendOptions {
            processes: ProcessOptions {
                environment: None,
                ..options.processes.clone()
            },
            ..options.clone()
        };
        let automaton = read_automaton(text, &options).ok()?;
        let model = model_side(automaton, preset).ok()?;
        Some(Open {
            model,
            options,
            preset,
        })
    }

    /// Returns a test that kills a mutant when inputs may come at any time, as a document (certificates.md). `None` if none is found, or
    /// the mutant is no consistent model.
    pub(crate) fn kill(&self, text: &str, mutant: &Mutant, budget: &Budget) -> Option<Document> {
        let text = apply(text, mutant).ok()?;
        let automaton = read_automaton(&text, &self.options).ok()?;
        let rules = self.preset.rules();
        let pruned = Side::new(automaton.clone(), rules.is_pruned, budget).ok()?;
        if !pruned.is_consistent() {
            return None;
        }
        let Found::Fails(trace) = refine(&pruned, &self.model, rules, None, budget) else {
            return None;
        };
        let free = Side::new(automaton, false, budget).ok()?;
        let kills = kills(&self.model, &pruned, &free, &trace, rules)?;
        let mut written = document(&trace)?;
        written["strength"] = json!(strength(kills).to_string());
        Some(written)
    }
}

fn document(trace: &Trace) -> Option<Document> {
    let events = trace.events.iter().map(|event| {
        let at = steps::time(event.at)?.to_string();
        Some(json!([at, event.action.name, event.action.is_input]))
    });
    let (kind, name) = match &trace.ending {
        Ending::Refused(name) => ("refused", Some(name)),
        Ending::Accepted(name) => ("accepted", Some(name)),
        Ending::Output(name) => ("output", Some(name)),
        Ending::Silence => ("silence", None),
    };
    Some(json!({
        "events": events.collect::<Option<Vec<Document>>>()?,
        "at": steps::time(trace.at)?.to_string(),
        "fails": kind,
        "by": name,
    }))
}
