//! Transition profiles of the automaton along loops of outer traces (Ramsey): minimal profiles, as an antichain under inclusion.

use std::collections::{HashMap, HashSet};

use hyperkill_core::budget::{Budget, Stop};
use hyperkill_evidence::fault::{Fault, planted};

use super::listing::{Letter, Listing};
use super::sets::Set;
use crate::schedule::formula_efforts::Game;

/// A transition profile: pairs (source, target) of positions between which a path exists, and whether one meets all conditions. Ascending.
pub(super) type Ways = Vec<(usize, usize, bool)>;

/// The transition profile of a sequence of steps between two outer states.
#[derive(Clone, Debug)]
pub(super) struct Round {
    pub from: usize,
    pub to: usize,
    pub ways: Ways,
    /// The index of the profile without the last step; `None` for a profile of one step.
    before: Option<usize>,
    /// The inputs of the last step, as bits.
    inputs: usize,
    /// Whether a profile with fewer pairs between the same states has been found.
    pub covered: bool,
}

/// The result of the search for transition profiles of loops.
pub(super) enum Rounds {
    /// From each set of positions, repeating each loop leads to acceptance: all outer traces are refuted.
    Accepted(Vec<Round>),
    /// An outer trace that is not accepted: it leads to this set (by index) and then repeats a loop with these inputs.
    Withstood(usize, Vec<usize>),
    /// A limit on profiles or their pairs was exceeded.
    TooMany,
}

pub(super) fn search(
    listing: &Listing,
    sets: &[Set],
    limits: &Game,
    budget: &Budget,
) -> Result<Rounds, Stop> {
    let mut search = InclusionSearch {
        sets,
        rounds: Vec::new(),
        known: HashMap::new(),
        left: limits.ways,
    };
    let bases = bases(listing);
    let reached = reached(listing, budget)?;
    for &base in &bases {
        for step in &listing.steps[base] {
            let letter = &listing.letters[step.letter];
            let from = letter.iter();
            let from = from.filter(|(position, _)| reached[base].contains(position));
            let ways =
                from.flat_map(|(&from, out)| out.iter().map(move |&(to, all)| (from, to, all)));
            let mut ways: Ways = ways.collect();
            ways.sort_unstable();
            if let Some(set) = search.add((base, step.to), ways, None, step.inputs) {
                return Ok(search.withstood(set));
            }
        }
    }
    let mut next = 0;
    while next < search.rounds.len() {
        budget.check()?;
        if search.rounds.len() > limits.rounds {
            return Ok(Rounds::TooMany);
        }
        if !search.rounds[next].covered {
            let Round { from, to, ways, .. } = search.rounds[next].clone();
            for step in &listing.steps[to] {
                let longer = composed(&ways, &listing.letters[step.letter]);
                let Some(left) = search.left.checked_sub(longer.len() + 1) else {
                    return Ok(Rounds::TooMany);
                };
                search.left = left;
                let ends = (from, step.to);
                if let Some(set) = search.add(ends, longer, Some(next), step.inputs) {
                    return Ok(search.withstood(set));
                }
            }
        }
        next += 1;
    }
    Ok(Rounds::Accepted(search.rounds))
}

/// Returns for each outer state the positions that the automaton can have there. Minimal sets do not suffice: a loop from one of them may
/// lead to other positions.
fn reached(listing: &Listing, budget: &Budget) -> Result<Vec<HashSet<usize>>, Stop> {
    let mut reached = vec![HashSet::new(); listing.outer.len()];
    let mut open = Vec::new();
    for (&outer, first) in listing.starts.iter().zip(&listing.first) {
        open.extend(first.iter().map(|&position| (outer, position)));
    }
    while let Some((outer, position)) = open.pop() {
        if !reached[outer].insert(position) {
            continue;
        }
        budget.check()?;
        for step in &listing.steps[outer] {
            let out = listing.letters[step.letter].get(&position);
            let out = out.into_iter().flatten();
            open.extend(out.map(|&(to, _)| (step.to, to)));
        }
    }
    Ok(reached)
}

struct InclusionSearch<'a> {
    sets: &'a [Set],
    rounds: Vec<Round>,
    known: HashMap<(usize, usize), Vec<usize>>,
    /// The number of pairs of positions that may still be processed.
    left: usize,
}

