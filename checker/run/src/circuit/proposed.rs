//! Tests that the language of a model proposes, as stimuli of its circuit.

use std::collections::BTreeSet;

use hyperkill_audit::model::Loaded;
use hyperkill_checker::rounds::{Options, Plan, Proposed};
use hyperkill_checker::testgen::running::pattern;
use hyperkill_core::SelectorId;
use hyperkill_core::conditional::Port;
use hyperkill_core::first_values::FirstValues;
use hyperkill_core::mutant::MutantId;
use hyperkill_core::trace::Stimulus;
use hyperkill_frontend::{Frontend, FrontendOptions, Inputs, SourceFile, Stimuli};

/// Finds the built-in front end of a language by its name.
pub type Languages = fn(&str) -> Option<Box<dyn Frontend>>;

/// The arguments of a call for proposed tests.
pub(super) struct Proposing {
    languages: Languages,
    language: String,
    sources: Vec<SourceFile>,
    options: FrontendOptions,
    /// All mutants of the run, including decided ones. So a resumed run gets the same proposals.
    mutants: BTreeSet<MutantId>,
    /// The inputs of the circuit. `bits` and `latches` count its input bits and latches.
    inputs: Vec<Port>,
    bits: usize,
    latches: usize,
}

impl Proposing {
    /// Returns the arguments for the mutants of a run.
    ///
    /// Returns `None` if simulation is off, pairs of runs are no kills, all mutants are decided, or the model has no front-end options.
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

    /// Returns the tests that the language's front end derives from the sources for the mutants of the run. `None` if it derives none,
    /// reports errors, or is unknown.
    pub(super) fn stimuli(&self) -> Option<Stimuli> {
        let frontend = (self.languages)(&self.language)?;
        let wanted = |id: &MutantId| self.mutants.contains(id);
        let stimuli = frontend.stimuli(&self.sources, &self.options, &wanted);
        stimuli.ok().flatten()
    }

    /// Returns a function that computes the proposed tests as stimuli of the circuit. The checker calls it, because the checker does not
    /// know languages.
    ///
    /// The function returns no test if the front end derives none or fails. It omits tests that do not fit the inputs of the circuit.
    pub(super) fn proposed(self) -> Proposed {
        Proposed::new(move || {
            let runs = self.stimuli().map_or_else(Vec::new, |stimuli| stimuli.runs);
            runs.iter().filter_map(|run| self.stimulus(run)).collect()
        })
    }

    /// Returns a proposed run as input bits; bits that it leaves open are 0. `None` if the run does not fit the inputs, because roles given
    /// by the user have changed their names or types.
    fn stimulus(&self, run: &[Inputs]) -> Option<Stimulus> {
        let steps = run.iter().map(|step| {
            let bits = pattern(&self.inputs, self.bits, step).ok()?;
            Some(bits.into_iter().map(|bit| bit == Some(true)).collect())
        });
        Some(Stimulus {
            initial: FirstValues::zeros(self.latches),
            steps: steps.collect::<Option<_>>()?,
        })
    }
}
