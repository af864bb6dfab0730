//! Tests at exact times: what an automaton may do on them, and how surely they kill.

use std::cell::RefCell;

use hyperkill_core::timed::{Action, Edge, Rules};

use crate::rational::{Interval, Rational};
use crate::side::Side;
use crate::view::Ending;
pub use crate::witness::{Event, Trace};

/// A state of an automaton at an exact time: a location and the values of the clocks.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct State {
    pub(crate) location: usize,
    pub(crate) clocks: Vec<Rational>,
}

/// The guarantee of a kill.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Kills {
    /// The mutant fails in all its runs.
    Surely,
    /// The mutant may fail.
    Maybe,
}

impl Side {
    pub(crate) fn start(&self) -> State {
        State {
            location: self.automaton.initial,
            clocks: vec![Rational::ZERO; self.automaton.clocks.len()],
        }
    }

    /// Returns the state after a delay; `None` if the automaton may not wait so long.
    pub(crate) fn wait(&self, state: &State, delay: Rational) -> Option<State> {
        let until = Interval::ALL.before(delay, true);
        let mut bad = self.forbidden[state.location].delays(&state.clocks);
        if bad.any(|bad| !bad.and(until).is_empty()) {
            return None;
        }
        let clocks = state.clocks.iter().map(|clock| clock.plus(delay));
        Some(State {
            location: state.location,
            clocks: clocks.collect::<Option<_>>()?,
        })
    }

    /// Whether the tester can wait for a delay in this state.
    fn tester_waits(&self, state: &State, delay: Rational) -> bool {
        let waits = self.automaton.tester.waits_in(state.location).iter();
        let mut held = waits.map(|atom| {
            let value = state.clocks[atom.clock].plus(delay);
            value
                .is_some_and(|value| (atom.relation).holds(&value, &Rational::whole(atom.constant)))
        });
        held.all(|holds| holds)
    }

    /// Returns the delays for which the automaton may wait.
    pub(crate) fn patience(&self, state: &State) -> Interval {
        let bad = self.forbidden[state.location].delays(&state.clocks);
        bad.fold(Interval::ALL, |free, bad| {
            free.before(bad.from, !bad.has_from)
        })
    }

    /// Whether the automaton allows some positive delay, as far as the tester waits.
    fn can_wait(&self, state: &State) -> bool {
        let mut bad = self.blocked(state.location).delays(&state.clocks);
        !bad.any(|bad| bad.from == Rational::ZERO)
    }

    /// Returns the states after an action, without duplicates.
    fn act(&self, state: &State, action: &Action) -> Vec<State> {
        let leaving = self.automaton.leaving(state.location);
        let taken = leaving.filter(|(index, edge)| {
            edge.action == *action && self.enabled[*index].contains(&state.clocks)
        });
        let mut reached = Vec::new();
        for (_, edge) in taken {
            let mut clocks = state.clocks.clone();
            for (clock, value) in &edge.updates {
                clocks[*clock] = Rational::whole(*value);
            }
            let next = State {
                location: edge.target,
                clocks,
            };
            if !reached.contains(&next) {
                reached.push(next);
            }
        }
        reached
    }

    /// Returns the states after an action. If `stays`, a side that does not know the action keeps its state.
    pub(crate) fn act_or_stay(&self, state: &State, action: &Action, stays: bool) -> Vec<State> {
        match stays && !self.automaton.knows(action) {
            true => vec![state.clone()],
            false => self.act(state, action),
        }
    }
}

/// A side on which tests are run, with the locations that they reach, each once and in order. The result depends only on these locations,
/// their edges, and the alphabet of the side.
pub(crate) struct Player<'a> {
    side: &'a Side,
    seen: RefCell<Vec<usize>>,
}

