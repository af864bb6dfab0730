//! Runs of a conditional mutant: stimuli, and the circuit's outputs and states, step by step.
//!
//! [`replay`] evaluates one run gate by gate, one bool per node; [`replay_together`] evaluates 64 runs in a pass. Neither shares code with
//! the engines' simulator, so that they can check its results and those of solvers.

use std::ops::{BitAnd, BitXor};

use crate::Lit;
use crate::aig::{Node, Reset};
use crate::conditional::{ConditionalMutant, Port, SelectorId};
use crate::first_values::FirstValues;
use crate::product::Variant;
use crate::sort::Value;

/// All free decisions of a run of one variant: free initial values and all inputs.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct Stimulus {
    /// The first value of each latch of the circuit. Only latches with a free reset are read, and no selectors.
    pub initial: FirstValues,
    /// Per step one bool per circuit input, including choices.
    pub steps: Vec<Vec<bool>>,
}

/// A run of the circuit under a stimulus.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Trace {
    /// Per step one bool per circuit output.
    pub outputs: Vec<Vec<bool>>,
    /// Per step one bool per latch, before the step.
    pub states: Vec<Vec<bool>>,
    /// The first step at which a constraint does not hold, if there is one. The run ends before it.
    pub broken_at: Option<usize>,
}

/// The error that a stimulus does not fit the circuit.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
pub enum StimulusError {
    /// There are too few or too many initial values.
    #[error("the stimulus has {found} initial values, the circuit {expected} latches")]
    Latches {
        /// The number of latches of the circuit.
        expected: usize,
        /// The number of initial values given.
        found: usize,
    },
    /// There are too few or too many values in a step.
    #[error("step {step} of the stimulus has {found} values, the circuit {expected} inputs")]
    Inputs {
        /// The step, counted from 0.
        step: usize,
        /// The number of inputs of the circuit.
        expected: usize,
        /// The number of values given.
        found: usize,
    },
}

/// Returns the run of one variant under a stimulus.
///
/// # Errors
/// If the stimulus does not fit the circuit.
pub fn replay(
    model: &ConditionalMutant,
    variant: Variant,
    stimulus: &Stimulus,
) -> Result<Trace, StimulusError> {
    fits(model, stimulus)?;
    let mut traces = run::<bool>(model, &[(variant, stimulus)], true);
    Ok(traces.remove(0))
}

/// Returns the run of each of these variants under its stimulus, as [`replay`] does, in order.
///
/// # Errors
/// If a stimulus does not fit the circuit.
pub fn replay_together(
    model: &ConditionalMutant,
    runs: &[(Variant, &Stimulus)],
) -> Result<Vec<Trace>, StimulusError> {
    for (_, stimulus) in runs {
        fits(model, stimulus)?;
    }
    let passes = runs.chunks(u64::LANES);
    let traces = passes.flat_map(|runs| run::<u64>(model, runs, true));
    Ok(traces.collect())
}

/// Returns the outputs of many runs, without states: per run and step one bool per circuit output.
///
/// # Errors
/// If a stimulus does not fit the circuit.
pub fn outputs_together(
    model: &ConditionalMutant,
    runs: &[(Variant, &Stimulus)],
) -> Result<Vec<Vec<Vec<bool>>>, StimulusError> {
    for (_, stimulus) in runs {
        fits(model, stimulus)?;
    }
    let passes = runs.chunks(u64::LANES);
    let traces = passes.flat_map(|runs| run::<u64>(model, runs, false));
    Ok(traces.map(|trace| trace.outputs).collect())
}

fn fits(model: &ConditionalMutant, stimulus: &Stimulus) -> Result<(), StimulusError> {
    let aig = &model.aig;
    if stimulus.initial.len() != aig.latches().len() {
        return Err(StimulusError::Latches {
            expected: aig.latches().len(),
            found: stimulus.initial.len(),
        });
    }
    let mut steps = stimulus.steps.iter().enumerate();
    match steps.find(|(_, inputs)| inputs.len() != aig.inputs().len()) {
        Some((step, inputs)) => Err(StimulusError::Inputs {
            step,
            expected: aig.inputs().len(),
            found: inputs.len(),
        }),
        None => Ok(()),
    }
}

/// The bits of the runs that are evaluated in one pass.
trait Word: Copy + BitAnd<Output = Self> + BitXor<Output = Self> {
    /// The largest number of runs.
    const LANES: usize;

    /// Returns the same bit for all runs.
    fn all(value: bool) -> Self;

    /// Returns the bits of the first runs; the others have 0.
    fn of(bits: impl Iterator<Item = bool>) -> Self;

    /// Returns the bit of a run.
    fn bit(self, lane: usize) -> bool;
}

impl Word for bool {
    const LANES: usize = 1;

    fn all(value: bool) -> bool {
        value
    }

    fn of(mut bits: impl Iterator<Item = bool>) -> bool {
        bits.next().unwrap_or(false)
    }

    fn bit(self, _: usize) -> bool {
        self
    }
}

impl Word for u64 {
    const LANES: usize = 64;

    fn all(value: bool) -> u64 {
        if value { u64::MAX } else { 0 }
    }

    fn of(bits: impl Iterator<Item = bool>) -> u64 {
        let bits = bits.enumerate();
        bits.fold(0, |word, (lane, bit)| word | u64::from(bit) << lane)
    }

    fn bit(self, lane: usize) -> bool {
        self >> lane & 1 == 1
    }
}

