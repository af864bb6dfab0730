//! Replays tests by arithmetic alone: locations, clock values and delays as fractions.

use hyperkill_core::time::Time;
use hyperkill_core::timed::{Action, Rules};

use crate::constraint::{List, of_atoms};
use crate::fraction::Fraction;
use crate::good::Side;

/// The failure of a mutant at the end of a test.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Ending {
    /// The mutant refuses this input, which the model accepts.
    Refused(String),
    /// The mutant accepts this input, which the model does not know.
    Accepted(String),
    /// The mutant makes this output, which the model cannot make.
    Output(String),
    /// The mutant waits until this time, and the model cannot.
    Silence,
}

/// A test: its events with their times, and the failure at its end.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Trace {
    /// The events, with the time since the start.
    pub events: Vec<(Time, Action)>,
    /// The time of the failure.
    pub at: Time,
    /// The failure at the end.
    pub ending: Ending,
}

#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct State {
    pub(crate) location: usize,
    clocks: Vec<Fraction>,
}

/// An interval of delays; each end may be included.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Delays {
    pub(crate) from: (Fraction, bool),
    pub(crate) to: Option<(Fraction, bool)>,
}

impl Delays {
    /// Whether some delay of the interval is at most `most`.
    fn begin_within(&self, most: Fraction) -> bool {
        let (from, has_from) = self.from;
        from < most || (from == most && has_from)
    }

    pub(crate) fn are_none(&self) -> bool {
        let (from, has_from) = self.from;
        self.to
            .is_some_and(|(to, has_to)| to < from || (to == from && !(has_from && has_to)))
    }

    pub(crate) fn and(self, other: Delays) -> Delays {
        let later = |a: (Fraction, bool), b: (Fraction, bool)| match a.0.cmp(&b.0) {
            std::cmp::Ordering::Less => b,
            std::cmp::Ordering::Equal => (a.0, a.1 && b.1),
            std::cmp::Ordering::Greater => a,
        };
        let earlier = |a: (Fraction, bool), b: (Fraction, bool)| match a.0.cmp(&b.0) {
            std::cmp::Ordering::Less => a,
            std::cmp::Ordering::Equal => (a.0, a.1 && b.1),
            std::cmp::Ordering::Greater => b,
        };
        let to = match (self.to, other.to) {
            (Some(own), Some(other)) => Some(earlier(own, other)),
            (own, other) => own.or(other),
        };
        Delays {
            from: later(self.from, other.from),
            to,
        }
    }

    fn up_to(most: Fraction) -> Delays {
        Delays {
            from: (Fraction::whole(0), true),
            to: Some((most, true)),
        }
    }
}

/// Returns the delays after which a list holds for the clocks; `None` if there are none.
fn delays(list: &List, clocks: &[Fraction]) -> Option<Delays> {
    let mut found = Delays {
        from: (Fraction::whole(0), true),
        to: None,
    };
    for c in &list.0 {
        let most = Fraction::whole(c.most);
        match (c.left, c.right) {
            (0, 0) => {}
            (left, 0) => {
                let to = most.minus(clocks[left - 1])?;
                found = found.and(Delays {
                    to: Some((to, !c.is_strict)),
                    ..found
                });
            }
            (0, right) => {
                let from = Fraction::whole(0).minus(most)?.minus(clocks[right - 1])?;
                found = found.and(Delays {
                    from: (from, !c.is_strict),
                    to: None,
                });
            }
            (left, right) => {
                let difference = clocks[left - 1].minus(clocks[right - 1])?;
                if difference > most || (difference == most && c.is_strict) {
                    return None;
                }
            }
        }
    }
    (!found.are_none()).then_some(found)
}

impl Side {
    pub(crate) fn first(&self) -> State {
        State {
            location: self.automaton.initial,
            clocks: vec![Fraction::whole(0); self.automaton.clocks.len()],
        }
    }

    pub(crate) fn wait(&self, state: &State, delay: Fraction) -> Option<State> {
        let forbidden = self.forbidden[state.location].iter();
        let mut met = forbidden.filter_map(|bad| delays(bad, &state.clocks));
        if met.any(|bad| bad.begin_within(delay)) {
            return None;
        }
        let clocks = state.clocks.iter().map(|clock| clock.plus(delay));
        Some(State {
            location: state.location,
            clocks: clocks.collect::<Option<_>>()?,
        })
    }

    /// Returns the delays of at most `most` for which the automaton may wait.
    pub(crate) fn patience(&self, state: &State, most: Fraction) -> Delays {
        let forbidden = self.forbidden[state.location].iter();
        let met = forbidden.filter_map(|bad| delays(bad, &state.clocks));
        met.fold(Delays::up_to(most), |free, bad| {
            let (from, has_from) = bad.from;
            let until = Delays {
                from: (Fraction::whole(0), true),
                to: Some((from, !has_from)),
            };
            free.and(until)
        })
    }

