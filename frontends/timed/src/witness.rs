//! From a failing path of zones to a trace at exact times.
//!
//! Backwards along the path the states are kept from which the failure is reached, without extrapolation; forwards a simple time is chosen
//! in them each time.

use hyperkill_core::timed::Action;

use crate::dbm::Zone;
use crate::federation::Federation;
use crate::rational::{Interval, Rational};
use crate::search::{Ending, Joint, Move, Search};

/// Something that happens at a time since the start.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Event {
    /// When.
    pub at: Rational,
    /// What.
    pub action: Action,
}

/// What the mutant does and the model does not: both do the events, the mutant alone the ending.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Trace {
    /// What happens, in order.
    pub events: Vec<Event>,
    /// When the mutant fails.
    pub at: Rational,
    /// How it fails.
    pub ending: Ending,
}

/// A step of a path: where it starts, and where it has to end in that time has passed.
struct Leg {
    node: usize,
    entry: Zone,
    goal: Federation,
    taken: Option<Move>,
}

/// The trace of a failure; `None` if its times are too large to say.
pub(crate) fn trace(search: &Search<'_>, last: usize, ending: &Ending) -> Option<Trace> {
    let legs = legs(search, last, ending)?;
    let mut trace = Trace {
        events: Vec::new(),
        at: Rational::ZERO,
        ending: ending.clone(),
    };
    let clocks = search.nodes[last].entry.clocks();
    let mut point = vec![Rational::ZERO; clocks];
    for leg in &legs {
        let forbidden = &search.mutant.forbidden[search.nodes[leg.node].mutant];
        let delay = delay(&point, &leg.goal, forbidden)?;
        trace.at = trace.at.plus(delay)?;
        for value in &mut point {
            *value = value.plus(delay)?;
        }
        let Some(taken) = leg.taken else {
            continue;
        };
        for (side, edge) in [(&search.mutant, taken.mutant), (&search.model, taken.model)] {
            let Some(edge) = edge else { continue };
            for (clock, value) in &side.side.automaton.edges[edge].updates {
                point[clock + side.offset] = Rational::whole(*value);
            }
        }
        let edge = match (taken.mutant, taken.model) {
            (Some(edge), _) => &search.mutant.side.automaton.edges[edge],
            (None, edge) => &search.model.side.automaton.edges[edge?],
        };
        trace.events.push(Event {
            at: trace.at,
            action: edge.action.clone(),
        });
    }
    Some(trace)
}

/// The legs of the path to a node, each with the states that lead on to the failure.
fn legs(search: &Search<'_>, last: usize, ending: &Ending) -> Option<Vec<Leg>> {
    let steps = std::iter::successors(Some((last, None)), |&(node, _)| {
        search.nodes[node]
            .from
            .map(|(from, taken)| (from, Some(taken)))
    });
    let mut path: Vec<(usize, Option<Move>)> = steps.collect();
    path.reverse();
    let mut legs = Vec::new();
    let mut entry = Federation::of(
        search.nodes[last].entry.clocks(),
        [Zone::zero(search.nodes[last].entry.clocks())],
    );
    for (node, taken) in path {
        // Several pieces may lead on; one of them does, and which one shows backwards.
        let later = entry.zones().iter();
        let own = search.nodes[node].mutant;
        let later = later.map(|zone| search.mutant.later(own, zone));
        let later = later.fold(Federation::empty(entry.clocks()), Federation::or);
        let here = match taken {
            Some(taken) => taken_from(search, &later, taken),
            None => failing(search, node, &later, ending),
        };
        let next = match taken {
            Some(taken) => here.map(|zone| {
                let zone = search.mutant.entered(zone.clone(), taken.mutant);
                Some(search.model.entered(zone, taken.model))
            }),
            None => Federation::empty(entry.clocks()),
        };
        legs.push((node, entry, here, taken));
        entry = next;
    }
    backwards(search, legs)
}

fn backwards(
    search: &Search<'_>,
    legs: Vec<(usize, Federation, Federation, Option<Move>)>,
) -> Option<Vec<Leg>> {
    let mut kept: Vec<Leg> = Vec::new();
    let mut wanted: Option<Federation> = None;
    for (node, entry, here, taken) in legs.into_iter().rev() {
        let goal = match (&wanted, taken) {
            (Some(wanted), Some(taken)) => {
                let mut goal = Federation::empty(here.clocks());
                for zone in wanted.zones() {
                    let before = search.model.before(zone.clone(), taken.model);
                    for zone in before.zones() {
                        goal = goal.or(search.mutant.before(zone.clone(), taken.mutant));
                    }
                }
                here.and(&goal)
            }
            _ => here,
        };
        let forbidden = &search.mutant.forbidden[search.nodes[node].mutant];
        let from = entry.and(&goal.pred_t(forbidden));
        let first = from.zones().first()?.clone();
        wanted = Some(from);
        kept.push(Leg {
            node,
            entry: first,
            goal,
            taken,
        });
    }
    kept.reverse();
    let start = kept.first()?;
    let zero = Zone::zero(start.entry.clocks());
    start.entry.and(&zero).map(|_| kept)
}

fn taken_from(search: &Search<'_>, later: &Federation, taken: Move) -> Federation {
    let mut here = later.clone();
    for (side, edge) in [(&search.mutant, taken.mutant), (&search.model, taken.model)] {
        if let Some(edge) = edge {
            here = here.and(&side.enabled[edge]);
        }
    }
    here
}

/// The states where the mutant fails in this way.
fn failing(search: &Search<'_>, node: usize, later: &Federation, ending: &Ending) -> Federation {
    let (own, other) = (search.nodes[node].mutant, search.nodes[node].model);
    let able = |side: &Joint<'_>, location: usize, name: &str, is_input: bool| {
        let leaving = side.side.automaton.leaving(location);
        let sets = leaving
            .filter(|(_, edge)| edge.action.is_input == is_input && edge.action.name == name)
            .map(|(index, _)| side.enabled[index].clone());
        sets.fold(Federation::empty(later.clocks()), Federation::or)
    };
    match ending {
        Ending::Silence => later.minus(&search.model.allowed[other]),
        Ending::Refused(name) => {
            let accepted = able(&search.mutant, own, name, true);
            later
                .and(&able(&search.model, other, name, true))
                .minus(&accepted)
        }
        Ending::Output(name) => {
            let expected = able(&search.model, other, name, false);
            later
                .and(&able(&search.mutant, own, name, false))
                .minus(&expected)
        }
    }
}

/// A simple delay from a point to a goal, without touching what is forbidden.
fn delay(point: &[Rational], goal: &Federation, forbidden: &Federation) -> Option<Rational> {
    let mut free = Interval::ALL;
    for bad in forbidden.delays(point) {
        // Free is what is before every bad stretch.
        free = free.before(bad.from, !bad.has_from);
    }
    let candidates = goal.delays(point).map(|delays| delays.and(free));
    let candidates = candidates.filter_map(|delays| delays.simplest());
    candidates.min()
}
