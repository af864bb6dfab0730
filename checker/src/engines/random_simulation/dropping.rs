//! Runs known tests on many mutants (fault dropping). Lanes hold many tests on one mutant or, if there are few tests, many mutants.

use rayon::prelude::*;

use hyperkill_core::budget::Budget;
use hyperkill_core::product::Variant;
use hyperkill_core::trace::Stimulus;
use hyperkill_core::{ConditionalMutant, SelectorId};

use super::runner::{Pair, Runner};
use crate::engines::fault_simulation::differing_tests;
use crate::engines::stimuli::{LANES, Stimuli, WORDS};
use crate::question::Found;

/// Returns, for each mutant that some test kills, the test that kills it in the fewest steps, cut after the first difference.
#[must_use]
pub fn drop_onto(
    model: &ConditionalMutant,
    mutants: &[SelectorId],
    tests: &[Stimulus],
    budget: &Budget,
) -> Vec<(SelectorId, Found)> {
    let killing = kill_matrix(model, mutants, tests, budget);
    mutants
        .iter()
        .zip(killing)
        .filter_map(|(&mutant, killing)| {
            let &(test, steps) = killing.iter().min_by_key(|&&(test, steps)| (steps, test))?;
            let mut run = tests[test].clone();
            run.steps.truncate(steps);
            let runs = vec![run.clone(), run];
            Some((mutant, Found { steps, runs }))
        })
        .collect()
}

/// Returns for each mutant the tests, by index, whose choices and inputs make its outputs differ from the original's, each with the number
/// of steps up to the first difference.
#[must_use]
pub fn kill_matrix(
    model: &ConditionalMutant,
    mutants: &[SelectorId],
    tests: &[Stimulus],
    budget: &Budget,
) -> Vec<Vec<(usize, usize)>> {
    let by_mutants = mutants.len().div_ceil(LANES / WORDS) * tests.len().div_ceil(WORDS);
    if by_mutants < mutants.len() * tests.len().div_ceil(LANES) {
        return differing_tests(model, mutants, tests, budget);
    }
    let original = Runner::new(model, Variant::Original);
    // All tests of a batch have the same length, so that no lane runs past the end of its test.
    let mut order: Vec<usize> = (0..tests.len()).collect();
    order.sort_by_key(|&test| (tests[test].steps.len(), test));
    let batches: Vec<(Vec<usize>, Stimuli)> = order
        .chunks(LANES)
        .map(|batch| {
            let lanes: Vec<Stimulus> = batch.iter().map(|&test| tests[test].clone()).collect();
            (batch.to_vec(), Stimuli::of_lanes(&lanes))
        })
        .collect();
    let heading = budget.heading();
    let _waits = budget.waits();
    mutants
        .par_iter()
        .map(|&mutant| {
            let _helps = budget.helps(heading.as_ref());
            let mutated = Runner::new(model, Variant::Mutant(mutant));
            let pair = Pair {
                original: &original,
                mutant: &mutated,
            };
            let mut killing = Vec::new();
            for (batch, stimuli) in &batches {
                if budget.stopped().is_some() {
                    break;
                }
                for (lane, steps) in pair.first_differences(stimuli, batch.len()) {
                    if steps <= tests[batch[lane]].steps.len() {
                        killing.push((batch[lane], steps));
                    }
                }
            }
            killing.sort_unstable();
            killing
        })
        .collect()
}
