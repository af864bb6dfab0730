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

/// The places of the mutants of a model, by selector. `None` if a place is not known.
struct Places<'a>(Vec<Option<&'a Place>>);

impl<'a> Places<'a> {
    fn of(model: &'a ConditionalMutant) -> Places<'a> {
        let known: BTreeMap<&MutantId, &Mutant> =
            model.mutants.iter().map(|m| (&m.id, m)).collect();
        let places = model.selectors.iter();
        Places(
            places
                .map(|selector| known.get(&selector.id).map(|mutant| &mutant.place))
                .collect(),
        )
    }

    /// Returns for each position in `among` an upper bound of the number of changes from there on that can be made together.
    fn room(&self, among: &[SelectorId], order: usize) -> Vec<usize> {
        /// The most bounds that are computed. Positions up to the next bound share one.
        const BOUNDS: usize = 256;
        if order < 2 {
            return vec![usize::MAX; among.len()];
        }
        let places = among.iter().enumerate();
        let mut by_end: Vec<(&Place, usize)> = places
            .filter_map(|(position, selector)| Some((self.0[selector.0]?, position)))
            .collect();
        by_end.sort_by_key(|(place, _)| (&place.file, place.end, place.start));
        let stretch = among.len().div_ceil(BOUNDS).max(1);
        let bound = |first: usize| {
            let from_here = by_end.iter().filter(|(_, position)| *position >= first);
            let mut last: Option<&Place> = None;
            // The place that ends first leaves most room for the others.
            let taken = from_here.filter(|(place, _)| {
                let fits = last.is_none_or(|last| last.is_apart_from(place));
                if fits {
                    last = Some(place);
                }
                fits
            });
            taken.count()
        };
        let bounds = (0..among.len()).step_by(stretch).map(bound);
        bounds.flat_map(|bound| vec![bound; stretch]).collect()
    }

    /// Whether a change can be made together with these ones. A mutant of one change needs no known place.
    fn fits(&self, order: usize, parts: &[SelectorId], next: SelectorId) -> bool {
        match (order, self.0[next.0]) {
            (1, _) => true,
            (_, None) => false,
            (_, Some(place)) => parts
                .iter()
                .all(|&part| self.0[part.0].is_some_and(|other| other.is_apart_from(place))),
        }
    }
}

/// Returns all mutants that make `order` changes at once, in the order of their changes. Mutants of order two or more only contain changes
/// with known places.
pub fn combinations(
    model: &ConditionalMutant,
    order: usize,
) -> impl Iterator<Item = Combination> + '_ {
    let all = (0..model.selectors.len()).map(SelectorId);
    combinations_among(model, all.collect(), order)
}

/// Returns the mutants of [`combinations`] that make only changes `among` these ones, which are ascending.
pub fn combinations_among(
    model: &ConditionalMutant,
    among: Vec<SelectorId>,
    order: usize,
) -> impl Iterator<Item = Combination> + '_ {
    let places = Places::of(model);
    let room = places.room(&among, order);
    // The changes, as indices in `among`.
    let mut chosen: Vec<usize> = Vec::new();
    let mut parts: Vec<SelectorId> = Vec::new();
    let mut next = 0;
    std::iter::from_fn(move || {
        loop {
            // Enough changes must remain to complete the combination.
            let lacks = order.saturating_sub(parts.len());
            if lacks > 0 && next < among.len() && room[next] >= lacks {
                if places.fits(order, &parts, among[next]) {
                    parts.push(among[next]);
                    chosen.push(next);
                }
                next += 1;
            } else {
                let whole = (order > 0 && parts.len() == order).then(|| parts.clone());
                parts.pop();
                let last = chosen.pop();
                next = last.map_or(among.len(), |last| last + 1);
                match (whole, last) {
                    (Some(parts), _) => return Some(Combination { parts }),
                    (None, None) => return None,
                    (None, Some(_)) => {}
                }
            }
        }
    })
}

