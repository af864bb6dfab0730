//! Compares allowed outputs and adaptive tests of the checker (semantics.md §4) with the oracle.

use std::collections::{BTreeMap, BTreeSet};

use hyperkill_checker::testgen::allowed;
use hyperkill_core::ConditionalMutant;
use hyperkill_core::budget::Budget;
use hyperkill_core::trace::Stimulus as Run;
use hyperkill_evidence::allowed_outputs::Allowing;
use hyperkill_evidence::strategy_tree::{Next, StrategyTree};
use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;

use super::letters;
use crate::oracle::{Branch, Machine, Taken, Tree, Word};

/// Returns a run of the original of at most 8 steps, with its states: random letters, cut where the first constraint breaks.
#[must_use]
pub fn existing_run(model: &ConditionalMutant, machine: &Machine, seed: u64) -> (Run, Vec<Taken>) {
    let mut rng = ChaCha8Rng::seed_from_u64(seed);
    let mut bools = |count: usize| (0..count).map(|_| rng.random_bool(0.5)).collect();
    let mut run = Run {
        initial: Vec::into(bools(model.aig.latches().len())),
        steps: (0..8).map(|_| bools(model.aig.inputs().len())).collect(),
    };
    let initial = machine.initial_state(&model.aig, &run.initial);
    loop {
        match machine.trail(initial, &letters(machine, &run)) {
            Some(trail) => return (run, trail),
            None => drop(run.steps.pop()),
        }
    }
}

/// Compares the checker's allowed outputs, at most `cap` per step, with the oracle's along a random run of the original. Returns the
/// oracle's sets per step: local ones, then global ones.
///
/// # Errors
///
/// If a set disagrees: the first disagreement, in words.
pub fn compare_allowed(
    model: &ConditionalMutant,
    machine: &Machine,
    seed: u64,
    cap: usize,
) -> Result<[Vec<BTreeSet<Word>>; 2], String> {
    let (run, trail) = existing_run(model, machine, seed);
    let expected = [
        machine.locally_allowed(&trail),
        machine.globally_allowed(&trail),
    ];
    for (kind, expected) in [Allowing::Local, Allowing::Global]
        .into_iter()
        .zip(&expected)
    {
        let found = allowed(model, &run, kind, cap, &Budget::unlimited());
        if found.len() != trail.len() {
            return Err(format!("{} sets for {} steps", found.len(), trail.len()));
        }
        for (j, (found, expected)) in found.iter().zip(expected).enumerate() {
            check_allowed(
                &found.outputs,
                found.complete,
                expected,
                trail[j].outputs,
                cap,
            )
            .map_err(|wrong| format!("step {j}, {kind:?}: {wrong} in {run:?}"))?;
        }
    }
    Ok(expected)
}

fn word(outputs: &[bool]) -> Word {
    let bits = outputs.iter().enumerate();
    bits.fold(0, |word, (k, &bit)| word | Word::from(bit) << k)
}

/// Checks a set of allowed outputs. It must be ascending and equal to `expected`. If it is marked incomplete, it must hold `cap` of the
/// expected outputs, `own` among them.
fn check_allowed(
    found: &[Vec<bool>],
    complete: bool,
    expected: &BTreeSet<Word>,
    own: Word,
    cap: usize,
) -> Result<(), String> {
    if !found.is_sorted() {
        return Err(format!("{found:?} is not ascending"));
    }
    let words: BTreeSet<Word> = found.iter().map(|outputs| word(outputs)).collect();
    if words.len() != found.len() {
        return Err(format!("{found:?} repeats itself"));
    }
    if !words.contains(&own) {
        return Err(format!("{words:?} lacks the run's own {own}"));
    }
    let right = if complete {
        words == *expected
    } else {
        words.len() == cap.max(1) && words.len() < expected.len() && words.is_subset(expected)
    };
    if right {
        Ok(())
    } else {
        Err(format!(
            "{words:?} (complete: {complete}) allowed, expected {expected:?}"
        ))
    }
}

/// Converts the checker's strategy to the oracle's form.
///
/// # Errors
///
/// If the strategy is malformed: no root, branches that are not ascending, or a branch to the same or an earlier node.
pub fn tree_of(machine: &Machine, strategy: &StrategyTree) -> Result<Tree, String> {
    unfold(machine, strategy, 0)
}

fn unfold(machine: &Machine, strategy: &StrategyTree, index: usize) -> Result<Tree, String> {
    let Some(node) = strategy.nodes.get(index) else {
        return Err(format!("no node {index}"));
    };
    if !node.branches.is_sorted_by(|a, b| a.0 < b.0) {
        return Err(format!("the branches of node {index} are not ascending"));
    }
    let mut branches = BTreeMap::new();
    for (outputs, next) in &node.branches {
        let branch = match next {
            Next::Pass => Branch::Pass,
            Next::Node(next) if *next > index => Branch::Then(unfold(machine, strategy, *next)?),
            Next::Node(next) => return Err(format!("node {index} leads back to {next}")),
        };
        branches.insert(word(outputs), branch);
    }
    Ok(Tree {
        input: machine.input_word(&node.input),
        branches,
    })
}
