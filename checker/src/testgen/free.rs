//! Inputs of a test that decide nothing: whatever they are, the model answers the same, and the mutants answer otherwise.
//!
//! Values are traced back from what the model shows, from one difference that each mutant shows, and from the constraints, to the inputs
//! that they follow from: of the operands of a gate that is 0 one that is 0 is enough. Inputs that nothing is traced back to are free, all
//! at once. Where something follows from what the model or a mutant chooses, none are said to be.

use hyperkill_core::aig::{Node, Reset};
use hyperkill_core::trace::Stimulus;
use hyperkill_core::{ConditionalMutant, Lit, SelectorId};

/// Nodes times steps that are held at once, in words of a bit for each variant: a hundred megabytes.
const MOST_HELD: usize = 1 << 24;
/// Nodes times steps that are simulated for one test, in such words.
const MOST: usize = 1 << 26;
/// Variants that are simulated together.
const LANES: usize = 64;

/// For each step the names of the inputs that decide nothing in a test that kills these mutants for certain.
pub(super) fn free(
    model: &ConditionalMutant,
    run: &Stimulus,
    mutants: &[SelectorId],
) -> Vec<Vec<String>> {
    let needed = match mutants {
        [] => None,
        _ => needed(model, run, mutants),
    };
    let Some(needed) = needed else {
        return vec![Vec::new(); run.steps.len()];
    };
    let steps = needed.iter().map(|needed| {
        let free = model.inputs.iter();
        let free = free.filter(|port| port.bits.iter().all(|&bit| !needed[bit]));
        free.map(|port| port.name.clone()).collect()
    });
    steps.collect()
}

/// Per step which inputs are needed; `None` if a choice is, or if that is too much to find out.
fn needed(
    model: &ConditionalMutant,
    run: &Stimulus,
    mutants: &[SelectorId],
) -> Option<Vec<Vec<bool>>> {
    let mut is_choice = vec![false; model.aig.inputs().len()];
    for bit in model.choice_bits() {
        is_choice[bit] = true;
    }
    let mut inputs = vec![vec![false; model.aig.inputs().len()]; run.steps.len()];
    let passes = mutants.len().div_ceil(LANES - 1);
    for mutants in mutants.chunks(LANES - 1) {
        let cone = Cone::of(model, mutants);
        let held = cone.nodes.len().saturating_mul(run.steps.len());
        if held > MOST_HELD || held.saturating_mul(passes) > MOST {
            return None;
        }
        let values = Values::of(&cone, run);
        let differences = values.differences(&cone)?;
        let all = ORIGINAL | cone.mutants;
        let followed = |step: usize| -> Vec<(Signal, u64)> {
            let shown = cone.outputs.iter().map(|&output| (output, ORIGINAL));
            let demanded = cone.constraints.iter().map(|&held| (held, all));
            let differ = differences.iter().filter(|(at, ..)| *at == step);
            let differ = differ.map(|&(_, output, lanes)| (output, lanes));
            shown.chain(demanded).chain(differ).collect()
        };
        trace(&cone, &values, &is_choice, followed, &mut inputs)?;
    }
    Some(inputs)
}

/// The lane of the original; those of the mutants come after it.
const ORIGINAL: u64 = 1;

/// A node of a cone by its place there, negated or not.
#[derive(Clone, Copy)]
struct Signal {
    place: usize,
    is_negated: bool,
}

/// What a place in a cone holds.
enum Held {
    False,
    Input(usize),
    Latch(usize),
    And(Signal, Signal),
}

/// How a latch of a cone goes on.
struct Continued {
    reset: Reset,
    /// The lanes in which it is on, if it is a selector.
    selects: Option<u64>,
    next: Signal,
}

/// The nodes that outputs and constraints of the original or of some mutants read, fan-ins first.
struct Cone {
    nodes: Vec<Held>,
    outputs: Vec<Signal>,
    constraints: Vec<Signal>,
    /// By latch of the circuit.
    latches: Vec<Continued>,
    /// The lanes of the mutants.
    mutants: u64,
}

impl Cone {
    fn of(model: &ConditionalMutant, mutants: &[SelectorId]) -> Cone {
        let aig = &model.aig;
        let is_on = |selector: SelectorId| mutants.contains(&selector);
        let read = model.nodes_read(|selector| (!is_on(selector)).then_some(false));
        let mut places = vec![0; aig.len()];
        for (place, (var, _)) in read.iter().enumerate() {
            places[var.index()] = place;
        }
        let signal = |lit: Lit| Signal {
            place: places[lit.var().index()],
            is_negated: lit.is_negated(),
        };
        let nodes = read.iter().map(|&(_, node)| match node {
            Node::False => Held::False,
            Node::Input(i) => Held::Input(i as usize),
            Node::Latch(i) => Held::Latch(i as usize),
            Node::And(a, b) => Held::And(signal(a), signal(b)),
        });
        let lane = |selector: SelectorId| {
            let lane = mutants.iter().position(|&mutant| mutant == selector);
            lane.map_or(0, |lane| 2 << lane)
        };
        let latches = aig.latches().iter().zip(model.selector_of_latch());
        let latches = latches.map(|(latch, selector)| Continued {
            reset: latch.reset,
            selects: selector.map(lane),
            next: signal(latch.next),
        });
        let outputs = aig.outputs.iter().map(|output| signal(output.lit));
        let constraints = aig.constraints.iter().map(|held| signal(held.lit));
        Cone {
            nodes: nodes.collect(),
            outputs: outputs.collect(),
            constraints: constraints.collect(),
            latches: latches.collect(),
            mutants: (0..mutants.len()).fold(0, |lanes, lane| lanes | 2 << lane),
        }
    }
}

