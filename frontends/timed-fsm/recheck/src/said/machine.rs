//! Reads the machine of a syntax tree, guard by guard.

use std::collections::BTreeMap;

use hyperkill_timed_fsm::guard::Interval;
use hyperkill_timed_fsm::machine::{Answer, Guarded, Machine, State, Timeout};
use hyperkill_timed_fsm::syntax::{Limit, MachineText, Name, StateText};

use super::content::Unread;

/// Returns the index of a name.
///
/// # Errors
/// If it is unknown.
pub(super) fn number(names: &[String], name: &Name) -> Result<usize, Unread> {
    match names.iter().position(|known| *known == name.text) {
        Some(number) => Ok(number),
        None => Unread::wrong(format!(
            "the machine does not declare the name `{}`",
            name.text
        )),
    }
}

/// Returns the machine.
///
/// # Errors
/// If a name is unknown, or the machine is not deterministic.
pub(super) fn machine(text: &MachineText) -> Result<Machine, Unread> {
    let names = |names: &[Name]| -> Vec<String> {
        let names = names.iter();
        names.map(|name| name.text.clone()).collect()
    };
    let mut machine = Machine {
        name: text.name.text.clone(),
        unit: text.unit.as_ref().map(|unit| unit.text.clone()),
        inputs: names(&text.inputs),
        outputs: names(&text.outputs),
        states: Vec::new(),
    };
    if text.states.is_empty() {
        return Unread::wrong("the machine has no state");
    }
    let states: Vec<String> = text
        .states
        .iter()
        .map(|state| state.name.text.clone())
        .collect();
    for of in &text.states {
        let state = state(&machine, &states, of)?;
        machine.states.push(state);
    }
    Ok(machine)
}

fn state(machine: &Machine, states: &[String], text: &StateText) -> Result<State, Unread> {
    let mut on: BTreeMap<usize, Vec<Guarded>> = BTreeMap::new();
    for item in &text.answers {
        let answer = Answer {
            output: number(&machine.outputs, &item.output)?,
            target: number(states, &item.target)?,
        };
        let during = item.guard.map_or(Interval::ALWAYS, |guard| guard.during);
        for input in &item.inputs {
            let all = on.entry(number(&machine.inputs, input)?).or_default();
            if all
                .iter()
                .any(|other| other.during.common(&during).is_some())
            {
                return Unread::wrong("the machine has two transitions for one state and input");
            }
            all.push(Guarded { during, answer });
        }
    }
    let mut state = State {
        name: text.name.text.clone(),
        timeout: match text.timeouts.as_slice() {
            [] => None,
            [only] => match (only.limit.limit, &only.target) {
                (Limit::After(after), Some(target)) => Some(Timeout {
                    after,
                    target: number(states, target)?,
                }),
                _ => None,
            },
            _ => return Unread::wrong("a state has two timeouts"),
        },
        ..State::default()
    };
    for (input, mut all) in on {
        all.sort_by_key(|guarded| guarded.during.from);
        match all.as_slice() {
            [only] if only.during == Interval::ALWAYS => {
                state.answers.insert(input, only.answer);
            }
            _ => {
                state.guarded.insert(input, all);
            }
        }
    }
    Ok(state)
}
