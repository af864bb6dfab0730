//! Kills by fixed inputs, as a strategy tree: the inputs do not depend on the outputs, and every output that the model can give is listed.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use hyperkill_core::budget::Budget;
use hyperkill_core::product::Variant;
use hyperkill_core::{ConditionalMutant, SelectorId};
use hyperkill_evidence::strategy_tree::{Next, Node, StrategyTree};
use rustc_hash::FxHashMap;

use super::best_run::Effort;
use crate::schedule::engine_efforts::ALLOWED_OUTPUT_STEPS;
use crate::schedule::engine_efforts::BRANCHES_OF_NODE;
use crate::stepping::{Answering, Answers, MutantAnswers, State, Stepper};

/// The sets of states in which the model and each mutant can be after the same inputs and outputs.
type Belief = (BTreeSet<State>, Vec<BTreeSet<State>>);

/// The behaviour of the model, and of mutants that the inputs kill, under fixed inputs that do not depend on outputs.
pub(super) struct Course {
    /// The tree; `None` if it would set an input that is refused.
    pub(super) tree: Option<StrategyTree>,
    /// Whether no run of the model accepts the next input after outputs that a mutant can show too, so that the test stops there.
    pub(super) is_refused: bool,
    /// Whether some run of a mutant refuses an input before it fails.
    pub(super) mutant_stops: bool,
    /// Whether some run of a mutant has outputs of no run of the model.
    pub(super) fails: bool,
    /// Whether some run of a mutant has the outputs of a run of the model to the end.
    pub(super) passes: bool,
}

/// Follows these inputs through all runs of the model and these mutants, and returns the strategy tree. `None` if the effort does not
/// suffice.
pub(super) fn follow(
    original: &Answering<'_>,
    mutants: &[SelectorId],
    inputs: &[Vec<bool>],
    effort: &Effort,
    budget: &Budget,
) -> Option<Course> {
    let model = original.stepper().model;
    let first = set(original.stepper().initial()?);
    let mutated = mutants.iter();
    let mutated: Vec<Stepper<'_>> = mutated
        .map(|&mutant| Stepper::new(model, Variant::Mutant(mutant), ALLOWED_OUTPUT_STEPS))
        .collect();
    let initial = mutated.iter().map(|mutated| mutated.initial().map(set));
    let initial: Option<Vec<BTreeSet<State>>> = initial.collect();
    let mut layer: Vec<Belief> = vec![(first, initial?)];
    let mutated = mutated.into_iter().zip(mutants);
    let mut search = TreeSearch {
        original,
        mutated: mutated
            .map(|(mutated, &mutant)| MutantAnswers::new(original, mutated, mutant))
            .collect(),
        effort,
        budget,
        simulated: 0,
        branches: 0,
        is_refused: false,
        mutant_stops: false,
        fails: false,
        passes: false,
    };
    let mut nodes: Vec<Node> = Vec::new();
    for (step, inputs_now) in inputs.iter().enumerate() {
        let mut next = Layer {
            // Nodes are numbered step by step.
            first: nodes.len() + layer.len(),
            beliefs: Vec::new(),
            numbers: BTreeMap::new(),
        };
        for belief in &layer {
            let is_last = step + 1 == inputs.len();
            let branches = search.branches(belief, inputs_now, is_last, &mut next)?;
            nodes.push(Node {
                input: test_inputs(model, inputs_now),
                branches,
            });
        }
        if nodes.len() + next.beliefs.len() > effort.nodes {
            return None;
        }
        layer = next.beliefs;
    }
    Some(Course {
        tree: (!search.is_refused).then_some(StrategyTree { nodes }),
        is_refused: search.is_refused,
        mutant_stops: search.mutant_stops,
        fails: search.fails,
        passes: search.passes,
    })
}

/// The nodes of the tree at one depth, as state estimates.
struct Layer {
    /// The number in the tree of the first of these nodes.
    first: usize,
    beliefs: Vec<Belief>,
    numbers: BTreeMap<Belief, usize>,
}

impl Layer {
    /// Returns the number in the tree of the node with this state estimate; a new node is added.
    fn node(&mut self, belief: Belief) -> usize {
        let next = self.first + self.beliefs.len();
        *self.numbers.entry(belief).or_insert_with_key(|belief| {
            self.beliefs.push(belief.clone());
            next
        })
    }
}

/// A walk through all runs of the model and of mutants on some inputs, step by step.
struct TreeSearch<'a> {
    original: &'a Answering<'a>,
    mutated: Vec<MutantAnswers<'a>>,
    effort: &'a Effort,
    budget: &'a Budget,
    /// The number of steps simulated so far.
    simulated: usize,
    /// The number of branches of the tree found so far.
    branches: usize,
    /// The value of [`Course::is_refused`] so far.
    is_refused: bool,
    /// The value of [`Course::mutant_stops`] so far.
    mutant_stops: bool,
    /// The value of [`Course::fails`] so far.
    fails: bool,
    /// The value of [`Course::passes`] so far.
    passes: bool,
}

