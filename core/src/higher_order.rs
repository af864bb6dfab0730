//! Higher-order mutants (semantics.md §1): several changes of the original at once, each at another place.
//!
//! A conditional mutant contains its higher-order mutants already: several of its selectors are on. [`combine`] gives each of them a
//! selector of its own. The result is a conditional mutant like any other, with exactly one selector on. So simulation, engines, tests
//! and certificates do not depend on the number of changes.

use std::collections::{BTreeMap, BTreeSet};

use crate::aig::{Justice, Node, Reset, Signal};
use crate::conditional::SelectorLatch;
use crate::mutant::{Mutant, MutantId, Place};
use crate::{Aig, ConditionalMutant, Lit, SelectorId};

/// A higher-order mutant: selectors of changes that can be made together because their places in the source are apart, ascending.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct Combination {
    parts: Vec<SelectorId>,
}

/// The reason why changes cannot be made together.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
pub enum CombinationError {
    /// The list of changes is empty.
    #[error("a mutant changes something")]
    Nothing,
    /// The model has no such selector.
    #[error("the model has no mutant with index {0}")]
    NoSuchMutant(SelectorId),
    /// Both changes replace the same text, or one of them lies within the other.
    #[error("mutants {0} and {1} change the same place")]
    SamePlace(MutantId, MutantId),
    /// The place of the change is not known, so that it may overlap with another change.
    #[error("it is not known which place mutant {0} changes")]
    UnknownPlace(MutantId),
}

impl Combination {
    /// Returns the combination of these changes, which may be given in any order. A single change needs no known place.
    ///
    /// # Errors
    /// If there is no change, or two changes may overlap.
    pub fn new(
        known: &Known<'_>,
        changes: impl IntoIterator<Item = SelectorId>,
    ) -> Result<Combination, CombinationError> {
        let mut parts: Vec<SelectorId> = changes.into_iter().collect();
        parts.sort_unstable();
        let selectors = &known.model.selectors;
        if let Some(&missing) = parts.iter().find(|&&part| part.0 >= selectors.len()) {
            return Err(CombinationError::NoSuchMutant(missing));
        }
        if parts.is_empty() {
            return Err(CombinationError::Nothing);
        }
        for (position, &later) in parts.iter().enumerate() {
            for &earlier in &parts[..position] {
                let id = |part: SelectorId| selectors[part.0].id.clone();
                let place = |part: SelectorId| {
                    let place = known.mutant(part).map(|mutant| &mutant.place);
                    place.ok_or_else(|| CombinationError::UnknownPlace(id(part)))
                };
                if earlier == later || !place(earlier)?.is_apart_from(place(later)?) {
                    return Err(CombinationError::SamePlace(id(earlier), id(later)));
                }
            }
        }
        Ok(Combination { parts })
    }

    /// Returns the selectors of the changes, ascending.
    #[must_use]
    pub fn parts(&self) -> &[SelectorId] {
        &self.parts
    }

    /// Returns the number of changes.
    #[must_use]
    pub fn order(&self) -> usize {
        self.parts.len()
    }

    /// Returns the id over the model that the combination was made for: the id of a single change, else an id derived from all changes.
    #[must_use]
    pub fn id(&self, model: &ConditionalMutant) -> MutantId {
        let known = self.parts.iter().filter_map(|&p| model.selectors.get(p.0));
        let ids: Vec<MutantId> = known.map(|selector| selector.id.clone()).collect();
        MutantId::of_changes(&ids)
    }
}

/// Mutants of a model by their ids.
#[derive(Clone, Debug)]
pub struct Known<'a> {
    by_id: BTreeMap<&'a MutantId, &'a Mutant>,
    model: &'a ConditionalMutant,
}

impl<'a> Known<'a> {
    /// Indexes the mutants of this model.
    #[must_use]
    pub fn of(model: &'a ConditionalMutant) -> Known<'a> {
        Known {
            by_id: model.mutants.iter().map(|m| (&m.id, m)).collect(),
            model,
        }
    }

    /// Returns the mutant behind a selector, if the model records its origin.
    fn mutant(&self, selector: SelectorId) -> Option<&'a Mutant> {
        let id = &self.model.selectors.get(selector.0)?.id;
        self.by_id.get(id).copied()
    }
}

impl Combination {
    /// Returns the mutant as changes of one text. Operators and paths are joined by `+` in the order of the places.
    ///
    /// Returns `None` if a place is not known, or the places are in different files.
    #[must_use]
    pub fn described(&self, known: &Known<'_>) -> Option<Mutant> {
        let parts = self.parts.iter().map(|&part| known.mutant(part));
        let mut parts: Vec<&Mutant> = parts.collect::<Option<_>>()?;
        if let [one] = parts[..] {
            return Some(one.clone());
        }
        parts.sort_by_key(|part| (part.place.start, part.place.end));
        let (first, last) = (parts.first()?.place.clone(), &parts.last()?.place);
        if parts.iter().any(|part| part.place.file != first.file) {
            return None;
        }
        let joined = |of: fn(&Mutant) -> &str| -> String {
            let words: Vec<&str> = parts.iter().map(|part| of(part)).collect();
            words.join("+")
        };
        let named = (
            self.id(known.model),
            joined(|part| &part.operator),
            joined(|part| &part.path),
        );
        let place = Place {
            end: last.end,
            ..first
        };
        let changes = parts.iter().flat_map(|part| part.all_changes());
        Some(Mutant::of_changes(named, place, changes.collect()))
    }
}

