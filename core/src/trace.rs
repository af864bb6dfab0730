//! Runs of a conditional mutant: stimuli, and what the circuit answers, step by step.
//!
//! [`replay`] evaluates one run gate by gate, one bool per node. It shares nothing with the bit-parallel
//! simulator, so that it can check what that and the solvers found.

use crate::Lit;
use crate::aig::{Node, Reset};
use crate::conditional::{ConditionalMutant, Port};
use crate::product::Variant;
use crate::sort::Value;

/// Everything that decides a run of one variant: free initial values and all inputs.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct Stimulus {
    /// First value of each latch of the circuit; only those with a free reset are read, selectors not.
    pub initial: Vec<bool>,
    /// Per step one bool per circuit input, choices included.
    pub steps: Vec<Vec<bool>>,
}

/// A run: what the circuit does under a stimulus.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Trace {
    /// Per step one bool per circuit output.
    pub outputs: Vec<Vec<bool>>,
    /// Per step one bool per latch, before the step.
    pub states: Vec<Vec<bool>>,
    /// The first step at which a constraint does not hold, if there is one: the run ends before it.
    pub broken_at: Option<usize>,
}

/// A stimulus that is not one of this circuit.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
pub enum StimulusError {
    /// Too few or too many initial values.
    #[error("the stimulus has {found} initial values, the circuit {expected} latches")]
    Latches {
        /// Latches of the circuit.
        expected: usize,
        /// How many initial values were given.
        found: usize,
    },
    /// Too few or too many values in a step.
    #[error("step {step} of the stimulus has {found} values, the circuit {expected} inputs")]
    Inputs {
        /// Which step, from 0.
        step: usize,
        /// Inputs of the circuit.
        expected: usize,
        /// How many values were given.
        found: usize,
    },
}

/// Runs one variant.
///
/// # Errors
/// If the stimulus does not fit the circuit.
pub fn replay(
    model: &ConditionalMutant,
    variant: Variant,
    stimulus: &Stimulus,
) -> Result<Trace, StimulusError> {
    let aig = &model.aig;
    if stimulus.initial.len() != aig.latches().len() {
        return Err(StimulusError::Latches {
            expected: aig.latches().len(),
            found: stimulus.initial.len(),
        });
    }
    let selectors = model.selector_of_latch();
    let mut state: Vec<bool> = aig
        .latches()
        .iter()
        .enumerate()
        .map(|(i, latch)| match (selectors[i], latch.reset) {
            (Some(selector), _) => variant == Variant::Mutant(selector),
            (None, Reset::Zero) => false,
            (None, Reset::One) => true,
            (None, Reset::Free) => stimulus.initial[i],
        })
        .collect();
    let mut trace = Trace {
        outputs: Vec::new(),
        states: Vec::new(),
        broken_at: None,
    };
    let gates = Gates::of(model, variant);
    let mut values = vec![false; gates.nodes];
    for (step, inputs) in stimulus.steps.iter().enumerate() {
        if inputs.len() != aig.inputs().len() {
            return Err(StimulusError::Inputs {
                step,
                expected: aig.inputs().len(),
                found: inputs.len(),
            });
        }
        gates.evaluate(&state, inputs, &mut values);
        let value = |at: &At| at.value(&values);
        let broken = gates.constraints.iter().any(|at| !value(at));
        if broken && trace.broken_at.is_none() {
            trace.broken_at = Some(step);
        }
        trace
            .outputs
            .push(gates.outputs.iter().map(value).collect());
        let next = gates.next.iter().map(value).collect();
        trace.states.push(std::mem::replace(&mut state, next));
    }
    Ok(trace)
}

/// Where a literal's value is: `2 * place + complemented`.
#[derive(Clone, Copy)]
struct At(u32);

impl At {
    #[inline]
    fn value(self, values: &[bool]) -> bool {
        values[(self.0 >> 1) as usize] ^ (self.0 & 1 == 1)
    }
}

/// What a variant needs of a circuit, its nodes numbered densely: values that lie close together are read fast.
struct Gates {
    nodes: usize,
    /// Places of inputs and latches, with their numbers.
    inputs: Vec<(u32, u32)>,
    latches: Vec<(u32, u32)>,
    gates: Vec<(u32, [At; 2])>,
    outputs: Vec<At>,
    constraints: Vec<At>,
    /// By latch, what it becomes.
    next: Vec<At>,
}

impl Gates {
    fn of(model: &ConditionalMutant, variant: Variant) -> Gates {
        let aig = &model.aig;
        let read = model.nodes_read(|selector| Some(Variant::Mutant(selector) == variant));
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
                // Places begin with 0.
                Node::False => {}
                Node::Input(i) => gates.inputs.push((place, i)),
                Node::Latch(i) => gates.latches.push((place, i)),
                Node::And(a, b) => gates.gates.push((place, [at(a), at(b)])),
            }
        }
        gates
    }

    fn evaluate(&self, state: &[bool], inputs: &[bool], values: &mut [bool]) {
        for &(place, input) in &self.inputs {
            values[place as usize] = inputs[input as usize];
        }
        for &(place, latch) in &self.latches {
            values[place as usize] = state[latch as usize];
        }
        for &(place, [a, b]) in &self.gates {
            // No branch: values are as good as random.
            values[place as usize] = a.value(values) & b.value(values);
        }
    }
}

/// The typed values of ports, given the bits they index.
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
