//! Does the model have a run at all, does a mutant have an initial state? Constraints may contradict each other; every mutant of a
//! model without runs would be equivalent.

mod first_steps;

use hyperkill_core::aig::Reset;
use hyperkill_core::budget::{Budget, Stop};
use hyperkill_core::paths::CARRIED;
use hyperkill_core::product::Variant;
use hyperkill_core::trace::Stimulus;
use hyperkill_core::{Aig, ConditionalMutant, Lit, SelectorId};
use hyperkill_evidence::validity::Beginning;
use hyperkill_sat::Answer;
use hyperkill_sat_cadical::Cadical;

use crate::engines::encode::Encoder;
use first_steps::FirstStep;

/// So many first steps of others are tried before a solver is asked.
const TRIED: usize = 8;

/// A first step of the original, with all constraints; `None` if it has no run.
///
/// Whether more steps follow depends on the inputs, which is what mutants are compared on.
///
/// # Errors
/// If the budget ended before that was known.
pub fn first_step(model: &ConditionalMutant, budget: &Budget) -> Result<Option<Stimulus>, Stop> {
    let mut search = FirstSteps::new(model);
    search.of(model, Variant::Original, budget)
}

/// Of these mutants (selector indices, ascending) first steps of those that have an initial state, and those that have none. An initial
/// state is one that constraints on states allow, for some values of inputs and choices; one that no step leaves is one.
///
/// `original` is a first step of the original, from which most mutants begin too; it comes first.
///
/// # Errors
/// If the budget ended before all was known.
pub fn beginnings(
    model: &ConditionalMutant,
    mutants: &[SelectorId],
    original: Stimulus,
    budget: &Budget,
) -> Result<(Vec<Beginning>, Vec<SelectorId>), Stop> {
    let mut states = model.clone();
    let constraints = &mut states.aig.constraints;
    constraints.retain(|constraint| constraint.name.as_deref() != Some(CARRIED));
    let mut search = FirstSteps::new(&states);
    let mut tried = vec![FirstStep::new(&states, &original)];
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
        let selector = search.selectors[mutant.0].var();
        if let Some(number) = tried.iter_mut().position(|step| step.is_one_with(selector)) {
            found[number].mutants.push(mutant);
            continue;
        }
        match search.of(&states, variant, budget)? {
            None => without.push(mutant),
            Some(run) => {
                if tried.len() < TRIED {
                    tried.push(FirstStep::new(&states, &run));
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

/// First steps of a circuit in a solver.
struct FirstSteps {
    aig: Aig,
    /// The literal of each selector, in the order of the model.
    selectors: Vec<Lit>,
    encoder: Encoder<Cadical>,
}

impl FirstSteps {
    fn new(model: &ConditionalMutant) -> FirstSteps {
        let aig = model.aig.clone();
        let mut encoder = Encoder::new(Cadical::new());
        let of_latch = model.selector_of_latch();
        for (latch, selector) in aig.latches().iter().zip(&of_latch) {
            if let (Some(value), None) = (latch.reset.as_constant(), selector) {
                encoder.require(&aig, &[latch.var.lit() ^ !value]);
            }
        }
        for constraint in &aig.constraints {
            encoder.require(&aig, &[constraint.lit]);
        }
        let selectors = (model.selectors.iter())
            .map(|selector| aig.latches()[selector.latch].var.lit())
            .collect();
        FirstSteps {
            aig,
            selectors,
            encoder,
        }
    }

    /// Whether a constraint reads the selector of a mutant.
    fn reads(&self, mutant: SelectorId) -> bool {
        self.encoder.knows(self.selectors[mutant.0].var())
    }

    fn of(
        &mut self,
        model: &ConditionalMutant,
        variant: Variant,
        budget: &Budget,
    ) -> Result<Option<Stimulus>, Stop> {
        let mut assumed = Vec::new();
        for (index, &selector) in self.selectors.iter().enumerate() {
            // One that no constraint reads can have any value.
            if self.encoder.knows(selector.var()) {
                let off = variant != Variant::Mutant(SelectorId(index));
                assumed.push(self.encoder.lit(&self.aig, selector ^ off));
            }
        }
        match self.encoder.solve(&assumed, None, budget) {
            Answer::Undecided(stop) => return Err(stop),
            Answer::Impossible => return Ok(None),
            Answer::Possible => {}
        }
        let mut value = |lit: Lit| self.encoder.knows(lit.var()) && self.encoder.gate_value(lit);
        let of_latch = model.selector_of_latch();
        let latches = model.aig.latches().iter().zip(of_latch);
        let initial = latches.map(|(latch, selector)| match (selector, latch.reset) {
            (None, Reset::Free) => value(latch.var.lit()),
            (None, reset) => reset == Reset::One,
            (Some(_), _) => false,
        });
        let initial = initial.collect();
        let inputs = model.aig.inputs().iter();
        Ok(Some(Stimulus {
            initial,
            steps: vec![inputs.map(|input| value(input.var.lit())).collect()],
        }))
    }
}
