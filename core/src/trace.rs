//! Runs of a conditional mutant: stimuli, and what the circuit answers, step by step.
//!
//! [`replay`] evaluates one run gate by gate, one bool per node. It shares nothing with the bit-parallel
//! simulator, so that it can check what that and the solvers found.

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
    let off = |selector| Variant::Mutant(selector) != variant;
    let read = model.nodes_read(off);
    let mut values = vec![false; aig.len()];
    for (step, inputs) in stimulus.steps.iter().enumerate() {
        if inputs.len() != aig.inputs().len() {
            return Err(StimulusError::Inputs {
                step,
                expected: aig.inputs().len(),
                found: inputs.len(),
            });
        }
        for &(var, node) in &read {
            values[var.index()] = match node {
                Node::False => false,
                Node::Input(i) => inputs[i as usize],
                Node::Latch(i) => state[i as usize],
                Node::And(a, b) => {
                    // No branch: values are as good as random.
                    (values[a.var().index()] ^ a.is_negated())
                        & (values[b.var().index()] ^ b.is_negated())
                }
            };
        }
        let value = |lit: crate::Lit| values[lit.var().index()] ^ lit.is_negated();
        let broken = aig.constraints.iter().any(|c| !value(c.lit));
        if broken && trace.broken_at.is_none() {
            trace.broken_at = Some(step);
        }
        trace
            .outputs
            .push(aig.outputs.iter().map(|output| value(output.lit)).collect());
        let next = aig
            .latches()
            .iter()
            .map(|latch| value(latch.next))
            .collect();
        trace.states.push(std::mem::replace(&mut state, next));
    }
    Ok(trace)
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
