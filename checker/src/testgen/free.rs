//! Finds the irrelevant inputs of a test: for all their values, the model's outputs are the same, and the mutants' outputs differ from
//! them.
//!
//! Values are traced back from the model's outputs, from one difference of each mutant and from the constraints, to the inputs that they
//! depend on. For a gate that is 0, one operand that is 0 is sufficient. Inputs that the trace does not reach are irrelevant, all at the
//! same time. If a value depends on a choice of the model or a mutant, no input is reported. A step computes only the nodes that change,
//! and tracing visits only marked nodes.

use crate::schedule::engine_efforts::REMEMBERED_CHANGES;
use hyperkill_core::aig::{Node, Reset};
use hyperkill_core::specialise::part;
use hyperkill_core::trace::Stimulus;
use hyperkill_core::{ConditionalMutant, Lit, SelectorId};

/// Number of variants simulated together.
const LANES: usize = 64;

/// Number of mutants that share a circuit.
const TOGETHER: usize = 512;

/// Returns for each step the names of the inputs of a test that are irrelevant for its outputs and for its kills of these mutants.
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

/// Returns for each step and each input whether its value matters for the test; `None` if a choice matters, or if the limit on changes is
/// exceeded.
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
    let mut trace = |model: &ConditionalMutant, mutants: &[SelectorId], run: &Stimulus| {
        for mutants in mutants.chunks(LANES - 1) {
            let cone = Cone::of(model, mutants);
            let replayed = Replayed::of(&cone, run)?;
            replayed.trace(&cone, &is_choice, &mut inputs)?;
        }
        Some(())
    };
    for mutants in mutants.chunks(TOGETHER) {
        if mutants.len() < LANES || model.selectors.len() <= 2 * TOGETHER {
            trace(model, mutants, run)?;
            continue;
        }
        // Each pass visits the whole circuit, so a circuit with these mutants alone saves time.
        let mut mutants = mutants.to_vec();
        mutants.sort_unstable();
        let part = part(model, &mutants);
        let latches = part.latches();
        let run = Stimulus {
            initial: latches.iter().map(|&latch| run.initial[latch]).collect(),
            steps: run.steps.clone(),
        };
        trace(
            &part.model,
            &Vec::from_iter(part.model.selector_ids()),
            &run,
        )?;
    }
    Some(inputs)
}

/// The lane mask of the original. The mutants have the next lanes, in order.
const ORIGINAL: u64 = 1;

/// A literal of a cone: the index of its node there, negated or not.
#[derive(Clone, Copy)]
struct Signal {
    place: usize,
    is_negated: bool,
}

/// A node of a cone: a constant, an input or latch by index, or a conjunction.
enum Held {
    False,
    Input(usize),
    Latch(usize),
    And(Signal, Signal),
}

/// A latch of a cone, with the literal of its next value.
struct Continued {
    /// Its index among the latches of the circuit.
    at: usize,
    reset: Reset,
    /// The lanes of the mutants that it selects, if it is a selector; `None` for other latches.
    selects: Option<u64>,
    next: Signal,
}

/// The cone of influence of outputs and constraints in the original and some mutants, operands first.
struct Cone {
    nodes: Vec<Held>,
    outputs: Vec<Signal>,
    constraints: Vec<Signal>,
    /// The latches of the cone.
    latches: Vec<Continued>,
    /// Mask of the lanes that simulate mutants.
    mutants: u64,
    /// The gates that read node `place` are `readers[readers_from[place]..readers_from[place + 1]]`.
    readers_from: Vec<usize>,
    readers: Vec<usize>,
    /// Nodes of the cone, by index, that are inputs, or latches other than selectors.
    sources: Vec<usize>,
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
        let lane = |selector: SelectorId| {
            let lane = mutants.iter().position(|&mutant| mutant == selector);
            lane.map_or(0, |lane| 2 << lane)
        };
        let selectors = model.selector_of_latch();
        let mut latches: Vec<Continued> = Vec::new();
        let nodes = read.iter().map(|&(_, node)| match node {
            Node::False => Held::False,
            Node::Input(i) => Held::Input(i as usize),
            Node::Latch(i) => {
                let at = i as usize;
                let latch = &aig.latches()[at];
                latches.push(Continued {
                    at,
                    reset: latch.reset,
                    selects: selectors[at].map(lane),
                    next: signal(latch.next),
                });
                Held::Latch(latches.len() - 1)
            }
            Node::And(a, b) => Held::And(signal(a), signal(b)),
        });
        let nodes: Vec<Held> = nodes.collect();
        let (readers_from, readers) = readers(&nodes);
        let is_source = |place: &usize| match nodes[*place] {
            Held::Input(_) => true,
            Held::Latch(i) => latches[i].selects.is_none(),
            _ => false,
        };
        let sources = (0..nodes.len()).filter(is_source).collect();
        let outputs = aig.outputs.iter().map(|output| signal(output.lit));
        let constraints = aig.constraints.iter().map(|held| signal(held.lit));
        Cone {
            nodes,
            readers_from,
            readers,
            sources,
            outputs: outputs.collect(),
            constraints: constraints.collect(),
            latches,
            mutants: (0..mutants.len()).fold(0, |lanes, lane| lanes | 2 << lane),
        }
    }
}

