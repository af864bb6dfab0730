//! A search forward through the product of a mutant and a model for a state where the mutant fails.
//!
//! The model is deterministic, so whatever the mutant does has one answer, and a forward search is complete. Zones are about the clocks of
//! both, those of the mutant first.

use std::collections::VecDeque;

use hyperkill_core::budget::memory::Charge;
use hyperkill_core::budget::{Budget, Stop};
use hyperkill_core::timed::{Edge, Rules};
use rustc_hash::FxHashMap;

use crate::bound::Bound;
use crate::dbm::Zone;
use crate::fault::{Fault, planted};
use crate::federation::Federation;
use crate::game::{enabled_into, invariants};
use crate::side::Side;

/// Edges that are taken at once; `None` where a side stays.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Move {
    pub(crate) mutant: Option<usize>,
    pub(crate) model: Option<usize>,
}

/// How a mutant fails.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Ending {
    /// It refuses an input that the model accepts.
    Refused(String),
    /// It makes an output that the model cannot make.
    Output(String),
    /// It makes no output up to here, and the model cannot wait so long.
    Silence,
}

/// States that the mutant and the model are in after the same trace.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Related {
    /// Location of the mutant.
    pub mutant: usize,
    /// Location of the model.
    pub model: usize,
    /// The clocks of both, those of the mutant first.
    pub zone: Zone,
}

/// A state that was reached right behind a step.
pub(crate) struct Node {
    pub(crate) mutant: usize,
    pub(crate) model: usize,
    pub(crate) entry: Zone,
    pub(crate) from: Option<(usize, Move)>,
    pub(crate) depth: usize,
}

pub(crate) struct Search<'a> {
    pub(crate) mutant: Joint<'a>,
    pub(crate) model: Joint<'a>,
    pub(crate) nodes: Vec<Node>,
    rules: Rules,
    largest: Vec<i64>,
    passed: FxHashMap<(usize, usize), Vec<usize>>,
    waiting: VecDeque<usize>,
    pub(crate) related: Vec<Related>,
}

/// One side as seen in the product.
pub(crate) struct Joint<'a> {
    pub(crate) side: &'a Side,
    pub(crate) offset: usize,
    pub(crate) allowed: Vec<Federation>,
    pub(crate) forbidden: Vec<Federation>,
    pub(crate) enabled: Vec<Federation>,
}

impl<'a> Joint<'a> {
    fn new(side: &'a Side, clocks: usize, offset: usize) -> Joint<'a> {
        let wide = |sets: &[Federation]| -> Vec<Federation> {
            let sets = sets.iter();
            sets.map(|set| set.among(clocks, offset)).collect()
        };
        let unpruned = match offset {
            0 => Fault::MutantNotPruned,
            _ => Fault::ModelNotPruned,
        };
        if planted(unpruned) {
            let allowed = invariants(&side.automaton);
            let edges = side.automaton.edges.iter();
            let enabled = edges.map(|edge| enabled_into(edge, &allowed[edge.target]));
            let enabled: Vec<Federation> = enabled.collect();
            let forbidden: Vec<_> = allowed.iter().map(Federation::complement).collect();
            return Joint {
                side,
                offset,
                allowed: wide(&allowed),
                forbidden: wide(&forbidden),
                enabled: wide(&enabled),
            };
        }
        Joint {
            side,
            offset,
            allowed: wide(&side.allowed),
            forbidden: wide(&side.forbidden),
            enabled: wide(&side.enabled),
        }
    }

    /// What is reached by letting time pass where this side may be.
    pub(crate) fn later(&self, location: usize, entry: &Zone) -> Federation {
        let start = Federation::of(entry.clocks(), [entry.clone()]);
        match self.allowed[location].zones() {
            // A convex set is not left and entered again.
            [zone] => start
                .and_zone(zone)
                .map(|zone| Some(zone.clone().up()))
                .and_zone(zone),
            _ => start.post_t(&self.forbidden[location]),
        }
    }

    /// The edges for an action that leave a location.
    fn edges(&self, location: usize, like: &Edge) -> Vec<usize> {
        let leaving = self.side.automaton.leaving(location);
        let alike = leaving.filter(|(_, edge)| edge.action == like.action);
        alike.map(|(index, _)| index).collect()
    }

    /// Where one of these edges can be taken.
    fn enabled(&self, edges: &[usize], clocks: usize) -> Federation {
        let sets = edges.iter().map(|&edge| self.enabled[edge].clone());
        sets.fold(Federation::empty(clocks), Federation::or)
    }
}

impl<'a> Search<'a> {
    pub(crate) fn new(mutant: &'a Side, model: &'a Side, rules: Rules) -> Search<'a> {
        let own = mutant.automaton.clocks.len();
        let clocks = own + model.automaton.clocks.len();
        let mut largest = mutant.automaton.largest_constants();
        largest.extend(model.automaton.largest_constants());
        if planted(Fault::ConstantsTooSmall) {
            largest.iter_mut().for_each(|c| *c = (*c - 1).max(0));
        }
        let mut search = Search {
            mutant: Joint::new(mutant, clocks, 0),
            model: Joint::new(model, clocks, own),
            nodes: Vec::new(),
            rules,
            largest,
            passed: FxHashMap::default(),
            waiting: VecDeque::new(),
            related: Vec::new(),
        };
        let start = (mutant.automaton.initial, model.automaton.initial);
        search.reach(start, Zone::zero(clocks), None);
        search
    }

