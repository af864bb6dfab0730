//! Whether inputs that were found for one mutant kill another one definitely: by listing what both can do.

use std::collections::{BTreeMap, BTreeSet};

use super::stepper::{State, Stepper};

/// Pairs of states that may be listed at a step.
const PAIRS: usize = 1 << 10;
/// Steps that may be simulated for one question.
const SIMULATED: usize = 1 << 16;

/// The outputs of a state's steps, each with the states that it leads to.
type Answers = BTreeMap<Vec<bool>, BTreeSet<State>>;

/// Whether the mutant accepts these inputs and none of its runs has the outputs of a run of the original. `None` if that is
/// too much to list.
pub(super) fn kills_definitely(
    original: &Stepper<'_>,
    mutated: &Stepper<'_>,
    inputs: &[Vec<bool>],
) -> Option<bool> {
    let mut mutants: BTreeSet<State> = mutated.initial()?.into_iter().collect();
    let initial = original.initial()?;
    if initial.len() * mutants.len() > PAIRS {
        return None;
    }
    // States of the two after the same outputs.
    let mut pairs: BTreeSet<(State, State)> = initial
        .iter()
        .flat_map(|state| mutants.iter().map(|other| (state.clone(), other.clone())))
        .collect();
    let mut simulated = 0;
    for step in inputs {
        let models: BTreeSet<State> = pairs.iter().map(|(state, _)| state.clone()).collect();
        simulated += original.steps_from(models.len()) + mutated.steps_from(mutants.len());
        if simulated > SIMULATED {
            return None;
        }
        let by_model = answers(original, &models, step)?;
        let by_mutant = answers(mutated, &mutants, step)?;
        let mut next = BTreeSet::new();
        for (state, other) in &pairs {
            let (Some(mine), Some(theirs)) = (by_model.get(state), by_mutant.get(other)) else {
                continue;
            };
            for (outputs, states) in mine {
                for (state, other) in states.iter().flat_map(|state| {
                    theirs
                        .get(outputs)
                        .into_iter()
                        .flatten()
                        .map(move |o| (state, o))
                }) {
                    next.insert((state.clone(), other.clone()));
                    if next.len() > PAIRS {
                        return None;
                    }
                }
            }
        }
        pairs = next;
        let after = by_mutant.values().flat_map(BTreeMap::values).flatten();
        mutants = after.cloned().collect();
    }
    Some(pairs.is_empty() && !mutants.is_empty())
}

/// What each state can answer.
fn answers(
    stepper: &Stepper<'_>,
    states: &BTreeSet<State>,
    inputs: &[bool],
) -> Option<BTreeMap<State, Answers>> {
    let states: Vec<State> = states.iter().cloned().collect();
    let mut found: BTreeMap<State, Answers> = BTreeMap::new();
    for step in stepper.moves(&states, inputs)? {
        let answers = found.entry(states[step.from].clone()).or_default();
        answers.entry(step.outputs).or_default().insert(step.next);
    }
    Some(found)
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
            assert_eq!(
                kills_definitely(&original, &mutated, &inputs),
                Some(expected)
            );
            killed += usize::from(expected);
        }
        assert!(killed > 20, "{killed}");
    }
}
