//! Differences of clocks. They are constant while time passes, so a location is split by the truth of their comparisons.

use hyperkill_core::timed::{Atom, Automaton, Edge, Location, Relation};
use hyperkill_frontend::{Diagnostic, Span};
use rustc_hash::FxHashMap;

use crate::conditions::turned;
use crate::fault::{Fault, planted};
use crate::machine::Eval;
use crate::rules::{FIRST_DIFFERENCE, is_difference, is_possible, opposites};

/// The number of comparisons of differences in one process, at most.
const MAX_COMPARISONS: usize = 32;
/// The number of locations after the split, at most.
const MOST_LOCATIONS: usize = 200_000;
/// The number of edges after the split, at most.
const MOST_EDGES: usize = 1_000_000;

/// A comparison of the first clock minus the second one with a constant.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
struct Difference {
    clocks: (usize, usize),
    relation: Relation,
    constant: i64,
}

/// The truth of a comparison after an edge.
enum After {
    Kept,
    Known(bool),
    Where(Atom),
}

impl Difference {
    fn after(&self, edge: &Edge) -> After {
        let set = |clock: usize| {
            let mut updates = edge.updates.iter();
            updates.find(|(own, _)| *own == clock).map(|(_, to)| *to)
        };
        let (first, second) = self.clocks;
        let atom = |clock, relation, constant| {
            After::Where(Atom {
                clock,
                relation,
                constant,
            })
        };
        match (set(first), set(second)) {
            (None, None) => After::Kept,
            (Some(own), Some(other)) => {
                After::Known(self.relation.holds(&(own - other), &self.constant))
            }
            (Some(_), None) | (None, Some(_)) if planted(Fault::DifferencesKept) => After::Kept,
            (Some(own), None) => atom(second, turned(self.relation), own - self.constant),
            (None, Some(other)) if planted(Fault::DifferencesTurned) => {
                atom(first, turned(self.relation), self.constant + other)
            }
            (None, Some(other)) => atom(first, self.relation, self.constant + other),
        }
    }
}

/// Returns the automaton with one location for each location and each valuation of the comparisons of differences in guards. `pairs` are
/// the clocks of the differences. After an update of one clock of a difference, the comparison is about the other clock alone.
pub(crate) fn split(automaton: Automaton, pairs: &[(usize, usize)], at: Span) -> Eval<Automaton> {
    let guards = automaton.edges.iter().flat_map(|edge| &edge.guard);
    let mut known: Vec<Difference> = Vec::new();
    for atom in guards.filter(|atom| is_difference(atom)) {
        let difference = difference(atom, pairs);
        if !known.contains(&difference) {
            known.push(difference);
        }
    }
    if known.is_empty() {
        return Ok(automaton);
    }
    if known.len() > MAX_COMPARISONS {
        let message =
            format!("there are more than {MAX_COMPARISONS} comparisons of differences of clocks");
        return Err(Diagnostic::error(at, message));
    }
    let start = known.iter().map(|d| d.relation.holds(&0, &d.constant));
    let start = (automaton.initial, start.collect());
    let mut splitting = Splitting {
        new: Automaton {
            clocks: automaton.clocks.clone(),
            declared: automaton.declared.clone(),
            is_in_order: automaton.is_in_order,
            ..Automaton::default()
        },
        old: automaton,
        pairs,
        known,
        number_of: FxHashMap::default(),
        states: Vec::new(),
        at,
    };
    let unrefused = &splitting.old.tester.unrefused;
    splitting.new.tester.unrefused.clone_from(unrefused);
    splitting.number(start)?;
    let mut next = 0;
    while next < splitting.states.len() {
        splitting.leave(next)?;
        next += 1;
    }
    Ok(splitting.new)
}

fn difference(atom: &Atom, pairs: &[(usize, usize)]) -> Difference {
    Difference {
        clocks: pairs[atom.clock - FIRST_DIFFERENCE],
        relation: atom.relation,
        constant: atom.constant,
    }
}

type State = (usize, Vec<bool>);

struct Splitting<'a> {
    old: Automaton,
    new: Automaton,
    pairs: &'a [(usize, usize)],
    known: Vec<Difference>,
    number_of: FxHashMap<State, usize>,
    states: Vec<State>,
    at: Span,
}