    fn clocks(&self) -> usize {
        self.largest.len()
    }

    fn reach(&mut self, at: (usize, usize), entry: Zone, from: Option<(usize, Move)>) {
        let entry = entry.extrapolated(&self.largest);
        let passed = self.passed.entry(at).or_default();
        if passed
            .iter()
            .any(|&node| self.nodes[node].entry.includes(&entry))
        {
            return;
        }
        passed.push(self.nodes.len());
        self.waiting.push_back(self.nodes.len());
        self.nodes.push(Node {
            mutant: at.0,
            model: at.1,
            entry,
            depth: from.map_or(0, |(node, _)| self.nodes[node].depth + 1),
            from,
        });
    }

    pub(crate) fn run(
        &mut self,
        bound: Option<usize>,
        budget: &Budget,
    ) -> Result<Option<(usize, Ending)>, (usize, Stop)> {
        let mut charge = Charge::default();
        let zone = (self.clocks() + 1) * (self.clocks() + 1) * size_of::<Bound>();
        while let Some(node) = self.waiting.pop_front() {
            let depth = self.nodes[node].depth;
            if bound.is_some_and(|bound| depth >= bound) {
                return Err((depth, Stop::Bound));
            }
            budget.check().map_err(|stop| (depth, stop))?;
            let held = (self.nodes.len() + self.related.len()) * (zone + size_of::<Node>());
            if let Some(stop) = charge.hold(budget, held) {
                return Err((depth, stop));
            }
            if let Some(ending) = self.visit(node) {
                return Ok(Some((node, ending)));
            }
        }
        Ok(None)
    }

    /// Looks at everything that may happen next.
    fn visit(&mut self, node: usize) -> Option<Ending> {
        let (own, other) = (self.nodes[node].mutant, self.nodes[node].model);
        let here = self.mutant.later(own, &self.nodes[node].entry);
        let late = here.minus(&self.model.allowed[other]);
        if !late.is_empty() && !planted(Fault::ModelDelayUnchecked) {
            return Some(Ending::Silence);
        }
        let edges = self.model.side.automaton.leaving(other);
        let inputs: Vec<usize> = edges
            .filter(|(_, edge)| edge.action.is_input)
            .map(|(index, _)| index)
            .collect();
        for edge in inputs {
            if let Some(ending) = self.input(node, &here, edge) {
                return Some(ending);
            }
        }
        let edges = self.mutant.side.automaton.leaving(own);
        let outputs: Vec<usize> = edges
            .filter(|(_, edge)| !edge.action.is_input)
            .map(|(index, _)| index)
            .collect();
        for edge in outputs {
            if let Some(ending) = self.output(node, &here, edge) {
                return Some(ending);
            }
        }
        let zones = here.zones().iter().cloned();
        self.related.extend(zones.map(|zone| Related {
            mutant: own,
            model: other,
            zone,
        }));
        None
    }