/// Returns for each node the gates that read it: the starts of their ranges, and a list of all readers.
fn readers(nodes: &[Held]) -> (Vec<usize>, Vec<usize>) {
    let read = |node: &Held| match node {
        Held::And(a, b) => [Some(a.place), Some(b.place)],
        _ => [None; 2],
    };
    let mut from = vec![0; nodes.len() + 1];
    for place in nodes.iter().flat_map(read).flatten() {
        from[place + 1] += 1;
    }
    for place in 0..nodes.len() {
        from[place + 1] += from[place];
    }
    let mut next = from.clone();
    let mut readers = vec![0; from[nodes.len()]];
    for (gate, node) in nodes.iter().enumerate() {
        for place in read(node).into_iter().flatten() {
            readers[next[place]] = gate;
            next[place] += 1;
        }
    }
    (from, readers)
}

/// A set of nodes of a cone, one bit each.
struct Places(Vec<u64>);

impl Places {
    fn none(of: usize) -> Places {
        Places(vec![0; of.div_ceil(64)])
    }

    fn add(&mut self, place: usize) {
        self.0[place / 64] |= 1 << (place % 64);
    }

    /// Removes and returns the lowest node, searched from index `word` of the words on, which it advances; `None` if none is left.
    fn lowest(&mut self, word: &mut usize) -> Option<usize> {
        while *self.0.get(*word)? == 0 {
            *word += 1;
        }
        let bit = self.0[*word].trailing_zeros() as usize;
        self.0[*word] &= !(1 << bit);
        Some(*word * 64 + bit)
    }

    /// Removes and returns the highest node, searched below index `end` of the words, which it lowers; `None` if none is left.
    fn highest(&mut self, end: &mut usize) -> Option<usize> {
        while *end > 0 && self.0[*end - 1] == 0 {
            *end -= 1;
        }
        let word = end.checked_sub(1)?;
        let bit = self.0[word].ilog2() as usize;
        self.0[word] &= !(1 << bit);
        Some(word * 64 + bit)
    }
}

/// One run of the original and of some mutants, one lane each, recorded so that it can be traced backwards.
struct Replayed {
    /// For each node its values in all lanes at the last step.
    values: Vec<u64>,
    /// For each step the nodes whose values changed, with the values at the previous step. Empty for the first step.
    changes: Vec<Vec<(usize, u64)>>,
    /// For each mutant, as lanes: the first step at which it differs from the original, and the first output that differs there.
    differences: Vec<(usize, Signal, u64)>,
}

