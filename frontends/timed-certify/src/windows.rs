//! Checks that a test lists all outputs that its model may give during waits.

use hyperkill_core::time::Time;
use hyperkill_core::timed::Rules;

use crate::fraction::Fraction;
use crate::good::Side;
use crate::replay::{Delays, State, Trace, model_stays, stretches};

/// An output with an interval in which it is possible, since the start.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Window {
    /// The name of the output.
    pub output: String,
    /// The beginning of the interval, and whether it is included.
    pub from: (Time, bool),
    /// The end of the interval, and whether it is included.
    pub to: (Time, bool),
}

/// Whether windows list exactly the outputs of the model while it waits along a test, wait by wait: each interval is inside a window, none
/// has more, and no two windows touch.
#[must_use]
pub fn are_all_windows(model: &Side, trace: &Trace, rules: Rules, windows: &[&[Window]]) -> bool {
    let mut expected = model.first();
    let mut now = Time::ZERO;
    let moments = trace.events.iter().map(|(at, action)| (*at, Some(action)));
    let moments: Vec<_> = moments.chain([(trace.at, None)]).collect();
    if moments.len() != windows.len() {
        return false;
    }
    for ((at, action), said) in moments.into_iter().zip(windows) {
        let Some(delay) = at.since(now).map(Fraction::of) else {
            return false;
        };
        if !are_windows(model, &expected, (now, delay), said) {
            return false;
        }
        now = at;
        let Some(action) = action else { break };
        let later = model.wait(&expected, delay);
        let stays = model_stays(rules, action);
        let next = later.map(|state| model.act_or_stay(&state, action, stays));
        match next.as_deref() {
            Some([only]) => expected = only.clone(),
            _ => return false,
        }
    }
    true
}

/// Whether the windows `said` are exactly the outputs that the model can make from a state during one wait.
fn are_windows(
    model: &Side,
    state: &State,
    (now, delay): (Time, Fraction),
    said: &[Window],
) -> bool {
    let within = model.patience(state, delay);
    let mut left: Vec<(&str, Delays)> = Vec::new();
    for (number, edge) in model.automaton.leaving(state.location) {
        if !edge.action.is_input {
            let found = stretches(model, state, number).into_iter();
            let found = found.map(|times| times.and(within));
            let found = found.filter(|times| !times.are_none());
            left.extend(found.map(|times| (edge.action.name.as_str(), times)));
        }
    }
    let mut before: Option<(&Window, Delays)> = None;
    for window in said {
        let ends = (window.from.0.since(now), window.to.0.since(now));
        let (Some(from), Some(to)) = ends else {
            return false;
        };
        let (from, to) = (Fraction::of(from), Fraction::of(to));
        let whole = Delays {
            from: (from, window.from.1),
            to: Some((to, window.to.1)),
        };
        let is_behind = before.is_none_or(|(other, times)| {
            other.output < window.output
                || other.output == window.output
                    && times.to.is_some_and(|(end, has_end)| {
                        end < from || end == from && !has_end && !window.from.1
                    })
        });
        if !is_behind || whole.are_none() || !fills(whole, &window.output, &mut left) {
            return false;
        }
        before = Some((window, whole));
    }
    left.is_empty()
}

/// Whether intervals of an output cover a window without gaps and stay within it. The covered intervals are removed from `left`.
fn fills(whole: Delays, output: &str, left: &mut Vec<(&str, Delays)>) -> bool {
    let (mut reached, mut has_reached) = (whole.from.0, !whole.from.1);
    let end = whole.to;
    loop {
        let next = left.iter().position(|(name, times)| {
            let (from, has_from) = times.from;
            *name == output && (from < reached || from == reached && (has_from || has_reached))
        });
        let Some(next) = next else {
            break;
        };
        let (_, times) = left.swap_remove(next);
        if times.from.0 < whole.from.0
            || (times.from.0 == whole.from.0 && times.from.1 && !whole.from.1)
        {
            return false;
        }
        match times.to {
            Some((to, has_to)) if to > reached => (reached, has_reached) = (to, has_to),
            Some((to, has_to)) if to == reached => has_reached |= has_to,
            Some(_) => {}
            None => return false,
        }
    }
    end == Some((reached, has_reached))
}