impl Splitting<'_> {
    fn number(&mut self, state: State) -> Eval<usize> {
        if let Some(&number) = self.number_of.get(&state) {
            return Ok(number);
        }
        let number = self.states.len();
        if number >= MOST_LOCATIONS {
            let message = "differences of clocks split the process into too many locations";
            return Err(Diagnostic::error(self.at, message));
        }
        let (location, truths) = &state;
        let said = self.known.iter().zip(truths);
        let said = said.map(|(difference, is_true)| self.said(difference, *is_true));
        let said = said.collect::<Vec<_>>().join(", ");
        let old = &self.old.locations[*location];
        self.new.locations.push(Location {
            name: format!("{} ({said})", old.name),
            invariant: old.invariant.clone(),
        });
        let waits = self.old.tester.waits_in(*location).to_vec();
        self.new.tester.waits.push(waits);
        self.number_of.insert(state.clone(), number);
        self.states.push(state);
        Ok(number)
    }

    fn said(&self, difference: &Difference, is_true: bool) -> String {
        let name = |clock: usize| self.old.clocks.get(clock).map_or("", String::as_str);
        let (first, second) = difference.clocks;
        let sign = crate::rules::sign(difference.relation);
        let not = if is_true { "" } else { "not " };
        let constant = difference.constant;
        format!("{not}{}-{} {sign} {constant}", name(first), name(second))
    }

    /// Adds the edges that leave the state `number`, which is a location with a valuation of the comparisons.
    fn leave(&mut self, number: usize) -> Eval<()> {
        let (location, truths) = self.states[number].clone();
        let leaving: Vec<Edge> = (self.old.leaving(location))
            .map(|(_, edge)| edge.clone())
            .collect();
        for edge in leaving {
            let (differences, guard): (Vec<Atom>, Vec<Atom>) =
                edge.guard.iter().copied().partition(is_difference);
            let mut differences = differences.iter().map(|atom| difference(atom, self.pairs));
            let is_held = differences.all(|difference| {
                let place = self.known.iter().position(|known| *known == difference);
                place.is_some_and(|place| truths[place])
            });
            if !is_held {
                continue;
            }
            for (guard, after) in self.ways(&edge, guard, &truths) {
                let target = self.number((edge.target, after))?;
                if self.new.edges.len() >= MOST_EDGES {
                    let message = "differences of clocks split the process into too many edges";
                    return Err(Diagnostic::error(self.at, message));
                }
                self.new.edges.push(Edge {
                    source: number,
                    target,
                    guard,
                    ..edge.clone()
                });
            }
        }
        Ok(())
    }

    /// Splits the guard of an edge by the truth of the comparisons after it. Returns each part, which exclude each other, with that
    /// valuation. `before` is the valuation before the edge.
    fn ways(&self, edge: &Edge, guard: Vec<Atom>, before: &[bool]) -> Vec<(Vec<Atom>, Vec<bool>)> {
        let mut ways = vec![(guard, Vec::new())];
        for (difference, truth) in self.known.iter().zip(before) {
            let cases: Vec<(Option<Atom>, bool)> = match difference.after(edge) {
                After::Kept => vec![(None, *truth)],
                After::Known(truth) => vec![(None, truth)],
                After::Where(atom) => {
                    let fails = opposites(&atom).into_iter().map(|atom| (Some(atom), false));
                    std::iter::once((Some(atom), true)).chain(fails).collect()
                }
            };
            let mut longer = Vec::new();
            for (guard, truths) in &ways {
                for (atom, truth) in &cases {
                    let mut guard = guard.clone();
                    guard.extend(atom.filter(|atom| !is_trivial(atom)));
                    if is_possible(&guard) {
                        let mut truths: Vec<bool> = Vec::clone(truths);
                        truths.push(*truth);
                        longer.push((guard, truths));
                    }
                }
            }
            ways = longer;
        }
        ways
    }
}

/// Whether a comparison of a clock holds for all of its values, which are not negative.
fn is_trivial(atom: &Atom) -> bool {
    match atom.relation {
        Relation::AtLeast => atom.constant <= 0,
        Relation::Greater => atom.constant < 0,
        _ => false,
    }
}
