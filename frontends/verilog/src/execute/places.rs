//! Places in words and arrays that are constants in the original and in each mutant: a read is a choice between few parts, not a shift of
//! all.

use hyperkill_core::substitution::Substitution;
use hyperkill_core::term::TermId;

use crate::design::Run;
use crate::state::Elaborator;

/// Most terms that a place is made of for its value in each mutant to be found.
const MOST_PLACES: usize = 1000;

/// A place, or `None` outside of the bounds.
pub(super) type Chosen = Option<i64>;

/// The place that the original chooses, and the place that each mutant chooses, by its selector.
pub(super) type ByMutant = (Chosen, Vec<(TermId, Chosen)>);

impl Elaborator<'_> {
    /// Returns the place that the original chooses, and the place that each mutant chooses, by its selector. The place is `term` if
    /// `inside` holds. `None` unless all these places are constants.
    pub(super) fn places_of_mutants(
        &mut self,
        term: TermId,
        inside: TermId,
    ) -> Run<Option<ByMutant>> {
        let words = &mut self.design.words;
        let mut selectors = Vec::new();
        for part in [term, inside] {
            match words.only_selectors(part, MOST_PLACES) {
                Some(found) => selectors.extend(found),
                None => return Ok(None),
            }
        }
        selectors.sort_unstable();
        selectors.dedup();
        let mut places = Vec::with_capacity(selectors.len() + 1);
        for present in std::iter::once(None).chain(selectors.iter().copied().map(Some)) {
            let mut one = Substitution::new();
            for selector in &selectors {
                let value = words.pool.bool(present == Some(*selector));
                let selector = words.pool.selector(*selector);
                one.replace(selector, value);
            }
            let inside = one.apply(&mut words.pool, inside)?;
            let place = one.apply(&mut words.pool, term)?;
            let place = match (words.pool.as_bool(inside), words.value(place, true)) {
                (Some(true), Some(place)) => Some(place),
                (Some(false), _) => None,
                _ => return Ok(None),
            };
            places.push(place);
        }
        let original = places.remove(0);
        let mutants = selectors.into_iter().zip(places);
        let mutants = mutants.map(|(selector, place)| (words.pool.selector(selector), place));
        Ok(Some((original, mutants.collect())))
    }

    /// Returns the value at the place of the original, and in each mutant at its own.
    pub(super) fn read_by_mutants(
        &mut self,
        original: Chosen,
        mutants: &[(TermId, Chosen)],
        read: impl Fn(&mut Self, Chosen) -> Run<TermId>,
    ) -> Run<TermId> {
        let strict = std::mem::replace(&mut self.strict, false);
        let mut value = read(self, original);
        for (selector, place) in mutants {
            let (Ok(before), true) = (&value, *place != original) else {
                continue;
            };
            let before = *before;
            value = match read(self, *place) {
                Ok(own) => Ok(self.design.words.ite(*selector, own, before)?),
                Err(stop) => Err(stop),
            };
        }
        self.strict = strict;
        value
    }
}
