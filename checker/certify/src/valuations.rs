//! Input valuations by classes: valuations of one class have the same effect in every state of two variants.
//!
//! The rest of the circuit reads the gates that depend on test inputs alone at a frontier. A solver enumerates the values of the frontier,
//! each with inputs that lead to it, until no others exist. The module shares nothing with the engines.

use std::borrow::Cow;
use std::sync::{Arc, Mutex, PoisonError};

use hyperkill_core::budget::Budget;
use hyperkill_core::product::Variant;
use hyperkill_core::{ConditionalMutant, Lit, SelectorId};
use rustc_hash::FxHashMap;

use super::meaning::{meanings, of_variant};
use super::region::{MAX_CLASSES, Region, SAVED};
use super::shown_choices::ShownChoices;
use super::steps::{Bits, StepBits, Steps, read};

/// Valuations of the test inputs that suffice for a check: at least one of each class of valuations with the same effect.
#[derive(Clone, Debug)]
pub(super) struct Valuations {
    /// Circuit inputs whose valuations are all enumerated.
    pub(super) free: Vec<usize>,
    /// Valuations of the other inputs, one value per circuit input. Every valuation has the effect of one of these with the same values of
    /// the free inputs.
    pub(super) classes: Vec<Vec<bool>>,
    /// Choices that are tried with some of their values only.
    pub(super) shown: ShownChoices,
}

/// Number of classes, at most, that are common to all mutants of a model: each mutant is then checked with all of them.
const MOST_TOGETHER: usize = 1 << 8;

/// The product of nodes and variants up to which the meaning of nodes is computed for each variant. Otherwise the selector is unknown: it
/// mixes with the comparisons of a port, so that fewer valuations are in one class.
const ONE_BY_ONE: usize = 1 << 22;

/// Classes of input valuations that are common to all mutants of a circuit, if they are few; computed once for all checks, as are the steps
/// of the original under them.
#[derive(Debug)]
pub struct InputClasses {
    valuations: Option<Valuations>,
    /// The steps of the original by input valuation, for each set of constraints and each state. Acceptance is checked on the circuit with
    /// one more constraint.
    steps: Mutex<FxHashMap<Vec<Lit>, FxHashMap<Bits, Listed>>>,
}

/// Returns for the original and for each mutant the meaning of nodes: for each node an equal literal. In a large circuit returns only the
/// meaning with all selectors unknown.
fn of_all(model: &ConditionalMutant) -> Vec<Vec<Lit>> {
    let mutants = 0..model.selectors.len();
    let mutants = mutants.map(|mutant| Variant::Mutant(SelectorId(mutant)));
    match model.aig.len().saturating_mul(mutants.len() + 1) <= ONE_BY_ONE {
        true => [Variant::Original]
            .into_iter()
            .chain(mutants)
            .map(|variant| of_variant(model, variant))
            .collect(),
        false => vec![meanings(model, |_| None)],
    }
}

/// The steps of a state, one list for each input valuation.
pub(super) type Listed = Arc<Vec<Vec<StepBits>>>;

/// The number of steps of the original that are kept for further checks.
const KEPT: usize = 1 << 18;

impl InputClasses {
    /// Returns the classes that the original and all mutants of a circuit distinguish.
    #[must_use]
    pub fn of(model: &ConditionalMutant, budget: &Budget) -> InputClasses {
        let valuations = Valuations::of(model, &of_all(model), MOST_TOGETHER, budget);
        let few = |all: &Valuations| all.len() <= MOST_TOGETHER && !all.shown.lacks_a_port(model);
        InputClasses {
            valuations: Some(valuations).filter(few),
            steps: Mutex::default(),
        }
    }

    /// Returns an object without known classes, so that each check computes the classes of its own variants.
    #[must_use]
    pub fn unknown() -> InputClasses {
        InputClasses {
            valuations: None,
            steps: Mutex::default(),
        }
    }

