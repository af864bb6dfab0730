//! Selects the run of the model that makes the best adaptive test for a kill.
//!
//! The inputs kill independently of the model's run written beside them, so any run that survives all steps is suitable. The fewer outputs
//! are allowed along it, the more mutants an adaptive test detects.

use std::collections::{BTreeMap, BTreeSet};

use hyperkill_core::ConditionalMutant;
use hyperkill_core::aig::Reset;
use hyperkill_core::budget::Budget;
use hyperkill_core::product::Variant;
use hyperkill_core::trace::{Stimulus, replay};
use hyperkill_evidence::verdict::{Kill, Strength};

use crate::schedule::engine_efforts::ALLOWED_OUTPUT_STEPS;
use crate::stepping::{Move, State, Stepper};

/// Limits of work on an adaptive test. They are counts and not times, so that tests are the same on every machine.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Effort {
    /// Largest number of outputs in one set of allowed outputs.
    pub outputs: usize,
    /// Largest number of sets of model states kept at each step of the search for the best run.
    pub beliefs: usize,
    /// Largest number of steps simulated for the search for the best run, and again for unfolding a tree.
    pub simulated: usize,
    /// Largest number of nodes of a tree.
    pub nodes: usize,
}

impl Default for Effort {
    fn default() -> Effort {
        Effort {
            outputs: 64,
            beliefs: 256,
            simulated: 1 << 20,
            nodes: 1 << 12,
        }
    }
}

/// Returns the run of the original on a kill's inputs with the smallest globally allowed sets. Runs are compared by the sum of the sets'
/// sizes, then by the number of steps with the outputs of the kill's own run, then by outputs. The result is exact if the effort suffices.
/// Otherwise it is the best run among those compared, or the kill's own run.
///
/// The kill's own run is returned if its choices are controlled or the model has none.
#[must_use]
pub fn best_run(
    model: &ConditionalMutant,
    kill: &Kill,
    effort: &Effort,
    budget: &Budget,
) -> Stimulus {
    let original = Stepper::new(model, Variant::Original, ALLOWED_OUTPUT_STEPS);
    best_run_along(&original, kill, effort, budget)
}

/// Returns the same as [`best_run`]; `original` lists the steps of the original.
pub(super) fn best_run_along(
    original: &Stepper<'_>,
    kill: &Kill,
    effort: &Effort,
    budget: &Budget,
) -> Stimulus {
    let (own, model) = (&kill.model_run, original.model);
    let found = || {
        if kill.strength == Strength::Controllable || !model.leaves_choices() {
            return None;
        }
        if !original.has_choices() {
            return None;
        }
        let first = original.initial()?;
        let trace = replay(model, Variant::Original, own).ok()?;
        if trace.broken_at.is_some() {
            return None;
        }
        let layers = layers(
            (original, first),
            &own.steps,
            &trace.outputs,
            effort,
            budget,
        )?;
        let outputs = cheapest(&layers, &trace.outputs)?;
        if outputs == trace.outputs {
            return None;
        }
        run_with(model, original, &own.steps, &outputs)
    };
    found().unwrap_or_else(|| own.clone())
}

/// For each output possible in a set of states, the number of the set of successors in the next layer; `None` if that set was dropped.
type Branches = BTreeMap<Vec<bool>, Option<usize>>;

