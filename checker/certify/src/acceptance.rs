//! Checks that one side accepts what the other accepts, by a listing of all pairs of sets of states that inputs lead to.

use std::collections::BTreeSet;
use std::rc::Rc;

use hyperkill_core::budget::Budget;
use hyperkill_core::product::Variant;
use hyperkill_core::{ConditionalMutant, SelectorId};
use hyperkill_evidence::accepted_sets::AcceptedSets;
use rustc_hash::FxHashMap;

use super::CertifyError;
use super::steps::AT_ONCE;
use super::steps::{Bits, Steps, pack};
use super::valuations::Valuations;

/// States of both sides, original first.
type Pair = [BTreeSet<Bits>; 2];

/// Checks that the mutant accepts all that the original accepts; with `equally` also the reverse.
///
/// # Errors
/// If the pairs do not contain the initial ones, inputs lead out of them, or some input is refused by the wrong side.
pub fn certify_acceptance(
    model: &ConditionalMutant,
    mutant: SelectorId,
    listed: &AcceptedSets,
    equally: bool,
    budget: &Budget,
) -> Result<(), CertifyError> {
    let unsound = |what: &'static str| CertifyError::Acceptance(what);
    let variants = [Variant::Original, Variant::Mutant(mutant)];
    let valuations = Valuations::new(model, variants, budget);
    let mut sides = Vec::new();
    for variant in variants {
        let steps = Steps::new(model, variant, &valuations.free);
        sides.push(steps.ok_or(unsound("there are too many inputs to check"))?);
    }
    let latches = model.aig.latches().len();
    if listed.states.iter().any(|state| state.len() != latches) {
        return Err(unsound("a state is none of the circuit"));
    }
    let mut pairs: BTreeSet<Pair> = BTreeSet::new();
    for pair in &listed.pairs {
        let mut named: Pair = Default::default();
        for (set, numbers) in named.iter_mut().zip(pair) {
            for &number in numbers {
                let state = listed.states.get(number);
                set.insert(pack(state.ok_or(unsound("a state is not listed"))?));
            }
        }
        pairs.insert(named);
    }
    let mut start: Pair = Default::default();
    for (set, side) in start.iter_mut().zip(&sides) {
        let initial = side.initial(budget)?;
        *set = initial
            .ok_or(unsound("there are too many initial states to check"))?
            .into_iter()
            .collect();
    }
    if !pairs.contains(&start) {
        return Err(unsound("the start is missing"));
    }
    let mut after = [FxHashMap::default(), FxHashMap::default()];
    for (place, (after, side)) in after.iter_mut().zip(&sides).enumerate() {
        let sets = pairs.iter().map(|pair| &pair[place]);
        *after = successors(side, sets, &valuations, budget)?;
    }
    for pair in &pairs {
        let mut images: [Vec<BTreeSet<Bits>>; 2] = Default::default();
        for ((image, set), after) in images.iter_mut().zip(pair).zip(&after) {
            *image = vec![BTreeSet::new(); valuations.len()];
            for by_valuation in set.iter().filter_map(|state| after.get(state)) {
                for (image, next) in image.iter_mut().zip(by_valuation) {
                    image.extend(next.iter().cloned());
                }
            }
            if let Some(stop) = budget.stopped() {
                return Err(CertifyError::Stopped(stop));
            }
        }
        let [original, mutated] = images;
        for (original, mutated) in original.into_iter().zip(mutated) {
            match (original.is_empty(), mutated.is_empty()) {
                (false, true) => return Err(unsound("the mutant refuses an input")),
                (true, false) if equally => return Err(unsound("the original refuses an input")),
                (true, _) => {}
                (false, false) if pairs.contains(&[original, mutated]) => {}
                (false, false) => return Err(unsound("an input leads out of the pairs")),
            }
        }
    }
    Ok(())
}

/// By input valuation the states after it, each ascending and without repetition. Many inputs lead to the same states.
type After = Vec<Rc<Vec<Bits>>>;

/// By state that is in one of these sets, where inputs lead.
fn successors<'s>(
    side: &Steps<'_>,
    sets: impl Iterator<Item = &'s BTreeSet<Bits>>,
    valuations: &Valuations,
    budget: &Budget,
) -> Result<FxHashMap<Bits, After>, CertifyError> {
    let states: BTreeSet<&Bits> = sets.flatten().collect();
    let states: Vec<&[u64]> = states.into_iter().map(Vec::as_slice).collect();
    let mut after = FxHashMap::default();
    let mut rows: FxHashMap<Vec<Bits>, Rc<Vec<Bits>>> = FxHashMap::default();
    for states in states.chunks(AT_ONCE) {
        if let Some(stop) = budget.stopped() {
            return Err(CertifyError::Stopped(stop));
        }
        let steps = side.steps_from(states, &valuations.classes);
        let unsound = CertifyError::Acceptance("there are too many steps to check");
        for (state, by_valuation) in states.iter().zip(steps.ok_or(unsound)?) {
            let next = by_valuation.into_iter();
            let next = next.map(|steps| {
                let next: BTreeSet<Bits> = steps.into_iter().map(|(_, next)| next).collect();
                let row: Vec<Bits> = next.into_iter().collect();
                Rc::clone(rows.entry(row.clone()).or_insert_with(|| Rc::new(row)))
            });
            after.insert(state.to_vec(), next.collect());
        }
    }
    Ok(after)
}