impl TreeSearch<'_> {
    /// Returns the continuations of a node: for each output of the model after these inputs, the next node or the end of the test. `None`
    /// if the effort does not suffice.
    fn branches(
        &mut self,
        (states, mutant_states): &Belief,
        inputs: &[bool],
        is_last: bool,
        next: &mut Layer,
    ) -> Option<Vec<(Vec<bool>, Next)>> {
        self.simulated += self.original.stepper().steps_from(states.len());
        if self.simulated > self.effort.simulated || self.budget.stopped().is_some() {
            return None;
        }
        let expected = by_outputs(&self.original.of(states, inputs, None)?);
        self.is_refused |= expected.is_empty();
        let mut answers = Vec::new();
        for (mutated, states) in self.mutated.iter().zip(mutant_states) {
            self.simulated += mutated.stepper().steps_from(states.len());
            // Outputs that the model cannot show need not be distinguished.
            let outputs = expected.keys().cloned().collect();
            let found = mutated.of(states, inputs, Some(outputs))?;
            let some_stop = found.values().any(|answers| answers.is_empty());
            self.mutant_stops |= !expected.is_empty() && some_stop;
            answers.push(by_outputs(&found));
        }
        let mut branches = Vec::new();
        let is_accepted = !expected.is_empty();
        for (outputs, states) in expected {
            let mutant_states: Vec<BTreeSet<State>> = answers
                .iter_mut()
                .map(|answers| answers.remove(&outputs).unwrap_or_default())
                .collect();
            if mutant_states.iter().all(BTreeSet::is_empty) {
                branches.push((outputs, Next::Pass));
            } else if is_last {
                self.passes = true;
                branches.push((outputs, Next::Pass));
            } else {
                let node = next.node((states, mutant_states));
                branches.push((outputs, Next::Node(node)));
            }
        }
        self.branches += branches.len();
        if self.branches / BRANCHES_OF_NODE > self.effort.nodes {
            return None;
        }
        // The remaining outputs are impossible in the model.
        self.fails |= is_accepted && answers.iter().any(|answers| !answers.is_empty());
        Some(branches)
    }
}

fn set(states: Vec<State>) -> BTreeSet<State> {
    states.into_iter().collect()
}

/// Returns the union of the answers of several states: for each output all successor states.
fn by_outputs(answers: &FxHashMap<State, Arc<Answers>>) -> Answers {
    let mut groups = Answers::new();
    for (outputs, states) in answers.values().flat_map(|answers| answers.iter()) {
        let group = groups.entry(outputs.clone()).or_default();
        group.extend(states.iter().cloned());
    }
    groups
}

/// Returns the inputs of a step with all choices set to 0.
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
    use crate::judge::{Judgement, agrees_by_solver};
    use crate::stepping::random::{random, random_run, siblings};

    /// Whether a complete run fails the test; `None` if it is not complete. After all outputs, some run accepts the next inputs.
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
    fn no_model_run_fails_a_tree_and_every_mutant_run_does_where_the_inputs_kill_definitely() {
        let mut rng = ChaCha8Rng::seed_from_u64(6);
        let budget = Budget::unlimited();
        let (mut trees, mut branching, mut weaker) = (0, 0, 0);
        for _ in 0..600 {
            let model = random(&mut rng, 1, 2);
            let mut run = random_run(&mut rng, &model);
            run.steps.truncate(3);
            let stepper = Stepper::new(&model, Variant::Original, ALLOWED_OUTPUT_STEPS);
            let course = follow(
                &Answering::new(stepper),
                &[SelectorId(0)],
                &run.steps,
                &Effort::default(),
                &budget,
            )
            .unwrap();
            let disjoint = agrees_by_solver(&model, SelectorId(0), &run.steps, None, &budget)
                == Judgement::Never;
            assert_eq!(course.passes, !disjoint);
            assert_eq!(course.tree.is_some(), !course.is_refused);
            let Some(tree) = course.tree else { continue };
            let mut failing = false;
            for run in siblings(&model, &run) {
                let mutant = fails(&model, Variant::Mutant(SelectorId(0)), &run, &tree);
                let original = fails(&model, Variant::Original, &run, &tree);
                assert!(original != Some(true));
                assert!(mutant != Some(false) || course.passes);
                failing |= mutant == Some(true);
            }
            // Runs whose inputs are refused after they have failed are not complete.
            assert!(course.fails || !failing);
            weaker += usize::from(course.fails && course.passes);
            trees += usize::from(!course.passes);
            branching += usize::from(tree.nodes.iter().any(|node| node.branches.len() > 1));
        }
        assert!(trees > 30 && branching > 5, "{branching} of {trees}");
        assert!(weaker > 10, "{weaker}");
    }
}
