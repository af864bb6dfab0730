//! Tests that the language of a model proposes, as stimuli of its circuit.

use std::sync::Arc;

use hyperkill_checker::rounds::{Options, Plan};
use hyperkill_checker::testgen::running::pattern;
use hyperkill_core::ConditionalMutant;
use hyperkill_core::trace::Stimulus;
use hyperkill_frontend::{Inputs, Stimuli};

use crate::languages;
use crate::model::Loaded;

/// What the language proposes for the mutants of a run, if tests are tried on them and not all are decided.
pub(crate) fn proposed(loaded: &Loaded, options: &Options, plan: &Plan) -> Option<Stimuli> {
    let is_known = |mutant| options.earlier.contains_key(mutant);
    let are_tried = options.engines.simulation && plan.mutants.pairs_are_kills;
    if !are_tried || options.mutants.iter().all(is_known) {
        return None;
    }
    let frontend = languages::by_name(&loaded.listing.description.language).ok()?;
    let stimuli = frontend.stimuli(&loaded.listing.sources, loaded.options.as_ref()?);
    stimuli.ok().flatten()
}

/// The tests of a run, with those that the language proposes behind them.
pub(crate) fn with_proposed(loaded: &Loaded, options: &Options, plan: &Plan) -> Arc<Vec<Stimulus>> {
    let Some(stimuli) = proposed(loaded, options, plan) else {
        return Arc::clone(&options.tests);
    };
    let runs = stimuli.runs.iter();
    let new = runs.filter_map(|run| stimulus(run, &loaded.model));
    Arc::new(options.tests.iter().cloned().chain(new).collect())
}

/// A run as bits; `None` if inputs have other names or types, by the roles that a user has given them.
fn stimulus(run: &[Inputs], model: &ConditionalMutant) -> Option<Stimulus> {
    let steps = run.iter().map(|step| {
        let bits = pattern(&model.inputs, model.aig.inputs().len(), step).ok()?;
        Some(bits.into_iter().map(|bit| bit == Some(true)).collect())
    });
    Some(Stimulus {
        initial: vec![false; model.aig.latches().len()],
        steps: steps.collect::<Option<_>>()?,
    })
}
