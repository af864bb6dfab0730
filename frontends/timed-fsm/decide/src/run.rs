//! Runs of machines on inputs at given times, and tests with names and values.

use hyperkill_core::sort::Value;
use hyperkill_core::suite::{Step, delays};
use hyperkill_core::time::Time;
use hyperkill_timed_fsm::machine::Machine;
use hyperkill_timed_fsm::{INPUT, OUTPUT, guard};

use crate::chain::Chain;
use crate::fault::Fault;

/// An input with the integer number of parts of a unit before it. If answers do not depend on delays, a unit has one part: fractions of a
/// delay never matter, since timeouts are integers and every input resets the clock.
pub type Stimulus = (u64, usize);

/// Returns the answers of a machine, up to the first input without a transition.
pub(crate) fn answers(
    machine: &Machine,
    inputs: &[Stimulus],
    planted: Option<Fault>,
) -> Vec<usize> {
    let mut answers = Vec::new();
    let (mut state, mut clock) = (0, 0);
    for &(delay, input) in inputs {
        let now = clock + u128::from(delay);
        let Some((reached, elapsed)) = Chain::new(machine, state, 0).at(now) else {
            return answers;
        };
        let Some(answer) = machine.states[reached].answers.get(&input) else {
            return answers;
        };
        answers.push(answer.output);
        state = answer.target;
        if planted == Some(Fault::ClockKeptOverInput) {
            clock = elapsed;
        }
    }
    answers
}

/// Returns a run as steps. A step without an answer has no output. `None` if its times exceed the range of numbers.
pub(crate) fn steps(
    machine: &Machine,
    inputs: &[Stimulus],
    scale: u32,
    planted: Option<Fault>,
) -> Option<Vec<Step>> {
    let answers = answers(machine, inputs, planted);
    let mut at = Time::ZERO;
    let mut steps = Vec::new();
    for (index, &(delay, input)) in inputs.iter().enumerate() {
        let delay = guard::time(delay, scale)?;
        at = match planted {
            Some(Fault::StampTakenForDelay) => delay,
            _ => at.checked_add(delay)?,
        };
        let symbol = |name: &str, symbol: &str| (name.to_owned(), Value::Symbol(symbol.to_owned()));
        let answer = answers.get(index).map(|&output| &machine.outputs[output]);
        steps.push(Step {
            at: Some(at),
            inputs: vec![symbol(INPUT, &machine.inputs[input])],
            outputs: answer
                .map(|answer| symbol(OUTPUT, answer))
                .into_iter()
                .collect(),
            ..Step::default()
        });
    }
    Some(steps)
}

/// Returns the timed inputs and the expected outputs of a test. `None` if a step has a delay that cannot be represented, or not one input
/// and one output of this machine.
pub(crate) fn stimuli(
    machine: &Machine,
    test: &[Step],
    scale: u32,
) -> Option<(Vec<Stimulus>, Vec<usize>)> {
    let mut inputs = Vec::new();
    let mut outputs = Vec::new();
    for (step, delay) in test.iter().zip(delays(test)) {
        let input = number(&step.inputs, INPUT, &machine.inputs)?;
        inputs.push((guard::parts(delay?, scale)?, input));
        outputs.push(number(&step.outputs, OUTPUT, &machine.outputs)?);
    }
    Some((inputs, outputs))
}

fn number(values: &[(String, Value)], of: &str, names: &[String]) -> Option<usize> {
    match values {
        [(name, Value::Symbol(symbol))] if name == of => names.iter().position(|n| n == symbol),
        _ => None,
    }
}
