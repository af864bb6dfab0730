//! Mutants of second order, decided together with all that have the same first change.

use std::collections::BTreeMap;
use std::sync::OnceLock;

use hyperkill_core::budget::Budget;
use hyperkill_core::mutant::MutantId;
use hyperkill_core::timed::{Automaton, Rules};
use hyperkill_timed::family::{Answer, Settled, settle};
use hyperkill_timed::game::Lost;
use hyperkill_timed::refine::{Related, Side};
use hyperkill_timed::replay::Trace;

/// What was found of a mutant.
pub(crate) enum Found<'a> {
    Inconsistent(&'a Automaton, Vec<Lost>),
    Refines(&'a Automaton, Vec<Lost>, Vec<Related>),
    Fails(&'a Automaton, &'a Trace),
}

/// Mutants with the same first change.
struct Family {
    ids: Vec<MutantId>,
    settled: OnceLock<Option<(Vec<Automaton>, Settled)>>,
}

/// All mutants by their first changes.
pub(crate) struct Families {
    places: BTreeMap<MutantId, (usize, usize)>,
    families: Vec<Family>,
}

impl Families {
    /// The mutants in catalogue order, with the numbers of their first changes; none if they have one change each.
    pub(crate) fn new<'a>(
        mutants: impl Iterator<Item = &'a MutantId>,
        first_of: &[usize],
    ) -> Families {
        let mut all = Families {
            places: BTreeMap::new(),
            families: Vec::new(),
        };
        for (id, first) in mutants.zip(first_of) {
            while all.families.len() <= *first {
                all.families.push(Family {
                    ids: Vec::new(),
                    settled: OnceLock::new(),
                });
            }
            let family = &mut all.families[*first];
            all.places.insert(id.clone(), (*first, family.ids.len()));
            family.ids.push(id.clone());
        }
        all
    }

    /// What is found of a mutant with all of its family, which is decided when the first of it is asked for; `None` if it is to be decided
    /// alone. `read` gives the automaton of a mutant.
    pub(crate) fn find(
        &self,
        id: &MutantId,
        model: &Side,
        rules: Rules,
        budget: &Budget,
        read: impl Fn(&MutantId) -> Option<Automaton>,
    ) -> Option<Found<'_>> {
        let (family, number) = *self.places.get(id)?;
        let family = &self.families[family];
        let settled = family.settled.get_or_init(|| {
            let automata = family.ids.iter().map(read);
            let automata: Vec<Automaton> = automata.collect::<Option<_>>()?;
            let settled = settle(&automata, model, rules, budget).ok()?;
            Some((automata, settled))
        });
        let (automata, settled) = settled.as_ref()?;
        let automaton = &automata[number];
        Some(match settled.answers[number] {
            Answer::Inconsistent => Found::Inconsistent(automaton, settled.lost(number)),
            Answer::Refines => {
                let (lost, related) = (settled.lost(number), settled.related(number));
                Found::Refines(automaton, lost, related)
            }
            Answer::Fails(trace) => Found::Fails(automaton, &settled.traces[trace]),
            Answer::Alphabets | Answer::Alone => return None,
        })
    }
}
