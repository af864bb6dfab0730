//! An automaton together with the states that it may be in.

use hyperkill_core::budget::{Budget, Stop};
use hyperkill_core::timed::Automaton;

use crate::dbm::Zone;
use crate::federation::Federation;
use crate::game::{Game, Lost, enabled_into, invariants, play};

/// An automaton with the states that it may be in.
#[derive(Clone, Debug)]
pub struct Side {
    /// The automaton.
    pub automaton: Automaton,
    /// Where it may be, for each location.
    pub allowed: Vec<Federation>,
    /// What its invariants allow and is lost all the same, by rank.
    pub lost: Vec<Lost>,
    /// Where it may not be.
    pub forbidden: Vec<Federation>,
    /// For each edge from where it leads to where the automaton may be.
    pub enabled: Vec<Federation>,
}

impl Side {
    /// An automaton that may be in its good states, or wherever its invariants hold.
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
        Ok(Side {
            forbidden: allowed.iter().map(Federation::complement).collect(),
            enabled: edges
                .map(|edge| enabled_into(edge, &allowed[edge.target]))
                .collect(),
            allowed,
            lost,
            automaton,
        })
    }

    /// Whether it may be where it starts.
    #[must_use]
    pub fn is_consistent(&self) -> bool {
        let start = Zone::zero(self.automaton.clocks.len());
        !self.allowed[self.automaton.initial]
            .and_zone(&start)
            .is_empty()
    }

    /// Two edges for one action that are enabled at once; `None` if there are none.
    #[must_use]
    pub fn ambiguity(&self) -> Option<(usize, usize)> {
        let edges = &self.automaton.edges;
        for (index, edge) in edges.iter().enumerate() {
            for (other, rival) in edges.iter().enumerate().skip(index + 1) {
                if rival.source != edge.source || rival.action != edge.action {
                    continue;
                }
                let here = self.enabled[index].and(&self.enabled[other]);
                if !here.and(&self.allowed[edge.source]).is_empty() {
                    return Some((index, other));
                }
            }
        }
        None
    }
}
