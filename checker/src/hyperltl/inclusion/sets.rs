//! The subset construction: positions of the automaton after the same steps of outer traces. Minimal sets, as an antichain under inclusion.

use hyperkill_core::budget::{Budget, Stop};
use hyperkill_evidence::fault::{Fault, planted};

use super::listing::Listing;

/// A set of positions in which the automaton can be after some steps of outer traces, and how it is reached (subset construction).
#[derive(Clone, Debug)]
pub(super) struct Set {
    pub outer: usize,
    /// The positions of the automaton in the set, ascending.
    pub positions: Vec<usize>,
    /// The index of the previous set and the inputs between them; `None` for an initial set.
    pub before: Option<(usize, usize)>,
    /// Whether a smaller set for the same outer state has been found.
    pub covered: bool,
}

/// The result of the subset construction.
pub(super) enum Sets {
    /// All reachable sets; none of them is empty.
    Closed(Vec<Set>),
    /// The sets found, and the index of an empty one: after the steps to it the automaton is in no position.
    Empty(Vec<Set>, usize),
    /// A limit on sets was exceeded.
    TooMany,
}

pub(super) fn search(listing: &Listing, most: usize, budget: &Budget) -> Result<Sets, Stop> {
    let mut sets = Antichain {
        all: Vec::new(),
        by_outer: vec![Vec::new(); listing.outer.len()],
    };
    for (&outer, first) in listing.starts.iter().zip(&listing.first) {
        let mut positions = first.clone();
        positions.sort_unstable();
        positions.dedup();
        if sets.add(outer, positions, None) {
            let last = sets.all.len() - 1;
            return Ok(Sets::Empty(sets.all, last));
        }
    }
    let mut next = 0;
    while next < sets.all.len() {
        budget.check()?;
        if sets.all.len() > most {
            return Ok(Sets::TooMany);
        }
        if !sets.all[next].covered {
            let (outer, positions) = (sets.all[next].outer, sets.all[next].positions.clone());
            for step in &listing.steps[outer] {
                let letter = &listing.letters[step.letter];
                let out = positions.iter().filter_map(|from| letter.get(from));
                let mut to: Vec<usize> = out.flatten().map(|&(to, _)| to).collect();
                to.sort_unstable();
                to.dedup();
                if sets.add(step.to, to, Some((next, step.inputs))) {
                    let last = sets.all.len() - 1;
                    return Ok(Sets::Empty(sets.all, last));
                }
            }
        }
        next += 1;
    }
    Ok(Sets::Closed(sets.all))
}

struct Antichain {
    all: Vec<Set>,
    by_outer: Vec<Vec<usize>>,
}

impl Antichain {
    /// Adds a set for an outer state unless a smaller one is known. Returns whether the set is added and empty.
    fn add(&mut self, outer: usize, positions: Vec<usize>, before: Option<(usize, usize)>) -> bool {
        let known = &self.by_outer[outer];
        let contains = |large: &[usize], small: &[usize]| {
            small
                .iter()
                .all(|position| large.binary_search(position).is_ok())
        };
        if known
            .iter()
            .any(|&set| contains(&positions, &self.all[set].positions))
        {
            return false;
        }
        for &set in known {
            self.all[set].covered |= contains(&self.all[set].positions, &positions);
        }
        let all = &self.all;
        self.by_outer[outer].retain(|&set| !all[set].covered);
        self.by_outer[outer].push(self.all.len());
        let is_empty = positions.is_empty() && !planted(Fault::UncheckedEnd);
        self.all.push(Set {
            outer,
            positions,
            before,
            covered: false,
        });
        is_empty
    }
}

/// Returns the initial outer state, and the inputs of the steps from it to the set with index `last`.
pub(super) fn word(sets: &[Set], last: usize) -> (usize, Vec<usize>) {
    let (mut set, mut word) = (last, Vec::new());
    while let Some((before, inputs)) = sets[set].before {
        word.push(inputs);
        set = before;
    }
    word.reverse();
    (sets[set].outer, word)
}