    /// Whether the tester's limits on waits hold at the end of a delay.
    fn is_waited_with(&self, state: &State, delay: Fraction) -> bool {
        let waits = of_atoms(self.automaton.tester.waits_in(state.location), 0);
        let later = state.clocks.iter().map(|clock| clock.plus(delay));
        let later: Option<Vec<Fraction>> = later.collect();
        let now = Fraction::whole(0);
        later.is_some_and(|later| delays(&waits, &later).is_some_and(|d| d.from == (now, true)))
    }

    /// Whether the automaton allows some positive delay, as far as the tester waits.
    fn may_wait_on(&self, state: &State) -> bool {
        let forbidden = self.blocked[state.location].iter();
        let mut met = forbidden.filter_map(|bad| delays(bad, &state.clocks));
        !met.any(|bad| bad.from.0 == Fraction::whole(0))
    }

    /// Returns the state after an edge is taken; `None` if the edge is disabled.
    fn take(&self, state: &State, number: usize) -> Option<State> {
        let edge = &self.automaton.edges[number];
        let now = Fraction::whole(0);
        let holds = |list: &List, clocks: &[Fraction]| {
            delays(list, clocks).is_some_and(|delays| delays.from == (now, true))
        };
        if !holds(&of_atoms(&edge.guard, 0), &state.clocks) {
            return None;
        }
        let mut clocks = state.clocks.clone();
        for (clock, value) in &edge.updates {
            clocks[*clock] = Fraction::whole(*value);
        }
        let mut allowed = self.allowed[edge.target].iter();
        allowed.any(|list| holds(list, &clocks)).then_some(State {
            location: edge.target,
            clocks,
        })
    }

    /// Returns the states after `action` from `state`, without duplicates; empty if no edge with this action is enabled.
    fn act(&self, state: &State, action: &Action) -> Vec<State> {
        let leaving = self.automaton.leaving(state.location);
        let taken = leaving.filter(|(_, edge)| edge.action == *action);
        let mut reached = Vec::new();
        for state in taken.filter_map(|(number, _)| self.take(state, number)) {
            if !reached.contains(&state) {
                reached.push(state);
            }
        }
        reached
    }

    pub(crate) fn act_or_stay(&self, state: &State, action: &Action, stays: bool) -> Vec<State> {
        match stays && !self.automaton.knows(action) {
            true => vec![state.clone()],
            false => self.act(state, action),
        }
    }
}

pub(crate) fn model_stays(rules: Rules, action: &Action) -> bool {
    rules.stays_at_unknown_outputs && !action.is_input
}

fn mutant_stays(rules: Rules, action: &Action) -> bool {
    rules.stays_at_unknown_inputs && action.is_input
}

fn named(name: &str, is_input: bool) -> Action {
    Action {
        name: name.to_owned(),
        is_input,
    }
}

/// Returns all states of a side after the events of a trace, and the time that is left until the failure; `None` if times decrease. A side
/// keeps its state at an action that it does not know if `stays` holds for it.
fn behind(
    side: &Side,
    trace: &Trace,
    stays: &dyn Fn(&Action) -> bool,
) -> Option<(Vec<State>, Fraction)> {
    let mut states = vec![side.first()];
    let mut now = Time::ZERO;
    for (at, action) in &trace.events {
        let delay = Fraction::of(at.since(now)?);
        now = *at;
        let mut next: Vec<State> = Vec::new();
        for state in states.iter().filter_map(|state| side.wait(state, delay)) {
            for state in side.act_or_stay(&state, action, stays(action)) {
                if !next.contains(&state) {
                    next.push(state);
                }
            }
        }
        states = next;
    }
    Some((states, Fraction::of(trace.at.since(now)?)))
}

/// Whether a trace is a test of the model: the model can do all events, but not the ending.
#[must_use]
pub fn is_test(model: &Side, trace: &Trace, rules: Rules) -> bool {
    let stays = |action: &Action| model_stays(rules, action);
    let Some((states, left)) = behind(model, trace, &stays) else {
        return false;
    };
    let later: Vec<Option<State>> = states.iter().map(|state| model.wait(state, left)).collect();
    let all = |can_end: &dyn Fn(&State) -> bool| {
        !later.is_empty()
            && later
                .iter()
                .all(|state| state.as_ref().is_some_and(|s| !can_end(s)))
    };
    match &trace.ending {
        Ending::Silence => {
            !later.is_empty()
                && later.iter().all(Option::is_none)
                && states.iter().all(|state| model.is_waited_with(state, left))
        }
        Ending::Refused(name) => {
            let is_unrefused = model.automaton.tester.unrefused.contains(name);
            !is_unrefused && all(&|state| model.act(state, &named(name, true)).is_empty())
        }
        // Unless the rules compare alphabets, a mutant may know more inputs.
        Ending::Accepted(name) => {
            rules.compares_alphabets && all(&|_| model.automaton.knows(&named(name, true)))
        }
        Ending::Output(name) => {
            let action = named(name, false);
            all(&|state| !model.act_or_stay(state, &action, stays(&action)).is_empty())
        }
    }
}

