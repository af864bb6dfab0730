//! One alternation on systems whose states can be listed: complete, by inclusion of automata (semantics.md §6.10).
//!
//! The automaton of all outer traces that inner ones refute ([`Inner`]) is compared with all outer traces there are. Where it has no
//! conditions, sets of its positions decide; else the ways that it can go while outer traces go round do as well (Ramsey). Both are kept
//! up to inclusion. Outer traces that are not accepted are a candidate, which is shown to withstand by an invariant like any other.

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

/// What came of it.
pub(super) enum Included {
    /// All outer traces are refuted.
    All(Inclusion),
    /// These are not: a run of the circuit of the question, of which outer inputs and free first values count.
    Candidate {
        run: Stimulus,
        /// The first step of the loop.
        back: usize,
    },
    /// There are too many sets or rounds.
    TooLarge,
}

/// The states of a question, listed.
pub(super) struct Listed(Listing);

/// Lists states within limits; `None` if there are too many.
pub(super) fn list(
    question: &Inner,
    limits: &Limits,
    budget: &Budget,
) -> Result<Option<Listed>, Stop> {
    Ok(listing::list(question, limits, budget)?.map(Listed))
}

/// Whether all outer traces are refuted.
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

/// Inputs with which outer traces go on from a state: some steps, then a loop; finite traces end as soon as they can. `None` if they end
/// though they should not.
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

/// Outer traces as a run of the whole circuit.
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
            initial,
            steps: steps.collect(),
        },
        back,
    }
}

/// The sets and ways that are left, with states and positions in tables.
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