/// Evaluates runs that fit the circuit, at most as many as a word has bits, until all are over; with their states if wanted.
fn run<W: Word>(
    model: &ConditionalMutant,
    runs: &[(Variant, &Stimulus)],
    with_states: bool,
) -> Vec<Trace> {
    let aig = &model.aig;
    let selectors = model.selector_of_latch();
    let first = |(i, selector): (usize, &Option<SelectorId>)| {
        let reset = aig.latches()[i].reset;
        W::of(runs.iter().map(|(variant, stimulus)| match selector {
            Some(selector) => *variant == Variant::Mutant(*selector),
            None => reset == Reset::One || reset == Reset::Free && stimulus.initial[i],
        }))
    };
    let mut state: Vec<W> = selectors.iter().enumerate().map(first).collect();
    let trace = Trace {
        outputs: Vec::new(),
        states: Vec::new(),
        broken_at: None,
    };
    let mut traces = vec![trace; runs.len()];
    let gates = Gates::of(model, runs);
    let mut values = vec![W::all(false); gates.nodes];
    let steps = runs.iter().map(|(_, stimulus)| stimulus.steps.len()).max();
    for step in 0..steps.unwrap_or(0) {
        let input = |input: usize| {
            let runs = runs.iter();
            W::of(runs.map(|(_, run)| run.steps.get(step).is_some_and(|inputs| inputs[input])))
        };
        gates.evaluate(&state, input, &mut values);
        let value = |at: &At| at.value(&values);
        let holds = gates.constraints.iter().map(value);
        let holds = holds.fold(W::all(true), |all, one| all & one);
        let outputs: Vec<W> = gates.outputs.iter().map(value).collect();
        for (lane, ((_, stimulus), trace)) in runs.iter().zip(&mut traces).enumerate() {
            if step >= stimulus.steps.len() {
                continue;
            }
            if !holds.bit(lane) && trace.broken_at.is_none() {
                trace.broken_at = Some(step);
            }
            let row = |words: &[W]| words.iter().map(|word| word.bit(lane)).collect();
            trace.outputs.push(row(&outputs));
            if with_states {
                trace.states.push(row(&state));
            }
        }
        state = gates.next.iter().map(value).collect();
    }
    traces
}

/// The place of a literal's value: `2 * place + complemented`.
#[derive(Clone, Copy)]
struct At(u32);

impl At {
    #[inline]
    fn value<W: Word>(self, values: &[W]) -> W {
        values[(self.0 >> 1) as usize] ^ W::all(self.0 & 1 == 1)
    }
}

/// The parts of a circuit that the variants of some runs need, with nodes numbered densely for locality.
struct Gates {
    nodes: usize,
    /// The places of inputs and latches, with their numbers.
    inputs: Vec<(u32, u32)>,
    latches: Vec<(u32, u32)>,
    gates: Vec<(u32, [At; 2])>,
    outputs: Vec<At>,
    constraints: Vec<At>,
    /// For each latch its next value.
    next: Vec<At>,
}

impl Gates {
    fn of(model: &ConditionalMutant, runs: &[(Variant, &Stimulus)]) -> Gates {
        let aig = &model.aig;
        let read = model.nodes_read(|selector| {
            let on = Variant::Mutant(selector);
            let on = runs.iter().filter(|(variant, _)| *variant == on).count();
            // A selector is constant unless it is on in some runs only.
            (on == 0 || on == runs.len()).then_some(on > 0)
        });
        let mut places = vec![0u32; aig.len()];
        for (place, (var, _)) in (0u32..).zip(&read) {
            places[var.index()] = place;
        }
        let at = |lit: Lit| At(2 * places[lit.var().index()] + u32::from(lit.is_negated()));
        let mut gates = Gates {
            nodes: read.len(),
            inputs: Vec::new(),
            latches: Vec::new(),
            gates: Vec::new(),
            outputs: aig.outputs.iter().map(|output| at(output.lit)).collect(),
            constraints: aig
                .constraints
                .iter()
                .map(|signal| at(signal.lit))
                .collect(),
            next: aig.latches().iter().map(|latch| at(latch.next)).collect(),
        };
        for (place, (_, node)) in (0u32..).zip(&read) {
            match *node {
                // The constant's place is initialised with 0.
                Node::False => {}
                Node::Input(i) => gates.inputs.push((place, i)),
                Node::Latch(i) => gates.latches.push((place, i)),
                Node::And(a, b) => gates.gates.push((place, [at(a), at(b)])),
            }
        }
        gates
    }

    fn evaluate<W: Word>(&self, state: &[W], input: impl Fn(usize) -> W, values: &mut [W]) {
        for &(place, number) in &self.inputs {
            values[place as usize] = input(number as usize);
        }
        for &(place, latch) in &self.latches {
            values[place as usize] = state[latch as usize];
        }
        for &(place, [a, b]) in &self.gates {
            // Branch-free, since values are unpredictable.
            values[place as usize] = a.value(values) & b.value(values);
        }
    }
}

/// Returns the typed values of ports, given the bits that they index.
#[must_use]
pub fn decode(ports: &[Port], bits: &[bool]) -> Vec<(String, Value)> {
    ports
        .iter()
        .map(|port| {
            let own: Vec<bool> = port.bits.iter().map(|&bit| bits[bit]).collect();
            (port.name.clone(), port.sort.decode(&own))
        })
        .collect()
}
