//! The search from a mutant's divergence to an output that shows it: Figs. 3 and 4 of \[4\].
//!
//! The two procedures do not work as printed. The differences here:
//!
//! - An observed variable is recorded in all states before, up to its definition. Lines 31 to 40 never record it there, so example 4 is not
//!   found.
//! - A definition removes all older ones of its variable; lines 17 and 18 remove the new one.
//! - A definition in an affected location counts from its execution. Otherwise Fig. 1b has a path through line 6 without an observation.
//! - `restrict`, which is not defined, is the location: with more of the state, path p1 of example 4 is never cut. States with equal values
//!   are cut as well, so that the search terminates. This may cut feasible paths, so a test that is not found may still exist.
//! - A state that was cut is resumed only if a variable that has become observed is affected in it. Otherwise example 5 is quadratic,
//!   breadth first.
//!
//! Line numbers of Figs. 3 and 4 overlap, and those of the text are off by two. Unsatisfiable cores are omitted there, and here.

use std::collections::VecDeque;
use std::rc::Rc;

use rustc_hash::FxHashSet;

use super::counts::Counts;
use super::flow::Flow;
use super::region::Region;
use super::set::Set;
use crate::interpret::{Occurrence, State};

/// The order in which states are explored (note 5 of \[4\]).
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Order {
    /// The newest state is explored first.
    Depth,
    /// The oldest state is explored first.
    Breadth,
}

/// The order in which states are explored.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Style {
    /// The order of exploration.
    pub order: Order,
    /// Whether states without prospects are cut. Otherwise all paths are explored, for comparison.
    pub cuts: bool,
    /// The number of states that one search visits, at most.
    pub most: usize,
}

/// The start of a mutant's effect.
pub(super) struct Effect {
    /// The state of the model after the step in which it diverges.
    pub(super) state: State,
    /// The location of the state, and the location of the decision before it.
    pub(super) location: usize,
    /// The variables that are affected in it.
    pub(super) affected: Set,
    /// The locations that are affected.
    pub(super) region: Rc<Region>,
    /// The transition of the step, if the model takes one.
    pub(super) arrow: Option<String>,
    /// The location of the decision.
    pub(super) decision: usize,
}

/// A step of the model.
pub(super) struct ObservedStep {
    pub(super) offer: Occurrence,
    pub(super) arrow: String,
    pub(super) location: usize,
    pub(super) state: State,
}

/// A state that the search reached, and the step that led there.
struct Node {
    state: State,
    location: usize,
    affected: Set,
    /// The previous node, and the transition from there.
    before: Option<(usize, String)>,
    offer: Option<Occurrence>,
    /// Whether the location of the node lists it.
    is_noted: bool,
}

pub(super) struct Observation<'f> {
    flow: &'f Flow,
    style: Style,
    region: Rc<Region>,
    nodes: Vec<Node>,
    wait: VecDeque<usize>,
    /// For each location: whether it was visited, the variables that outputs show from there, its nodes, and the nodes that were cut there.
    places: Vec<Place>,
    seen: FxHashSet<(State, Set)>,
    counts: Counts,
}

struct Place {
    is_visited: bool,
    observed: Set,
    nodes: Vec<usize>,
    cut: Vec<usize>,
}

