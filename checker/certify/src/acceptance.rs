//! Checks that one side accepts all inputs of the other: by an enumeration of pairs of sets of states, or by relations in which one side
//! answers the steps of the other.

use std::cell::OnceCell;

use hyperkill_core::budget::Budget;
use hyperkill_core::product::Variant;
use hyperkill_core::specialise::exchanged;
use hyperkill_core::{ConditionalMutant, SelectorId};
use hyperkill_evidence::accepted_sets::AcceptedSets;
use hyperkill_evidence::closed_set::Relation;
use hyperkill_evidence::fault::{self, Fault};
use hyperkill_evidence::simulation::Simulation;
use rustc_hash::{FxHashMap, FxHashSet};

use super::simulation::certify_simulation_within;
use super::steps::AT_ONCE;
use super::steps::{Bits, Steps, pack};
use super::valuations::{InputClasses, Valuations};
use super::{CertifyError, CheckLimits};

/// A set of states, as ascending numbers in a table of states.
type Set = Vec<usize>;

/// A pair of sets of states, of the original and of the mutant.
type Pair = [Set; 2];

/// Checks the evidence that the mutant accepts all inputs of the original, and with `equally` that the original accepts all inputs of the
/// mutant.
///
/// # Errors
/// If the pairs lack an initial one or a successor, or the wrong side refuses some input.
pub fn certify_acceptance(
    model: &ConditionalMutant,
    mutant: SelectorId,
    listed: &AcceptedSets,
    equally: bool,
    budget: &Budget,
) -> Result<(), CertifyError> {
    let classes = InputClasses::unknown();
    certify_acceptance_knowing(model, mutant, listed, equally, &classes, budget)
}

/// Checks as [`certify_acceptance`] does, with classes of input valuations that were computed before, for several checks.
///
/// # Errors
/// As [`certify_acceptance`].
pub fn certify_acceptance_knowing(
    model: &ConditionalMutant,
    mutant: SelectorId,
    listed: &AcceptedSets,
    equally: bool,
    classes: &InputClasses,
    budget: &Budget,
) -> Result<(), CertifyError> {
    let variants = [Variant::Original, Variant::Mutant(mutant)];
    let valuations = classes.valuations(model, variants, budget);
    let mut sides = Vec::new();
    for variant in variants {
        let steps = Steps::new(model, variant, &valuations.free);
        let steps = steps.ok_or(unsound("there are too many inputs to check"))?;
        sides.push(steps.without(&valuations.shown.bits));
    }
    let mut states = States::default();
    let pairs = named(model, listed, &mut states)?;
    let mut start: Pair = Default::default();
    for (set, side) in start.iter_mut().zip(&sides) {
        let initial = side.initial(budget)?;
        let initial = initial.ok_or(unsound("there are too many initial states to check"))?;
        *set = states.set(initial);
    }
    let mut after: [After; 2] = Default::default();
    for (place, (after, side)) in after.iter_mut().zip(&sides).enumerate() {
        let sets = pairs.iter().map(|pair| &pair[place]);
        let listing = Listing {
            side,
            classes,
            valuations: &valuations,
        };
        *after = successors(&listing, sets, &mut states, budget)?;
    }
    let known = Known {
        pairs: &pairs,
        of_state: of_states(&pairs),
        after: &after,
        valuations: valuations.len(),
        equally,
        willing: OnceCell::new(),
    };
    if !known.covers(&start) {
        return Err(unsound("the pair of sets of initial states is not listed"));
    }
    for pair in &pairs {
        if let Some(stop) = budget.stopped() {
            return Err(CertifyError::Stopped(stop));
        }
        known.check(pair)?;
    }
    Ok(())
}

/// Checks that one side answers every step of the other by a step on the same input, so that it accepts all inputs of the other. The
/// answering side is `follower`: the mutant, or otherwise the original.
///
/// # Errors
/// If the relation is about other mutants, or does not have this property.
pub fn certify_answering_steps(
    model: &ConditionalMutant,
    mutant: SelectorId,
    follower: Variant,
    relation: &Simulation,
    limits: CheckLimits,
    budget: &Budget,
) -> Result<(), CertifyError> {
    if relation.members != [mutant] || relation.relation != Relation::Matched {
        return Err(unsound(
            "the simulation relation is about another mutant, or of another kind",
        ));
    }
    // A relation shows that the original answers, so the mutant takes its place.
    let asked = match follower {
        Variant::Original => model.silent(),
        Variant::Mutant(_) if fault::planted(Fault::PlacesKept) => model.silent(),
        Variant::Mutant(_) => exchanged(&model.silent(), mutant),
    };
    certify_simulation_within(&asked, relation, limits, budget)
}