impl Replayed {
    /// Simulates a run and records it; `None` if a mutant never differs from the original, or if the limit on changes is exceeded.
    fn of(cone: &Cone, run: &Stimulus) -> Option<Replayed> {
        let first = |latch: &Continued| match (latch.selects, latch.reset) {
            (Some(lanes), _) => lanes,
            (None, Reset::Zero) => 0,
            (None, Reset::One) => u64::MAX,
            (None, Reset::Free) => every(run.initial[latch.at]),
        };
        let mut state: Vec<u64> = cone.latches.iter().map(first).collect();
        let mut replayed = Replayed {
            values: vec![0; cone.nodes.len()],
            changes: Vec::with_capacity(run.steps.len()),
            differences: Vec::new(),
        };
        let mut changing = Places::none(cone.nodes.len());
        // All nodes are computed at the first step.
        (0..cone.nodes.len()).for_each(|place| changing.add(place));
        let (mut left, mut remembered) = (cone.mutants, 0);
        for (step, inputs) in run.steps.iter().enumerate() {
            cone.sources.iter().for_each(|&place| changing.add(place));
            let mut changes = Vec::new();
            let mut word = 0;
            while let Some(place) = changing.lowest(&mut word) {
                let values = &mut replayed.values;
                let now = match cone.nodes[place] {
                    Held::False => 0,
                    Held::Input(i) => every(inputs[i]),
                    Held::Latch(i) => state[i],
                    Held::And(a, b) => value(values, a) & value(values, b),
                };
                let before = std::mem::replace(&mut values[place], now);
                if before != now {
                    changes.push((place, before));
                    let readers = cone.readers_from[place]..cone.readers_from[place + 1];
                    let readers = &cone.readers[readers];
                    readers.iter().for_each(|&gate| changing.add(gate));
                }
            }
            for (state, latch) in state.iter_mut().zip(&cone.latches) {
                if latch.selects.is_none() {
                    *state = value(&replayed.values, latch.next);
                }
            }
            replayed.look(cone, step, &mut left);
            remembered += changes.len();
            if remembered > REMEMBERED_CHANGES {
                return None;
            }
            replayed.changes.push(match step {
                0 => Vec::new(),
                _ => changes,
            });
        }
        (left == 0).then_some(replayed)
    }

    /// Records those mutants in `left` whose outputs differ from the original's at a step, and removes them from `left`.
    fn look(&mut self, cone: &Cone, step: usize, left: &mut u64) {
        for &output in &cone.outputs {
            let shown = value(&self.values, output);
            let original = (shown & ORIGINAL).wrapping_neg();
            let lanes = (shown ^ original) & *left;
            if lanes != 0 {
                self.differences.push((step, output, lanes));
                *left &= !lanes;
            }
        }
    }

    /// Returns the signals that matter at a step, each with the lanes in which it matters. They are the original's outputs, all
    /// constraints, and the outputs in which mutants first differ at this step.
    fn followed(&self, cone: &Cone, step: usize) -> Vec<(Signal, u64)> {
        let shown = cone.outputs.iter().map(|&output| (output, ORIGINAL));
        let all = ORIGINAL | cone.mutants;
        let demanded = cone.constraints.iter().map(|&held| (held, all));
        let differ = self.differences.iter().filter(|(at, ..)| *at == step);
        let differ = differ.map(|&(_, output, lanes)| (output, lanes));
        shown.chain(demanded).chain(differ).collect()
    }

    /// Marks in `inputs`, per step, the inputs on which the signals that matter depend. `None` if one depends on a choice or a free initial
    /// value.
    fn trace(mut self, cone: &Cone, is_choice: &[bool], inputs: &mut [Vec<bool>]) -> Option<()> {
        let mut later: Vec<(Signal, u64)> = Vec::new();
        let mut marked = vec![0u64; cone.nodes.len()];
        let mut open = Places::none(cone.nodes.len());
        for step in (0..self.changes.len()).rev() {
            for (signal, lanes) in self.followed(cone, step).into_iter().chain(later.drain(..)) {
                marked[signal.place] |= lanes;
                open.add(signal.place);
            }
            let mut end = open.0.len();
            while let Some(place) = open.highest(&mut end) {
                let lanes = std::mem::take(&mut marked[place]);
                match cone.nodes[place] {
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
                        let [is_a, is_b] = [a, b].map(|operand| value(&self.values, operand));
                        // If both operands are 0 one suffices; an operand that is needed anyway is preferred.
                        let by_b = !is_b & (is_a | !marked[a.place]);
                        let wanted = [(a, is_b), (b, is_a & is_b | by_b)];
                        for (operand, wanted) in wanted {
                            if lanes & wanted != 0 {
                                marked[operand.place] |= lanes & wanted;
                                open.add(operand.place);
                            }
                        }
                    }
                }
            }
            for &(place, before) in &self.changes[step] {
                self.values[place] = before;
            }
        }
        Some(())
    }
}

fn every(value: bool) -> u64 {
    u64::from(value).wrapping_neg()
}

fn value(values: &[u64], signal: Signal) -> u64 {
    values[signal.place] ^ u64::from(signal.is_negated).wrapping_neg()
}