impl<'f> Observation<'f> {
    pub(super) fn new(flow: &'f Flow, style: Style, effect: Effect) -> Observation<'f> {
        let places = flow.next.iter().map(|_| Place {
            is_visited: false,
            observed: Set::empty(flow.variables),
            nodes: Vec::new(),
            cut: Vec::new(),
        });
        let decision = Node {
            state: State::new(),
            location: effect.decision,
            affected: Set::empty(flow.variables),
            before: None,
            offer: None,
            is_noted: true,
        };
        let first = Node {
            state: effect.state,
            location: effect.location,
            affected: effect.affected,
            before: effect.arrow.map(|arrow| (0, arrow)),
            offer: None,
            is_noted: false,
        };
        Observation {
            flow,
            style,
            region: effect.region,
            nodes: vec![decision, first],
            wait: VecDeque::from([1]),
            places: places.collect(),
            seen: FxHashSet::default(),
            // The state before the step is counted.
            counts: Counts {
                taken: 1,
                visited: 1,
                ..Counts::default()
            },
        }
    }

    /// Searches for a path to an output that shows an affected variable. Returns the events of the path. `steps` returns all steps of a
    /// state.
    pub(super) fn run(
        mut self,
        mut steps: impl FnMut(&State, usize) -> Vec<ObservedStep>,
    ) -> (Option<Vec<Occurrence>>, Counts) {
        while let Some(node) = self.take() {
            self.counts.taken += 1;
            if self.counts.taken > self.style.most {
                break;
            }
            let location = self.nodes[node].location;
            if self.style.cuts && self.is_cut(node, location) {
                continue;
            }
            self.counts.visited += 1;
            let is_inside = self.region.inside.contains(location);
            let (mut found, flow) = (Vec::new(), self.flow);
            for step in steps(&self.nodes[node].state, location) {
                let arrow = &flow.arrows[&step.arrow];
                let mut affected = self.nodes[node].affected.clone();
                if arrow.carries(&mut affected, is_inside) {
                    let mut path = self.path(node);
                    path.push(step.offer);
                    return (Some(path), self.counts);
                }
                self.observe(location, &arrow.observes(&[]));
                found.push(self.nodes.len());
                self.nodes.push(Node {
                    state: step.state,
                    location: step.location,
                    affected,
                    before: Some((node, step.arrow)),
                    offer: Some(step.offer),
                    is_noted: false,
                });
            }
            match self.style.order {
                Order::Depth => self.wait.extend(found.into_iter().rev()),
                Order::Breadth => self.wait.extend(found),
            }
        }
        (None, self.counts)
    }

    fn take(&mut self) -> Option<usize> {
        match self.style.order {
            Order::Depth => self.wait.pop_back(),
            Order::Breadth => self.wait.pop_front(),
        }
    }

    /// Records a visit of a state, and returns whether it is not explored further: it was visited before with the same affected variables,
    /// or no output is known to show one of them from its location on.
    fn is_cut(&mut self, node: usize, location: usize) -> bool {
        let place = &mut self.places[location];
        if !std::mem::replace(&mut self.nodes[node].is_noted, true) {
            place.nodes.push(node);
        }
        let is_visited = std::mem::replace(&mut place.is_visited, true);
        if is_visited {
            let observed: Vec<usize> = place.observed.numbers().collect();
            self.observe_before(node, &observed);
            let (place, node_of) = (&mut self.places[location], &self.nodes[node]);
            if !place.observed.meets(&node_of.affected) {
                place.cut.push(node);
                return true;
            }
        }
        let node = &self.nodes[node];
        !self
            .seen
            .insert((node.state.clone(), node.affected.clone()))
    }

    /// Records that outputs show these variables from a location on, and updates the locations before it.
    fn observe(&mut self, location: usize, variables: &[usize]) {
        let mut open = vec![(location, variables.to_vec())];
        while let Some((location, variables)) = open.pop() {
            let place = &mut self.places[location];
            let new: Vec<usize> = variables
                .into_iter()
                .filter(|variable| place.observed.insert(*variable))
                .collect();
            if new.is_empty() {
                continue;
            }
            let cut = std::mem::take(&mut place.cut);
            let has_prospects =
                |node: &usize| new.iter().any(|v| self.nodes[*node].affected.contains(*v));
            let (resumed, cut): (Vec<usize>, Vec<usize>) = cut.into_iter().partition(has_prospects);
            self.counts.resumed += resumed.len();
            self.wait.extend(resumed);
            let place = &mut self.places[location];
            place.cut = cut;
            for node in &place.nodes {
                if let Some((before, arrow)) = &self.nodes[*node].before {
                    let shown = self.flow.arrows[arrow].observes(&new);
                    open.push((self.nodes[*before].location, shown));
                }
            }
        }
    }

    /// Records, for the locations before a node only, that outputs show these variables after it.
    fn observe_before(&mut self, node: usize, variables: &[usize]) {
        if let Some((before, arrow)) = &self.nodes[node].before {
            let shown = self.flow.arrows[arrow].observes(variables);
            let location = self.nodes[*before].location;
            self.observe(location, &shown);
        }
    }

    /// Returns the events that lead to a node.
    fn path(&self, node: usize) -> Vec<Occurrence> {
        let mut path = Vec::new();
        let mut at = Some(node);
        while let Some(node) = at {
            path.extend(self.nodes[node].offer.clone());
            at = self.nodes[node].before.as_ref().map(|(before, _)| *before);
        }
        path.reverse();
        path
    }
}
