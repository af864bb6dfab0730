//! Computes good states from their definition (semantics.md §8): states that violate it are removed until there are none.

use std::collections::BTreeSet;

use hyperkill_core::budget::{Budget, Stop};
use hyperkill_core::timed::{Atom, Automaton, Edge, Relation};
use thiserror::Error;

use crate::constraint::{Constraint, List, Union, all, both, except, is_within, of_atoms};

/// States of a location that are claimed to be bad because of states of smaller ranks.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Lost {
    /// The index of the location.
    pub location: usize,
    /// The states that are claimed to be bad.
    pub states: Union,
}

/// The reason why a list of bad states is wrong.
#[derive(Clone, PartialEq, Eq, Debug, Error)]
pub enum Wrong {
    /// The automaton is not pruned, or the list names a part that does not exist.
    #[error(
        "the list of bad states names an unknown location or clock, or a location without bad states"
    )]
    Names,
    /// Some states of this rank are not bad because of states of smaller ranks.
    #[error("some states of rank {0} are not bad by states of smaller ranks")]
    Rank(usize),
    /// This rank is empty, has states of an earlier rank, or lacks states that are bad because of states of smaller ranks.
    #[error("the states of rank {0} are not those that become bad by smaller ranks")]
    Part(usize),
    /// At this rank a location with a smaller number has bad states.
    #[error("the locations of rank {0} are not in order")]
    Order(usize),
    /// Further states are bad.
    #[error("the list lacks bad states of location {0}")]
    LeftOut(usize),
    /// The initial state is not bad.
    #[error("the initial state is not bad")]
    Start,
    /// The budget ended before the check did.
    #[error("it was not checked within the limits")]
    Stopped(Stop),
}

/// An automaton with its allowed states.
#[derive(Clone, Debug)]
pub struct Side {
    /// The automaton that the states belong to.
    pub automaton: Automaton,
    /// The allowed states, by location.
    pub allowed: Vec<Union>,
    /// The forbidden states, by location.
    pub forbidden: Vec<Union>,
    /// The forbidden states in which the tester waits.
    pub(crate) blocked: Vec<Union>,
}

impl Side {
    /// Returns an automaton restricted to its good states, or only by its invariants.
    ///
    /// # Errors
    /// If the budget ends.
    pub fn new(automaton: Automaton, is_pruned: bool, budget: &Budget) -> Result<Side, Stop> {
        let allowed = match is_pruned {
            true => good_states(&automaton, budget)?,
            false => invariants(&automaton),
        };
        Ok(Side::of(automaton, allowed))
    }

    /// Returns an automaton restricted to its good states, after checking a list of its bad states. A state is bad if inconsistency cannot
    /// be avoided from it (semantics.md §8). `lost` has the bad states by rank: those of a rank are bad because of those of smaller ranks.
    /// Without `is_pruned`, only the invariants restrict the automaton, and the list must be empty.
    ///
    /// # Errors
    /// If a listed state is not bad, a bad state is missing, the ranks or locations are in another order, or the budget ends.
    pub fn shown(
        automaton: Automaton,
        is_pruned: bool,
        lost: &[Lost],
        budget: &Budget,
    ) -> Result<Side, Wrong> {
        let allowed = left(&automaton, is_pruned, lost, budget)?;
        Ok(Side::of(automaton, allowed))
    }

    fn of(automaton: Automaton, allowed: Vec<Union>) -> Side {
        let clocks = automaton.clocks.len();
        let forbidden = allowed.iter().map(|union| except(&[all(clocks)], union));
        let locations = allowed.iter().enumerate();
        let blocked =
            locations.map(|(location, union)| except(&[patience(&automaton, location)], union));
        Side {
            forbidden: forbidden.collect(),
            blocked: blocked.collect(),
            allowed,
            automaton,
        }
    }

    /// Whether the initial state of the automaton is allowed.
    #[must_use]
    pub fn is_consistent(&self) -> bool {
        let start = start(self.automaton.clocks.len());
        start.is_within(&self.allowed[self.automaton.initial])
    }

