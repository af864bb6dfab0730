//! An automaton together with the states that it may be in.

use hyperkill_core::budget::{Budget, Stop};
use hyperkill_core::timed::{Atom, Automaton, Edge, Relation};

use crate::dbm::Zone;
use crate::federation::Federation;
use crate::game::{Game, Lost, enabled_into, invariants, play, until};

/// An automaton with its allowed states: the good ones, or all within its invariants.
#[derive(Clone, Debug)]
pub struct Side {
    /// The automaton that the states belong to.
    pub automaton: Automaton,
    /// The allowed states, by location.
    pub allowed: Vec<Federation>,
    /// The bad states within the invariants, by rank.
    pub lost: Vec<Lost>,
    /// The forbidden states, by location: all others.
    pub forbidden: Vec<Federation>,
    /// The forbidden states in which the tester could wait; `None` if the tester can wait everywhere.
    blocked: Option<Vec<Federation>>,
    /// For each edge the states from which it leads to allowed states.
    pub enabled: Vec<Federation>,
}

impl Side {
    /// Returns an automaton restricted to its good states, or only by its invariants.
    ///
    /// # Errors
    /// If the budget ends.
    pub fn new(automaton: Automaton, is_pruned: bool, budget: &Budget) -> Result<Side, Stop> {
        let game = match is_pruned {
            true => play(&automaton, budget)?,
            false => Game {
                good: invariants(&automaton),
                lost: Vec::new(),
            },
        };
        let (allowed, lost) = (game.good, game.lost);
        let edges = automaton.edges.iter();
        let clocks = automaton.clocks.len();
        let waits = automaton.tester.waits.iter();
        let blocked = waits.zip(&allowed).map(|(waits, allowed)| {
            let until = until(clocks, waits).unwrap_or_else(|| Federation::universe(clocks));
            until.minus(allowed)
        });
        let blocked: Vec<Federation> = blocked.collect();
        Ok(Side {
            forbidden: allowed.iter().map(Federation::complement).collect(),
            blocked: (blocked.len() == allowed.len()).then_some(blocked),
            enabled: edges
                .map(|edge| enabled_into(edge, &allowed[edge.target]))
                .collect(),
            allowed,
            lost,
            automaton,
        })
    }

    /// Returns the forbidden states of a location in which the tester could wait: there the automaton itself stops time.
    pub(crate) fn blocked(&self, location: usize) -> &Federation {
        let blocked = self.blocked.as_ref();
        &blocked.unwrap_or(&self.forbidden)[location]
    }

    /// Whether the initial state of the automaton is allowed.
    #[must_use]
    pub fn is_consistent(&self) -> bool {
        let start = Zone::zero(self.automaton.clocks.len());
        !self.allowed[self.automaton.initial]
            .and_zone(&start)
            .is_empty()
    }

    /// Returns two edges with one action that lead from one state to two different states; `None` if there are none.
    #[must_use]
    pub fn ambiguity(&self) -> Option<(usize, usize)> {
        self.ambiguities().next()
    }

    /// Returns all pairs of edges with one action that lead from one state to two different states.
    pub fn ambiguities(&self) -> impl Iterator<Item = (usize, usize)> {
        let edges = &self.automaton.edges;
        let pairs = (0..edges.len()).flat_map(move |index| {
            let rivals = self.automaton.rivals(index);
            rivals.map(move |(other, _)| (index, other))
        });
        pairs.filter(move |(index, other)| !self.apart(*index, *other).is_empty())
    }

    /// Returns the states from which two edges lead to different states.
    fn apart(&self, index: usize, other: usize) -> Federation {
        let (edge, rival) = (&self.automaton.edges[index], &self.automaton.edges[other]);
        let both = self.enabled[index].and(&self.enabled[other]);
        let both = both.and(&self.allowed[edge.source]);
        if both.is_empty() || edge.target != rival.target {
            return both;
        }
        let clocks = self.automaton.clocks.len();
        let mut apart = Federation::empty(clocks);
        for clock in 0..clocks {
            let value = |edge: &Edge| {
                let mut updates = edge.updates.iter();
                updates.find(|(set, _)| *set == clock).map(|(_, to)| *to)
            };
            match (value(edge), value(rival)) {
                (own, same) if own == same => {}
                (Some(_), Some(_)) => return both,
                // One of them keeps the clock, which may have the value that the other one sets.
                (own, kept) => {
                    let constant = own.or(kept).unwrap_or_default();
                    let equal = Atom {
                        clock,
                        relation: Relation::Equal,
                        constant,
                    };
                    let equal = Zone::universe(clocks).with(&equal, 0);
                    apart = apart.or(both.minus(&Federation::of(clocks, equal)));
                }
            }
        }
        apart
    }
}
