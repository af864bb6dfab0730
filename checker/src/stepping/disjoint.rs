//! Decides whether runs of model and mutant on the same inputs can have the same outputs to the end, by listing the steps of both.

use std::collections::BTreeSet;

use hyperkill_core::budget::Budget;
use hyperkill_core::product::Variant;
use hyperkill_core::{ConditionalMutant, SelectorId};

use super::answers::{Answering, MutantAnswers};
use super::stepper::{State, Stepper};
use crate::schedule::engine_efforts::{AGREEMENT_STEPS, DISJOINT_PAIRS, DISJOINT_STEPS};

/// The joint states of original and mutant after some inputs.
#[derive(Clone)]
struct Situation {
    /// The pairs of states (original, mutant) that are possible after equal outputs.
    pairs: BTreeSet<(State, State)>,
    /// The states of the mutant that are possible after any outputs.
    mutants: BTreeSet<State>,
    /// The number of steps simulated so far.
    simulated: usize,
}

impl Situation {
    /// Returns the joint states before any input, from the initial ones. `None` if there are too many to list.
    fn first(original: &Stepper<'_>, mutated: &Stepper<'_>) -> Option<Situation> {
        let mutants: BTreeSet<State> = mutated.initial()?.into_iter().collect();
        let initial = original.initial()?;
        let pairs = initial.iter().flat_map(|state| {
            let mutants = mutants.iter();
            mutants.map(move |other| (state.clone(), other.clone()))
        });
        (initial.len() * mutants.len() <= DISJOINT_PAIRS).then(|| Situation {
            pairs: pairs.collect(),
            mutants: mutants.clone(),
            simulated: 0,
        })
    }

    /// Returns the joint states after one more step with these inputs. `None` if there are too many to list.
    fn after(
        &self,
        original: &Answering<'_>,
        mutated: &MutantAnswers<'_>,
        inputs: &[bool],
    ) -> Option<Situation> {
        let models: BTreeSet<State> = self.pairs.iter().map(|(state, _)| state.clone()).collect();
        let simulated = self.simulated
            + original.stepper().steps_from(models.len())
            + mutated.stepper().steps_from(self.mutants.len());
        if simulated > DISJOINT_STEPS {
            return None;
        }
        let by_model = original.of(&models, inputs, None)?;
        let outputs = mutated.stepper().has_many_choices().then(|| {
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
                    if pairs.len() > DISJOINT_PAIRS {
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

/// Whether some run of the mutant on these inputs has all outputs of a run of the original. `None` if there is too much to list, or the
/// budget ends the search.
pub(crate) fn can_agree(
    model: &ConditionalMutant,
    mutant: SelectorId,
    inputs: &[Vec<bool>],
    budget: &Budget,
) -> Option<bool> {
    let [original, mutated] = [Variant::Original, Variant::Mutant(mutant)]
        .map(|variant| Stepper::new(model, variant, AGREEMENT_STEPS));
    let mut now = Situation::first(&original, &mutated)?;
    let original = Answering::new(original);
    let mutated = MutantAnswers::new(&original, mutated, mutant);
    for inputs in inputs {
        if now.pairs.is_empty() {
            return Some(false);
        }
        if budget.stopped().is_some() {
            return None;
        }
        now = now.after(&original, &mutated, inputs)?;
    }
    Some(!now.pairs.is_empty())
}

/// Returns for each test whether the mutant accepts its inputs and none of its runs has the outputs of a run of the original. `None` if
/// there is too much to list. Consecutive tests with a common prefix are quicker.
pub(crate) fn kills_definitely(
    original: &Answering<'_>,
    mutated: &MutantAnswers<'_>,
    tests: &[&[Vec<bool>]],
) -> Vec<Option<bool>> {
    // The joint states after each step of the previous test.
    let mut course = vec![Situation::first(original.stepper(), mutated.stepper())];
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
    use rand::SeedableRng;
    use rand_chacha::ChaCha8Rng;

    use super::super::random::{random, random_run};
    use super::*;
    use crate::judge::{Judgement, accepts, agrees_by_solver};

    #[test]
    fn listing_and_solver_agree_on_what_kills_definitely() {
        let mut rng = ChaCha8Rng::seed_from_u64(7);
        let budget = Budget::unlimited();
        let mut killed = 0;
        for _ in 0..600 {
            let model = random(&mut rng, 2, 3);
            let inputs = random_run(&mut rng, &model).steps;
            let [original, mutated] = [Variant::Original, Variant::Mutant(SelectorId(0))]
                .map(|variant| Stepper::new(&model, variant, DISJOINT_STEPS));
            let disjoint =
                agrees_by_solver(&model, SelectorId(0), &inputs, None, &budget) == Judgement::Never;
            let agree = can_agree(&model, SelectorId(0), &inputs, &budget);
            assert_eq!(agree, Some(!disjoint));
            let accepted = accepts(&model, Variant::Mutant(SelectorId(0)), &inputs, &budget);
            let expected = disjoint && accepted == Judgement::Exists;
            let original = Answering::new(original);
            let mutated = MutantAnswers::new(&original, mutated, SelectorId(0));
            // The same inputs and their prefixes, in any order.
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
