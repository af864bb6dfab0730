//! Automata side by side: components that work together, and requirements that hold at once.

use hyperkill_core::timed::{Action, Atom, Automaton, Edge, Location};

/// The operators that combine two automata.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Together {
    /// An output of one is an input of the other at the same moment, and an output of both. Inputs of both come at once.
    Composition,
    /// Common actions are taken by both at once.
    Conjunction,
}

/// The reason why two automata do not fit together.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
pub enum Apart {
    /// Both make the same output.
    #[error("both sides of a composition have the output {0}")]
    Output(String),
    /// An input of one automaton is an output of the other.
    #[error("{0} is an input of one side of a conjunction, and an output of the other")]
    Direction(String),
    /// The product has too many locations.
    #[error("the two have more than {0} locations together")]
    Size(usize),
}

/// The number of locations of two automata together, at most.
const MAX_LOCATIONS: usize = 100_000;

/// Returns the composition or the conjunction (`how`) of two automata.
///
/// # Errors
/// If their actions do not fit, or it would have too many locations.
pub fn together(left: &Automaton, right: &Automaton, how: Together) -> Result<Automaton, Apart> {
    let (own, other) = (left.locations.len(), right.locations.len());
    if own.saturating_mul(other) > MAX_LOCATIONS {
        return Err(Apart::Size(MAX_LOCATIONS));
    }
    fits(left, right, how)?;
    let offset = left.clocks.len();
    let mut locations = Vec::new();
    for a in &left.locations {
        for b in &right.locations {
            let moved = b.invariant.iter().map(|atom| moved(atom, offset));
            locations.push(Location {
                name: format!("{}|{}", a.name, b.name),
                invariant: a.invariant.iter().copied().chain(moved).collect(),
            });
        }
    }
    let mut edges = Vec::new();
    let number = |a: usize, b: usize| a * other + b;
    for edge in &left.edges {
        if knows(right, &edge.action.name) {
            let rivals = right
                .edges
                .iter()
                .filter(|rival| rival.action.name == edge.action.name);
            edges.extend(rivals.map(|rival| both(edge, rival, offset, &number)));
        } else {
            edges.extend((0..other).map(|b| Edge {
                source: number(edge.source, b),
                target: number(edge.target, b),
                ..edge.clone()
            }));
        }
    }
    for edge in right
        .edges
        .iter()
        .filter(|edge| !knows(left, &edge.action.name))
    {
        edges.extend((0..own).map(|a| Edge {
            source: number(a, edge.source),
            target: number(a, edge.target),
            ..shifted(edge, offset)
        }));
    }
    let mut declared: Vec<Action> = Vec::new();
    for is_input in [false, true] {
        for name in left.actions(is_input).union(&right.actions(is_input)) {
            // An output of one automaton is an output of the composition.
            if !declared.iter().any(|action| action.name == *name) {
                declared.push(Action {
                    name: (*name).to_owned(),
                    is_input,
                });
            }
        }
    }
    let mut clocks: Vec<String> = left.clocks.iter().chain(&right.clocks).cloned().collect();
    crate::unfold::tell_apart(&mut clocks);
    Ok(Automaton {
        clocks,
        initial: number(left.initial, right.initial),
        locations,
        edges,
        declared,
        ..Automaton::default()
    })
}

fn knows(automaton: &Automaton, name: &str) -> bool {
    [true, false]
        .into_iter()
        .any(|is_input| automaton.actions(is_input).contains(name))
}

fn fits(left: &Automaton, right: &Automaton, how: Together) -> Result<(), Apart> {
    let common = |own: bool, other: bool| {
        let (own, other) = (left.actions(own), right.actions(other));
        own.intersection(&other)
            .next()
            .map(|name| (*name).to_owned())
    };
    match how {
        Together::Composition => common(false, false).map(Apart::Output),
        Together::Conjunction => common(true, false)
            .or_else(|| common(false, true))
            .map(Apart::Direction),
    }
    .map_or(Ok(()), Err)
}

fn moved(atom: &Atom, offset: usize) -> Atom {
    Atom {
        clock: atom.clock + offset,
        ..*atom
    }
}

fn shifted(edge: &Edge, offset: usize) -> Edge {
    Edge {
        guard: edge.guard.iter().map(|atom| moved(atom, offset)).collect(),
        updates: edge
            .updates
            .iter()
            .map(|(clock, value)| (clock + offset, *value))
            .collect(),
        ..edge.clone()
    }
}

/// Returns the edge that takes two edges with one action together. It is an input if both are inputs. `offset` is the number of clocks on
/// the left, and `number` returns the location of a pair.
fn both(left: &Edge, right: &Edge, offset: usize, number: &impl Fn(usize, usize) -> usize) -> Edge {
    let right = shifted(right, offset);
    Edge {
        source: number(left.source, right.source),
        target: number(left.target, right.target),
        action: Action {
            name: left.action.name.clone(),
            is_input: left.action.is_input && right.action.is_input,
        },
        guard: left.guard.iter().chain(&right.guard).copied().collect(),
        updates: left.updates.iter().chain(&right.updates).copied().collect(),
    }
}
