//! Whether inputs that were found for one mutant kill another one definitely: by listing what both can do.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::{Arc, Mutex, PoisonError};

use rustc_hash::FxHashMap;

use super::stepper::{State, Stepper};

/// Pairs of states that may be listed at a step.
const PAIRS: usize = 1 << 10;
/// Steps that may be simulated for one question.
const SIMULATED: usize = 1 << 16;

/// The outputs of a state's steps, each with the states that it leads to.
type Answers = BTreeMap<Vec<bool>, BTreeSet<State>>;

/// Inputs, and the outputs that are asked for, if not all are.
type Asked = (Vec<bool>, Option<Vec<Vec<bool>>>);

/// What states answer.
type Known = FxHashMap<Asked, FxHashMap<State, Arc<Answers>>>;

/// What one side answers, remembered by inputs and state.
pub(super) struct Answering<'a> {
    stepper: &'a Stepper<'a>,
    known: Mutex<Known>,
}

impl<'a> Answering<'a> {
    /// Nothing is known yet.
    pub(super) fn new(stepper: &'a Stepper<'a>) -> Answering<'a> {
        Answering {
            stepper,
            known: Mutex::default(),
        }
    }

    /// What each of these states can answer. `None` if that is too much to list. See [`Stepper::moves_among`] about `outputs`.
    fn of(
        &self,
        states: &BTreeSet<State>,
        inputs: &[bool],
        outputs: Option<Vec<Vec<bool>>>,
    ) -> Option<FxHashMap<State, Arc<Answers>>> {
        let asked: Asked = (inputs.to_vec(), outputs);
        let mut found = FxHashMap::default();
        let mut missing = Vec::new();
        {
            let known = self.known.lock().unwrap_or_else(PoisonError::into_inner);
            let known = known.get(&asked);
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
        let mut answers = vec![Answers::new(); missing.len()];
        let outputs: Option<Vec<&[bool]>> =
            (asked.1.as_ref()).map(|outputs| outputs.iter().map(Vec::as_slice).collect());
        for step in (self.stepper).moves_among(&missing, inputs, outputs.as_deref())? {
            let next = answers[step.from].entry(step.outputs).or_default();
            next.insert(step.next);
        }
        let mut known = self.known.lock().unwrap_or_else(PoisonError::into_inner);
        let known = known.entry(asked).or_default();
        for (state, answers) in missing.into_iter().zip(answers) {
            let answers = Arc::new(answers);
            known.insert(state.clone(), Arc::clone(&answers));
            found.insert(state, answers);
        }
        Some(found)
    }
}

/// What can be the case after some inputs.
#[derive(Clone)]
struct Situation {
    /// States of original and mutant after the same outputs.
    pairs: BTreeSet<(State, State)>,
    /// States of the mutant, whatever it has shown.
    mutants: BTreeSet<State>,
    /// Steps that were simulated so far.
    simulated: usize,
}

impl Situation {
    /// Before any input. `None` if that is too much to list.
    fn first(original: &Stepper<'_>, mutated: &Stepper<'_>) -> Option<Situation> {
        let mutants: BTreeSet<State> = mutated.initial()?.into_iter().collect();
        let initial = original.initial()?;
        let pairs = initial.iter().flat_map(|state| {
            let mutants = mutants.iter();
            mutants.map(move |other| (state.clone(), other.clone()))
        });
        (initial.len() * mutants.len() <= PAIRS).then(|| Situation {
            pairs: pairs.collect(),
            mutants: mutants.clone(),
            simulated: 0,
        })
    }

