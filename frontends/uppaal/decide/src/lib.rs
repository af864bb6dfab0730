//! Decides mutants of Uppaal models: a timed test with the fewest steps, or a proof that there is none.
//!
//! The comparison is exact in dense time (semantics.md §8). What it says is checked by a package that shares only the syntax with it.

mod relation;
mod steps;

use std::collections::BTreeMap;

use hyperkill_core::budget::{Budget, Stop};
use hyperkill_core::mutant::{Mutant, MutantId};
use hyperkill_core::suite::Step;
use hyperkill_core::timed::Rules;
use hyperkill_core::verdict::{Kill, Reason, Strength, Stronger, Verdict};
use hyperkill_frontend::decision::{Contents, Decider, Decision, OwnKill, OwnVerdict};
use hyperkill_frontend::{Diagnostic, FrontendOptions, SourceFile, apply};
use hyperkill_timed::refine::{Found, Side, refine};
use hyperkill_timed::replay::{Kills, Trace, kills};
use hyperkill_uppaal::rules::Preset;
use hyperkill_uppaal::{INCONSISTENT, read_automaton};

/// The decision procedure of Uppaal models.
#[derive(Clone, Copy, Default, Debug)]
pub struct UppaalDecision;

impl Decision for UppaalDecision {
    fn read(
        &self,
        sources: &[SourceFile],
        options: &FrontendOptions,
    ) -> Result<Box<dyn Decider>, Vec<Diagnostic>> {
        let model = hyperkill_uppaal::read(sources, options)?;
        let mut contents = model.contents();
        let rules = model.preset.rules();
        let stopped = |_| vec![Diagnostic::unlocated("reading the model was stopped")];
        let budget = Budget::unlimited();
        let side = Side::new(model.automaton, rules.is_pruned, &budget).map_err(stopped)?;
        if side.ambiguity().is_some() {
            return Err(vec![Diagnostic::unlocated(hyperkill_uppaal::AMBIGUOUS)]);
        }
        if !side.is_consistent() {
            return Err(vec![Diagnostic::unlocated(hyperkill_uppaal::NO_GOOD_START)]);
        }
        contents.deterministic = None;
        let mutants = contents.catalogue.iter().map(|(mutant, _)| mutant);
        Ok(Box::new(UppaalDecider {
            mutants: mutants.map(|m| (m.id.clone(), m.clone())).collect(),
            text: sources
                .first()
                .map_or(String::new(), |source| source.text.clone()),
            options: options.clone(),
            preset: model.preset,
            contents,
            model: side,
        }))
    }
}

/// A process whose mutants can be decided.
struct UppaalDecider {
    contents: Contents,
    model: Side,
    text: String,
    options: FrontendOptions,
    preset: Preset,
    mutants: BTreeMap<MutantId, Mutant>,
}

/// A mutant, as far as it is pruned, and with all that its invariants allow.
struct Read {
    pruned: Side,
    free: Side,
}

impl UppaalDecider {
    fn rules(&self) -> Rules {
        self.preset.rules()
    }

    /// The mutant that its text says; the reason if it says none.
    fn mutant(&self, id: &MutantId, budget: &Budget) -> Result<Result<Read, String>, Stop> {
        let mutant = self.mutants.get(id).ok_or(Stop::Engines)?;
        let text = apply(&self.text, mutant).map_err(|_| Stop::Engines)?;
        let automaton = match read_automaton(&text, &self.options) {
            Ok(automaton) => automaton,
            Err(errors) => return Ok(Err(hyperkill_uppaal::no_model(&errors))),
        };
        let pruned = Side::new(automaton.clone(), self.rules().is_pruned, budget)?;
        if !pruned.is_consistent() {
            return Ok(Err(INCONSISTENT.to_owned()));
        }
        let free = Side::new(automaton, false, budget)?;
        Ok(Ok(Read { pruned, free }))
    }

    fn kill(&self, mutant: &Read, trace: &Trace) -> Option<OwnKill> {
        let kills = kills(
            &self.model,
            &mutant.pruned,
            &mutant.free,
            trace,
            self.rules(),
        )?;
        let (model_run, mutant_run) = steps::runs(trace)?;
        Some(Kill {
            strength: strength(kills),
            model_run,
            mutant_run,
            shortest: true,
            sole_run: false,
            stronger: Stronger::NotAsked,
            tree: None,
        })
    }
}

fn strength(kills: Kills) -> Strength {
    match kills {
        Kills::Surely => Strength::Definite,
        Kills::Maybe => Strength::Potential,
    }
}

impl Decider for UppaalDecider {
    fn contents(&self) -> &Contents {
        &self.contents
    }

    fn decide(&self, mutant: &MutantId, bound: Option<usize>, budget: &Budget) -> OwnVerdict {
        let unknown = |known_to: usize, reason: Reason| Verdict::Unknown { known_to, reason };
        let read = match self.mutant(mutant, budget) {
            Ok(Ok(read)) => read,
            Ok(Err(reason)) => return Verdict::Invalid(reason),
            Err(stop) => return unknown(0, stop.into()),
        };
        match refine(&read.pruned, &self.model, self.rules(), bound, budget) {
            Found::Fails(trace) => match self.kill(&read, &trace) {
                Some(kill) => Verdict::Killed(Box::new(kill)),
                // Its times are too large to say.
                None => unknown(trace.events.len(), Reason::Bound),
            },
            Found::Refines(related) => {
                let (own, other) = (&read.pruned.automaton, &self.model.automaton);
                Verdict::Equivalent(relation::document(own, other, &related))
            }
            // No test shows it, and it is no refinement either.
            Found::Alphabets => unknown(0, Reason::Precondition),
            Found::Open(known_to, stop) => unknown(known_to, stop.into()),
        }
    }

    fn kills(&self, test: &[Step], mutant: &MutantId) -> Option<Strength> {
        let budget = Budget::unlimited();
        let read = self.mutant(mutant, &budget).ok()?.ok()?;
        let traces = steps::traces(test, &read.pruned.automaton)?;
        let killed = traces
            .iter()
            .filter_map(|trace| kills(&self.model, &read.pruned, &read.free, trace, self.rules()));
        killed.map(strength).max()
    }
}
