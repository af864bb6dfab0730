//! Tests that the language of a model proposes, as stimuli of its circuit.

use std::collections::BTreeSet;

use hyperkill_audit::model::Loaded;
use hyperkill_checker::rounds::{Options, Plan, Proposed};
use hyperkill_checker::testgen::running::pattern;
use hyperkill_core::SelectorId;
use hyperkill_core::conditional::Port;
use hyperkill_core::mutant::MutantId;
use hyperkill_core::trace::Stimulus;
use hyperkill_frontend::{Frontend, FrontendOptions, Inputs, SourceFile, Stimuli};

/// The front end of a language by its name, if it is built in.
pub type Languages = fn(&str) -> Option<Box<dyn Frontend>>;

/// The question to the language.
pub(super) struct Proposing {
    languages: Languages,
    language: String,
    sources: Vec<SourceFile>,
    options: FrontendOptions,
    /// All mutants of the run, also those that are decided: a run that goes on is given what it was given at first.
    mutants: BTreeSet<MutantId>,
    /// The inputs of the circuit, and how many bits and latches it has.
    inputs: Vec<Port>,
    bits: usize,
    latches: usize,
}

impl Proposing {
    /// The question for the mutants of a run, if tests are tried on them and not all are decided.
    pub(super) fn of(
        loaded: &Loaded,
        languages: Languages,
        options: &Options,
        plan: &Plan,
    ) -> Option<Proposing> {
        let is_known = |mutant: &SelectorId| options.earlier.contains_key(mutant);
        let are_tried = options.engines.simulation && plan.mutants.pairs_are_kills;
        if !are_tried || options.mutants.iter().all(is_known) {
            return None;
        }
        let model = &loaded.model;
        let mutants = options.mutants.iter();
        Some(Proposing {
            languages,
            language: loaded.listing.description.language.clone(),
            sources: loaded.listing.sources.clone(),
            options: loaded.options.clone()?,
            mutants: mutants
                .map(|mutant| model.selectors[mutant.0].id.clone())
                .collect(),
            inputs: model.inputs.clone(),
            bits: model.aig.inputs().len(),
            latches: model.aig.latches().len(),
        })
    }

    /// The proposals of the language, if it has some.
    pub(super) fn stimuli(&self) -> Option<Stimuli> {
        let frontend = (self.languages)(&self.language)?;
        let wanted = |id: &MutantId| self.mutants.contains(id);
        let stimuli = frontend.stimuli(&self.sources, &self.options, &wanted);
        stimuli.ok().flatten()
    }

    /// The same for the checker, which knows of no language.
    pub(super) fn proposed(self) -> Proposed {
        Proposed::new(move || {
            let runs = self.stimuli().map_or_else(Vec::new, |stimuli| stimuli.runs);
            runs.iter().filter_map(|run| self.stimulus(run)).collect()
        })
    }

    /// A run as bits; `None` if inputs have other names or types, by the roles that a user has given them.
    fn stimulus(&self, run: &[Inputs]) -> Option<Stimulus> {
        let steps = run.iter().map(|step| {
            let bits = pattern(&self.inputs, self.bits, step).ok()?;
            Some(bits.into_iter().map(|bit| bit == Some(true)).collect())
        });
        Some(Stimulus {
            initial: vec![false; self.latches],
            steps: steps.collect::<Option<_>>()?,
        })
    }
}
