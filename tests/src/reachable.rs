//! The reachable states of a circuit, enumerated one by one and breadth-first, and counted as in NuSMV: valuations of the outputs.
//!
//! Meant for SMV models in which every variable is an output. A solver finds one new successor after the other; the solver and its encoding
//! of gates are the only code shared with the engines. Slow, and only for thousands of states.

use std::collections::HashSet;

use hyperkill_checker::engines::encode::Encoder;
use hyperkill_core::aig::Leaf;
use hyperkill_core::budget::Budget;
use hyperkill_core::conditional::FIRST_STEP;
use hyperkill_core::{Aig, ConditionalMutant, Lit};
use hyperkill_sat::Answer;
use hyperkill_sat_cadical::Cadical;

/// The size and properties of the reachable part of the state space.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Reachable {
    /// The number of reachable states.
    pub states: usize,
    /// The number of breadth-first layers.
    pub layers: usize,
    /// Whether some reachable state has no successor.
    pub deadlock: bool,
    /// For each bad state of the circuit, whether it is reached.
    pub bad: Vec<bool>,
}

/// A copy of the circuit's logic for one step, in a graph of several steps.
struct StepLogic {
    outputs: Vec<Lit>,
    next: Vec<Lit>,
    bad: Vec<Lit>,
    /// Constraints on the state alone.
    on_state: Lit,
    /// All constraints, on the state and on the step.
    on_step: Lit,
}

fn step(graph: &mut Aig, aig: &Aig, latches: &[Lit]) -> StepLogic {
    let nodes = graph.copy(
        aig,
        |_| true,
        |graph, _, leaf| match leaf {
            Leaf::Input(_) => graph.add_input(None),
            Leaf::Latch(i) => latches[i],
        },
    );
    let at = |lit: Lit| nodes.of(lit);
    let constraints = aig.constraints.iter();
    let is_step = |name: &Option<String>| name.as_deref().is_some_and(|n| n.starts_with("TRANS"));
    let (mut on_state, mut on_step) = (Vec::new(), Vec::new());
    for constraint in constraints {
        on_step.push(at(constraint.lit));
        if !is_step(&constraint.name) {
            on_state.push(at(constraint.lit));
        }
    }
    StepLogic {
        outputs: aig.outputs.iter().map(|output| at(output.lit)).collect(),
        next: aig.latches().iter().map(|latch| at(latch.next)).collect(),
        bad: aig.bad.iter().map(|bad| at(bad.lit)).collect(),
        on_state: graph.and_all(&on_state),
        on_step: graph.and_all(&on_step),
    }
}

/// Returns the new values of `outputs` in solutions under these assumptions. Adds them to `seen` and excludes them from then on. Stops when
/// `seen` has more than `limit` elements.
fn enumerate(
    solver: &mut Encoder<Cadical>,
    graph: &Aig,
    outputs: &[Lit],
    assumptions: &[hyperkill_sat::Lit],
    seen: &mut HashSet<Vec<bool>>,
    limit: usize,
) -> Vec<Vec<bool>> {
    let mut found = Vec::new();
    while seen.len() <= limit
        && solver.solve(assumptions, None, &Budget::unlimited()) == Answer::Possible
    {
        let state: Vec<bool> = outputs.iter().map(|lit| solver.gate_value(*lit)).collect();
        exclude(solver, graph, outputs, &state);
        if seen.insert(state.clone()) {
            found.push(state);
        }
    }
    found
}

fn exclude(solver: &mut Encoder<Cadical>, graph: &Aig, outputs: &[Lit], state: &[bool]) {
    let differs: Vec<Lit> = (outputs.iter().zip(state))
        .map(|(lit, value)| *lit ^ *value)
        .collect();
    solver.require(graph, &differs);
}

/// Explores all reachable states. Returns `None` if there are more than `limit`.
///
/// # Panics
///
/// If the solver does not answer.
#[must_use]
pub fn reachable(model: &ConditionalMutant, limit: usize) -> Option<Reachable> {
    let aig = &model.aig;
    // Initial states.
    let mut graph = Aig::new();
    let latches: Vec<Lit> = (aig.latches().iter())
        .map(|latch| match latch.reset.as_constant() {
            Some(value) => Lit::constant(value),
            None => graph.add_input(None),
        })
        .collect();
    let first = step(&mut graph, aig, &latches);
    let mut solver = Encoder::new(Cadical::new());
    solver.require(&graph, &[first.on_state]);
    for output in &first.outputs {
        solver.lit(&graph, *output);
    }
    let mut seen = HashSet::new();
    let mut layer = enumerate(&mut solver, &graph, &first.outputs, &[], &mut seen, limit);
    // Steps from any state.
    let mut graph = Aig::new();
    let is_first =
        |name: &Option<String>| name.as_deref().is_some_and(|n| n.starts_with(FIRST_STEP));
    let latches: Vec<Lit> = (aig.latches().iter())
        .map(|latch| match is_first(&latch.name) {
            true => Lit::FALSE,
            false => graph.add_input(None),
        })
        .collect();
    let now = step(&mut graph, aig, &latches);
    let coming = step(&mut graph, aig, &now.next);
    let mut found_bad = vec![false; now.bad.len()];
    let mut fresh = Encoder::new(Cadical::new());
    let mut any = Encoder::new(Cadical::new());
    for solver in [&mut fresh, &mut any] {
        solver.require(&graph, &[now.on_step]);
        solver.require(&graph, &[coming.on_state]);
        for lit in now.outputs.iter().chain(&coming.outputs).chain(&now.bad) {
            solver.lit(&graph, *lit);
        }
    }
    // A bad state need not have a successor.
    let mut alone = Encoder::new(Cadical::new());
    alone.require(&graph, &[now.on_state]);
    for state in &seen {
        exclude(&mut fresh, &graph, &coming.outputs, state);
    }
    let mut result = Reachable {
        states: 0,
        layers: 0,
        deadlock: false,
        bad: Vec::new(),
    };
    while !layer.is_empty() {
        if seen.len() > limit {
            return None;
        }
        result.layers += 1;
        result.states += layer.len();
        let mut next_layer = Vec::new();
        for state in &layer {
            let fixed = |solver: &mut Encoder<Cadical>| -> Vec<_> {
                let pairs = now.outputs.iter().zip(state);
                pairs
                    .map(|(lit, value)| solver.lit(&graph, *lit ^ !*value))
                    .collect()
            };
            let assumptions = fixed(&mut any);
            let answer = any.solve(&assumptions, None, &Budget::unlimited());
            result.deadlock |= answer == Answer::Impossible;
            for (bad, found) in now.bad.iter().zip(&mut found_bad) {
                if !*found {
                    let mut assumptions = fixed(&mut alone);
                    assumptions.push(alone.lit(&graph, *bad));
                    let answer = alone.solve(&assumptions, None, &Budget::unlimited());
                    *found = answer == Answer::Possible;
                }
            }
            let assumptions = fixed(&mut fresh);
            let outputs = &coming.outputs;
            next_layer.extend(enumerate(
                &mut fresh,
                &graph,
                outputs,
                &assumptions,
                &mut seen,
                limit,
            ));
        }
        layer = next_layer;
    }
    result.bad = found_bad;
    Some(result)
}
