//! What tests allow and how adaptive ones go on (semantics.md §4), held against the oracle.

use std::collections::{BTreeMap, BTreeSet};

use hyperkill_checker::strategy_tree::{Next, StrategyTree};
use hyperkill_core::ConditionalMutant;

use crate::oracle::{Branch, Machine, Tree, Word};

/// A word of outputs as the checker writes it.
#[must_use]
pub fn bits(model: &ConditionalMutant, outputs: Word) -> Vec<bool> {
    let count = model.aig.outputs.len();
    (0..count).map(|k| outputs >> k & 1 == 1).collect()
}

fn word(outputs: &[bool]) -> Word {
    let bits = outputs.iter().enumerate();
    bits.fold(0, |word, (k, &bit)| word | Word::from(bit) << k)
}

/// What is wrong with a checker's set of allowed outputs: it must be ascending and exactly `expected`, or, where it admits
/// to be incomplete, `cap` of them and among them `own`.
///
/// # Errors
///
/// In words.
pub fn check_allowed(
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

/// The oracle's form of the checker's strategy.
///
/// # Errors
///
/// In words, if it is malformed: no root, branches that are not ascending, a branch to the same or an earlier node.
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
