//! A forward search in the product of a mutant and a model for a state in which the mutant fails.
//!
//! The model is deterministic, so every step of the mutant has one answer, and a forward search is complete. A zone is over the clocks of
//! both, those of the mutant first.

use std::collections::VecDeque;

use hyperkill_core::budget::memory::Charge;
use hyperkill_core::budget::{Budget, Stop};
use hyperkill_core::timed::{Automaton, Rules};
use rustc_hash::FxHashMap;

use crate::bound::Bound;
use crate::dbm::Zone;
use crate::fault::{Fault, planted};
use crate::side::Side;
use crate::view::{Ending, Meeting, Move, View, Visit, views};

/// Pairs of states of the mutant and the model after the same traces.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Related {
    /// The location of the mutant.
    pub mutant: usize,
    /// The location of the model.
    pub model: usize,
    /// The values of the clocks of both; the mutant's come first.
    pub zone: Zone,
}

/// Pairs of states (a location of each side, and a zone) that were reached by a step, before time passes.
struct Node {
    mutant: usize,
    model: usize,
    entry: Zone,
    from: Option<(usize, Move)>,
    depth: usize,
}

pub(crate) struct ZoneSearch {
    mutant: Vec<View>,
    model: Vec<View>,
    nodes: Vec<Node>,
    rules: Rules,
    largest: Vec<i64>,
    /// The largest constants by location, of the mutant and of the model; only for networks, where this saves work.
    by_location: Option<[Vec<Vec<Option<i64>>>; 2]>,
    passed: FxHashMap<(usize, usize), Vec<usize>>,
    waiting: VecDeque<usize>,
    pub(crate) related: Vec<Related>,
}

/// Returns the largest constant of each clock of both. Guards of the model are also used negated, so each constant counts as a lower and an
/// upper bound.
pub(crate) fn largest<'a>(
    mutants: impl IntoIterator<Item = &'a Automaton>,
    model: &Automaton,
) -> Vec<i64> {
    let mut largest: Vec<i64> = Vec::new();
    for mutant in mutants {
        let own = mutant.largest_constants();
        largest.resize(own.len(), 0);
        for (known, constant) in largest.iter_mut().zip(own) {
            *known = constant.max(*known);
        }
    }
    largest.extend(model.largest_constants());
    if planted(Fault::ConstantsTooSmall) {
        largest.iter_mut().for_each(|c| *c = (*c - 1).max(0));
    }
    largest
}

/// Returns for mutant and model the largest constants by location and clock; `None` without a network. The processes of a network have
/// clocks that are unused most of the time.
fn by_location(mutant: &Automaton, model: &Automaton) -> Option<[Vec<Vec<Option<i64>>>; 2]> {
    let is_network = !model.tester.waits.is_empty() && !planted(Fault::ConstantsTooSmall);
    is_network.then(|| [mutant, model].map(Automaton::largest_constants_from))
}

impl ZoneSearch {
    pub(crate) fn new(mutant: &Side, model: &Side, rules: Rules) -> ZoneSearch {
        let own = mutant.automaton.clocks.len();
        let clocks = own + model.automaton.clocks.len();
        let mut search = ZoneSearch {
            mutant: views(mutant, clocks, 0),
            model: views(model, clocks, own),
            nodes: Vec::new(),
            rules,
            largest: largest([&mutant.automaton], &model.automaton),
            by_location: by_location(&mutant.automaton, &model.automaton),
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

    /// Returns a larger zone, whose states reach no difference that the states of `entry` do not reach (extrapolation).
    fn widened(&self, at: (usize, usize), mut entry: Zone) -> Zone {
        let Some([mutant, model]) = &self.by_location else {
            return entry.extrapolated(&self.largest);
        };
        let constants = mutant[at.0].iter().chain(&model[at.1]);
        let mut largest = Vec::new();
        for (clock, constant) in constants.enumerate() {
            if constant.is_none() {
                entry = entry.freed(clock);
            }
            largest.push(constant.unwrap_or(0));
        }
        entry.extrapolated(&largest)
    }

    fn reach(&mut self, at: (usize, usize), entry: Zone, from: Option<(usize, Move)>) {
        let entry = self.widened(at, entry);
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

    fn visit(&mut self, node: usize) -> Option<Ending> {
        let (mutant, model) = (self.nodes[node].mutant, self.nodes[node].model);
        let meeting = Meeting {
            own: &self.mutant[mutant],
            model: &self.model[model],
            rules: self.rules,
        };
        let (here, next) = match meeting.visit(&self.nodes[node].entry) {
            Visit::Ends(ending) => return Some(ending),
            Visit::Goes(here, next) => (here, next),
        };
        let next: Vec<_> = (next.into_iter())
            .map(|(taken, entry)| {
                let own = meeting.own.target(taken.mutant).unwrap_or(mutant);
                let other = meeting.model.target(taken.model).unwrap_or(model);
                ((own, other), entry, taken)
            })
            .collect();
        for (at, entry, taken) in next {
            self.reach(at, entry, Some((node, taken)));
        }
        let zones = here.zones().iter().cloned();
        self.related.extend(zones.map(|zone| Related {
            mutant,
            model,
            zone,
        }));
        None
    }

    /// Returns the number of steps to a state.
    pub(crate) fn depth(&self, node: usize) -> usize {
        self.nodes[node].depth
    }

    /// Returns the pairs of locations on the path to a node, each with the next step.
    pub(crate) fn path(&self, last: usize) -> Vec<(Meeting<'_>, Option<Move>)> {
        let steps = std::iter::successors(Some((last, None)), |&(node, _)| {
            let from = self.nodes[node].from;
            from.map(|(from, taken)| (from, Some(taken)))
        });
        let mut path: Vec<_> = steps
            .map(|(node, taken)| {
                let meeting = Meeting {
                    own: &self.mutant[self.nodes[node].mutant],
                    model: &self.model[self.nodes[node].model],
                    rules: self.rules,
                };
                (meeting, taken)
            })
            .collect();
        path.reverse();
        path
    }
}
