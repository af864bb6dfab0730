//! A follower agrees with an enumeration of all moments of a fine grid.

use std::collections::BTreeSet;

use hyperkill_core::budget::Budget;
use hyperkill_core::timed::{Action, Atom, Automaton, Edge, Rules};
use hyperkill_timed::fault;
use hyperkill_timed::follow::{Follower, Moments, Patience, Takes};
use rand::RngExt;
use rand::seq::IndexedRandom;
use rand_chacha::ChaCha8Rng;

use crate::random::{automaton, cases, generator};

/// Parts of a unit, in which the times of events are known.
const PARTS: i64 = 2;
/// Points of the grid in a part. Bounds are whole parts, so the times of this many events less two can be moved onto the grid.
const GRID: i64 = 6;
/// The number of events in a log, at most.
const EVENTS: usize = 3;

/// A location, the clocks and the time since the start, in points of the grid.
type Point = (usize, Vec<i64>, i64);

/// An event, or silence, in an interval of time.
type Seen = (Option<Action>, Moments);

/// The possible states of an automaton, found by enumeration.
struct Tried<'a> {
    automaton: &'a Automaton,
    points: BTreeSet<Point>,
}

fn holds(atoms: &[Atom], clocks: &[i64]) -> bool {
    let mut atoms = atoms.iter();
    atoms.all(|atom| {
        let constant = atom.constant * PARTS * GRID;
        atom.relation.holds(&clocks[atom.clock], &constant)
    })
}