fn unsound(what: &'static str) -> CertifyError {
    CertifyError::Acceptance(what)
}

/// A table of packed states, each once, with their numbers.
#[derive(Default)]
struct States {
    numbers: FxHashMap<Bits, usize>,
    all: Vec<Bits>,
}

impl States {
    fn number(&mut self, state: Bits) -> usize {
        if let Some(&number) = self.numbers.get(&state) {
            return number;
        }
        self.all.push(state.clone());
        self.numbers.insert(state, self.all.len() - 1);
        self.all.len() - 1
    }

    fn set(&mut self, states: impl IntoIterator<Item = Bits>) -> Set {
        let numbers = states.into_iter().map(|state| self.number(state));
        ascending(numbers.collect())
    }
}

fn ascending(mut set: Set) -> Set {
    set.sort_unstable();
    set.dedup();
    set
}

/// Returns the pairs of sets that the evidence lists, with states as numbers in the table `states`, to which they are added.
fn named(
    model: &ConditionalMutant,
    listed: &AcceptedSets,
    states: &mut States,
) -> Result<FxHashSet<Pair>, CertifyError> {
    let latches = model.aig.latches().len();
    if listed.states.iter().any(|state| state.len() != latches) {
        return Err(unsound(
            "a state has another number of bits than the circuit has latches",
        ));
    }
    let numbers = listed.states.iter().map(|state| states.number(pack(state)));
    let numbers: Vec<usize> = numbers.collect();
    let mut pairs = FxHashSet::default();
    for pair in &listed.pairs {
        let mut named: Pair = Default::default();
        for (set, places) in named.iter_mut().zip(pair) {
            let states = places.iter().map(|&place| numbers.get(place).copied());
            let states: Option<Set> = states.collect();
            *set = ascending(states.ok_or(unsound("a state is not listed"))?);
        }
        pairs.insert(named);
    }
    Ok(pairs)
}

/// Returns for each side (0: original, 1: mutant) and each state the pairs whose set of this side contains it. Pairs with an empty set are
/// left out.
fn of_states(pairs: &FxHashSet<Pair>) -> [FxHashMap<usize, Vec<&Pair>>; 2] {
    let mut of_state: [FxHashMap<usize, Vec<&Pair>>; 2] = Default::default();
    for pair in pairs.iter().filter(|[o, m]| !o.is_empty() && !m.is_empty()) {
        for (set, of_state) in pair.iter().zip(&mut of_state) {
            for &state in set {
                of_state.entry(state).or_default().push(pair);
            }
        }
    }
    of_state
}

/// The pairs that the evidence lists, and the successors of their states.
struct Known<'a> {
    pairs: &'a FxHashSet<Pair>,
    /// For each side and state, the pairs that contain it.
    of_state: [FxHashMap<usize, Vec<&'a Pair>>; 2],
    after: &'a [After; 2],
    /// The number of input valuations.
    valuations: usize,
    /// Whether the original must also accept all inputs of the mutant.
    equally: bool,
    /// Pairs whose states accept every input and lead only to states of the pair; computed when they are needed.
    willing: OnceCell<Vec<&'a Pair>>,
}

impl<'a> Known<'a> {
    /// Whether the listed pairs cover a pair without empty sets, so that its acceptance needs no check of its own. One of three conditions
    /// holds: the pair is listed; it is inside a listed pair whose states accept everything for ever; or each of its states is in a listed
    /// pair together with some states of the other side.
    fn covers(&self, pair: &Pair) -> bool {
        let is_inside = |willing: &&&Pair| {
            let mut sides = pair.iter().zip(**willing);
            sides.all(|(set, all)| set.iter().all(|state| all.binary_search(state).is_ok()))
        };
        self.pairs.contains(pair)
            || self.willing().iter().any(|willing| is_inside(&willing))
            || self.answers(pair, 0) && (!self.equally || self.answers(pair, 1))
    }

    /// Whether listed pairs cover each state of the side `leader` (0: original, 1: mutant) of `pair`. A listed pair covers a state that it
    /// contains if its set of the other side is a nonempty subset of that of `pair`.
    fn answers(&self, pair: &Pair, leader: usize) -> bool {
        let others = &pair[1 - leader];
        let mut states = pair[leader].iter();
        states.all(|state| {
            let listed = self.of_state[leader].get(state);
            let mut listed = listed.into_iter().flatten();
            listed.any(|listed| {
                let mut answers = listed[1 - leader].iter();
                fault::planted(Fault::AnswerFromNowhere)
                    || answers.all(|state| others.binary_search(state).is_ok())
            })
        })
    }

