//! Decides formulas with one alternation on systems whose states can be listed, by inclusion of automata; complete (semantics.md §6.10).
//!
//! The automaton of all outer traces that inner traces refute ([`Inner`]) is compared with the set of all outer traces. If it has no
//! acceptance conditions, a subset construction decides. Otherwise transition profiles of loops of the outer traces decide too (Ramsey).
//! Both are kept as antichains under inclusion. An outer trace that is not accepted is a candidate; an invariant must show that no inner
//! traces refute it.

mod listing;
mod live;
mod rounds;
mod sets;

use std::collections::HashMap;

use hyperkill_core::budget::{Budget, Stop};
use hyperkill_core::trace::Stimulus;
use hyperkill_evidence::inclusion::{Inclusion, Position, Reached, Ways};
use hyperkill_formulas::Inner;

use crate::schedule::formula_efforts::{Game, Listing as Limits};
use listing::Listing;
use rounds::{Round, Rounds};
use sets::{Set, Sets};

/// The result of the check whether inner traces refute all outer traces.
pub(super) enum Included {
    /// All outer traces are refuted by inner ones, by this evidence.
    All(Inclusion),
    /// Some outer traces are not refuted. The run belongs to the question's circuit; only its outer inputs and free first values count.
    Candidate {
        run: Stimulus,
        /// The index of the first step of the loop.
        back: usize,
    },
    /// A limit on sets or profiles was exceeded.
    TooLarge,
}

/// The states of a question and their steps, as a list.
pub(super) struct Listed(Listing);

/// Lists the states of a question and their steps; `None` if a limit is exceeded.
pub(super) fn list(
    question: &Inner,
    limits: &Limits,
    budget: &Budget,
) -> Result<Option<Listed>, Stop> {
    Ok(listing::list(question, limits, budget)?.map(Listed))
}

/// Decides whether inner traces refute all outer traces.
pub(super) fn decide(
    question: &Inner,
    Listed(listing): &Listed,
    limits: &Game,
    budget: &Budget,
) -> Result<Included, Stop> {
    let sets = match sets::search(listing, limits.sets, budget)? {
        Sets::Closed(sets) => sets,
        Sets::Empty(sets, last) => {
            let (start, mut word) = sets::word(&sets, last);
            return Ok(match endless(listing, sets[last].outer) {
                Some((stem, round)) => {
                    word.extend(stem);
                    candidate(question, listing, start, word, round)
                }
                None => Included::TooLarge,
            });
        }
        Sets::TooMany => return Ok(Included::TooLarge),
    };
    if question.runs.justice.is_empty() {
        return Ok(Included::All(evidence(question, listing, &sets, &[])));
    }
    Ok(match rounds::search(listing, &sets, limits, budget)? {
        Rounds::Accepted(rounds) => Included::All(evidence(question, listing, &sets, &rounds)),
        Rounds::Withstood(set, round) => {
            let (start, word) = sets::word(&sets, set);
            candidate(question, listing, start, word, round)
        }
        Rounds::TooMany => Included::TooLarge,
    })
}

/// Returns the inputs of an infinite continuation of outer traces from a state: those before a loop, and those of the loop. Finite traces
/// end as soon as they can. `None` if a state has no step.
fn endless(listing: &Listing, from: usize) -> Option<(Vec<usize>, Vec<usize>)> {
    let (mut seen, mut word) = (vec![from], Vec::new());
    loop {
        let steps = &listing.steps[*seen.last()?];
        let ends = steps.iter().find(|step| listing.ended[step.to]);
        let step = ends.or_else(|| steps.first())?;
        word.push(step.inputs);
        if let Some(back) = seen.iter().position(|&state| state == step.to) {
            let round = word.split_off(back);
            return Some((word, round));
        }
        seen.push(step.to);
    }
}

/// Returns outer traces that start in the state with index `start` of the initial ones and take the inputs of `stem`, then those of `round`
/// for ever.
fn candidate(
    question: &Inner,
    listing: &Listing,
    start: usize,
    stem: Vec<usize>,
    round: Vec<usize>,
) -> Included {
    let aig = &question.runs.aig;
    let mut initial = vec![false; aig.latches().len()];
    for (place, &latch) in question.outer.latches.iter().enumerate() {
        initial[latch] = listing.outer[start] >> place & 1 == 1;
    }
    let back = stem.len();
    let steps = stem.into_iter().chain(round).map(|values| {
        let mut step = vec![false; aig.inputs().len()];
        for (place, &input) in question.outer.inputs.iter().enumerate() {
            step[input] = values >> place & 1 == 1;
        }
        step
    });
    Included::Candidate {
        run: Stimulus {
            initial: initial.into(),
            steps: steps.collect(),
        },
        back,
    }
}

/// Returns as evidence the sets and profiles that no smaller one covers, with tables of the states and positions in them.
fn evidence(question: &Inner, listing: &Listing, sets: &[Set], rounds: &[Round]) -> Inclusion {
    let bits = |value: u64, width: usize| (0..width).map(|bit| value >> bit & 1 == 1).collect();
    let mut found = Inclusion::default();
    let mut outer: HashMap<usize, usize> = HashMap::new();
    let mut inner: HashMap<usize, usize> = HashMap::new();
    let mut state = |found: &mut Inclusion, state: usize| {
        *outer.entry(state).or_insert_with(|| {
            let width = question.outer.latches.len();
            found.outer.push(bits(listing.outer[state], width));
            found.outer.len() - 1
        })
    };
    let mut position = |found: &mut Inclusion, position: usize| {
        *inner.entry(position).or_insert_with(|| {
            let (latches, waits_for) = listing.inner[position];
            let width = question.inner.latches.len();
            found.inner.push(Position {
                latches: bits(latches, width),
                waits_for,
            });
            found.inner.len() - 1
        })
    };
    for set in sets.iter().filter(|set| !set.covered) {
        let outer = state(&mut found, set.outer);
        let positions = set.positions.iter();
        let mut positions: Vec<usize> = positions.map(|&p| position(&mut found, p)).collect();
        positions.sort_unstable();
        found.sets.push(Reached { outer, positions });
    }
    for round in rounds.iter().filter(|round| !round.covered) {
        let (from, to) = (state(&mut found, round.from), state(&mut found, round.to));
        let mut ways: Vec<(usize, usize, bool)> = Vec::new();
        for &(one, other, all) in &round.ways {
            let (one, other) = (position(&mut found, one), position(&mut found, other));
            ways.push((one, other, all));
        }
        ways.sort_unstable();
        found.ways.push(Ways { from, to, ways });
    }
    found
}
