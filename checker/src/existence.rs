//! Existence of runs of the model and of initial states of mutants. Constraints may contradict each other, and every mutant of a model
//! without runs would be equivalent.

mod first_steps;

use std::borrow::Cow;
use std::rc::Rc;

use hyperkill_core::aig::{Cone, Reset, Signal};
use hyperkill_core::budget::{Budget, Stop};
use hyperkill_core::paths::CARRIED;
use hyperkill_core::product::Variant;
use hyperkill_core::trace::Stimulus;
use hyperkill_core::{ConditionalMutant, Lit, SelectorId};
use hyperkill_evidence::validity::Beginning;
use hyperkill_sat::Answer;
use hyperkill_sat_cadical::Cadical;

use crate::engines::encode::Encoder;
use crate::schedule::engine_efforts::FIRST_STEPS_TRIED;
use first_steps::{FirstStep, Readers};

/// Returns a first step of the original under all constraints; `None` if the original has no run.
///
/// Whether a second step exists depends on the inputs; mutants are compared on that.
///
/// # Errors
/// If the budget ends before the answer is known.
pub fn first_step(model: &ConditionalMutant, budget: &Budget) -> Result<Option<Stimulus>, Stop> {
    let mut search = FirstSteps::new(model);
    search.of(Variant::Original, budget)
}

/// Returns first steps for the mutants (selector indices, ascending) that have an initial state, and the mutants that have none. An initial
/// state satisfies the constraints on states, for some values of inputs and choices. It need not have a next step.
///
/// `original` is a first step of the original and of most mutants; it is the first step returned.
///
/// # Errors
/// If the budget ends before all answers are known.
pub fn beginnings(
    model: &ConditionalMutant,
    mutants: &[SelectorId],
    original: Stimulus,
    budget: &Budget,
) -> Result<(Vec<Beginning>, Vec<SelectorId>), Stop> {
    let is_carried = |constraint: &Signal| constraint.name.as_deref() == Some(CARRIED);
    let mut states = Cow::Borrowed(model);
    if model.aig.constraints.iter().any(is_carried) {
        let constraints = &mut states.to_mut().aig.constraints;
        constraints.retain(|constraint| !is_carried(constraint));
    }
    let readers = Rc::new(Readers::new(&states.aig));
    let mut search = FirstSteps::new(&states);
    let mut tried = vec![FirstStep::new(&states, &original, &readers)];
    let mut found = vec![Beginning {
        run: original,
        original: true,
        mutants: Vec::new(),
    }];
    let mut without = Vec::new();
    for &mutant in mutants {
        let variant = Variant::Mutant(mutant);
        if !search.reads(mutant) {
            found[0].mutants.push(mutant);
            continue;
        }
        let selector = search.selector(mutant).var();
        if let Some(number) = tried.iter_mut().position(|step| step.is_one_with(selector)) {
            found[number].mutants.push(mutant);
            continue;
        }
        match search.of(variant, budget)? {
            None => without.push(mutant),
            Some(run) => {
                if tried.len() < FIRST_STEPS_TRIED {
                    tried.push(FirstStep::new(&states, &run, &readers));
                }
                found.push(Beginning {
                    run,
                    original: false,
                    mutants: vec![mutant],
                });
            }
        }
    }
    Ok((found, without))
}

/// A search for first steps of the variants of a circuit, by a solver.
struct FirstSteps<'a> {
    model: &'a ConditionalMutant,
    /// The cone of nodes that constraints read.
    cone: Cone,
    /// The circuit in the solver; `None` before the first call.
    encoder: Option<Encoder<Cadical>>,
}

impl<'a> FirstSteps<'a> {
    fn new(model: &'a ConditionalMutant) -> FirstSteps<'a> {
        let constraints = model.aig.constraints.iter();
        let cone = Cone::combinational(&model.aig, constraints.map(|constraint| constraint.lit));
        FirstSteps {
            model,
            cone,
            encoder: None,
        }
    }

    /// Returns the literal of a mutant's selector.
    fn selector(&self, mutant: SelectorId) -> Lit {
        let latch = self.model.selectors[mutant.0].latch;
        self.model.aig.latches()[latch].var.lit()
    }

    /// Whether a constraint reads the selector of a mutant.
    fn reads(&self, mutant: SelectorId) -> bool {
        self.cone.contains(self.selector(mutant).var())
    }

    /// Returns a solver with the constraints of the circuit in the first step and the first values of its latches.
    fn encoded(model: &ConditionalMutant) -> Encoder<Cadical> {
        let aig = &model.aig;
        let mut encoder = Encoder::new(Cadical::new());
        let of_latch = model.selector_of_latch();
        for (latch, selector) in aig.latches().iter().zip(&of_latch) {
            if let (Some(value), None) = (latch.reset.as_constant(), selector) {
                encoder.require(aig, &[latch.var.lit() ^ !value]);
            }
        }
        for constraint in &aig.constraints {
            encoder.require(aig, &[constraint.lit]);
        }
        encoder
    }

    fn of(&mut self, variant: Variant, budget: &Budget) -> Result<Option<Stimulus>, Stop> {
        let (model, aig) = (self.model, &self.model.aig);
        // A selector that no constraint reads can have any value.
        let read: Vec<SelectorId> = (model.selector_ids())
            .filter(|mutant| self.reads(*mutant))
            .collect();
        let read: Vec<Lit> = (read.into_iter())
            .map(|mutant| self.selector(mutant) ^ (variant != Variant::Mutant(mutant)))
            .collect();
        let encoder = (self.encoder).get_or_insert_with(|| FirstSteps::encoded(model));
        let assumed: Vec<_> = read.iter().map(|lit| encoder.lit(aig, *lit)).collect();
        match encoder.solve(&assumed, None, budget) {
            Answer::Undecided(stop) => return Err(stop),
            Answer::Impossible => return Ok(None),
            Answer::Possible => {}
        }
        let mut value = |lit: Lit| encoder.knows(lit.var()) && encoder.gate_value(lit);
        let of_latch = model.selector_of_latch();
        let latches = aig.latches().iter().zip(of_latch);
        let initial = latches.map(|(latch, selector)| match (selector, latch.reset) {
            (None, Reset::Free) => value(latch.var.lit()),
            (None, reset) => reset == Reset::One,
            (Some(_), _) => false,
        });
        let initial = initial.collect();
        let inputs = aig.inputs().iter();
        Ok(Some(Stimulus {
            initial,
            steps: vec![inputs.map(|input| value(input.var.lit())).collect()],
        }))
    }
}