    /// After one more step. `None` if that is too much to list.
    fn after(
        &self,
        original: &Answering<'_>,
        mutated: &Answering<'_>,
        inputs: &[bool],
    ) -> Option<Situation> {
        let models: BTreeSet<State> = self.pairs.iter().map(|(state, _)| state.clone()).collect();
        let simulated = self.simulated
            + original.stepper.steps_from(models.len())
            + mutated.stepper.steps_from(self.mutants.len());
        if simulated > SIMULATED {
            return None;
        }
        let by_model = original.of(&models, inputs, None)?;
        let outputs = mutated.stepper.has_many_choices().then(|| {
            let shown = by_model.values().flat_map(|answers| answers.keys());
            let shown: BTreeSet<&Vec<bool>> = shown.collect();
            shown.into_iter().cloned().collect()
        });
        let by_mutant = mutated.of(&self.mutants, inputs, outputs)?;
        let mut pairs = BTreeSet::new();
        for (state, other) in &self.pairs {
            let (Some(mine), Some(theirs)) = (by_model.get(state), by_mutant.get(other)) else {
                continue;
            };
            for (outputs, states) in &**mine {
                let others = theirs.get(outputs).into_iter().flatten();
                for other in others {
                    pairs.extend(states.iter().map(|state| (state.clone(), other.clone())));
                    if pairs.len() > PAIRS {
                        return None;
                    }
                }
            }
        }
        let after = by_mutant.values();
        let after = after.flat_map(|answers| answers.values()).flatten();
        Some(Situation {
            mutants: after.cloned().collect(),
            pairs,
            simulated,
        })
    }
}

/// For each test, whether the mutant accepts its inputs and none of its runs has the outputs of a run of the original; `None` if that is
/// too much to list. Tests that begin alike are quicker next to each other.
pub(super) fn kills_definitely(
    original: &Answering<'_>,
    mutated: &Stepper<'_>,
    tests: &[&[Vec<bool>]],
) -> Vec<Option<bool>> {
    let mutated = &Answering::new(mutated);
    // What is the case after each step of the test before.
    let mut course = vec![Situation::first(original.stepper, mutated.stepper)];
    let mut before: &[Vec<bool>] = &[];
    let tests = tests.iter().map(|&test| {
        let common = test.iter().zip(before).take_while(|(a, b)| a == b).count();
        course.truncate(common + 1);
        before = test;
        for inputs in &test[common..] {
            let now = course.last().and_then(Option::as_ref);
            let next = now.and_then(|now| now.after(original, mutated, inputs));
            course.push(next);
        }
        let end = course.last().and_then(Option::as_ref)?;
        Some(end.pairs.is_empty() && !end.mutants.is_empty())
    });
    tests.collect()
}

#[cfg(test)]
mod tests {
    use hyperkill_core::SelectorId;
    use hyperkill_core::product::Variant;
    use rand::SeedableRng;
    use rand_chacha::ChaCha8Rng;

    use super::*;
    use crate::judge::{Judgement, accepts, can_agree};
    use crate::testgen::random::{random, random_run};
    use hyperkill_core::budget::Budget;

    #[test]
    fn listing_and_solver_agree_on_what_kills_definitely() {
        let mut rng = ChaCha8Rng::seed_from_u64(7);
        let budget = Budget::unlimited();
        let mut killed = 0;
        for _ in 0..600 {
            let model = random(&mut rng, 2, 3);
            let inputs = random_run(&mut rng, &model).steps;
            let [original, mutated] = [Variant::Original, Variant::Mutant(SelectorId(0))]
                .map(|variant| Stepper::new(&model, variant, SIMULATED));
            let disjoint =
                can_agree(&model, SelectorId(0), &inputs, None, &budget) == Judgement::Never;
            let accepted = accepts(&model, Variant::Mutant(SelectorId(0)), &inputs, &budget);
            let expected = disjoint && accepted == Judgement::Exists;
            let original = Answering::new(&original);
            // The same inputs and their beginnings, in any order.
            let tests = [&inputs[..], &inputs[..inputs.len() / 2], &inputs[..]];
            let found = kills_definitely(&original, &mutated, &tests);
            assert_eq!([found[0], found[2]], [Some(expected); 2]);
            let alone = kills_definitely(&original, &mutated, &tests[1..2]);
            assert_eq!(alone, [found[1]]);
            killed += usize::from(expected);
        }
        assert!(killed > 20, "{killed}");
    }
}