impl InclusionSearch<'_> {
    /// Adds the profile of a path between two outer states, unless a smaller one is known. Returns the index of a set from which
    /// repetitions of the path are not accepted; `None` if there is none or the path is no loop.
    fn add(
        &mut self,
        (from, to): (usize, usize),
        ways: Ways,
        before: Option<usize>,
        inputs: usize,
    ) -> Option<usize> {
        let known = self.known.entry((from, to)).or_default();
        if known
            .iter()
            .any(|&round| is_part(&self.rounds[round].ways, &ways))
        {
            return None;
        }
        for &round in known.iter() {
            self.rounds[round].covered |= is_part(&ways, &self.rounds[round].ways);
        }
        let rounds = &self.rounds;
        known.retain(|&round| !rounds[round].covered);
        known.push(self.rounds.len());
        let accepting = accepting(&ways);
        self.rounds.push(Round {
            from,
            to,
            ways,
            before,
            inputs,
            covered: false,
        });
        if from != to || planted(Fault::UncheckedRounds) {
            return None;
        }
        let refused = |set: &Set| {
            let mut positions = set.positions.iter();
            set.outer == from && !set.covered && !positions.any(|p| accepting.contains(p))
        };
        self.sets.iter().position(refused)
    }

    /// Returns the result that the automaton does not accept repetitions of the last profile's loop from this set.
    fn withstood(&self, set: usize) -> Rounds {
        let mut word = Vec::new();
        let mut round = self.rounds.last();
        while let Some(last) = round {
            word.push(last.inputs);
            round = last.before.map(|before| &self.rounds[before]);
        }
        word.reverse();
        Rounds::Withstood(set, word)
    }
}

/// Whether the profile `these` is smaller than `those`: each of its pairs is in `those` too, with at least the same conditions met.
fn is_part(these: &Ways, those: &Ways) -> bool {
    let mut rest = those.iter();
    these.iter().all(|&(from, to, all)| {
        let found = rest.find(|&&(f, t, _)| (f, t) >= (from, to));
        found.is_some_and(|&(f, t, more)| (f, t) == (from, to) && (more || !all))
    })
}

/// Returns the profile of a path that is extended by one step with this letter.
fn composed(ways: &Ways, letter: &Letter) -> Ways {
    let mut longer: Ways = Vec::new();
    for &(from, via, all) in ways {
        for &(to, more) in letter.get(&via).map_or(&[][..], Vec::as_slice) {
            longer.push((from, to, all || more));
        }
    }
    longer.sort_unstable();
    longer.dedup_by(|later, earlier| {
        let same = (later.0, later.1) == (earlier.0, earlier.1);
        earlier.2 |= same && later.2;
        same
    });
    longer
}

/// Returns the positions from which repetitions of a loop with this profile can meet all conditions again and again.
fn accepting(ways: &Ways) -> Vec<usize> {
    let mut out: HashMap<usize, Vec<usize>> = HashMap::new();
    for &(from, to, _) in ways {
        out.entry(from).or_default().push(to);
    }
    let reached = |start: usize| {
        let (mut seen, mut open) = (vec![start], vec![start]);
        while let Some(position) = open.pop() {
            for &to in out.get(&position).map_or(&[][..], Vec::as_slice) {
                if !seen.contains(&to) {
                    seen.push(to);
                    open.push(to);
                }
            }
        }
        seen
    };
    let looping = ways
        .iter()
        .filter(|&&(from, to, all)| all && reached(to).contains(&from));
    let mut good: Vec<usize> = looping.map(|&(from, ..)| from).collect();
    loop {
        let more = ways
            .iter()
            .filter(|(from, to, _)| good.contains(to) && !good.contains(from));
        let mut more: Vec<usize> = more.map(|&(from, ..)| from).collect();
        if more.is_empty() {
            return good;
        }
        more.sort_unstable();
        more.dedup();
        good.extend(more);
    }
}

/// Returns outer states such that every infinite trace to be refuted visits one of them infinitely often: the targets of back edges of a
/// depth-first search.
fn bases(listing: &Listing) -> Vec<usize> {
    #[derive(Clone, Copy, PartialEq)]
    enum Visit {
        New,
        Inside,
        Done,
    }
    let mut visits = vec![Visit::New; listing.outer.len()];
    let mut bases = Vec::new();
    for &root in &listing.starts {
        let mut walk = vec![(root, 0)];
        while let Some((state, edge)) = walk.pop() {
            if edge == 0 && visits[state] != Visit::New {
                continue;
            }
            visits[state] = Visit::Inside;
            match listing.steps[state].get(edge) {
                Some(step) => {
                    walk.push((state, edge + 1));
                    match visits[step.to] {
                        Visit::New => walk.push((step.to, 0)),
                        Visit::Inside if listing.ended[step.to] => bases.push(step.to),
                        Visit::Inside => {}
                        Visit::Done => {}
                    }
                }
                None => visits[state] = Visit::Done,
            }
        }
    }
    bases.sort_unstable();
    bases.dedup();
    bases
}
