//! When an automaton may make which outputs while it waits along a test.

use hyperkill_core::timed::Rules;

use crate::rational::{Interval, Rational};
use crate::replay::{State, stays};
use crate::side::Side;
use crate::witness::Event;

/// An output with an interval in which it is possible.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Window {
    /// The name of the output.
    pub output: String,
    /// The times since the start.
    pub times: Interval,
}

/// The possible behaviour between one event of a test and the next, or the end.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Wait {
    /// The outputs by name, and by time without gaps between windows that touch.
    pub windows: Vec<Window>,
    /// Whether it is possible that no event happens in all this time.
    pub may_wait: bool,
}

/// Returns for each wait of a test, the last one up to `at`, the outputs that the model can make during it. `None` if the model cannot do
/// the events, or can do them in more than one way.
#[must_use]
pub fn waits(model: &Side, events: &[Event], at: Rational, rules: Rules) -> Option<Vec<Wait>> {
    let mut state = model.start();
    let mut now = Rational::ZERO;
    let mut waits = Vec::new();
    for event in events {
        let delay = event.at.minus(now).filter(|d| *d >= Rational::ZERO)?;
        waits.push(wait(model, &state, now, delay)?);
        now = event.at;
        let later = model.wait(&state, delay)?;
        let stays = stays(rules, &event.action, true);
        let mut next = model.act_or_stay(&later, &event.action, stays);
        state = next.pop().filter(|_| next.is_empty())?;
    }
    let delay = at.minus(now).filter(|d| *d >= Rational::ZERO)?;
    waits.push(wait(model, &state, now, delay)?);
    Some(waits)
}

fn wait(model: &Side, state: &State, now: Rational, delay: Rational) -> Option<Wait> {
    let patience = model.patience(state);
    let within = patience.before(delay, true);
    let mut found: Vec<(&str, Interval)> = Vec::new();
    for (index, edge) in model.automaton.leaving(state.location) {
        if edge.action.is_input {
            continue;
        }
        let times = model.enabled[index].delays(&state.clocks);
        let times = times.map(|times| times.and(within));
        let times = times.filter(|times| !times.is_empty());
        found.extend(times.map(|times| (edge.action.name.as_str(), times)));
    }
    found.sort_by(|(a, x), (b, y)| {
        let first = a.cmp(b).then(x.from.cmp(&y.from));
        first.then(y.has_from.cmp(&x.has_from))
    });
    let mut windows: Vec<Window> = Vec::new();
    for (output, times) in found {
        match windows.last_mut() {
            Some(last) if last.output == output && last.times.touches(&times) => {
                last.times = last.times.joined(&times);
            }
            _ => windows.push(Window {
                output: output.to_owned(),
                times,
            }),
        }
    }
    for window in &mut windows {
        window.times.from = window.times.from.plus(now)?;
        window.times.to = match window.times.to {
            Some(to) => Some(to.plus(now)?),
            None => None,
        };
    }
    Some(Wait {
        windows,
        may_wait: model.wait(state, delay).is_some(),
    })
}
