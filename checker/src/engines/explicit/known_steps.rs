//! A cache of the steps of listed states, shared by the searches about one mutant and by all mutants.
//!
//! Results and spent effort of a search are the same with an empty cache.

use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use hyperkill_core::SelectorId;
use hyperkill_core::product::Variant;
use rustc_hash::FxHashMap;

use super::evaluator::RawStep;
use super::plan::Valuation;
use super::vectors::VectorTable;
use crate::engines::valuations::Group;

/// Moves that are kept at most.
const MOST: usize = 1 << 18;

/// So many moves of a state are gathered before repeated ones are dropped.
const UNORDERED: usize = 1 << 13;

/// Steps of the original and of mutants of one circuit. Clones share them.
#[derive(Clone, Debug, Default)]
pub struct KnownSteps {
    forms: Arc<Mutex<FxHashMap<Form, Arc<States>>>>,
    /// Moves of all states.
    moves: Arc<AtomicUsize>,
}

/// How the steps of a variant are told apart.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub(super) struct Form {
    pub(super) variant: Variant,
    /// Circuit latches that states are made of.
    pub(super) latches: Vec<usize>,
    /// Choices, then test inputs.
    pub(super) enumerated: Vec<Group>,
}

/// Steps by state.
type States = Mutex<FxHashMap<Box<[u64]>, Arc<StateSteps>>>;

/// The cached states of one form.
#[derive(Debug)]
pub(super) struct KnownStates {
    states: Arc<States>,
    moves: Arc<AtomicUsize>,
}

/// The steps from one state.
#[derive(Debug)]
pub(super) struct StateSteps {
    /// In the order in which they were found.
    pub(super) outputs: VectorTable,
    /// In the order in which they were found.
    pub(super) nexts: VectorTable,
    /// Input valuation, number of the outputs and of the next state; ascending, each once.
    pub(super) moves: Vec<(Valuation, u32, u32)>,
    /// Beginnings of steps that were evaluated to find them.
    pub(super) evaluated: usize,
}

impl KnownSteps {
    /// Returns the cached states of a form.
    pub(super) fn of(&self, form: Form) -> KnownStates {
        KnownStates {
            states: Arc::clone(locked(&self.forms).entry(form).or_default()),
            moves: Arc::clone(&self.moves),
        }
    }

    /// Lets go of the steps of a mutant.
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
    /// The steps of a state.
    pub(super) fn of(&self, state: &[u64]) -> Option<Arc<StateSteps>> {
        locked(&self.states).get(state).map(Arc::clone)
    }

    /// Keeps the steps of a state, if there is room.
    pub(super) fn keep(&self, state: &[u64], steps: &Arc<StateSteps>) {
        let moves = steps.moves.len();
        if self.moves.load(Ordering::Relaxed) + moves > MOST {
            return;
        }
        let mut states = locked(&self.states);
        if states.insert(state.into(), Arc::clone(steps)).is_none() {
            self.moves.fetch_add(moves, Ordering::Relaxed);
        }
    }
}

/// Steps from one state, as they are found.
pub(super) struct Found {
    steps: StateSteps,
    /// How many moves there were when they were last put in order.
    ordered: usize,
}

impl Found {
    /// None yet. Vectors of so many bits.
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

    /// Many choices may lead to the same move: where there are twice as many as before, those are dropped.
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
        if moves.len() >= 2 * self.ordered.max(UNORDERED) {
            self.put_in_order();
        }
    }

    fn put_in_order(&mut self) {
        let moves = &mut self.steps.moves;
        moves.sort_unstable();
        moves.dedup();
        self.ordered = moves.len();
    }

    /// All of them, for which so many beginnings were evaluated.
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