/// Returns, for each step and each set of states in which the model can be before it, the possible outputs with the sets of states after
/// them. `None` if the effort does not suffice. `first` are the first states.
fn layers(
    (stepper, first): (&Stepper<'_>, Vec<State>),
    inputs: &[Vec<bool>],
    own: &[Vec<bool>],
    effort: &Effort,
    budget: &Budget,
) -> Option<Vec<Vec<Branches>>> {
    let mut layers = Vec::new();
    // Each set is stored with its cost so far. The first set always belongs to the kill's own run.
    let mut layer: Vec<(Vec<State>, usize)> = vec![(first, 0)];
    let mut simulated = 0;
    for (inputs, own) in inputs.iter().zip(own) {
        let mut branches: Vec<Branches> = Vec::new();
        let mut next: Vec<(Vec<State>, usize)> = Vec::new();
        let mut index: BTreeMap<Vec<State>, usize> = BTreeMap::new();
        for (number, (states, cost)) in layer.iter().enumerate() {
            simulated += stepper.steps_from(states.len());
            if simulated > effort.simulated || budget.stopped().is_some() {
                return None;
            }
            let groups = by_outputs(stepper.moves(states, inputs)?);
            let cost = cost + groups.len();
            let mut leads = Branches::new();
            // The own outputs come first, so that their set is the first of the next layer.
            let first = own.clone();
            let mut order: Vec<&Vec<bool>> = groups.keys().collect();
            order.sort_by_key(|outputs| (number > 0 || **outputs != first, *outputs));
            for outputs in order {
                let target = groups[outputs].iter().cloned().collect::<Vec<State>>();
                let slot = *index.entry(target.clone()).or_insert(next.len());
                match next.get_mut(slot) {
                    None => next.push((target, cost)),
                    Some((_, least)) => *least = cost.min(*least),
                }
                leads.insert(outputs.clone(), Some(slot));
            }
            branches.push(leads);
        }
        keep_cheapest(&mut next, &mut branches, effort.beliefs.max(1));
        layers.push(branches);
        layer = next;
    }
    Some(layers)
}

fn by_outputs(moves: Vec<Move>) -> BTreeMap<Vec<bool>, BTreeSet<State>> {
    let mut groups: BTreeMap<Vec<bool>, BTreeSet<State>> = BTreeMap::new();
    for step in moves {
        groups.entry(step.outputs).or_default().insert(step.next);
    }
    groups
}

/// Drops all but the first and the cheapest sets of a layer, so that `most` remain, and marks branches to dropped sets.
fn keep_cheapest(layer: &mut Vec<(Vec<State>, usize)>, branches: &mut [Branches], most: usize) {
    if layer.len() <= most {
        return;
    }
    let mut order: Vec<usize> = (0..layer.len()).collect();
    order.sort_by_key(|&slot| (slot > 0, layer[slot].1, slot));
    order.truncate(most);
    order.sort_unstable();
    let mut place = vec![None; layer.len()];
    for (new, &old) in order.iter().enumerate() {
        place[old] = Some(new);
    }
    let mut slot = 0;
    layer.retain(|_| {
        slot += 1;
        place[slot - 1].is_some()
    });
    for target in branches.iter_mut().flat_map(BTreeMap::values_mut) {
        *target = target.and_then(|old| place[old]);
    }
}

/// Returns the outputs of the path through the layers with the smallest sum of possible outputs; `None` if no run survives to the end.
fn cheapest(layers: &[Vec<Branches>], own: &[Vec<bool>]) -> Option<Vec<Vec<bool>>> {
    // For each layer and set: the least sum from there on; `None` if no run survives to the end.
    let mut least: Vec<Vec<Option<usize>>> = Vec::new();
    for (distance, layer) in layers.iter().rev().enumerate() {
        let after = |target: usize| match distance {
            0 => Some(0),
            _ => least[distance - 1][target],
        };
        let costs = layer.iter().map(|branches| {
            let targets = branches.values().flatten();
            let rest = targets.filter_map(|&target| after(target)).min()?;
            Some(branches.len() + rest)
        });
        let costs = costs.collect();
        least.push(costs);
    }
    least.reverse();
    let mut outputs: Vec<Vec<bool>> = Vec::new();
    let mut at = 0;
    for (step, layer) in layers.iter().enumerate() {
        let rest = |target: usize| match least.get(step + 1) {
            None => Some(0),
            Some(costs) => costs[target],
        };
        let agrees = outputs == own[..step];
        let branches = layer[at].iter();
        let alive = branches.filter_map(|(outputs, target)| {
            let target = (*target)?;
            Some((
                rest(target)?,
                !agrees || *outputs != own[step],
                outputs,
                target,
            ))
        });
        let (_, _, best, target) = alive.min()?;
        outputs.push(best.clone());
        at = target;
    }
    Some(outputs)
}

/// Returns a run of the original on these inputs with these outputs; `None` if there is none or there are too many steps to list.
fn run_with(
    model: &ConditionalMutant,
    stepper: &Stepper<'_>,
    inputs: &[Vec<bool>],
    outputs: &[Vec<bool>],
) -> Option<Stimulus> {
    // For each step, the first predecessor of each next state.
    let mut reached: Vec<BTreeMap<State, (State, u64)>> = Vec::new();
    let mut states = stepper.initial()?;
    for (inputs, outputs) in inputs.iter().zip(outputs) {
        let moves = stepper.moves(&states, inputs)?.into_iter();
        let mut ways = BTreeMap::new();
        for step in moves.filter(|step| step.outputs == *outputs) {
            let way = (states[step.from].clone(), step.choice);
            ways.entry(step.next).or_insert(way);
        }
        states = ways.keys().cloned().collect();
        reached.push(ways);
    }
    let mut steps = inputs.to_vec();
    let mut state = states.into_iter().next()?;
    for (step, ways) in steps.iter_mut().zip(&reached).rev() {
        let (before, choice) = ways.get(&state)?;
        for bit in model.choice_bits() {
            step[bit] = false;
        }
        stepper.choose(*choice, step);
        state = before.clone();
    }
    let latches = model.aig.latches().iter();
    let initial = latches.zip(stepper.unpack(&state));
    Some(Stimulus {
        initial: initial
            .map(|(latch, value)| latch.reset == Reset::Free && value)
            .collect(),
        steps,
    })
}

#[cfg(test)]
mod tests {
    use rand::SeedableRng;
    use rand_chacha::ChaCha8Rng;

    use super::*;
    use crate::stepping::random::{random, random_run, siblings};
    use crate::testgen::{Allowed, allowed};
    use hyperkill_evidence::allowed_outputs::Allowing;
    use hyperkill_evidence::verdict::Stronger;

    fn kill(run: Stimulus) -> Kill {
        Kill {
            strength: Strength::Potential,
            mutant_run: run.clone(),
            model_run: run,
            shortest: false,
            sole_run: false,
            stronger: Stronger::NotAsked,
            tree: None,
        }
    }

    fn cost(model: &ConditionalMutant, run: &Stimulus) -> usize {
        let sets = allowed(model, run, Allowing::Global, 99, &Budget::unlimited());
        sets.iter().map(|set: &Allowed| set.outputs.len()).sum()
    }

    #[test]
    fn no_run_on_the_inputs_allows_less_than_the_best() {
        let mut rng = ChaCha8Rng::seed_from_u64(4);
        let budget = Budget::unlimited();
        let (mut asked, mut better) = (0, 0);
        for _ in 0..300 {
            let model = random(&mut rng, 1, 2);
            let mut own = random_run(&mut rng, &model);
            own.steps.truncate(4);
            let survives = |run: &Stimulus| {
                let trace = replay(&model, Variant::Original, run).unwrap();
                trace.broken_at.is_none()
            };
            if !survives(&own) {
                continue;
            }
            let all = siblings(&model, &own).into_iter();
            let least = all.filter(survives).map(|run| cost(&model, &run)).min();
            let best = best_run(&model, &kill(own.clone()), &Effort::default(), &budget);
            assert!(survives(&best));
            assert!((0..4).all(|step| best.steps[step][0] == own.steps[step][0]));
            assert_eq!(Some(cost(&model, &best)), least);
            asked += 1;
            better += usize::from(cost(&model, &best) < cost(&model, &own));
            // A narrow search must not be worse than no search.
            let narrow = Effort {
                beliefs: 1,
                ..Effort::default()
            };
            let found = best_run(&model, &kill(own.clone()), &narrow, &budget);
            assert!(survives(&found) && cost(&model, &found) <= cost(&model, &own));
        }
        assert!(asked > 100 && better > 10, "{better} of {asked}");
    }

    #[test]
    fn a_kill_with_controlled_choices_keeps_its_run() {
        let mut rng = ChaCha8Rng::seed_from_u64(5);
        for _ in 0..50 {
            let model = random(&mut rng, 2, 2);
            let mut kill = kill(random_run(&mut rng, &model));
            kill.strength = Strength::Controllable;
            let found = best_run(&model, &kill, &Effort::default(), &Budget::unlimited());
            assert_eq!(found, kill.model_run);
        }
    }
}
