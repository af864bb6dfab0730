//! A model and its mutants side by side: locations, clocks, good sets and edges, each with the automata that have it.

use std::collections::{BTreeMap, BTreeSet};

use hyperkill_core::timed::Automaton;
use hyperkill_timed::refine::Side;

use super::boxes::Boxes;

/// An edge of a circuit, restricted to states from which it leads to good states.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub(super) struct Arrow {
    pub(super) source: usize,
    pub(super) is_input: bool,
    pub(super) action: String,
    /// The index of the edge among the edges with its source and action if several of these may be enabled at the same time; otherwise
    /// `None`.
    pub(super) rival: Option<usize>,
    pub(super) enabled: Boxes,
    pub(super) updates: Vec<(usize, i64)>,
    pub(super) target: usize,
}

/// The parts of one automaton, with its own numbers of locations and clocks.
#[derive(Clone, Debug)]
pub(super) struct Parts {
    pub(super) clocks: Vec<String>,
    /// The names of locations, each with its number among the locations of the same name.
    pub(super) locations: Vec<(String, usize)>,
    pub(super) initial: usize,
    pub(super) good: Vec<Boxes>,
    pub(super) arrows: Vec<Arrow>,
}

impl Parts {
    /// Returns the parts of an automaton restricted to its good states. `None` if differences of clocks bound its behaviour.
    pub(super) fn of(side: &Side) -> Option<Parts> {
        let automaton = &side.automaton;
        let good = side.allowed.iter().map(Boxes::of);
        let good = good.collect::<Option<Vec<Boxes>>>()?;
        let rivals = rivals(side);
        let mut arrows = Vec::new();
        for (number, edge) in automaton.edges.iter().enumerate() {
            let here = side.enabled[number].and(&side.allowed[edge.source]);
            if here.is_empty() {
                continue;
            }
            // The guard is irrelevant in states that the automaton cannot be in.
            let enabled = Boxes::of(&side.enabled[number]).filter(Boxes::is_closed);
            let enabled = enabled.map_or_else(|| Boxes::of(&here), Some)?;
            let mut updates = edge.updates.clone();
            updates.sort_unstable();
            arrows.push(Arrow {
                source: edge.source,
                is_input: edge.action.is_input,
                action: edge.action.name.clone(),
                rival: rivals.get(&number).copied(),
                enabled,
                updates,
                target: edge.target,
            });
        }
        Some(Parts {
            clocks: automaton.clocks.clone(),
            locations: told_apart(automaton),
            initial: automaton.initial,
            good,
            arrows,
        })
    }

    /// Whether no bound in guards and good states is strict.
    pub(super) fn is_closed(&self) -> bool {
        let arrows = self.arrows.iter().map(|arrow| &arrow.enabled);
        self.good.iter().chain(arrows).all(Boxes::is_closed)
    }

    /// Whether both automata have at most one clock, and edges with the same action both set it or both leave it, along common actions.
    /// True if either has no clock.
    pub(super) fn is_in_step_with(&self, model: &Parts) -> bool {
        if self.clocks.len() > 1 || model.clocks.len() > 1 {
            return false;
        }
        if self.clocks.is_empty() || model.clocks.is_empty() {
            return true;
        }
        let start = (self.initial, model.initial);
        let (mut seen, mut open) = (BTreeSet::from([start]), vec![start]);
        while let Some((own, other)) = open.pop() {
            for arrow in self.arrows.iter().filter(|arrow| arrow.source == own) {
                let same = model.arrows.iter().filter(|same| {
                    same.source == other
                        && (same.is_input, &same.action) == (arrow.is_input, &arrow.action)
                });
                for same in same {
                    if arrow.updates.is_empty() != same.updates.is_empty() {
                        return false;
                    }
                    let next = (arrow.target, same.target);
                    if seen.insert(next) {
                        open.push(next);
                    }
                }
            }
        }
        true
    }
}

/// Returns the names of locations, each with its number among the locations of the same name.
fn told_apart(automaton: &Automaton) -> Vec<(String, usize)> {
    let mut seen: BTreeMap<&str, usize> = BTreeMap::new();
    let locations = automaton.locations.iter().map(|location| {
        let times = seen.entry(&location.name).or_default();
        *times += 1;
        (location.name.clone(), *times)
    });
    locations.collect()
}

