//! Good states from their definition (semantics.md §8): what fails it is taken away until nothing does.

use hyperkill_core::budget::{Budget, Stop};
use hyperkill_core::timed::{Automaton, Edge};
use thiserror::Error;

use crate::constraint::{Constraint, List, Union, all, both, except, is_within, of_atoms};

/// States of a location that are said to be bad, since those before them are.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Lost {
    /// The location.
    pub location: usize,
    /// The states.
    pub states: Union,
}

/// Why what is said of bad states does not show them.
#[derive(Clone, PartialEq, Eq, Debug, Error)]
pub enum Wrong {
    /// It is of an automaton that may be wherever its invariants hold, or names something that is not there.
    #[error("it is about locations or clocks that are not there, or of which nothing is bad")]
    Names,
    /// Of the states of this rank not all are bad by those of smaller ranks.
    #[error("states of rank {0} are not bad by those before them")]
    Rank(usize),
    /// What is left does not live on.
    #[error("bad states of location {0} are left out")]
    LeftOut(usize),
    /// The start is not bad.
    #[error("the start is not bad")]
    Start,
    /// The budget ended.
    #[error("it was not checked within the limits")]
    Stopped(Stop),
}

/// An automaton with the states that it may be in.
#[derive(Clone, Debug)]
pub struct Side {
    /// The automaton.
    pub automaton: Automaton,
    /// Where it may be, for each location.
    pub allowed: Vec<Union>,
    /// Where it may not be.
    pub forbidden: Vec<Union>,
}

impl Side {
    /// An automaton that may be in its good states, or wherever its invariants hold.
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

    /// An automaton of which bad states are named by rank. All of them have to be.
    ///
    /// # Errors
    /// If what is named is not bad, or something bad is left out.
    pub fn shown(
        automaton: Automaton,
        is_pruned: bool,
        lost: &[Lost],
        budget: &Budget,
    ) -> Result<Side, Wrong> {
        let allowed = left(&automaton, is_pruned, lost, budget)?;
        if is_pruned {
            let start = invariants(&automaton);
            for location in 0..automaton.locations.len() {
                budget.check().map_err(Wrong::Stopped)?;
                let living = living_on(&automaton, location, &start, &allowed);
                if !is_within(&allowed[location], &living) {
                    return Err(Wrong::LeftOut(location));
                }
            }
        }
        Ok(Side::of(automaton, allowed))
    }

    fn of(automaton: Automaton, allowed: Vec<Union>) -> Side {
        let clocks = automaton.clocks.len();
        let forbidden = allowed.iter().map(|union| except(&[all(clocks)], union));
        Side {
            forbidden: forbidden.collect(),
            allowed,
            automaton,
        }
    }

    /// Whether it may be where it starts.
    #[must_use]
    pub fn is_consistent(&self) -> bool {
        let start = start(self.automaton.clocks.len());
        start.is_within(&self.allowed[self.automaton.initial])
    }

    /// Whether an action may lead to two states.
    #[must_use]
    pub fn is_ambiguous(&self) -> bool {
        let edges = &self.automaton.edges;
        let leads = |edge: &Edge| enabled_into(edge, &self.allowed[edge.target]);
        edges.iter().enumerate().any(|(number, edge)| {
            let rivals = edges.iter().skip(number + 1);
            let mut rivals = rivals.filter(|e| e.source == edge.source && e.action == edge.action);
            rivals.any(|rival| {
                let common = both(&leads(edge), &leads(rival));
                !both(&common, &self.allowed[edge.source]).is_empty()
            })
        })
    }
}

/// All clocks 0.
#[must_use]
pub fn start(clocks: usize) -> List {
    let sides =
        (1..=clocks).flat_map(|c| [Constraint::at_most(c, 0, 0), Constraint::at_most(0, c, 0)]);
    List(sides.collect())
}

fn invariants(automaton: &Automaton) -> Vec<Union> {
    let clocks = automaton.clocks.len();
    let locations = automaton.locations.iter();
    let states = locations.map(|location| {
        let list = all(clocks).join(&of_atoms(&location.invariant, 0));
        list.filter(List::is_satisfiable).into_iter().collect()
    });
    states.collect()
}

/// From where an edge leads into a set of its target, guard included.
#[must_use]
pub fn enabled_into(edge: &Edge, target: &[List]) -> Union {
    let guard = of_atoms(&edge.guard, 0);
    let before = target
        .iter()
        .filter_map(|list| list.before(&edge.updates)?.join(&guard));
    before.filter(List::is_satisfiable).collect()
}

/// Checks that bad states, by rank, show that an automaton may not even be where it starts.
///
/// # Errors
/// Why they do not.
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

/// What is left of the states that invariants allow when the bad ones are taken away rank by rank. Each rank is looked at once: its states
/// do not live on if all before them are bad, so they are bad, whatever else is.
fn left(
    automaton: &Automaton,
    is_pruned: bool,
    lost: &[Lost],
    budget: &Budget,
) -> Result<Vec<Union>, Wrong> {
    let start = invariants(automaton);
    let clocks = automaton.clocks.len();
    let mut good = start.clone();
    for (rank, lost) in lost.iter().enumerate() {
        budget.check().map_err(Wrong::Stopped)?;
        let of_clocks = |list: &List| list.0.iter().all(|c| c.left <= clocks && c.right <= clocks);
        let is_there = lost.location < good.len() && lost.states.iter().all(of_clocks);
        if !is_there || !is_pruned {
            return Err(Wrong::Names);
        }
        let states = both(&lost.states, &[all(clocks)]);
        let living = living_on(automaton, lost.location, &start, &good);
        if !both(&states, &living).is_empty() {
            return Err(Wrong::Rank(rank));
        }
        good[lost.location] = except(&good[lost.location], &states);
    }
    Ok(good)
}

fn good_states(automaton: &Automaton, budget: &Budget) -> Result<Vec<Union>, Stop> {
    let start = invariants(automaton);
    let mut good = start.clone();
    loop {
        let mut is_stable = true;
        for location in 0..automaton.locations.len() {
            budget.check()?;
            let left = living_on(automaton, location, &start, &good);
            if !is_within(&good[location], &left) {
                good[location] = left;
                is_stable = false;
            }
        }
        if is_stable {
            return Ok(good);
        }
    }
}

/// The states of a location that live on if these are the good ones.
fn living_on(automaton: &Automaton, location: usize, start: &[Union], good: &[Union]) -> Union {
    let clocks = automaton.clocks.len();
    let everything = [all(clocks)];
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
    // The origin at the end of the delay, and at the moment of what is bad.
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
        list.0.extend(all(clocks).0);
        list
    });
    let reached: Union = reached.collect();
    let meeting: Union = bad.iter().map(|bad| before(bad, Some(end))).collect();
    let safely = except(&reached, &meeting);
    living.extend(safely.iter().map(|list| list.without(end)));
    living
}

/// The same constraints, seen from another origin.
#[must_use]
pub fn moved(list: &List, origin: usize) -> List {
    list.renamed(|variable| if variable == 0 { origin } else { variable })
}