    /// An input that the model accepts.
    fn input(&mut self, node: usize, here: &Federation, model_edge: usize) -> Option<Ending> {
        let edge = &self.model.side.automaton.edges[model_edge];
        let given = here.and(&self.model.enabled[model_edge]);
        if given.is_empty() {
            return None;
        }
        let mutant = &self.mutant.side.automaton;
        let is_known = mutant.knows(&edge.action);
        if self.rules.stays_at_unknown_inputs && !is_known {
            self.go(node, &given, None, Some(model_edge));
            return None;
        }
        let name = edge.action.name.clone();
        let mut accepting = self.mutant.edges(self.nodes[node].mutant, edge);
        let accepted = self.mutant.enabled(&accepting, self.clocks());
        if !given.minus(&accepted).is_empty() && !planted(Fault::RefusalsIgnored) {
            return Some(Ending::Refused(name));
        }
        if planted(Fault::FirstEdgeOnly) {
            accepting.truncate(1);
        }
        for own in accepting {
            let both = given.and(&self.mutant.enabled[own]);
            self.go(node, &both, Some(own), Some(model_edge));
        }
        None
    }

    /// An output that the mutant makes.
    fn output(&mut self, node: usize, here: &Federation, mutant_edge: usize) -> Option<Ending> {
        let edge = &self.mutant.side.automaton.edges[mutant_edge];
        let made = here.and(&self.mutant.enabled[mutant_edge]);
        if made.is_empty() {
            return None;
        }
        let model = &self.model.side.automaton;
        let is_known = model.knows(&edge.action);
        if self.rules.stays_at_unknown_outputs && !is_known {
            self.go(node, &made, Some(mutant_edge), None);
            return None;
        }
        let name = edge.action.name.clone();
        let able = self.model.edges(self.nodes[node].model, edge);
        let expected = self.model.enabled(&able, self.clocks());
        if !made.minus(&expected).is_empty() && !planted(Fault::OutputsIgnored) {
            return Some(Ending::Output(name));
        }
        for other in able {
            let both = made.and(&self.model.enabled[other]);
            self.go(node, &both, Some(mutant_edge), Some(other));
        }
        None
    }

    fn go(&mut self, node: usize, from: &Federation, mutant: Option<usize>, model: Option<usize>) {
        let taken = Move { mutant, model };
        let at = (
            self.mutant.target(mutant, self.nodes[node].mutant),
            self.model.target(model, self.nodes[node].model),
        );
        for zone in from.zones() {
            let entry = self.mutant.entered(zone.clone(), mutant);
            let entry = self.model.entered(entry, model);
            self.reach(at, entry, Some((node, taken)));
        }
    }
}

impl Joint<'_> {
    fn target(&self, edge: Option<usize>, here: usize) -> usize {
        edge.map_or(here, |edge| self.side.automaton.edges[edge].target)
    }

    /// What is there after an edge is taken.
    pub(crate) fn entered(&self, zone: Zone, edge: Option<usize>) -> Zone {
        match edge {
            Some(edge) if !planted(Fault::UpdatesIgnored) => {
                zone.after(&self.side.automaton.edges[edge].updates, self.offset)
            }
            _ => zone,
        }
    }

    /// What leads into a zone over an edge, its guard included.
    pub(crate) fn before(&self, zone: Zone, edge: Option<usize>) -> Federation {
        let clocks = zone.clocks();
        let Some(edge) = edge else {
            return Federation::of(clocks, [zone]);
        };
        let updates = &self.side.automaton.edges[edge].updates;
        let before = zone.before(updates, self.offset);
        Federation::of(clocks, before).and(&self.enabled[edge])
    }
}