    /// Whether some state has two successors for one action.
    #[must_use]
    pub fn is_ambiguous(&self) -> bool {
        let edges = &self.automaton.edges;
        let leads = |edge: &Edge| enabled_into(edge, &self.allowed[edge.target]);
        edges.iter().enumerate().any(|(number, edge)| {
            let mut rivals = self.automaton.rivals(number);
            rivals.any(|(_, rival)| {
                let common = both(&leads(edge), &leads(rival));
                let common = both(&common, &self.allowed[edge.source]);
                lead_apart(edge, rival, &common)
            })
        })
    }
}

/// Whether two edges lead from some state of `common` to different states. Both must be enabled in all of these states.
fn lead_apart(edge: &Edge, rival: &Edge, common: &[List]) -> bool {
    if common.is_empty() || edge.target != rival.target {
        return !common.is_empty();
    }
    let only_one = |own: &Edge, other: &Edge| -> Vec<(usize, i64)> {
        let updates = own.updates.iter().copied();
        let sets = |clock: usize| other.updates.iter().any(|(set, _)| *set == clock);
        updates.filter(|(clock, _)| !sets(*clock)).collect()
    };
    let sets_otherwise = edge.updates.iter().any(|(clock, value)| {
        let mut others = rival.updates.iter();
        others.any(|(set, to)| set == clock && to != value)
    });
    let mut kept = only_one(edge, rival);
    kept.extend(only_one(rival, edge));
    sets_otherwise
        || kept.iter().any(|(clock, constant)| {
            [Relation::Less, Relation::Greater].iter().any(|relation| {
                let unequal = Atom {
                    clock: *clock,
                    relation: *relation,
                    constant: *constant,
                };
                !both(common, &[of_atoms(&[unequal], 0)]).is_empty()
            })
        })
}

/// Returns the list with all clocks 0.
#[must_use]
pub fn start(clocks: usize) -> List {
    let sides =
        (1..=clocks).flat_map(|c| [Constraint::at_most(c, 0, 0), Constraint::at_most(0, c, 0)]);
    List(sides.collect())
}

fn invariants(automaton: &Automaton) -> Vec<Union> {
    let clocks = automaton.clocks.len();
    let locations = 0..automaton.locations.len();
    let states = locations.map(|location| {
        let list = all(clocks).join(&of_atoms(automaton.invariant(location), 0));
        list.filter(List::is_satisfiable).into_iter().collect()
    });
    states.collect()
}

/// Returns the states that satisfy an edge's guard and from which the edge leads into `target`.
#[must_use]
pub fn enabled_into(edge: &Edge, target: &[List]) -> Union {
    let guard = of_atoms(&edge.guard, 0);
    let before = target
        .iter()
        .filter_map(|list| list.before(&edge.updates)?.join(&guard));
    before.filter(List::is_satisfiable).collect()
}

/// Checks a list of bad states, given by rank: it must be complete, and contain the initial state.
///
/// # Errors
/// If the list is wrong, or lacks the initial state.
pub fn inconsistent(
    automaton: &Automaton,
    is_pruned: bool,
    lost: &[Lost],
    budget: &Budget,
) -> Result<(), Wrong> {
    let left = left(automaton, is_pruned, lost, budget)?;
    let start = start(automaton.clocks.len());
    match both(&[start], &left[automaton.initial]).is_empty() {
        true => Ok(()),
        false => Err(Wrong::Start),
    }
}

