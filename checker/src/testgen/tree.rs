//! Definite kills as a strategy tree: the inputs are the same whatever is seen, and every output that the model can give is
//! known beforehand.

use std::collections::{BTreeMap, BTreeSet};

use hyperkill_core::budget::Budget;
use hyperkill_core::product::Variant;
use hyperkill_core::{ConditionalMutant, SelectorId};
use hyperkill_evidence::strategy_tree::{Next, Node, StrategyTree};

use super::allowed_outputs::SIMULATED;
use super::best_run::Effort;
use super::stepper::{Move, State, Stepper};

/// The states that model and mutants can be in after the same inputs and outputs.
type Belief = (Vec<State>, Vec<Vec<State>>);

/// What comes of giving these inputs, whatever is seen, to mutants that they kill definitely.
pub(super) struct Course {
    /// The tree; `None` if some mutant passes, or if it would offer an input that is refused.
    pub(super) tree: Option<StrategyTree>,
    /// Whether, after outputs that a mutant can show as well, no run of the model accepts the next input: the test stops there.
    pub(super) is_refused: bool,
    /// Whether some run of a mutant refuses an input before it has failed.
    pub(super) mutant_stops: bool,
}

/// Follows these inputs through all that the model and these mutants can show. `None` if the effort does not suffice.
pub(super) fn follow(
    model: &ConditionalMutant,
    mutants: &[SelectorId],
    inputs: &[Vec<bool>],
    effort: &Effort,
    budget: &Budget,
) -> Option<Course> {
    let original = Stepper::new(model, Variant::Original, SIMULATED);
    let mutated = mutants.iter();
    let mutated: Vec<Stepper<'_>> = mutated
        .map(|&mutant| Stepper::new(model, Variant::Mutant(mutant), SIMULATED))
        .collect();
    let mut nodes: Vec<Node> = Vec::new();
    let (mut is_refused, mut mutant_stops, mut passes) = (false, false, false);
    let mut simulated = 0;
    let initial: Option<Vec<Vec<State>>> = mutated.iter().map(Stepper::initial).collect();
    let mut layer: Vec<Belief> = vec![(original.initial()?, initial?)];
    for (step, inputs_now) in inputs.iter().enumerate() {
        // Nodes are numbered step by step.
        let below = nodes.len() + layer.len();
        let mut next: Vec<Belief> = Vec::new();
        let mut index: BTreeMap<Belief, usize> = BTreeMap::new();
        for (states, mutant_states) in &layer {
            simulated += original.steps_from(states.len());
            if simulated > effort.simulated || budget.stopped().is_some() {
                return None;
            }
            let expected = by_outputs(original.moves(states, inputs_now)?);
            is_refused |= expected.is_empty();
            let mut answers = Vec::new();
            for (mutated, states) in mutated.iter().zip(mutant_states) {
                simulated += mutated.steps_from(states.len());
                let moves = mutated.moves(states, inputs_now)?;
                mutant_stops |= !expected.is_empty() && some_stop(states.len(), &moves);
                answers.push(by_outputs(moves));
            }
            let mut branches = Vec::new();
            for (outputs, states) in expected {
                let answers = answers.iter_mut();
                let mutant_states: Vec<Vec<State>> = answers
                    .map(|answers| answers.remove(&outputs).unwrap_or_default())
                    .collect();
                if mutant_states.iter().all(Vec::is_empty) {
                    branches.push((outputs, Next::Pass));
                    continue;
                }
                if step + 1 == inputs.len() {
                    passes = true;
                    continue;
                }
                let belief = (states, mutant_states);
                let slot = *index.entry(belief.clone()).or_insert(next.len());
                if slot == next.len() {
                    next.push(belief);
                }
                branches.push((outputs, Next::Node(below + slot)));
            }
            nodes.push(Node {
                input: test_inputs(model, inputs_now),
                branches,
            });
        }
        if nodes.len() + next.len() > effort.nodes {
            return None;
        }
        layer = next;
    }
    Some(Course {
        tree: (!is_refused && !passes).then_some(StrategyTree { nodes }),
        is_refused,
        mutant_stops,
    })
}

/// Whether no move starts in some of so many states.
fn some_stop(states: usize, moves: &[Move]) -> bool {
    let mut moving = vec![false; states];
    for step in moves {
        moving[step.from] = true;
    }
    moving.contains(&false)
}

/// The states that each output leads to, ascending.
fn by_outputs(moves: Vec<Move>) -> BTreeMap<Vec<bool>, Vec<State>> {
    let mut groups: BTreeMap<Vec<bool>, BTreeSet<State>> = BTreeMap::new();
    for step in moves {
        groups.entry(step.outputs).or_default().insert(step.next);
    }
    let groups = groups.into_iter();
    groups
        .map(|(outputs, states)| (outputs, states.into_iter().collect()))
        .collect()
}

/// A step's inputs with all choices at 0.
fn test_inputs(model: &ConditionalMutant, step: &[bool]) -> Vec<bool> {
    let mut inputs = vec![false; step.len()];
    for bit in model.input_bits() {
        inputs[bit] = step[bit];
    }
    inputs
}

#[cfg(test)]
mod tests {
    use hyperkill_core::trace::{Stimulus, replay};
    use rand::SeedableRng;
    use rand_chacha::ChaCha8Rng;

    use super::*;
    use crate::judge::{Judgement, can_agree};
    use crate::testgen::random::{random, random_run, siblings};

    /// Whether a complete run fails the test; `None` if it is not complete. Whatever is seen, some run accepts what comes next.
    fn fails(
        model: &ConditionalMutant,
        variant: Variant,
        run: &Stimulus,
        tree: &StrategyTree,
    ) -> Option<bool> {
        let trace = replay(model, variant, run).unwrap();
        if trace.broken_at.is_some() {
            return None;
        }
        let mut at = 0;
        for outputs in &trace.outputs {
            let mut branches = tree.nodes[at].branches.iter();
            match branches.find(|(seen, _)| seen == outputs) {
                None => return Some(true),
                Some((_, Next::Pass)) => return Some(false),
                Some((_, Next::Node(next))) => {
                    assert!(*next > at, "branches lead on");
                    at = *next;
                }
            }
        }
        Some(false)
    }

    #[test]
    fn inputs_that_kill_definitely_give_a_tree_that_every_mutant_run_and_no_model_run_fails() {
        let mut rng = ChaCha8Rng::seed_from_u64(6);
        let budget = Budget::unlimited();
        let (mut trees, mut branching) = (0, 0);
        for _ in 0..600 {
            let model = random(&mut rng, 1, 2);
            let mut run = random_run(&mut rng, &model);
            run.steps.truncate(3);
            let course = follow(
                &model,
                &[SelectorId(0)],
                &run.steps,
                &Effort::default(),
                &budget,
            )
            .unwrap();
            let disjoint =
                can_agree(&model, SelectorId(0), &run.steps, None, &budget) == Judgement::Never;
            let tree = course.tree;
            assert_eq!(tree.is_some(), disjoint && !course.is_refused);
            let Some(tree) = tree else { continue };
            for run in siblings(&model, &run) {
                let mutant = fails(&model, Variant::Mutant(SelectorId(0)), &run, &tree);
                let original = fails(&model, Variant::Original, &run, &tree);
                assert!(mutant != Some(false) && original != Some(true));
            }
            trees += 1;
            branching += usize::from(tree.nodes.iter().any(|node| node.branches.len() > 1));
        }
        assert!(trees > 30 && branching > 5, "{branching} of {trees}");
    }
}