impl<'a> Player<'a> {
    pub(crate) fn new(side: &'a Side) -> Player<'a> {
        Player {
            side,
            seen: RefCell::default(),
        }
    }

    /// Returns the locations that the runs have reached, in order.
    pub(crate) fn seen(self) -> Vec<usize> {
        self.seen.into_inner()
    }

    fn sees(&self, state: &State) {
        let mut seen = self.seen.borrow_mut();
        if !seen.contains(&state.location) {
            seen.push(state.location);
        }
    }

    fn start(&self) -> State {
        self.side.start()
    }

    fn wait(&self, state: &State, delay: Rational) -> Option<State> {
        self.sees(state);
        self.side.wait(state, delay)
    }

    fn can_wait(&self, state: &State) -> bool {
        self.sees(state);
        self.side.can_wait(state)
    }

    fn act(&self, state: &State, action: &Action) -> Vec<State> {
        self.sees(state);
        self.side.act(state, action)
    }

    fn act_or_stay(&self, state: &State, action: &Action, stays: bool) -> Vec<State> {
        self.sees(state);
        self.side.act_or_stay(state, action, stays)
    }

    /// Returns the edges that leave a state, with their numbers.
    fn leaving(&self, state: &State) -> impl Iterator<Item = (usize, &'a Edge)> {
        self.sees(state);
        self.side.automaton.leaving(state.location)
    }
}

pub(crate) fn stays(rules: Rules, action: &Action, is_model: bool) -> bool {
    match (is_model, action.is_input) {
        (true, false) => rules.stays_at_unknown_outputs,
        (false, true) => rules.stays_at_unknown_inputs,
        _ => false,
    }
}

fn output(name: &str) -> Action {
    Action {
        name: name.to_owned(),
        is_input: false,
    }
}

fn input(name: &str) -> Action {
    Action {
        name: name.to_owned(),
        is_input: true,
    }
}

/// Returns all states of a side after the events of a trace, and the time that is left until the failure; `None` if times decrease.
fn behind(
    side: &Player<'_>,
    trace: &Trace,
    rules: Rules,
    is_model: bool,
) -> Option<(Vec<State>, Rational)> {
    let mut states = vec![side.start()];
    let mut now = Rational::ZERO;
    for event in &trace.events {
        let delay = event
            .at
            .minus(now)
            .filter(|delay| *delay >= Rational::ZERO)?;
        now = event.at;
        let mut next = Vec::new();
        for state in states.iter().filter_map(|state| side.wait(state, delay)) {
            let stays = stays(rules, &event.action, is_model);
            for state in side.act_or_stay(&state, &event.action, stays) {
                if !next.contains(&state) {
                    next.push(state);
                }
            }
        }
        states = next;
    }
    let left = trace.at.minus(now).filter(|left| *left >= Rational::ZERO)?;
    Some((states, left))
}

/// Whether a trace is a test of the model: the model can do all events, but not the ending.
#[must_use]
pub fn is_test_of(model: &Side, trace: &Trace, rules: Rules) -> bool {
    let Some((states, left)) = behind(&Player::new(model), trace, rules, true) else {
        return false;
    };
    let [state] = states.as_slice() else {
        return false;
    };
    let later = model.wait(state, left);
    match (&trace.ending, later) {
        (Ending::Silence, later) => later.is_none() && model.tester_waits(state, left),
        (_, None) => false,
        (Ending::Refused(name), Some(later)) => {
            let is_unrefused = model.automaton.tester.unrefused.contains(name);
            !is_unrefused && !model.act(&later, &input(name)).is_empty()
        }
        (Ending::Accepted(name), Some(_)) => {
            rules.compares_alphabets && !model.automaton.knows(&input(name))
        }
        (Ending::Output(name), Some(later)) => {
            let stays = rules.stays_at_unknown_outputs;
            model.act_or_stay(&later, &output(name), stays).is_empty()
        }
    }
}

/// Whether the mutant may do all events of a trace, and its ending.
#[must_use]
pub fn may_fail(mutant: &Side, trace: &Trace, rules: Rules) -> bool {
    fails(&Player::new(mutant), trace, rules)
}

fn fails(mutant: &Player<'_>, trace: &Trace, rules: Rules) -> bool {
    let Some((states, left)) = behind(mutant, trace, rules, false) else {
        return false;
    };
    let mut later = states.iter().filter_map(|state| mutant.wait(state, left));
    match &trace.ending {
        Ending::Silence => later.next().is_some(),
        Ending::Refused(name) => later.any(|state| {
            let stays = rules.stays_at_unknown_inputs;
            mutant.act_or_stay(&state, &input(name), stays).is_empty()
        }),
        Ending::Accepted(name) => later.any(|state| !mutant.act(&state, &input(name)).is_empty()),
        Ending::Output(name) => later.any(|state| !mutant.act(&state, &output(name)).is_empty()),
    }
}

/// Returns the guarantee with which a test of the model kills a mutant. `free` is the mutant within its invariants, since a running system
/// is not pruned.
#[must_use]
pub fn kills(
    model: &Side,
    mutant: &Side,
    free: &Side,
    trace: &Trace,
    rules: Rules,
) -> Option<Kills> {
    if !is_test_of(model, trace, rules) {
        return None;
    }
    let (mutant, free) = (Player::new(mutant), Player::new(free));
    kills_when_played(model, (&mutant, &free), trace, rules)
}

/// Returns the guarantee of a kill like [`kills`], for a trace that is known to be a test of the model.
pub(crate) fn kills_when_played(
    model: &Side,
    (mutant, free): (&Player<'_>, &Player<'_>),
    trace: &Trace,
    rules: Rules,
) -> Option<Kills> {
    if !fails(mutant, trace, rules) {
        return None;
    }
    match must_fail(model, free, trace, rules) {
        Some(true) => Some(Kills::Surely),
        _ => Some(Kills::Maybe),
    }
}

/// Whether the mutant fails in every run through a test. In none of these runs does it make an output that the model allows and the test
/// does not expect. `None` if the model cannot do the test, or a time is too large.
fn must_fail(model: &Side, free: &Player<'_>, trace: &Trace, rules: Rules) -> Option<bool> {
    let mut expected = model.start();
    let mut states = vec![free.start()];
    let mut now = Rational::ZERO;
    for event in &trace.events {
        let delay = event.at.minus(now)?;
        now = event.at;
        let mut next = Vec::new();
        for state in &states {
            if may_deviate(
                model,
                &expected,
                free,
                state,
                delay,
                Some(&event.action),
                rules,
            ) {
                return Some(false);
            }
            let Some(later) = free.wait(state, delay) else {
                continue;
            };
            if !event.action.is_input && free.can_wait(&later) {
                return Some(false);
            }
            let stays = stays(rules, &event.action, false);
            next.extend(free.act_or_stay(&later, &event.action, stays));
        }
        states = next;
        let later = model.wait(&expected, delay)?;
        let stays = stays(rules, &event.action, true);
        expected = model.act_or_stay(&later, &event.action, stays).pop()?;
    }
    let left = trace.at.minus(now)?;
    for state in &states {
        if may_deviate(model, &expected, free, state, left, None, rules) {
            return Some(false);
        }
        let Some(later) = free.wait(state, left) else {
            continue;
        };
        let survives = match &trace.ending {
            Ending::Silence => false,
            Ending::Refused(name) => !free.act(&later, &input(name)).is_empty(),
            Ending::Accepted(name) => free.act(&later, &input(name)).is_empty(),
            Ending::Output(_) => free.can_wait(&later),
        };
        if survives {
            return Some(false);
        }
    }
    Some(true)
}

/// Whether a mutant may make an output within a delay that the model may make too. The expected output at the end of the delay does not
/// count.
fn may_deviate(
    model: &Side,
    expected: &State,
    free: &Player<'_>,
    state: &State,
    delay: Rational,
    awaited: Option<&Action>,
    rules: Rules,
) -> bool {
    // An output after the model's longest wait is impossible for the model.
    let within = model.patience(expected).before(delay, true);
    let point = Interval::ALL.after(delay, true).before(delay, true);
    let mut outputs = free.leaving(state);
    outputs.any(|(index, edge)| {
        if edge.action.is_input {
            return false;
        }
        let stays = rules.stays_at_unknown_outputs && !model.automaton.knows(&edge.action);
        let able = model.automaton.leaving(expected.location);
        let able = able.filter(|(_, other)| other.action == edge.action);
        let able = able.flat_map(|(other, _)| model.enabled[other].delays(&expected.clocks));
        let mut able: Vec<Interval> = able.collect();
        if stays {
            able.push(Interval::ALL);
        }
        let mut made = free.side.enabled[index].delays(&state.clocks);
        made.any(|made| {
            let made = made.and(within);
            able.iter().any(|able| {
                let both = made.and(*able);
                let is_awaited = awaited == Some(&edge.action) && both.and(point) == both;
                !both.is_empty() && !is_awaited
            })
        })
    })
}
