//! Mutants of second order, decided together with all that have the same first change.

use std::collections::BTreeMap;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

use hyperkill_core::budget::Budget;
use hyperkill_core::mutant::MutantId;
use hyperkill_core::timed::{Automaton, Rules};
use hyperkill_timed::family::{Answer, Settled, settle};
use hyperkill_timed::game::Lost;
use hyperkill_timed::refine::{Related, Side};
use hyperkill_timed::replay::Trace;

/// The result for a mutant of a family that is decided together.
pub(crate) enum Found<'a> {
    Inconsistent(&'a Automaton, Vec<Lost>),
    Refines(&'a Automaton, Vec<Lost>, Vec<Related>),
    Fails(&'a Automaton, &'a Trace),
}

/// The mutants with the same first change, and their results.
struct Family {
    ids: Vec<MutantId>,
    /// The results; they are kept from the request for the first mutant until the request for the last one.
    settled: Mutex<Option<Arc<Together>>>,
    /// The number of mutants that are not requested yet.
    open: AtomicUsize,
}

/// The automata of a family with their results. `None` if its mutants are decided alone.
type Together = Option<(Vec<Automaton>, Settled)>;

impl Family {
    /// Returns the results of the family. The first request computes them by `settle`; the request for the last mutant frees the memory.
    fn settled(&self, settle: impl FnOnce() -> Together) -> Arc<Together> {
        let mut kept = self.settled.lock().unwrap_or_else(PoisonError::into_inner);
        let settled = Arc::clone(kept.get_or_insert_with(|| Arc::new(settle())));
        let open = self.open.load(Ordering::Relaxed).saturating_sub(1);
        self.open.store(open, Ordering::Relaxed);
        if open == 0 {
            // All of it may take gigabytes.
            *kept = None;
        }
        settled
    }
}

/// All families of mutants, by their first changes.
pub(crate) struct Families {
    places: BTreeMap<MutantId, (usize, usize)>,
    families: Vec<Family>,
}

impl Families {
    /// Returns the families of mutants, which are in catalogue order; `first_of` has the numbers of their first changes. It is empty if
    /// mutants have one change each.
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
                    settled: Mutex::new(None),
                    open: AtomicUsize::new(0),
                });
            }
            let family = &mut all.families[*first];
            all.places.insert(id.clone(), (*first, family.ids.len()));
            family.ids.push(id.clone());
            *family.open.get_mut() += 1;
        }
        all
    }

    /// Calls `then` with the result for a mutant, and returns its value. The first request for a mutant decides its family. `None` if the
    /// mutant must be decided alone. `read` returns the automaton of a mutant.
    pub(crate) fn find<T>(
        &self,
        id: &MutantId,
        (model, rules): (&Side, Rules),
        budget: &Budget,
        read: impl Fn(&MutantId) -> Option<Automaton>,
        then: impl FnOnce(Found<'_>) -> Option<T>,
    ) -> Option<T> {
        let (family, number) = *self.places.get(id)?;
        let family = &self.families[family];
        let together = family.settled(|| {
            let automata = family.ids.iter().map(read);
            let automata: Vec<Automaton> = automata.collect::<Option<_>>()?;
            let settled = settle(&automata, model, rules, budget).ok()?;
            Some((automata, settled))
        });
        let (automata, settled) = together.as_ref().as_ref()?;
        let automaton = &automata[number];
        then(match settled.answers[number] {
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
