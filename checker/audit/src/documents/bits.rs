//! Runs and strategies as bit strings: one character per latch that is no selector, per input, or per output.

use hyperkill_core::ConditionalMutant;
use hyperkill_core::aiger::stimulus::write_stimulus;
use hyperkill_core::first_values::FirstValues;
use hyperkill_core::trace::Stimulus;
use hyperkill_evidence::strategy_tree::{Next, StrategyTree};

use super::{RunEvidence, TreeState, TreeStep};

/// Returns bits as a string of `0` and `1`, in their order.
pub fn to_bits(bits: &[bool]) -> String {
    bits.iter()
        .map(|&bit| if bit { '1' } else { '0' })
        .collect()
}

/// Returns a state as a bit string: the values of the latches that are no selectors.
#[must_use]
pub fn state_bits(model: &ConditionalMutant, state: &[bool]) -> String {
    let hidden = model.hidden_latches().into_iter();
    let bits: Vec<bool> = hidden.map(|latch| state[latch]).collect();
    to_bits(&bits)
}

/// Returns a run as bit strings, in the form in which tests of a suite are stored. `tree` is the strategy, if the run is a play of one.
pub fn run_evidence(
    model: &ConditionalMutant,
    run: &Stimulus,
    tree: Option<&StrategyTree>,
) -> RunEvidence {
    let branch = |(outputs, next): &(Vec<bool>, Next)| TreeStep {
        outputs: to_bits(outputs),
        next: match next {
            Next::Node(next) => Some(*next),
            Next::Pass => None,
        },
    };
    let states = tree.iter().flat_map(|tree| &tree.nodes);
    let states = states.map(|node| TreeState {
        inputs: to_bits(&spelled(model, &node.input)),
        branches: node.branches.iter().map(branch).collect(),
    });
    RunEvidence {
        initial: first_state_bits(model, &run.initial),
        steps: run.steps.iter().map(|step| to_bits(step)).collect(),
        tree: states.collect(),
    }
}

/// Returns the first values of the latches in a normal form, so that equal runs have equal strings. A latch with a reset has its reset
/// value, and a selector is 0.
pub fn first_values(model: &ConditionalMutant, initial: &FirstValues) -> FirstValues {
    let selectors = model.selector_of_latch();
    let latches = model.aig.latches().iter().zip(selectors).zip(initial);
    latches
        .map(|((latch, selector), value)| match selector {
            Some(_) => false,
            None => latch.reset.as_constant().unwrap_or(value),
        })
        .collect()
}

/// Returns the first values of a run in their normal form ([`first_values`]) as bits of a state.
pub fn first_state_bits(model: &ConditionalMutant, initial: &FirstValues) -> String {
    state_bits(model, &first_values(model, initial).to_vec())
}

/// Returns the inputs that a strategy sets, one bool per input, in a normal form. Choices are 0, and a value with several codes has the
/// first of them.
pub fn spelled(model: &ConditionalMutant, inputs: &[bool]) -> Vec<bool> {
    let mut set = vec![false; inputs.len()];
    for port in &model.inputs {
        let own: Vec<bool> = port.bits.iter().map(|&bit| inputs[bit]).collect();
        let code = port.sort.encode(&port.sort.decode(&own)).unwrap_or(own);
        for (&bit, value) in port.bits.iter().zip(code) {
            set[bit] = value;
        }
    }
    set
}

/// Returns the inputs of a run, one bool per input and step, as an AIGER stimulus.
#[must_use]
pub fn stimulus(steps: &[Vec<bool>]) -> String {
    let vectors: Vec<Vec<Option<bool>>> = steps
        .iter()
        .map(|step| step.iter().copied().map(Some).collect())
        .collect();
    write_stimulus(&vectors)
}