/// Returns the states within the invariants that remain when all bad ones are removed rank by rank.
///
/// The order is unique. Each rank is about the location with the smallest number that has states that are bad by the ranks before, and has
/// all of these states. So each bad state is listed once. A location is checked again only if states behind its edges were removed.
///
/// # Errors
/// If a rank is wrong, or one is missing.
fn left(
    automaton: &Automaton,
    is_pruned: bool,
    lost: &[Lost],
    budget: &Budget,
) -> Result<Vec<Union>, Wrong> {
    let start = invariants(automaton);
    if !is_pruned {
        return match lost.is_empty() {
            true => Ok(start),
            false => Err(Wrong::Names),
        };
    }
    let clocks = automaton.clocks.len();
    let mut good = start.clone();
    let mut open: BTreeSet<usize> = (0..good.len()).collect();
    let lives_on = |good: &[Union], location: usize| {
        let living = living_on(automaton, location, &start, good);
        is_within(&good[location], &living)
    };
    for (rank, lost) in lost.iter().enumerate() {
        let of_clocks = |list: &List| list.0.iter().all(|c| c.left <= clocks && c.right <= clocks);
        if lost.location >= good.len() || !lost.states.iter().all(of_clocks) {
            return Err(Wrong::Names);
        }
        while let Some(smaller) = open.first().copied().filter(|at| *at < lost.location) {
            budget.check().map_err(Wrong::Stopped)?;
            if !lives_on(&good, smaller) {
                return Err(Wrong::Order(rank));
            }
            open.remove(&smaller);
        }
        budget.check().map_err(Wrong::Stopped)?;
        let states = both(&lost.states, &[all(clocks)]);
        let living = living_on(automaton, lost.location, &start, &good);
        if !both(&states, &living).is_empty() {
            return Err(Wrong::Rank(rank));
        }
        let known = &good[lost.location];
        let rest = except(known, &states);
        if states.is_empty() || !is_within(&states, known) || !is_within(&rest, &living) {
            return Err(Wrong::Part(rank));
        }
        good[lost.location] = rest;
        open.remove(&lost.location);
        let edges = automaton.edges.iter();
        let before = edges.filter(|edge| edge.target == lost.location);
        open.extend(before.map(|edge| edge.source));
    }
    for location in open {
        budget.check().map_err(Wrong::Stopped)?;
        if !lives_on(&good, location) {
            return Err(Wrong::LeftOut(location));
        }
    }
    Ok(good)
}

fn good_states(automaton: &Automaton, budget: &Budget) -> Result<Vec<Union>, Stop> {
    let start = invariants(automaton);
    let mut good = start.clone();
    let mut before: Vec<Vec<usize>> = vec![Vec::new(); good.len()];
    for edge in &automaton.edges {
        before[edge.target].push(edge.source);
    }
    let mut open: BTreeSet<usize> = (0..good.len()).collect();
    while let Some(location) = open.pop_first() {
        budget.check()?;
        let left = living_on(automaton, location, &start, &good);
        if !is_within(&good[location], &left) {
            good[location] = left;
            open.insert(location);
            open.extend(&before[location]);
        }
    }
    Ok(good)
}

/// Returns the states of a location that stay good in one step of the fixpoint. `start` has for each location the states within the
/// invariant, and `good` the good ones so far.
fn living_on(automaton: &Automaton, location: usize, start: &[Union], good: &[Union]) -> Union {
    let clocks = automaton.clocks.len();
    // States after the tester's longest wait are not reached.
    let everything = [patience(automaton, location)];
    let mut bad = except(&everything, &good[location]);
    let mut goal = Vec::new();
    for (_, edge) in automaton.leaving(location) {
        if edge.action.is_input {
            let lost = except(&start[edge.target], &good[edge.target]);
            bad.extend(both(&enabled_into(edge, &lost), &everything));
        } else {
            goal.extend(both(&enabled_into(edge, &good[edge.target]), &everything));
        }
    }
    // Two origins: one at the end of the delay, and one at the time of the bad state.
    let (end, moment) = (clocks + 1, clocks + 2);
    let before = |bad: &List, end: Option<usize>| {
        let mut list = moved(bad, moment);
        list.0.push(Constraint::at_most(moment, 0, 0));
        list.0
            .extend(end.map(|end| Constraint::at_most(end, moment, 0)));
        list.without(moment)
    };
    let ever: Union = bad.iter().map(|bad| before(bad, None)).collect();
    let mut living = except(&everything, &ever);
    let reached = goal.iter().map(|goal| {
        let mut list = moved(goal, end);
        list.0.push(Constraint::at_most(end, 0, 0));
        list.0.extend(everything[0].0.iter().copied());
        list
    });
    let reached: Union = reached.collect();
    let meeting: Union = bad.iter().map(|bad| before(bad, Some(end))).collect();
    let safely = except(&reached, &meeting);
    living.extend(safely.iter().map(|list| list.without(end)));
    living
}

/// Returns the values of clocks with which the tester waits in a location.
pub(crate) fn patience(automaton: &Automaton, location: usize) -> List {
    let mut list = all(automaton.clocks.len());
    let waits = automaton.tester.waits_in(location);
    list.0.extend(of_atoms(waits, 0).0);
    list
}

/// Returns the constraints with the variable `origin` in the place of the constant 0.
#[must_use]
pub fn moved(list: &List, origin: usize) -> List {
    list.renamed(|variable| if variable == 0 { origin } else { variable })
}
