//! Timed automata as plain data: locations, edges and clock constraints, with all other language constructs unfolded.
//!
//! Semantics.md §8 defines their meaning and refinement. Packages that decide refinement and the package that checks their results share
//! only this module.

use std::collections::BTreeSet;

/// The comparison of a clock with a constant.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Relation {
    /// <
    Less,
    /// ≤
    AtMost,
    /// =
    Equal,
    /// ≥
    AtLeast,
    /// >
    Greater,
}

impl Relation {
    /// Whether the relation holds of two values.
    #[must_use]
    pub fn holds<T: Ord>(self, left: &T, right: &T) -> bool {
        match self {
            Relation::Less => left < right,
            Relation::AtMost => left <= right,
            Relation::Equal => left == right,
            Relation::AtLeast => left >= right,
            Relation::Greater => left > right,
        }
    }
}

/// A comparison of a clock with a constant.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct Atom {
    /// The number of the clock.
    pub clock: usize,
    /// The relation.
    pub relation: Relation,
    /// The constant.
    pub constant: i64,
}

/// A location.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Location {
    /// Its name, with the values of data if there are any.
    pub name: String,
    /// The invariant: a conjunction of clock constraints.
    pub invariant: Vec<Atom>,
}

/// The action of an edge.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct Action {
    /// Its name.
    pub name: String,
    /// Whether it is an input, controlled by the tester; otherwise the automaton controls it.
    pub is_input: bool,
}

/// An edge from one location to another.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Edge {
    /// The number of the source location.
    pub source: usize,
    /// The number of the target location.
    pub target: usize,
    /// The action.
    pub action: Action,
    /// The guard, a conjunction. The target's invariant has to hold too, after the updates.
    pub guard: Vec<Atom>,
    /// Clocks that are set, each at most once, and the non-negative values that they get.
    pub updates: Vec<(usize, i64)>,
}

/// The tester's constraints, if the tester is a part of the automaton: the other processes of a network (semantics.md §8).
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Tester {
    /// For each location the clock constraints under which the tester may wait there, besides the invariant. Locations beyond the end of
    /// the list have none.
    pub waits: Vec<Vec<Atom>>,
    /// Names of inputs that an automaton without an edge for them does not refuse.
    pub unrefused: BTreeSet<String>,
}

impl Tester {
    /// Returns the clock constraints under which the tester may wait in a location.
    #[must_use]
    pub fn waits_in(&self, location: usize) -> &[Atom] {
        self.waits.get(location).map_or(&[], Vec::as_slice)
    }
}

/// A timed automaton. All clocks are 0 at the start.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Automaton {
    /// The names of the clocks.
    pub clocks: Vec<String>,
    /// The locations.
    pub locations: Vec<Location>,
    /// The number of the initial location.
    pub initial: usize,
    /// The edges.
    pub edges: Vec<Edge>,
    /// Actions that the automaton is declared to know, even without an edge.
    pub declared: Vec<Action>,
    /// The tester's constraints; empty if the tester may do anything at any time.
    pub tester: Tester,
    /// Whether the edges are sorted by their source locations.
    pub is_in_order: bool,
}

impl Automaton {
    /// Returns the edges that leave a location, with their numbers.
    pub fn leaving(&self, location: usize) -> impl Iterator<Item = (usize, &Edge)> {
        let (from, to) = match self.is_in_order {
            true => (
                self.edges.partition_point(|edge| edge.source < location),
                self.edges.partition_point(|edge| edge.source <= location),
            ),
            false => (0, self.edges.len()),
        };
        let edges = self.edges.iter().enumerate();
        let edges = edges.skip(from).take(to - from);
        edges.filter(move |(_, edge)| edge.source == location)
    }

    /// Returns the edges after edge `index` that leave the same location with the same action, with their numbers.
    pub fn rivals(&self, index: usize) -> impl Iterator<Item = (usize, &Edge)> {
        let edge = &self.edges[index];
        let rivals = self.edges.iter().enumerate().skip(index + 1);
        let is_over =
            move |rival: &Edge| self.is_in_order && rival.source != self.edges[index].source;
        let rivals = rivals.take_while(move |(_, rival)| !is_over(rival));
        rivals.filter(move |(_, rival)| rival.source == edge.source && rival.action == edge.action)
    }

    /// Returns the clock constraints in a location, of the automaton and of the tester.
    pub fn invariant(&self, location: usize) -> impl Iterator<Item = &Atom> {
        let own = self.locations[location].invariant.iter();
        own.chain(self.tester.waits_in(location))
    }

    /// Returns the names of the actions that it knows, by an edge or by declaration: its inputs if `inputs`, else its outputs.
    #[must_use]
    pub fn actions(&self, inputs: bool) -> BTreeSet<&str> {
        let known = self
            .edges
            .iter()
            .map(|edge| &edge.action)
            .chain(&self.declared);
        let of_kind = known.filter(|action| action.is_input == inputs);
        of_kind.map(|action| action.name.as_str()).collect()
    }

