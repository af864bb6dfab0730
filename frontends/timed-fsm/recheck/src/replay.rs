//! Replays tests timeout by timeout, in exact fractions of a unit.

use std::collections::BTreeMap;

use hyperkill_core::sort::Value;
use hyperkill_core::suite::Step;
use hyperkill_core::time::Time;
use hyperkill_timed_fsm::machine::{Answer, Machine, State};
use hyperkill_timed_fsm::{INPUT, OUTPUT};

/// Returns the state of a machine after a delay of `left` parts without inputs since it entered a state, and the time in that state. A unit
/// has `scale` parts.
fn wait(machine: &Machine, start: usize, left: u128, scale: u128) -> (usize, u128) {
    let mut left = left;
    let mut state = start;
    // The remaining delay at the entry of each state, until complete rounds are removed.
    let mut entered = Some(BTreeMap::new());
    loop {
        let Some(timeout) = machine.states[state].timeout else {
            return (state, left);
        };
        let known = entered.as_mut().and_then(|e| e.insert(state, left));
        if let Some(before) = known {
            left %= before - left;
            entered = None;
        }
        let needed = u128::from(timeout.after) * scale;
        // At its exact time the timeout comes first.
        if left < needed {
            return (state, left);
        }
        left -= needed;
        state = timeout.target;
    }
}

/// Returns the state of a machine after a delay without inputs since it entered a state.
pub(crate) fn wait_scaled(machine: &Machine, start: usize, left: u128, scale: u128) -> usize {
    wait(machine, start, left, scale).0
}

/// Returns the answer of a state to an input at a time: 2n is n units, and 2n + 1 stands for all times between n and n + 1.
fn answer(state: &State, input: usize, moment: u128) -> Option<Answer> {
    let guarded = state.guarded.get(&input).into_iter().flatten();
    let mut met = guarded.filter(|guarded| {
        let ends = guarded.during.until.map(u128::from);
        u128::from(guarded.during.from) <= moment && ends.is_none_or(|ends| moment < ends)
    });
    let always = state.answers.get(&input).copied();
    always.or_else(|| met.next().map(|guarded| guarded.answer))
}

/// The outputs of a machine on the inputs of a test.
pub(crate) struct Shown {
    /// The outputs, up to the first input that has none.
    pub(crate) outputs: Vec<usize>,
    /// Whether such an input exists.
    pub(crate) is_silent: bool,
}

/// Replays the inputs of a test. A unit of the test is `parts` units of the machine, 1 or 2.
///
/// # Errors
/// If they are no timed inputs of the machine.
pub(crate) fn replay(machine: &Machine, test: &[Step], parts: u32) -> Result<Shown, String> {
    let mut shown = Shown {
        outputs: Vec::new(),
        is_silent: false,
    };
    let mut state = 0;
    let mut before = Time::ZERO;
    for (index, step) in test.iter().enumerate() {
        let at = step.at.ok_or_else(|| format!("step {index} has no time"))?;
        let delay = at.since(before);
        let delay = delay
            .ok_or_else(|| format!("step {index} has an earlier time than the previous step"))?;
        before = at;
        let input = symbol(&step.inputs, INPUT, &machine.inputs);
        let input = input.map_err(|what| format!("step {index}: {what}"))?;
        if shown.is_silent {
            continue;
        }
        let (left, scale) = delay.parts();
        let (left, scale) = (u128::from(left), u128::from(scale));
        // Of two parts, the first is the integer itself, and the second all times up to the next one.
        let (left, scale) = match parts {
            2 => (left / scale * 2 + u128::from(left % scale > 0), 1),
            _ => (left, scale),
        };
        let (reached, since) = wait(machine, state, left, scale);
        state = reached;
        // An odd moment is between two units.
        let moment = since / scale * 2 + u128::from(since % scale > 0);
        match answer(&machine.states[state], input, moment) {
            Some(answer) => {
                shown.outputs.push(answer.output);
                state = answer.target;
            }
            None => shown.is_silent = true,
        }
    }
    Ok(shown)
}

/// Returns the inputs of a test with the parts of a unit before them: integer units, or two parts per unit. The second part stands for all
/// times between two integers.
///
/// # Errors
/// If they are no timed inputs of the machine.
pub(crate) fn stimuli(
    machine: &Machine,
    test: &[Step],
    scale: u32,
) -> Result<Vec<(u64, usize)>, String> {
    let mut before = Time::ZERO;
    let stimuli = test.iter().enumerate().map(|(index, step)| {
        let at = step.at.ok_or_else(|| format!("step {index} has no time"))?;
        let delay = at.since(before);
        let delay = delay
            .ok_or_else(|| format!("step {index} has an earlier time than the previous step"))?;
        before = at;
        let (parts, unit) = delay.parts();
        let units = match scale {
            2 => {
                let is_between = u64::from(parts % unit > 0);
                let twice = (parts / unit).checked_mul(2);
                let twice = twice.and_then(|twice| twice.checked_add(is_between));
                twice.ok_or_else(|| format!("step {index} is too late"))?
            }
            _ => parts / unit,
        };
        Ok((units, symbol(&step.inputs, INPUT, &machine.inputs)?))
    });
    stimuli.collect()
}

/// Returns the outputs that a run states, up to the first step that has none.
///
/// # Errors
/// If a step states another kind of output.
pub(crate) fn said(machine: &Machine, run: &[Step]) -> Result<Vec<usize>, String> {
    let shown = run
        .iter()
        .enumerate()
        .take_while(|(_, step)| !step.outputs.is_empty());
    let outputs = shown.map(|(index, step)| {
        let output = symbol(&step.outputs, OUTPUT, &machine.outputs);
        output.map_err(|what| format!("step {index}: {what}"))
    });
    outputs.collect()
}

fn symbol(values: &[(String, Value)], of: &str, names: &[String]) -> Result<usize, String> {
    let [(name, Value::Symbol(value))] = values else {
        return Err(format!("exactly one symbol for `{of}` is expected"));
    };
    let number = names.iter().position(|known| known == value);
    match number {
        Some(number) if name == of => Ok(number),
        _ => Err(format!("`{name}` = `{value}` is no {of} of the machine")),
    }
}