/// Whether the mutant may do all events of a trace, and its ending.
#[must_use]
pub fn may_fail(mutant: &Side, trace: &Trace, rules: Rules) -> bool {
    let stays = |action: &Action| mutant_stays(rules, action);
    let Some((states, left)) = behind(mutant, trace, &stays) else {
        return false;
    };
    let mut later = states.iter().filter_map(|state| mutant.wait(state, left));
    match &trace.ending {
        Ending::Silence => later.next().is_some(),
        Ending::Refused(name) => later.any(|state| {
            let action = named(name, true);
            mutant
                .act_or_stay(&state, &action, stays(&action))
                .is_empty()
        }),
        Ending::Accepted(name) => {
            later.any(|state| !mutant.act(&state, &named(name, true)).is_empty())
        }
        Ending::Output(name) => {
            later.any(|state| !mutant.act(&state, &named(name, false)).is_empty())
        }
    }
}

/// Whether the mutant fails in all runs through a test: within the times of the test, each output that the model allows is the expected
/// one, and the mutant does not get past the end. `free` is the mutant within its invariants.
#[must_use]
pub fn must_fail(model: &Side, free: &Side, trace: &Trace, rules: Rules) -> bool {
    let mut expected = model.first();
    let mut states = vec![free.first()];
    let mut now = Time::ZERO;
    let moments = trace.events.iter().map(|(at, action)| (*at, Some(action)));
    for (at, awaited) in moments.chain([(trace.at, None)]) {
        let Some(delay) = at.since(now).map(Fraction::of) else {
            return false;
        };
        now = at;
        let both = |state: &State| (state.clone(), expected.clone());
        if states
            .iter()
            .map(both)
            .any(|pair| deviates(model, free, &pair, delay, awaited, rules))
        {
            return false;
        }
        let later = states.iter().filter_map(|state| free.wait(state, delay));
        let later: Vec<State> = later.collect();
        let Some(action) = awaited else {
            return !later.iter().any(|state| match &trace.ending {
                Ending::Silence => false,
                Ending::Refused(name) => !free.act(state, &named(name, true)).is_empty(),
                Ending::Accepted(name) => free.act(state, &named(name, true)).is_empty(),
                Ending::Output(_) => free.may_wait_on(state),
            });
        };
        if !action.is_input && later.iter().any(|state| free.may_wait_on(state)) {
            return false;
        }
        let stays = mutant_stays(rules, action);
        states = later
            .iter()
            .flat_map(|state| free.act_or_stay(state, action, stays))
            .collect();
        let waited = model.wait(&expected, delay);
        let next =
            waited.map(|state| model.act_or_stay(&state, action, model_stays(rules, action)));
        match next.and_then(|mut next| next.pop()) {
            Some(next) => expected = next,
            None => return false,
        }
    }
    false
}

/// Returns the delays after which an edge is enabled: one interval for each part of its allowed targets.
pub(crate) fn stretches(side: &Side, state: &State, number: usize) -> Vec<Delays> {
    let edge = &side.automaton.edges[number];
    let guard = of_atoms(&edge.guard, 0);
    let targets = side.allowed[edge.target].iter();
    let before = targets.filter_map(|list| list.before(&edge.updates)?.join(&guard));
    before
        .filter_map(|list| delays(&list, &state.clocks))
        .collect()
}

/// Whether a mutant may give an output within a delay that the model allows too. The expected output at the end of the delay does not
/// count.
fn deviates(
    model: &Side,
    free: &Side,
    (state, expected): &(State, State),
    delay: Fraction,
    awaited: Option<&Action>,
    rules: Rules,
) -> bool {
    // An output after the model's longest wait is impossible for the model.
    let within = model.patience(expected, delay);
    for (number, edge) in free.automaton.leaving(state.location) {
        if edge.action.is_input {
            continue;
        }
        let mut able: Vec<Delays> = model
            .automaton
            .leaving(expected.location)
            .filter(|(_, other)| other.action == edge.action)
            .flat_map(|(other, _)| stretches(model, expected, other))
            .collect();
        if model_stays(rules, &edge.action) && !model.automaton.knows(&edge.action) {
            able.push(Delays::up_to(delay));
        }
        for made in stretches(free, state, number) {
            for able in &able {
                let common = made.and(*able).and(within);
                let is_awaited = awaited == Some(&edge.action) && common.from == (delay, true);
                if !common.are_none() && !is_awaited {
                    return true;
                }
            }
        }
    }
    false
}
