//! The states that an automaton can be in after the behaviour seen of a system. Times are known up to an interval.
//!
//! Time is counted in parts of a unit. An additional clock has the time since the start.

use hyperkill_core::budget::{Budget, Stop};
use hyperkill_core::timed::{Action, Automaton, Rules};

use crate::bound::Bound;
use crate::dbm::Zone;
use crate::fault::{Fault, planted};
use crate::federation::Federation;
use crate::side::Side;

/// Largest constant, in parts of a unit, that is followed: sums of some of these fit the bounds of zones.
const LARGEST: i64 = 1 << 50;

/// A closed interval of time in which something happened, in parts of a unit since the start.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Moments {
    /// The first moment of the interval.
    pub from: i64,
    /// The last moment of the interval.
    pub to: i64,
}

impl Moments {
    /// Returns the interval of a single time.
    #[must_use]
    pub fn exactly(at: i64) -> Moments {
        Moments { from: at, to: at }
    }
}

/// The reaction of an automaton to an input between two times.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Takes {
    /// The automaton accepts the input in every state that it can be in.
    Always,
    /// The automaton accepts the input in some of these states.
    Sometimes,
    /// The automaton accepts the input in none of these states.
    Never,
    /// The automaton must make an output before it can get the input.
    TooLate,
}

/// The longest possible wait of an automaton.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Patience {
    /// The automaton may wait for ever.
    Endless,
    /// The automaton cannot wait beyond this moment.
    Until(i64),
}

/// An automaton that follows the events of a system, with all states that it can be in (state estimate).
#[derive(Clone, Debug)]
pub struct Follower {
    /// The automaton with all constants in parts of a unit, and a further clock with the time since the start.
    side: Side,
    rules: Rules,
    /// The possible states, by location.
    states: Vec<Federation>,
}

impl Follower {
    /// Returns a follower in the initial state. Times are in parts of a unit, `parts` of them. If `is_pruned`, the automaton is restricted
    /// to its good states. `None` if its constants are too large.
    ///
    /// # Errors
    /// If the budget ends.
    pub fn new(
        automaton: &Automaton,
        (rules, is_pruned): (Rules, bool),
        parts: i64,
        budget: &Budget,
    ) -> Result<Option<Follower>, Stop> {
        let Some(automaton) = scaled(automaton, parts) else {
            return Ok(None);
        };
        let side = Side::new(automaton, is_pruned, budget)?;
        let mut follower = Follower {
            states: Vec::new(),
            side,
            rules,
        };
        follower.restart(0);
        Ok(Some(follower))
    }

    /// Restarts the automaton at a time between 0 and `latest`.
    pub fn restart(&mut self, latest: i64) {
        let clocks = self.side.automaton.clocks.len();
        let start = Zone::zero(clocks).freed(clocks - 1);
        let start = between(
            start,
            clocks,
            Moments {
                from: 0,
                to: latest,
            },
        );
        self.states = vec![Federation::empty(clocks); self.side.automaton.locations.len()];
        let initial = self.side.automaton.initial;
        self.states[initial] = Federation::of(clocks, start).and(&self.side.allowed[initial]);
    }

    /// Whether the automaton can be in some state, so that it allows all events so far.
    #[must_use]
    pub fn is_possible(&self) -> bool {
        self.states.iter().any(|states| !states.is_empty())
    }

    /// Updates the states after silence up to `until`; the present time is `until` or later.
    pub fn waits(&mut self, until: i64) {
        let clocks = self.side.automaton.clocks.len();
        let locations = 0..self.states.len();
        let later = locations.map(|location| {
            let reached = self.from(location);
            reached.map(|zone| zone.clone().bounded(0, clocks, Bound::at_most(-until)))
        });
        self.states = later.collect();
    }

    /// Updates the states after an output of the system in this interval.
    pub fn outputs(&mut self, output: &str, at: Moments) {
        let action = Action {
            name: output.to_owned(),
            is_input: false,
        };
        let stays = self.rules.stays_at_unknown_outputs && !self.side.automaton.knows(&action);
        self.states = match stays {
            true => self.later(at),
            false => self.behind(&action, at),
        };
    }

    /// Updates the states after an input that the system has accepted in this interval.
    pub fn takes(&mut self, input: &str, at: Moments) {
        self.states = self.behind(&given(input), at);
    }

    /// Returns the reaction to an input at a time in the interval.
    #[must_use]
    pub fn asked(&self, input: &str, at: Moments) -> Takes {
        let later = self.later(at);
        let able = self.able(&given(input));
        let is_in = |later: &Federation, able: &Federation| !later.and(able).is_empty();
        let mut pairs = later.iter().zip(&able);
        if later.iter().all(Federation::is_empty) {
            Takes::TooLate
        } else if pairs.clone().all(|(later, able)| able.includes(later)) {
            Takes::Always
        } else if pairs.any(|(later, able)| is_in(later, able)) {
            match planted(Fault::AskedOnce) {
                true => Takes::Always,
                false => Takes::Sometimes,
            }
        } else {
            Takes::Never
        }
    }