impl<'a> Tried<'a> {
    fn new(automaton: &'a Automaton, latest: i64) -> Tried<'a> {
        let clocks = vec![0; automaton.clocks.len()];
        let starts = (0..=latest * GRID).map(|now| (automaton.initial, clocks.clone(), now));
        let starts =
            starts.filter(|(at, clocks, _)| holds(&automaton.locations[*at].invariant, clocks));
        Tried {
            automaton,
            points: starts.collect(),
        }
    }

    /// Returns the possible states at the points of an interval if nothing happens. Invariants are convex, so checking the end of a delay
    /// suffices.
    fn later(&self, at: Moments) -> BTreeSet<Point> {
        let mut later = BTreeSet::new();
        for (location, clocks, now) in &self.points {
            for moment in (*now).max(at.from * GRID)..=at.to * GRID {
                let clocks: Vec<i64> = clocks.iter().map(|clock| clock + moment - now).collect();
                if holds(&self.automaton.locations[*location].invariant, &clocks) {
                    later.insert((*location, clocks, moment));
                }
            }
        }
        later
    }

    fn behind(&self, edge: &Edge, (location, clocks, now): &Point) -> Option<Point> {
        if edge.source != *location || !holds(&edge.guard, clocks) {
            return None;
        }
        let mut clocks = clocks.clone();
        for (clock, value) in &edge.updates {
            clocks[*clock] = value * PARTS * GRID;
        }
        let invariant = &self.automaton.locations[edge.target].invariant;
        holds(invariant, &clocks).then_some((edge.target, clocks, *now))
    }

    fn sees(&mut self, action: &Action, at: Moments) {
        let later = self.later(at);
        let edges = self.automaton.edges.iter();
        let edges = edges.filter(|edge| edge.action == *action);
        let behind =
            edges.flat_map(|edge| later.iter().filter_map(|point| self.behind(edge, point)));
        self.points = behind.collect();
    }

    fn asked(&self, action: &Action, at: Moments) -> Takes {
        let later = self.later(at);
        let takes = |point: &&Point| {
            let mut edges = self.automaton.edges.iter();
            edges.any(|edge| edge.action == *action && self.behind(edge, point).is_some())
        };
        let able = later.iter().filter(takes).count();
        match able {
            _ if later.is_empty() => Takes::TooLate,
            0 => Takes::Never,
            able if able == later.len() => Takes::Always,
            _ => Takes::Sometimes,
        }
    }
}

/// Returns a random next event and its interval: usually an event that is possible.
fn next(random: &mut ChaCha8Rng, tried: &Tried<'_>, after: i64) -> (Action, Moments) {
    let from = after + random.random_range(0..3);
    let at = Moments {
        from,
        to: from + random.random_range(0..2),
    };
    let later: Vec<Point> = tried.later(at).into_iter().collect();
    let edges = &tried.automaton.edges;
    let possible = edges.iter().filter(|edge| {
        let mut later = later.iter();
        later.any(|point| tried.behind(edge, point).is_some())
    });
    let possible: Vec<&Edge> = possible.collect();
    let drawn = match random.random_bool(0.8) {
        true => possible.choose(random).copied(),
        false => edges.choose(random),
    };
    let drawn = drawn.unwrap_or(&edges[0]);
    (drawn.action.clone(), at)
}

/// Follows a random log. Returns the first difference between the follower and the enumeration, and counts the answers by kind.
fn differs(seed: u64, counts: &mut [usize; 6]) -> Option<String> {
    let mut random = generator(seed);
    let automaton = automaton(&mut random, 2, 3);
    let latest = random.random_range(0..2);
    let budget = Budget::unlimited();
    let follower = Follower::new(&automaton, (Rules::STRICT, false), PARTS, &budget);
    let mut follower = follower.expect("no limit").expect("small constants");
    follower.restart(latest);
    let mut tried = Tried::new(&automaton, latest);
    let mut log: Vec<Seen> = Vec::new();
    let mut after = 0;
    for _ in 0..EVENTS {
        let is_possible = !tried.points.is_empty();
        counts[usize::from(is_possible)] += 1;
        if follower.is_possible() != is_possible {
            return Some(format!(
                "possible: {is_possible} after {log:?} of {automaton:#?}"
            ));
        }
        if !is_possible {
            return None;
        }
        let (action, at) = next(&mut random, &tried, after);
        if action.is_input {
            let (says, expected) = (follower.asked(&action.name, at), tried.asked(&action, at));
            if says != expected {
                return Some(format!(
                    "{says:?} is {expected:?}: {action:?} {at:?} after {log:?} of {automaton:#?}"
                ));
            }
            counts[match expected {
                Takes::Always => 2,
                Takes::Sometimes => 3,
                Takes::Never => 4,
                Takes::TooLate => 5,
            }] += 1;
            follower.takes(&action.name, at);
        } else {
            follower.outputs(&action.name, at);
        }
        tried.sees(&action, at);
        log.push((Some(action), at));
        after = at.from;
    }
    patience(&mut follower, &mut tried).map(|why| format!("{why} after {log:?} of {automaton:#?}"))
}

/// Checks the longest wait of the follower against the enumeration, and that waiting longer is impossible. Returns a difference.
fn patience(follower: &mut Follower, tried: &mut Tried<'_>) -> Option<String> {
    let far = |moment: i64| Moments {
        from: moment,
        to: moment + 40,
    };
    let can_wait = |tried: &Tried<'_>, moment| !tried.later(far(moment)).is_empty();
    if tried.points.is_empty() {
        return None;
    }
    let Patience::Until(last) = follower.patience() else {
        return (!can_wait(tried, 40)).then(|| "it cannot wait for ever".to_owned());
    };
    if can_wait(tried, last + 1) || (last > 0 && !can_wait(tried, last - 1)) {
        return Some(format!("its patience does not end at {last}"));
    }
    follower.waits(last + 1);
    follower
        .is_possible()
        .then(|| format!("it goes on behind {last}"))
}

#[test]
fn a_follower_says_what_trying_all_moments_says() {
    let mut counts = [0; 6];
    for seed in 0..cases(1500) {
        if let Some(difference) = differs(seed, &mut counts) {
            panic!("seed {seed}: {difference}");
        }
    }
    println!("impossible, possible, always, sometimes, never, too late: {counts:?}");
    assert!(counts.iter().all(|count| *count > 20));
}

#[test]
fn every_fault_planted_in_followers_is_noticed() {
    for planted in fault::OF_FOLLOWING {
        let differs =
            |seed: &u64| fault::with(Some(planted), || differs(*seed, &mut [0; 6])).is_some();
        let noticed = (0..40_000).find(differs);
        println!("{planted:?}: seed {noticed:?}");
        assert!(noticed.is_some(), "{planted:?} is never noticed");
    }
}