/// Returns all mutants that make `order` changes at once, in the order of their changes. Mutants of order two or more only contain changes
/// with known places.
pub fn combinations(
    model: &ConditionalMutant,
    order: usize,
) -> impl Iterator<Item = Combination> + '_ {
    let count = model.selectors.len();
    let known: BTreeMap<&MutantId, &Mutant> = model.mutants.iter().map(|m| (&m.id, m)).collect();
    let places = model.selectors.iter();
    let places: Vec<Option<&Place>> = places
        .map(|selector| known.get(&selector.id).map(|mutant| &mutant.place))
        .collect();
    let fits = move |parts: &[SelectorId], next: SelectorId| match (order, places[next.0]) {
        (1, _) => true,
        (_, None) => false,
        (_, Some(place)) => parts
            .iter()
            .all(|&part| places[part.0].is_some_and(|other| other.is_apart_from(place))),
    };
    let mut parts: Vec<SelectorId> = Vec::new();
    let mut next = 0;
    std::iter::from_fn(move || {
        loop {
            // Enough changes must remain to complete the combination.
            if order > 0 && parts.len() < order && next < count {
                if fits(&parts, SelectorId(next)) {
                    parts.push(SelectorId(next));
                }
                next += 1;
            } else {
                let whole = (order > 0 && parts.len() == order).then(|| parts.clone());
                let last = parts.pop();
                next = last.map_or(count, |last| last.0 + 1);
                match (whole, last) {
                    (Some(parts), _) => return Some(Combination { parts }),
                    (None, None) => return None,
                    (None, Some(_)) => {}
                }
            }
        }
    })
}

/// Returns the model with these mutants in place of its own, in this order, each behind a selector; equal ones are kept once. Inputs,
/// other latches (after the selectors), outputs and properties keep their order, so that ports keep their indices. The table of mutants
/// keeps first-order mutants.
///
/// The combinations must belong to this model.
#[must_use]
pub fn combine(model: &ConditionalMutant, mutants: &[Combination]) -> ConditionalMutant {
    let mut seen = BTreeSet::new();
    let kept = mutants.iter().filter(|mutant| seen.insert(*mutant));
    let kept: Vec<&Combination> = kept.collect();
    let mut aig = Aig::new();
    let mut selectors = Vec::new();
    // For each selector of the model, the selectors of the mutants that contain it.
    let mut on: Vec<Vec<Lit>> = vec![Vec::new(); model.selectors.len()];
    for (latch, mutant) in kept.iter().enumerate() {
        let id = mutant.id(model);
        let lit = aig.add_latch(Reset::Free, Some(format!("mut:{id}")));
        aig.set_next(latch, lit);
        selectors.push(SelectorLatch { id, latch });
        for &part in mutant.parts() {
            if let Some(on) = on.get_mut(part.0) {
                on.push(lit);
            }
        }
    }
    let on: Vec<Lit> = on.iter().map(|on| aig.or_all(on)).collect();
    copy_into(model, &mut aig, &on);
    let ids: BTreeSet<&MutantId> = selectors.iter().map(|kept| &kept.id).collect();
    let single = |mutant: &&Mutant| ids.contains(&mutant.id);
    let mutants = model.mutants.iter().filter(single).cloned().collect();
    ConditionalMutant {
        accepts: model.accepts.clone(),
        events: model.events.clone(),
        name: model.name.clone(),
        inputs: model.inputs.clone(),
        choices: model.choices.clone(),
        outputs: model.outputs.clone(),
        mutants,
        selectors,
        aig,
    }
}

/// Copies the circuit into `aig`, with the latch of each selector replaced by its literal in `selectors`.
fn copy_into(model: &ConditionalMutant, aig: &mut Aig, selectors: &[Lit]) {
    let source = &model.aig;
    let selector_of = model.selector_of_latch();
    let mut nodes = vec![Lit::FALSE; source.len()];
    let mut latches = Vec::new();
    for (var, node) in source.nodes() {
        let of = |lit: Lit| nodes[lit.var().index()] ^ lit.is_negated();
        let image = match node {
            Node::False => Lit::FALSE,
            Node::Input(i) => aig.add_input(source.inputs()[i as usize].name.clone()),
            Node::Latch(i) => match selector_of[i as usize] {
                Some(selector) => selectors[selector.0],
                None => {
                    let latch = &source.latches()[i as usize];
                    latches.push((aig.latches().len(), latch.next));
                    aig.add_latch(latch.reset, latch.name.clone())
                }
            },
            Node::And(a, b) => aig.and(of(a), of(b)),
        };
        nodes[var.index()] = image;
    }
    let of = |lit: Lit| nodes[lit.var().index()] ^ lit.is_negated();
    for (latch, next) in latches {
        aig.set_next(latch, of(next));
    }
    let signals = |signals: &[Signal]| -> Vec<Signal> {
        let image = |signal: &Signal| Signal {
            lit: of(signal.lit),
            name: signal.name.clone(),
        };
        signals.iter().map(image).collect()
    };
    aig.outputs = signals(&source.outputs);
    aig.bad = signals(&source.bad);
    aig.constraints = signals(&source.constraints);
    aig.fairness = signals(&source.fairness);
    let justice = source.justice.iter().map(|justice| Justice {
        lits: justice.lits.iter().map(|&lit| of(lit)).collect(),
        name: justice.name.clone(),
    });
    aig.justice = justice.collect();
    aig.comments.clone_from(&source.comments);
}