    /// Whether the automaton knows an input.
    #[must_use]
    pub fn knows(&self, input: &str) -> bool {
        self.side.automaton.knows(&given(input))
    }

    /// Returns the longest possible wait without events, from all possible states.
    #[must_use]
    pub fn patience(&self) -> Patience {
        let now = self.side.automaton.clocks.len();
        let mut last = 0;
        let locations = 0..self.states.len();
        for states in locations.map(|location| self.from(location)) {
            for zone in states.zones() {
                match zone.bound(now, 0).constant() {
                    Some(bound) => last = bound.max(last),
                    None => return Patience::Endless,
                }
            }
        }
        Patience::Until(last)
    }

    /// Returns the names of the outputs that the automaton can make in this interval, if it has no event before.
    #[must_use]
    pub fn possible(&self, at: Moments) -> Vec<String> {
        let later = self.later(at);
        let edges = self.side.automaton.edges.iter().zip(&self.side.enabled);
        let possible = edges.filter(|(edge, enabled)| {
            !edge.action.is_input && !later[edge.source].and(enabled).is_empty()
        });
        let mut names: Vec<String> = possible.map(|(edge, _)| edge.action.name.clone()).collect();
        names.sort_unstable();
        names.dedup();
        names
    }

    /// Returns the states of a location that delays from its possible states lead to.
    fn from(&self, location: usize) -> Federation {
        let start = &self.states[location];
        if start.is_empty() {
            return start.clone();
        }
        let start = start.and(&self.side.allowed[location]);
        match self.side.allowed[location].zones() {
            // A convex set is not left and entered again.
            [zone] => start.map(|start| start.clone().up().and(zone)),
            _ => start.post_t(&self.side.forbidden[location]),
        }
    }

    /// Returns for each location the possible states at a time in the interval if nothing has happened.
    fn later(&self, at: Moments) -> Vec<Federation> {
        let clocks = self.side.automaton.clocks.len();
        let locations = 0..self.states.len();
        let later = locations.map(|location| {
            let reached = self.from(location);
            match planted(Fault::MomentsForgotten) {
                true => reached,
                false => reached.map(|zone| between(zone.clone(), clocks, at)),
            }
        });
        later.collect()
    }

    /// Returns for each location the states in which some edge with an action is enabled.
    fn able(&self, action: &Action) -> Vec<Federation> {
        let clocks = self.side.automaton.clocks.len();
        let mut able = vec![Federation::empty(clocks); self.states.len()];
        for (edge, enabled) in self.side.automaton.edges.iter().zip(&self.side.enabled) {
            if edge.action == *action {
                able[edge.source] = able[edge.source].clone().or(enabled.clone());
            }
        }
        able
    }

    fn behind(&self, action: &Action, at: Moments) -> Vec<Federation> {
        let clocks = self.side.automaton.clocks.len();
        let later = self.later(at);
        let mut behind = vec![Federation::empty(clocks); self.states.len()];
        for (edge, enabled) in self.side.automaton.edges.iter().zip(&self.side.enabled) {
            if edge.action != *action {
                continue;
            }
            let taken = later[edge.source].and(enabled);
            for zone in taken.zones() {
                let entered = match planted(Fault::UpdatesIgnored) {
                    true => zone.clone(),
                    false => zone.clone().after(&edge.updates, 0),
                };
                behind[edge.target].add(entered);
            }
        }
        behind
    }
}

fn given(input: &str) -> Action {
    Action {
        name: input.to_owned(),
        is_input: true,
    }
}

/// Returns the part of a zone in which the time is in an interval. The last of `clocks` clocks counts the time since the start.
fn between(zone: Zone, clocks: usize, at: Moments) -> Option<Zone> {
    let zone = zone.bounded(clocks, 0, Bound::at_most(at.to))?;
    zone.bounded(0, clocks, Bound::at_most(-at.from))
}

/// Returns the automaton with constants in parts of a unit, and with a further clock that is never set. `None` if a constant is too large.
fn scaled(automaton: &Automaton, parts: i64) -> Option<Automaton> {
    let fine = |constant: &mut i64| {
        *constant = constant.checked_mul(parts).filter(|c| c.abs() <= LARGEST)?;
        Some(())
    };
    let mut automaton = automaton.clone();
    automaton.clocks.push("now".to_owned());
    for location in &mut automaton.locations {
        for atom in &mut location.invariant {
            fine(&mut atom.constant)?;
        }
    }
    for edge in &mut automaton.edges {
        for atom in &mut edge.guard {
            fine(&mut atom.constant)?;
        }
        for (_, value) in &mut edge.updates {
            fine(value)?;
        }
    }
    for atom in automaton.tester.waits.iter_mut().flatten() {
        fine(&mut atom.constant)?;
    }
    Some(automaton)
}