    fn willing(&self) -> &[&'a Pair] {
        self.willing.get_or_init(|| {
            let pairs = self.pairs.iter();
            pairs.filter(|pair| self.is_willing(pair)).collect()
        })
    }

    fn is_willing(&self, pair: &Pair) -> bool {
        if fault::planted(Fault::UnwillingPair) {
            return true;
        }
        let mut sides = pair.iter().zip(self.after);
        sides.all(|(set, after)| {
            set.iter().all(|state| {
                let rows = after.of.get(state).map_or(&[][..], Vec::as_slice);
                let mut inputs = (0..self.valuations).map(|v| rows.get(v));
                inputs.all(|row| {
                    let next = row.and_then(|&row| after.rows.get(row));
                    next.is_some_and(|next| {
                        !next.is_empty() && next.iter().all(|s| set.binary_search(s).is_ok())
                    })
                })
            })
        })
    }

    /// Checks that every input leads from this pair of sets to a covered pair, or is refused as the claim permits.
    fn check(&self, pair: &Pair) -> Result<(), CertifyError> {
        let nowhere = Vec::new();
        let sides = pair.iter().zip(self.after).flat_map(|(set, after)| {
            let rows = |state| after.of.get(state).unwrap_or(&nowhere);
            set.iter().map(rows)
        });
        let rows: Vec<&Vec<usize>> = sides.collect();
        // Inputs under which all of these states have the same successors are checked once.
        let mut seen = FxHashSet::default();
        for valuation in 0..self.valuations {
            let key = rows.iter().map(|rows| rows.get(valuation).copied());
            if !seen.insert(key.collect::<Vec<Option<usize>>>()) {
                continue;
            }
            let mut images: Pair = Default::default();
            for ((image, set), after) in images.iter_mut().zip(pair).zip(self.after) {
                let rows = set.iter().filter_map(|state| after.of.get(state));
                let rows = rows.filter_map(|rows| after.rows.get(*rows.get(valuation)?));
                *image = ascending(rows.flatten().copied().collect());
            }
            match images.each_ref().map(Vec::is_empty) {
                [false, true] if fault::planted(Fault::UnseenRefusal) => {}
                [false, true] => return Err(unsound("the mutant refuses an input")),
                [true, false] if self.equally => {
                    return Err(unsound("the original refuses an input"));
                }
                [true, _] => {}
                [false, false] if self.covers(&images) => {}
                [false, false] => {
                    return Err(unsound(
                        "an input leads to a pair of sets that is not listed",
                    ));
                }
            }
        }
        Ok(())
    }
}

/// The successors of states of one side under each input valuation.
#[derive(Default)]
struct After {
    /// For each state, one entry for each input valuation: the index of its successors in `rows`.
    of: FxHashMap<usize, Vec<usize>>,
    /// Sets of successors, each once: many inputs lead to the same states.
    rows: Vec<Set>,
}

/// One side (original or mutant), with the enumeration of its steps.
struct Listing<'a> {
    side: &'a Steps<'a>,
    classes: &'a InputClasses,
    valuations: &'a Valuations,
}

/// Returns the successors of all states of one side that are in one of these sets. Successors are added to the table `states`.
fn successors<'s>(
    listing: &Listing<'_>,
    sets: impl Iterator<Item = &'s Set>,
    states: &mut States,
    budget: &Budget,
) -> Result<After, CertifyError> {
    let from = ascending(sets.flatten().copied().collect());
    let mut after = After::default();
    let mut known: FxHashMap<Set, usize> = FxHashMap::default();
    for from in from.chunks(AT_ONCE) {
        if let Some(stop) = budget.stopped() {
            return Err(CertifyError::Stopped(stop));
        }
        let bits: Vec<&[u64]> = from.iter().map(|&s| states.all[s].as_slice()).collect();
        let Listing {
            side,
            classes,
            valuations,
        } = listing;
        let steps = classes.steps_from(side, &bits, valuations);
        let steps = steps.ok_or(unsound("there are too many steps to check"))?;
        for (&state, by_valuation) in from.iter().zip(steps) {
            let rows = by_valuation.iter().map(|steps| {
                let next = states.set(steps.iter().map(|(_, next)| next.clone()));
                *known.entry(next).or_insert_with_key(|next| {
                    after.rows.push(next.clone());
                    after.rows.len() - 1
                })
            });
            let rows = rows.collect();
            after.of.insert(state, rows);
        }
    }
    Ok(after)
}
