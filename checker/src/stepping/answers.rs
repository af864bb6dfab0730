//! A cache of the outputs and successor states of states under test inputs.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use hyperkill_core::SelectorId;
use rustc_hash::FxHashMap;

use super::difference::Difference;
use super::stepper::{State, Stepper};
use crate::schedule::engine_efforts::REMEMBERED_ANSWERS;

/// The outputs that steps of a state give, each with the set of successor states.
pub(crate) type Answers = BTreeMap<Vec<bool>, BTreeSet<State>>;

/// Test inputs, and the outputs of interest; `None` if all are.
type Asked = (Vec<bool>, Option<Vec<Vec<bool>>>);

#[derive(Default)]
struct Known {
    answers: FxHashMap<Asked, FxHashMap<State, Arc<Answers>>>,
    /// The number of output valuations stored in all answers.
    count: usize,
}

/// Lists the answers of one variant from given states, and caches them.
pub(crate) struct Answering<'a> {
    stepper: Stepper<'a>,
    known: Mutex<Known>,
}

impl<'a> Answering<'a> {
    /// Returns a variant without cached answers.
    pub(crate) fn new(stepper: Stepper<'a>) -> Answering<'a> {
        Answering {
            stepper,
            known: Mutex::default(),
        }
    }

    /// Returns the stepper that lists the variant's steps.
    pub(crate) fn stepper(&self) -> &Stepper<'a> {
        &self.stepper
    }

    /// Returns for each of these states the outputs of its steps under these inputs, with their successors. `None` if there are too many to
    /// list, independently of the cache's contents. `outputs` are the outputs of interest; see [`Stepper::moves_among`].
    pub(crate) fn of(
        &self,
        states: &BTreeSet<State>,
        inputs: &[bool],
        outputs: Option<Vec<Vec<bool>>>,
    ) -> Option<FxHashMap<State, Arc<Answers>>> {
        let asked: Asked = (inputs.to_vec(), outputs);
        let mut found = FxHashMap::default();
        let mut missing = Vec::new();
        {
            let known = self.known();
            let known = known.answers.get(&asked);
            for state in states {
                match known.and_then(|known| known.get(state)) {
                    Some(answers) => {
                        found.insert(state.clone(), Arc::clone(answers));
                    }
                    None => missing.push(state.clone()),
                }
            }
        }
        if missing.is_empty() {
            return Some(found);
        }
        let mut answers = Vec::with_capacity(missing.len());
        for states in missing.chunks(self.stepper.together()) {
            answers.extend(self.listed(states, &asked)?);
        }
        let mut known = self.known();
        for (state, answers) in missing.into_iter().zip(answers) {
            known.keep(&asked, &state, &answers);
            found.insert(state, answers);
        }
        Some(found)
    }

    fn listed(&self, states: &[State], (inputs, outputs): &Asked) -> Option<Vec<Arc<Answers>>> {
        let mut answers = vec![Answers::new(); states.len()];
        let outputs = outputs.as_ref();
        let outputs: Option<Vec<&[bool]>> =
            outputs.map(|outputs| outputs.iter().map(Vec::as_slice).collect());
        for step in (self.stepper).moves_among(states, inputs, outputs.as_deref())? {
            let next = answers[step.from].entry(step.outputs).or_default();
            next.insert(step.next);
        }
        Some(answers.into_iter().map(Arc::new).collect())
    }

    fn known(&self) -> MutexGuard<'_, Known> {
        self.known.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Known {
    /// Stores the answers of a state, if the cache has room.
    fn keep(&mut self, asked: &Asked, state: &State, answers: &Arc<Answers>) {
        if self.count + answers.len() > REMEMBERED_ANSWERS {
            return;
        }
        self.count += answers.len();
        let known = self.answers.entry(asked.clone()).or_default();
        known.insert(state.clone(), Arc::clone(answers));
    }
}

/// Lists the answers of a mutant from given states, and caches them. Where the mutation cannot matter, the original's answers are used.
pub(crate) struct MutantAnswers<'a> {
    own: Answering<'a>,
    original: &'a Answering<'a>,
    /// Decides in which states the mutation can matter; `None` if mutant and original read different latches.
    difference: Option<Difference>,
}

impl<'a> MutantAnswers<'a> {
    /// Returns the mutant without cached answers.
    pub(crate) fn new(
        original: &'a Answering<'a>,
        mutated: Stepper<'a>,
        mutant: SelectorId,
    ) -> MutantAnswers<'a> {
        let latches = &mutated.latches;
        let is_alike = *latches == original.stepper.latches;
        MutantAnswers {
            difference: is_alike.then(|| Difference::new(mutated.model, mutant, latches)),
            own: Answering::new(mutated),
            original,
        }
    }

    /// Returns the stepper that lists the mutant's steps.
    pub(crate) fn stepper(&self) -> &Stepper<'a> {
        &self.own.stepper
    }

    /// Returns answers like [`Answering::of`]. They may contain outputs that were not asked for.
    pub(crate) fn of(
        &self,
        states: &BTreeSet<State>,
        inputs: &[bool],
        outputs: Option<Vec<Vec<bool>>>,
    ) -> Option<FxHashMap<State, Arc<Answers>>> {
        let Some(difference) = &self.difference else {
            return self.own.of(states, inputs, outputs);
        };
        let matters = difference.matters(states.iter().map(Vec::as_slice), Some(inputs));
        let (mut own, mut alike) = (BTreeSet::new(), BTreeSet::new());
        for (state, matters) in states.iter().zip(matters) {
            let side = if matters { &mut own } else { &mut alike };
            side.insert(state.clone());
        }
        let mut found = self.original.of(&alike, inputs, None)?;
        if !own.is_empty() {
            found.extend(self.own.of(&own, inputs, outputs)?);
        }
        Some(found)
    }
}
