//! From a failing path of zones to a trace at exact times.
//!
//! Backwards along the path the states are kept from which the failure is reached, without extrapolation; forwards a simple time is chosen
//! in them each time.

use hyperkill_core::timed::Action;

use crate::dbm::Zone;
use crate::federation::Federation;
use crate::rational::{Interval, Rational};
use crate::view::{Ending, Meeting, Move};

/// An action with its time since the start.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Event {
    /// The time of the action since the start.
    pub at: Rational,
    /// The action that is done.
    pub action: Action,
}

/// A failure of the mutant: both sides can do the events, and only the mutant can do the ending.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Trace {
    /// The events before the failure, in order.
    pub events: Vec<Event>,
    /// The time of the failure.
    pub at: Rational,
    /// The failure at the end.
    pub ending: Ending,
}

/// A step of a path: the states before the delay (`entry`), the states after it (`goal`), and the edges that are taken.
struct Leg<'a> {
    meeting: Meeting<'a>,
    entry: Federation,
    goal: Federation,
    taken: Option<Move>,
}

/// Returns a trace at exact times that follows a path of zones to the failure `ending`; `None` if its times are too large.
pub(crate) fn trace(
    path: &[(Meeting<'_>, Option<Move>)],
    clocks: usize,
    ending: &Ending,
) -> Option<Trace> {
    let legs = legs(path, clocks, ending)?;
    let mut trace = Trace {
        events: Vec::new(),
        at: Rational::ZERO,
        ending: ending.clone(),
    };
    let mut point = vec![Rational::ZERO; clocks];
    for leg in &legs {
        let (own, model) = (leg.meeting.own, leg.meeting.model);
        let delay = delay(&point, &leg.goal, &own.forbidden)?;
        trace.at = trace.at.plus(delay)?;
        for value in &mut point {
            *value = value.plus(delay)?;
        }
        let Some(taken) = leg.taken else {
            continue;
        };
        let mut action = None;
        for (view, arrow) in [(model, taken.model), (own, taken.mutant)] {
            let Some(arrow) = arrow else { continue };
            let edge = &view.arrows[arrow].edge;
            for (clock, value) in &edge.updates {
                point[clock + view.offset] = Rational::whole(*value);
            }
            action = Some(edge.action.clone());
        }
        trace.events.push(Event {
            at: trace.at,
            action: action?,
        });
    }
    Some(trace)
}

/// Returns the steps of a path, each with the states from which the failure `ending` can be reached. `None` if it cannot.
fn legs<'a>(
    path: &[(Meeting<'a>, Option<Move>)],
    clocks: usize,
    ending: &Ending,
) -> Option<Vec<Leg<'a>>> {
    let mut legs = Vec::new();
    let mut entry = Federation::of(clocks, [Zone::zero(clocks)]);
    for (meeting, taken) in path {
        // Several pieces may lead on; one of them does, and which one shows backwards.
        let later = entry.zones().iter().map(|zone| meeting.later(zone));
        let later = later.fold(Federation::empty(clocks), Federation::or);
        let goal = match taken {
            Some(taken) => taken_from(meeting, &later, *taken),
            None => meeting.failing(&later, ending),
        };
        let next = match taken {
            Some(taken) => goal.map(|zone| {
                let zone = meeting.own.entered(zone.clone(), taken.mutant);
                Some(meeting.model.entered(zone, taken.model))
            }),
            None => Federation::empty(clocks),
        };
        legs.push(Leg {
            meeting: *meeting,
            entry: std::mem::replace(&mut entry, next),
            goal,
            taken: *taken,
        });
    }
    backwards(legs)
}

fn backwards(mut legs: Vec<Leg<'_>>) -> Option<Vec<Leg<'_>>> {
    let mut wanted: Option<Federation> = None;
    for leg in legs.iter_mut().rev() {
        if let (Some(wanted), Some(taken)) = (&wanted, leg.taken) {
            let mut goal = Federation::empty(leg.goal.clocks());
            for zone in wanted.zones() {
                let before = leg.meeting.model.before(zone.clone(), taken.model);
                for zone in before.zones() {
                    goal = goal.or(leg.meeting.own.before(zone.clone(), taken.mutant));
                }
            }
            leg.goal = leg.goal.and(&goal);
        }
        let forbidden = &leg.meeting.own.forbidden;
        leg.entry = leg.entry.and(&leg.goal.pred_t(forbidden));
        if leg.entry.is_empty() {
            return None;
        }
        wanted = Some(leg.entry.clone());
    }
    Some(legs)
}

fn taken_from(meeting: &Meeting<'_>, later: &Federation, taken: Move) -> Federation {
    let mut here = later.clone();
    for (view, arrow) in [(meeting.own, taken.mutant), (meeting.model, taken.model)] {
        if let Some(arrow) = arrow {
            here = here.and(&view.arrows[arrow].enabled);
        }
    }
    here
}

/// Returns the simplest delay from a point to a goal that avoids the forbidden states.
fn delay(point: &[Rational], goal: &Federation, forbidden: &Federation) -> Option<Rational> {
    let mut free = Interval::ALL;
    for bad in forbidden.delays(point) {
        // Only delays before all forbidden intervals are free.
        free = free.before(bad.from, !bad.has_from);
    }
    let candidates = goal.delays(point).map(|delays| delays.and(free));
    let candidates = candidates.filter_map(|delays| delays.simplest());
    candidates.min()
}