/// What each node of a cone is at each step of a run, in a lane for each variant.
struct Values {
    nodes: usize,
    /// Step by step.
    values: Vec<u64>,
}

impl Values {
    fn of(cone: &Cone, run: &Stimulus) -> Values {
        let every = |value: bool| u64::from(value).wrapping_neg();
        let first = |(at, latch): (usize, &Continued)| match (latch.selects, latch.reset) {
            (Some(lanes), _) => lanes,
            (None, Reset::Zero) => 0,
            (None, Reset::One) => u64::MAX,
            (None, Reset::Free) => every(run.initial[at]),
        };
        let mut state: Vec<u64> = cone.latches.iter().enumerate().map(first).collect();
        let nodes = cone.nodes.len();
        let mut values = vec![0; nodes * run.steps.len()];
        for (inputs, values) in run.steps.iter().zip(values.chunks_mut(nodes)) {
            for (place, node) in cone.nodes.iter().enumerate() {
                values[place] = match *node {
                    Held::False => 0,
                    Held::Input(i) => every(inputs[i]),
                    Held::Latch(i) => state[i],
                    Held::And(a, b) => value(values, a) & value(values, b),
                };
            }
            for (state, latch) in state.iter_mut().zip(&cone.latches) {
                if latch.selects.is_none() {
                    *state = value(values, latch.next);
                }
            }
        }
        Values { nodes, values }
    }

    /// By place.
    fn at(&self, step: usize) -> &[u64] {
        &self.values[step * self.nodes..(step + 1) * self.nodes]
    }

    fn steps(&self) -> usize {
        self.values.len() / self.nodes
    }

    /// For each mutant the first step and the first output there at which it differs from the original; as lanes. `None` if one never
    /// differs.
    fn differences(&self, cone: &Cone) -> Option<Vec<(usize, Signal, u64)>> {
        let mut left = cone.mutants;
        let mut found = Vec::new();
        for step in 0..self.steps() {
            for &output in &cone.outputs {
                let shown = value(self.at(step), output);
                let original = (shown & ORIGINAL).wrapping_neg();
                let lanes = (shown ^ original) & left;
                if lanes != 0 {
                    found.push((step, output, lanes));
                    left &= !lanes;
                }
            }
        }
        (left == 0).then_some(found)
    }
}

fn value(values: &[u64], signal: Signal) -> u64 {
    values[signal.place] ^ u64::from(signal.is_negated).wrapping_neg()
}

/// Marks the inputs that values follow from, per step; `None` if they follow from a choice. `of`: signals whose values are followed at a
/// step, each in some lanes.
fn trace(
    cone: &Cone,
    values: &Values,
    is_choice: &[bool],
    of: impl Fn(usize) -> Vec<(Signal, u64)>,
    inputs: &mut [Vec<bool>],
) -> Option<()> {
    let mut later: Vec<(Signal, u64)> = Vec::new();
    let mut marked = vec![0u64; cone.nodes.len()];
    for step in (0..values.steps()).rev() {
        for (signal, lanes) in of(step).into_iter().chain(later.drain(..)) {
            marked[signal.place] |= lanes;
        }
        let values = values.at(step);
        for (place, node) in cone.nodes.iter().enumerate().rev() {
            let lanes = std::mem::take(&mut marked[place]);
            if lanes == 0 {
                continue;
            }
            match *node {
                Held::False => {}
                Held::Input(i) if is_choice[i] => return None,
                Held::Input(i) => inputs[step][i] = true,
                Held::Latch(i) => {
                    let latch = &cone.latches[i];
                    match (latch.selects, step) {
                        (Some(_), _) => {}
                        (None, 0) if latch.reset == Reset::Free => return None,
                        (None, 0) => {}
                        (None, _) => later.push((latch.next, lanes)),
                    }
                }
                Held::And(a, b) => {
                    let [is_a, is_b] = [a, b].map(|operand| value(values, operand));
                    // Where both are 0 one is enough, and one that is needed anyway costs nothing.
                    let by_b = !is_b & (is_a | !marked[a.place]);
                    marked[a.place] |= lanes & is_b;
                    marked[b.place] |= lanes & (is_a & is_b | by_b);
                }
            }
        }
    }
    Some(())
}
