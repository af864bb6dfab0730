//! Decides whether given inputs kill a mutant (semantics.md §2), by listing all outputs of model and mutant.

use hyperkill_core::budget::Budget;
use hyperkill_core::product::Variant;
use hyperkill_core::{ConditionalMutant, SelectorId};

use super::best_run::Effort;
use super::tree::follow;
use crate::schedule::engine_efforts::ALLOWED_OUTPUT_STEPS;
use crate::stepping::{Answering, Stepper};

/// How certainly a tester who knows the model detects a mutant by given inputs.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum Noticed {
    /// Every run of the mutant on these inputs has the outputs of a run of the model.
    Never,
    /// Some run of the mutant has outputs of no run of the model.
    Possibly,
    /// No run of the mutant has the outputs of a run of the model to the end, and some run gives outputs that the model cannot give.
    Certainly,
}

/// Returns how certainly these inputs detect the mutant. They have one bool per circuit input and step; bools of choices are ignored.
/// `None` if there is too much to list.
#[must_use]
pub fn noticed(
    model: &ConditionalMutant,
    mutant: SelectorId,
    inputs: &[Vec<bool>],
    effort: &Effort,
    budget: &Budget,
) -> Option<Noticed> {
    let original = Stepper::new(model, Variant::Original, ALLOWED_OUTPUT_STEPS);
    let course = follow(&Answering::new(original), &[mutant], inputs, effort, budget)?;
    Some(match (course.fails, course.passes) {
        (false, _) => Noticed::Never,
        (true, true) => Noticed::Possibly,
        (true, false) => Noticed::Certainly,
    })
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use hyperkill_core::trace::replay;
    use rand::SeedableRng;
    use rand_chacha::ChaCha8Rng;

    use super::*;
    use crate::stepping::random::{random, random_run, siblings};

    #[test]
    fn what_is_noticed_is_what_all_runs_on_the_inputs_show() {
        let mut mix = [0; 3];
        for seed in 0..300 {
            let mut rng = ChaCha8Rng::seed_from_u64(seed);
            let mut model = random(&mut rng, 1, 2);
            // If inputs are refused, the common prefix of the runs counts.
            model.aig.constraints.clear();
            let mut run = random_run(&mut rng, &model);
            run.steps.truncate(4);
            let all = siblings(&model, &run);
            let shown = |variant| -> BTreeSet<Vec<Vec<bool>>> {
                let traces = all.iter().map(|run| replay(&model, variant, run).unwrap());
                traces.map(|trace| trace.outputs).collect()
            };
            let original = shown(Variant::Original);
            let mutant = shown(Variant::Mutant(SelectorId(0)));
            let expected = if mutant.is_subset(&original) {
                Noticed::Never
            } else if mutant.is_disjoint(&original) {
                Noticed::Certainly
            } else {
                Noticed::Possibly
            };
            let (effort, budget) = (Effort::default(), Budget::unlimited());
            let found = noticed(&model, SelectorId(0), &run.steps, &effort, &budget);
            assert_eq!(found, Some(expected), "seed {seed}");
            mix[expected as usize] += 1;
        }
        assert!(mix.iter().all(|&count| count > 10), "{mix:?}");
    }
}
