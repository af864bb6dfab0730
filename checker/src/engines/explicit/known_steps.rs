//! A cache of the steps of listed states, shared by the searches about one mutant and by all mutants.
//!
//! The cache changes neither results nor the effort that a search counts.

use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use hyperkill_core::SelectorId;
use hyperkill_core::product::Variant;
use rustc_hash::FxHashMap;

use super::evaluator::RawStep;
use super::plan::Valuation;
use super::vectors::VectorTable;
use crate::engines::valuations::Group;
use crate::schedule::engine_efforts::{KNOWN_MOVES, UNORDERED_MOVES};

/// A cache of steps of the original and of mutants of one circuit. Clones share it.
#[derive(Clone, Debug, Default)]
pub struct KnownSteps {
    forms: Arc<Mutex<FxHashMap<Form, Arc<States>>>>,
    /// The number of cached moves of all states.
    moves: Arc<AtomicUsize>,
}

/// The key under which the steps of a variant are cached: they depend on nothing else.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub(super) struct Form {
    pub(super) variant: Variant,
    /// The circuit latches, by index, that form a state.
    pub(super) latches: Vec<usize>,
    /// The groups of choices, then the groups of test inputs, whose values are enumerated.
    pub(super) enumerated: Vec<Group>,
}

/// The cached steps of each state, by its bits.
type States = Mutex<FxHashMap<Box<[u64]>, Arc<StateSteps>>>;

/// The cached steps of the states of one variant.
#[derive(Debug)]
pub(super) struct KnownStates {
    states: Arc<States>,
    moves: Arc<AtomicUsize>,
}

/// All steps from one state, without duplicates.
#[derive(Debug)]
pub(super) struct StateSteps {
    /// The outputs of the steps, numbered in the order in which they were found.
    pub(super) outputs: VectorTable,
    /// The next states of the steps, numbered in the order in which they were found.
    pub(super) nexts: VectorTable,
    /// Input valuation, number of the outputs and of the next state; ascending, each once.
    pub(super) moves: Vec<(Valuation, u32, u32)>,
    /// The number of prefixes of steps (with some inputs and choices fixed) that were evaluated to find them.
    pub(super) evaluated: usize,
}

impl KnownSteps {
    /// Returns the cache of the states of one variant.
    pub(super) fn of(&self, form: Form) -> KnownStates {
        KnownStates {
            states: Arc::clone(locked(&self.forms).entry(form).or_default()),
            moves: Arc::clone(&self.moves),
        }
    }

    /// Removes the steps of a mutant from the cache.
    pub(crate) fn forget(&self, mutant: SelectorId) {
        locked(&self.forms).retain(|form, states| {
            let stays = form.variant != Variant::Mutant(mutant);
            if !stays {
                let moves = locked(states).values().map(|steps| steps.moves.len()).sum();
                self.moves.fetch_sub(moves, Ordering::Relaxed);
            }
            stays
        });
    }
}

impl KnownStates {
    /// Returns the cached steps of a state; `None` if they are not cached.
    pub(super) fn of(&self, state: &[u64]) -> Option<Arc<StateSteps>> {
        locked(&self.states).get(state).map(Arc::clone)
    }

    /// Stores the steps of a state in the cache, if there is room.
    pub(super) fn keep(&self, state: &[u64], steps: &Arc<StateSteps>) {
        let moves = steps.moves.len();
        if self.moves.load(Ordering::Relaxed) + moves > KNOWN_MOVES {
            return;
        }
        let mut states = locked(&self.states);
        if states.insert(state.into(), Arc::clone(steps)).is_none() {
            self.moves.fetch_add(moves, Ordering::Relaxed);
        }
    }
}

/// Collects the steps from one state while they are being found.
pub(super) struct Found {
    steps: StateSteps,
    /// The number of moves when they were last sorted and duplicates removed.
    ordered: usize,
}

impl Found {
    /// Returns an empty collection, for outputs and states with these numbers of bits.
    pub(super) fn new(outputs: usize, latches: usize) -> Found {
        Found {
            steps: StateSteps {
                outputs: VectorTable::new(outputs),
                nexts: VectorTable::new(latches),
                moves: Vec::new(),
                evaluated: 0,
            },
            ordered: 0,
        }
    }

    /// Adds a step. Many choices may lead to the same move, so duplicates are removed whenever the number of moves has doubled.
    pub(super) fn push(&mut self, step: &RawStep<'_>) {
        let StateSteps {
            outputs,
            nexts,
            moves,
            ..
        } = &mut self.steps;
        let found = (
            step.valuation,
            outputs.number(step.outputs),
            nexts.number(step.next),
        );
        if moves.last() == Some(&found) {
            return;
        }
        moves.push(found);
        if moves.len() >= 2 * self.ordered.max(UNORDERED_MOVES) {
            self.put_in_order();
        }
    }

    fn put_in_order(&mut self) {
        let moves = &mut self.steps.moves;
        moves.sort_unstable();
        moves.dedup();
        self.ordered = moves.len();
    }

    /// Returns the steps found, without duplicates and in ascending order. `evaluated` is the number of prefixes evaluated to find them.
    pub(super) fn all(mut self, evaluated: usize) -> StateSteps {
        self.put_in_order();
        self.steps.moves.shrink_to_fit();
        StateSteps {
            evaluated,
            ..self.steps
        }
    }
}

fn locked<T>(shared: &Mutex<T>) -> MutexGuard<'_, T> {
    shared.lock().unwrap_or_else(PoisonError::into_inner)
}