    /// Whether the automaton knows an action, by an edge or by declaration.
    #[must_use]
    pub fn knows(&self, action: &Action) -> bool {
        self.edges.iter().any(|edge| edge.action == *action) || self.declared.contains(action)
    }

    /// Returns the largest constant that each clock is compared with or set to.
    #[must_use]
    pub fn largest_constants(&self) -> Vec<i64> {
        let mut largest = vec![0; self.clocks.len()];
        let mut see = |clock: usize, constant: i64| largest[clock] = constant.max(largest[clock]);
        for location in 0..self.locations.len() {
            for atom in self.invariant(location) {
                see(atom.clock, atom.constant);
            }
        }
        for edge in &self.edges {
            for atom in &edge.guard {
                see(atom.clock, atom.constant);
            }
            for (clock, value) in &edge.updates {
                see(*clock, *value);
            }
        }
        largest
    }

    /// Returns for each location the largest constant that each clock is compared with there or later, before it is set again, or that it
    /// was set to. `None` for a clock that is set before anything compares it.
    #[must_use]
    pub fn largest_constants_from(&self) -> Vec<Vec<Option<i64>>> {
        let mut largest = vec![vec![None; self.clocks.len()]; self.locations.len()];
        let see = |known: &mut Option<i64>, constant: i64| {
            let is_more = known.is_none_or(|known| known < constant);
            if is_more {
                *known = Some(constant);
            }
            is_more
        };
        for (location, largest) in largest.iter_mut().enumerate() {
            for atom in self.invariant(location) {
                see(&mut largest[atom.clock], atom.constant);
            }
        }
        let mut into: Vec<Vec<usize>> = vec![Vec::new(); self.locations.len()];
        for (number, edge) in self.edges.iter().enumerate() {
            into[edge.target].push(number);
            for atom in &edge.guard {
                see(&mut largest[edge.source][atom.clock], atom.constant);
            }
        }
        let mut open: Vec<usize> = (0..self.locations.len()).collect();
        while let Some(location) = open.pop() {
            for number in &into[location] {
                let edge = &self.edges[*number];
                let is_set = |clock: usize| edge.updates.iter().any(|(set, _)| *set == clock);
                let mut more = false;
                for clock in (0..self.clocks.len()).filter(|clock| !is_set(*clock)) {
                    if let Some(constant) = largest[location][clock] {
                        more |= see(&mut largest[edge.source][clock], constant);
                    }
                }
                if more {
                    open.push(edge.source);
                }
            }
        }
        for edge in &self.edges {
            for (clock, value) in &edge.updates {
                if let known @ Some(_) = &mut largest[edge.target][*clock] {
                    see(known, *value);
                }
            }
        }
        largest
    }

    /// Returns the constraints that the target's invariant imposes on the clocks before the updates of an edge; `None` if it never holds
    /// after them.
    #[must_use]
    pub fn demanded_by_target(&self, edge: &Edge) -> Option<Vec<Atom>> {
        let mut demanded = Vec::new();
        for atom in self.invariant(edge.target) {
            let mut updates = edge.updates.iter();
            match updates.find(|(clock, _)| *clock == atom.clock) {
                None => demanded.push(*atom),
                Some((_, value)) if atom.relation.holds(value, &atom.constant) => {}
                Some(_) => return None,
            }
        }
        Some(demanded)
    }
}

/// The meaning of refinement: the parts of the presets of semantics.md §8.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Rules {
    /// Whether steps that leave the good states are removed on both sides.
    pub is_pruned: bool,
    /// Whether the model stays in its state when the mutant makes an output that the model does not know.
    pub stays_at_unknown_outputs: bool,
    /// Whether the mutant stays in its state at an input that it does not know.
    pub stays_at_unknown_inputs: bool,
    /// Whether one successor suffices for a mutant that is non-deterministic on an input.
    pub one_successor_is_enough: bool,
    /// Whether the mutant may have no more inputs than the model, and no fewer outputs.
    pub compares_alphabets: bool,
}

impl Rules {
    /// Pruned; any action that the model does not know fails.
    pub const STRICT: Rules = Rules {
        is_pruned: true,
        stays_at_unknown_outputs: false,
        stays_at_unknown_inputs: false,
        one_successor_is_enough: false,
        compares_alphabets: false,
    };
    /// The rules of \[0, Def. 7\].
    pub const DEFINITION_7: Rules = Rules {
        is_pruned: false,
        one_successor_is_enough: true,
        ..Rules::STRICT
    };
    /// Pruned; the model stays at outputs that it does not know.
    pub const VERIFYTGA: Rules = Rules {
        stays_at_unknown_outputs: true,
        ..Rules::STRICT
    };
    /// Pruned; both sides stay at actions that they do not know, and alphabets are compared.
    pub const ECDAR: Rules = Rules {
        stays_at_unknown_inputs: true,
        compares_alphabets: true,
        ..Rules::VERIFYTGA
    };
}