/// Returns `count` different mutants that make `order` of the changes `among` at once, in the order of their changes. Each set of such
/// mutants is equally likely if `below` draws each number below its argument with the same probability. Returns `None` if `draws` sets of
/// changes contain too few different mutants.
#[must_use]
pub fn drawn(
    model: &ConditionalMutant,
    among: &[SelectorId],
    (order, count): (usize, usize),
    draws: u64,
    mut below: impl FnMut(u64) -> u64,
) -> Option<Vec<Combination>> {
    let places = Places::of(model);
    let first = among.len().checked_sub(order)?;
    let mut found = BTreeSet::new();
    for _ in 0..draws {
        if found.len() == count {
            break;
        }
        // Floyd's algorithm: each set of indices is equally likely.
        let mut indices = BTreeSet::new();
        for last in first..among.len() {
            let index = below(last as u64 + 1) as usize;
            if !indices.insert(index) {
                indices.insert(last);
            }
        }
        let parts: Vec<SelectorId> = indices.iter().map(|index| among[*index]).collect();
        let mut positions = 0..parts.len();
        if positions.all(|at| places.fits(order, &parts[..at], parts[at])) {
            found.insert(Combination { parts });
        }
    }
    (found.len() == count).then(|| found.into_iter().collect())
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::lit::Lit;

    /// Returns a model of `count` changes. Each pair of neighbours changes one place.
    fn model(count: usize) -> ConditionalMutant {
        let id = |i: usize| MutantId(format!("m{i}"));
        let mutant = |i: usize| Mutant {
            id: id(i),
            operator: "X".to_owned(),
            path: String::new(),
            place: Place {
                file: "f".to_owned(),
                start: 10 * (i / 2),
                end: 10 * (i / 2) + 5,
                line: 1,
                column: 1,
            },
            original: String::new(),
            replacement: String::new(),
            changes: Vec::new(),
        };
        let mut aig = Aig::default();
        let selectors = (0..count).map(|i| {
            let _: Lit = aig.add_latch(Reset::Free, None);
            SelectorLatch {
                id: id(i),
                latch: i,
            }
        });
        let selectors = selectors.collect();
        ConditionalMutant {
            name: "m".to_owned(),
            aig,
            inputs: Vec::new(),
            choices: Vec::new(),
            outputs: Vec::new(),
            accepts: None,
            events: Vec::new(),
            selectors,
            mutants: (0..count).map(mutant).collect(),
        }
    }

    /// Returns a source of numbers below a bound (xorshift64*).
    fn numbers(mut state: u64) -> impl FnMut(u64) -> u64 {
        move |bound| {
            state ^= state >> 12;
            state ^= state << 25;
            state ^= state >> 27;
            (state.wrapping_mul(0x2545_f491_4f6c_dd1d) >> 16) % bound
        }
    }

    #[test]
    fn combinations_of_some_changes_are_those_of_all_that_contain_no_others() {
        let model = model(12);
        let all: Vec<SelectorId> = (0..12).map(SelectorId).collect();
        let some: Vec<SelectorId> = [0, 1, 4, 5, 6, 9, 11].map(SelectorId).into();
        for order in 0..5 {
            let of_some = combinations_among(&model, some.clone(), order);
            let of_some: Vec<Combination> = of_some.collect();
            let fits = |one: &Combination| one.parts().iter().all(|part| some.contains(part));
            let of_all: Vec<Combination> = combinations(&model, order).filter(fits).collect();
            assert_eq!(of_some, of_all, "{order}");
        }
        // More changes than places: the search ends at once.
        let large = self::model(60);
        let every: Vec<SelectorId> = (0..60).map(SelectorId).collect();
        assert_eq!(combinations_among(&large, every, 31).count(), 0);
        // Three of six places, with two changes each.
        assert_eq!(combinations_among(&model, all, 3).count(), 20 * 8);
    }

    #[test]
    fn drawn_combinations_are_different_and_fit_and_none_is_likelier() {
        let model = model(12);
        let all: Vec<SelectorId> = (0..12).map(SelectorId).collect();
        let known: BTreeSet<Combination> = combinations(&model, 3).collect();
        let mut counts: BTreeMap<Combination, u32> = BTreeMap::new();
        let mut numbers = numbers(9);
        for _ in 0..4_000 {
            let found = drawn(&model, &all, (3, 20), 10_000, &mut numbers).expect("enough");
            assert_eq!(found.len(), 20);
            assert!(found.is_sorted() && found.windows(2).all(|two| two[0] != two[1]));
            for one in found {
                *counts.entry(one).or_default() += 1;
            }
        }
        assert_eq!(counts.keys().cloned().collect::<BTreeSet<_>>(), known);
        // 4,000 samples of 20 of 160 mutants: 500 of each are expected, with a deviation of 21.
        assert!(
            counts.values().all(|count| (400..600).contains(count)),
            "{counts:?}"
        );
        assert_eq!(drawn(&model, &all, (3, 161), 100_000, &mut numbers), None);
        assert_eq!(drawn(&model, &all, (13, 1), 100, &mut numbers), None);
        let every = drawn(&model, &all, (3, 160), 100_000, &mut numbers).expect("all");
        assert_eq!(every.into_iter().collect::<BTreeSet<_>>(), known);
    }
}