    /// Returns the input valuations to enumerate for these variants of the circuit.
    pub(super) fn valuations(
        &self,
        model: &ConditionalMutant,
        variants: [Variant; 2],
        budget: &Budget,
    ) -> Cow<'_, Valuations> {
        match &self.valuations {
            Some(all) => Cow::Borrowed(all),
            None => Cow::Owned(Valuations::new(model, variants, budget)),
        }
    }

    /// Returns [`Steps::steps_from`] of one side under the valuations of a check. The steps of the original are shared if the valuations
    /// are common.
    pub(super) fn steps_from(
        &self,
        side: &Steps<'_>,
        states: &[&[u64]],
        valuations: &Valuations,
    ) -> Option<Vec<Listed>> {
        let list = |states: &[&[u64]]| {
            let steps = side.steps_from(states, &valuations.classes, &valuations.shown.codes)?;
            Some(steps.into_iter().map(Arc::new))
        };
        if self.valuations.is_none() || side.variant != Variant::Original {
            return Some(list(states)?.collect());
        }
        let kept = || self.steps.lock().unwrap_or_else(PoisonError::into_inner);
        let mut missing: Vec<&[u64]> = Vec::new();
        {
            let mut kept = kept();
            let kept = kept.entry(side.constraints.clone()).or_default();
            missing.extend(states.iter().filter(|&&state| !kept.contains_key(state)));
        }
        let new: FxHashMap<&[u64], Listed> = missing.iter().copied().zip(list(&missing)?).collect();
        let mut kept = kept();
        let kept = kept.entry(side.constraints.clone()).or_default();
        let known: Option<Vec<Listed>> = (states.iter())
            .map(|&state| kept.get(state).or_else(|| new.get(state)).cloned())
            .collect();
        for (state, steps) in new {
            if kept.len() < KEPT / self.valuations.as_ref().map_or(1, |all| all.len().max(1)) {
                kept.insert(state.to_vec(), steps);
            }
        }
        known
    }
}

impl Valuations {
    /// Returns the valuations of all test inputs that outputs and constraints of one of these variants can depend on.
    pub(super) fn new(
        model: &ConditionalMutant,
        variants: [Variant; 2],
        budget: &Budget,
    ) -> Valuations {
        let meanings = variants.map(|variant| of_variant(model, variant));
        Valuations::of(model, &meanings, MAX_CLASSES, budget)
    }

    /// Returns the valuations for circuits in which nodes have these meanings (for each node an equal literal). Inputs with too many
    /// classes, more than `most` in all, are enumerated one by one.
    fn of(
        model: &ConditionalMutant,
        meanings: &[Vec<Lit>],
        most: usize,
        budget: &Budget,
    ) -> Valuations {
        let inputs = model.aig.inputs();
        let reads: Vec<Vec<bool>> = meanings.iter().map(|m| read(model, m)).collect();
        let mut tested: Vec<usize> = model
            .input_bits()
            .filter(|&bit| reads.iter().any(|read| read[inputs[bit].var.index()]))
            .collect();
        tested.sort_unstable();
        let mut valuations = Valuations {
            free: tested.clone(),
            classes: vec![vec![false; inputs.len()]],
            shown: ShownChoices::of(model, meanings, &reads, most, budget),
        };
        if tested.len() <= SAVED {
            return valuations;
        }
        let mut region = Region::new(model, &tested);
        for (meaning, read) in meanings.iter().zip(&reads) {
            region.add(model, meaning, read, &[]);
        }
        for component in region.components() {
            let most = (most / valuations.classes.len()).min(component.most_classes());
            let classes = region.classes(&component, most, budget);
            if let Some(classes) = classes {
                valuations
                    .free
                    .retain(|&input| !component.holds(region.place(input)));
                let before = std::mem::take(&mut valuations.classes);
                for class in &classes {
                    valuations.classes.extend(before.iter().map(|others| {
                        let mut both = others.clone();
                        for (place, &input) in tested.iter().enumerate() {
                            both[input] |= class[place];
                        }
                        both
                    }));
                }
            }
        }
        valuations
    }

    /// Returns the number of valuations that are enumerated: classes times valuations of the free inputs.
    pub(super) fn len(&self) -> usize {
        let bits = u32::try_from(self.free.len()).unwrap_or(u32::MAX);
        let each = 1usize.checked_shl(bits).unwrap_or(usize::MAX);
        self.classes.len().saturating_mul(each)
    }
}