/// Returns the index of each edge among the edges with its source and action, for locations and actions where two of these edges may be
/// enabled in the same state and lead to different states. Keys are the numbers of edges.
fn rivals(side: &Side) -> BTreeMap<usize, usize> {
    let edges = &side.automaton.edges;
    let mut groups = BTreeSet::new();
    for (edge, _) in side.ambiguities() {
        groups.insert((edges[edge].source, &edges[edge].action));
    }
    let mut counts = BTreeMap::new();
    let mut rivals = BTreeMap::new();
    for (number, edge) in edges.iter().enumerate() {
        let group = (edge.source, &edge.action);
        if groups.contains(&group) {
            let count: &mut usize = counts.entry(group).or_default();
            rivals.insert(number, *count);
            *count += 1;
        }
    }
    rivals
}

/// The automata with a part: 0 is the model, n the mutant with number n − 1.
pub(super) type Holders = BTreeSet<usize>;

/// The parts of the model and its mutants, in common numbers, each with its holders: the automata that have it.
#[derive(Debug, Default)]
pub(super) struct Plan {
    pub(super) clocks: Names<String>,
    pub(super) locations: Names<(String, usize)>,
    /// The automata that have the location.
    pub(super) present: Vec<Holders>,
    /// The initial locations, each with its holders.
    pub(super) initial: BTreeMap<usize, Holders>,
    /// By location, the sets of good states, each with its holders.
    pub(super) good: Vec<BTreeMap<Boxes, Holders>>,
    pub(super) arrows: BTreeMap<Arrow, Holders>,
}

impl Plan {
    /// Adds the parts of one automaton: the model has the number 0, mutants have the numbers from 1 on.
    pub(super) fn add(&mut self, number: usize, parts: &Parts) {
        let clocks: Vec<usize> = (parts.clocks.iter())
            .map(|name| self.clocks.number(name))
            .collect();
        let locations: Vec<usize> = (parts.locations.iter())
            .map(|location| self.locations.number(location))
            .collect();
        self.present.resize_with(self.locations.len(), Holders::new);
        self.good.resize_with(self.locations.len(), BTreeMap::new);
        let start = self.initial.entry(locations[parts.initial]);
        start.or_default().insert(number);
        for (own, location) in locations.iter().enumerate() {
            self.present[*location].insert(number);
            let good = parts.good[own].clone().renamed(&clocks);
            self.good[*location].entry(good).or_default().insert(number);
        }
        for arrow in &parts.arrows {
            let mut updates: Vec<(usize, i64)> = (arrow.updates.iter())
                .map(|(clock, value)| (clocks[*clock], *value))
                .collect();
            updates.sort_unstable();
            let arrow = Arrow {
                source: locations[arrow.source],
                target: locations[arrow.target],
                enabled: arrow.enabled.clone().renamed(&clocks),
                updates,
                ..arrow.clone()
            };
            self.arrows.entry(arrow).or_default().insert(number);
        }
    }

    /// Returns for each clock the largest constant that it is compared with or set to.
    pub(super) fn largest(&self) -> Vec<i64> {
        let mut largest = vec![0; self.clocks.len()];
        let good = self.good.iter().flat_map(BTreeMap::keys);
        let enabled = self.arrows.keys().map(|arrow| &arrow.enabled);
        for (clock, limit) in good.chain(enabled).flat_map(Boxes::limits) {
            largest[clock] = limit.constant.max(largest[clock]);
        }
        for (clock, value) in self.arrows.keys().flat_map(|arrow| &arrow.updates) {
            largest[*clock] = (*value).max(largest[*clock]);
        }
        largest
    }
}

/// Distinct values, numbered in the order in which they were added.
#[derive(Debug)]
pub(super) struct Names<T> {
    all: Vec<T>,
    numbers: BTreeMap<T, usize>,
}

impl<T> Default for Names<T> {
    fn default() -> Names<T> {
        Names {
            all: Vec::new(),
            numbers: BTreeMap::new(),
        }
    }
}

impl<T: Clone + Ord> Names<T> {
    fn number(&mut self, item: &T) -> usize {
        if let Some(number) = self.numbers.get(item) {
            return *number;
        }
        let number = self.all.len();
        self.numbers.insert(item.clone(), number);
        self.all.push(item.clone());
        number
    }

    pub(super) fn all(&self) -> &[T] {
        &self.all
    }

    pub(super) fn len(&self) -> usize {
        self.all.len()
    }
}
