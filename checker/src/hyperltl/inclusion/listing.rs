//! Lists the states of outer traces and of the automaton of their refutations.

use std::collections::HashMap;

use hyperkill_core::Aig;
use hyperkill_core::aig::{Images, Leaf, Reset};
use hyperkill_core::budget::{Budget, Stop};
use hyperkill_evidence::fault::{Fault, planted};
use hyperkill_formulas::Inner;
use hyperkill_formulas::inner::Side;
use rustc_hash::FxHashMap;

use super::live::{self, Pairs};
use crate::schedule::formula_efforts::{LATCHES_OF_SIDE, Listing as Limits};

/// A step of the outer traces.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct OuterStep {
    /// The values of the outer inputs, as bits of a number.
    pub inputs: usize,
    /// The index of the state after the step.
    pub to: usize,
    /// The index of the letter: the automaton's moves during this step.
    pub letter: usize,
}

/// A letter: for each position of the automaton its successors in one step, each with whether the move meets all conditions.
pub(super) type Letter = FxHashMap<usize, Vec<(usize, bool)>>;

/// The reachable states of the outer traces, and beside them the automaton of their refutations. States without an infinite run are left
/// out.
pub(super) struct Listing {
    /// The values of the outer latches in each state, as bits of a number.
    pub outer: Vec<u64>,
    /// For each state whether outer traces that stay in it must be refuted. Finite traces must be refuted only after they have ended.
    pub ended: Vec<bool>,
    /// The initial states of outer traces, by index.
    pub starts: Vec<usize>,
    /// For each state the steps from it.
    pub steps: Vec<Vec<OuterStep>>,
    /// The positions of the automaton: values of the inner latches as bits, and the index of the acceptance condition that is awaited.
    pub inner: Vec<(u64, usize)>,
    /// The initial positions of the automaton, for each initial state of outer traces.
    pub first: Vec<Vec<usize>>,
    /// The letters, each a set of moves of the automaton.
    pub letters: Vec<Letter>,
}

/// The automaton's moves in one step: source, target and conditions that are met, each as bits of a number.
type Moves = Vec<(u64, u64, u64)>;

/// The automaton's moves by outer state (index) and outer inputs (bits).
type ByStep = HashMap<(usize, usize), Moves>;

/// Lists all states of the outer traces and the automaton; `None` if a limit is exceeded.
pub(super) fn list(
    question: &Inner,
    limits: &Limits,
    budget: &Budget,
) -> Result<Option<Listing>, Stop> {
    let sides = [&question.outer, &question.inner];
    let inputs: usize = sides.iter().map(|side| side.inputs.len()).sum();
    if sides
        .iter()
        .any(|side| side.latches.len() > LATCHES_OF_SIDE)
        || inputs > limits.inputs
    {
        return Ok(None);
    }
    let mut explorer = Explorer {
        question,
        limits,
        left: limits.gates,
        steps: limits.steps,
    };
    let Some(outer) = explorer.outer(budget)? else {
        return Ok(None);
    };
    let Some((moves, inner_starts)) = explorer.pairs(&outer, budget)? else {
        return Ok(None);
    };
    Ok(positions(question, outer, (&moves, &inner_starts), limits))
}

/// The states and steps of the outer traces, without the automaton.
struct Outer {
    states: Vec<u64>,
    starts: Vec<usize>,
    /// For each state its steps: inputs (bits) and next state (index).
    steps: Vec<Vec<(usize, usize)>>,
}

struct Explorer<'a> {
    question: &'a Inner,
    limits: &'a Limits,
    /// Number of gates that may still be evaluated.
    left: usize,
    /// Number of steps that may still be listed.
    steps: usize,
}

impl Explorer<'_> {
    fn aig(&self) -> &Aig {
        &self.question.runs.aig
    }

    /// Returns the values of all nodes in these states under 64 valuations of the inputs, those with numbers from 64 × `chunk` on. The
    /// outer inputs are the lower bits of a valuation's number. `None` if the limit on gates is reached.
    fn evaluate(&mut self, outer: u64, inner: u64, chunk: usize) -> Option<Images<u64>> {
        let aig = &self.question.runs.aig;
        self.left = self.left.checked_sub(aig.len())?;
        let Inner {
            outer: given,
            inner: answer,
            ..
        } = self.question;
        let bit = |index: usize| match LANES.get(index) {
            Some(&lanes) => lanes,
            None => u64::from(chunk >> (index - LANES.len()) & 1 == 1).wrapping_neg(),
        };
        let input = |input: usize| {
            let own = given.inputs.iter().position(|&known| known == input);
            let other = || {
                let place = answer.inputs.iter().position(|&known| known == input)?;
                Some(place + given.inputs.len())
            };
            own.or_else(other).map_or(0, bit)
        };
        let latch = |latch: usize| {
            let value = |side: &Side, state: u64| {
                let place = side.latches.iter().position(|&known| known == latch)?;
                Some((state >> place & 1).wrapping_neg())
            };
            value(given, outer)
                .or_else(|| value(answer, inner))
                .unwrap_or(0)
        };
        Some(aig.evaluate(|leaf| match leaf {
            Leaf::Input(index) => input(index),
            Leaf::Latch(index) => latch(index),
        }))
    }

    /// Returns the next state of a side, as bits, in the valuation of this lane.
    fn next(&self, side: &Side, values: &Images<u64>, lane: usize) -> u64 {
        let latches = self.aig().latches();
        let places = side.latches.iter().enumerate();
        places.fold(0, |state, (place, &latch)| {
            state | (values.of(latches[latch].next) >> lane & 1) << place
        })
    }

    fn outer(&mut self, budget: &Budget) -> Result<Option<Outer>, Stop> {
        let question = self.question;
        let inputs = question.outer.inputs.len();
        let most = self.limits.states;
        let mut states = starts(self.aig(), &question.outer, &question.equal, most);
        let known = states.len();
        let mut numbers: FxHashMap<u64, usize> = FxHashMap::default();
        numbers.extend(states.iter().enumerate().map(|(i, &state)| (state, i)));
        let mut steps: Vec<Vec<(usize, usize)>> = Vec::new();
        while steps.len() < states.len() {
            budget.check()?;
            if states.len() > self.limits.states || self.steps == 0 {
                return Ok(None);
            }
            let state = states[steps.len()];
            let mut out = Vec::new();
            for chunk in 0..chunks(inputs) {
                let Some(values) = self.evaluate(state, 0, chunk) else {
                    return Ok(None);
                };
                let exists = question.exists.iter();
                let exists = exists.fold(u64::MAX, |all, &lit| all & values.of(lit));
                for lane in lanes(inputs, exists) {
                    let to = self.next(&question.outer, &values, lane);
                    let fresh = states.len();
                    let to = *numbers.entry(to).or_insert_with(|| {
                        states.push(to);
                        fresh
                    });
                    out.push((chunk * 64 + lane, to));
                }
            }
            self.steps = self.steps.saturating_sub(out.len());
            steps.push(out);
        }
        let mut starts: Vec<usize> = (0..known).collect();
        if planted(Fault::OneOuterStart) {
            starts.truncate(1);
        }
        if planted(Fault::ForgottenOuterStep) {
            steps
                .iter_mut()
                .filter(|out| out.len() > 1)
                .for_each(|out| {
                    out.pop();
                });
        }
        live::only_endless(&mut steps, &mut starts);
        Ok(Some(Outer {
            states,
            starts,
            steps,
        }))
    }

    /// Returns the automaton's moves at each step of the outer traces, and its initial states. `None` if a limit is exceeded.
    fn pairs(
        &mut self,
        outer: &Outer,
        budget: &Budget,
    ) -> Result<Option<(ByStep, Vec<u64>)>, Stop> {
        let question = self.question;
        let given = question.outer.inputs.len();
        let inputs = given + question.inner.inputs.len();
        let first = starts(self.aig(), &question.inner, &[], self.limits.states);
        let mut open: Vec<(usize, u64)> = Vec::new();
        for &start in &outer.starts {
            open.extend(first.iter().map(|&state| (start, state)));
        }
        let mut seen: std::collections::HashSet<(usize, u64)> = open.iter().copied().collect();
        let mut moves = ByStep::new();
        while let Some((state, inner)) = open.pop() {
            budget.check()?;
            if seen.len() > self.limits.pairs || self.steps == 0 {
                return Ok(None);
            }
            let to: HashMap<usize, usize> = outer.steps[state].iter().copied().collect();
            for chunk in 0..chunks(inputs) {
                let Some(values) = self.evaluate(outer.states[state], inner, chunk) else {
                    return Ok(None);
                };
                let constraints = self.aig().constraints.iter();
                let kept = constraints.fold(u64::MAX, |all, signal| all & values.of(signal.lit));
                for lane in lanes(inputs, kept) {
                    let inputs = (chunk * 64 + lane) & ((1 << given) - 1);
                    let Some(&to) = to.get(&inputs) else {
                        continue;
                    };
                    let next = self.next(&question.inner, &values, lane);
                    let justice = question.runs.justice.iter().enumerate();
                    let met = justice.fold(0, |met, (i, &lit)| {
                        met | (values.of(lit) >> lane & 1) << i.min(63)
                    });
                    moves
                        .entry((state, inputs))
                        .or_default()
                        .push((inner, next, met));
                    self.steps = self.steps.saturating_sub(1);
                    if seen.insert((to, next)) {
                        open.push((to, next));
                    }
                }
            }
        }
        for moves in moves.values_mut() {
            moves.sort_unstable();
            moves.dedup();
        }
        Ok(Some((moves, first)))
    }
}

/// For each input up to the sixth its value in lanes 0 to 63: the bits of the lane's number.
const LANES: [u64; 6] = [
    0xAAAA_AAAA_AAAA_AAAA,
    0xCCCC_CCCC_CCCC_CCCC,
    0xF0F0_F0F0_F0F0_F0F0,
    0xFF00_FF00_FF00_FF00,
    0xFFFF_0000_FFFF_0000,
    0xFFFF_FFFF_0000_0000,
];

fn chunks(inputs: usize) -> usize {
    1 << inputs.saturating_sub(LANES.len())
}

/// Returns the lanes in `set`, by number, among those that have different valuations of so many inputs.
fn lanes(inputs: usize, set: u64) -> impl Iterator<Item = usize> {
    let different = 1_usize << inputs.min(LANES.len());
    (0..different).filter(move |lane| set >> lane & 1 == 1)
}

/// Returns all initial states of a side, as bits, with equal values for the latches in each pair of `equal`. The list is incomplete if
/// there are more than `most`.
fn starts(aig: &Aig, side: &Side, equal: &[(usize, usize)], most: usize) -> Vec<u64> {
    let mut states = vec![0_u64];
    for (place, &latch) in side.latches.iter().enumerate() {
        let one = |state: &u64| state | 1 << place;
        match aig.latches()[latch].reset {
            Reset::Zero => {}
            Reset::One => states.iter_mut().for_each(|state| *state = one(state)),
            Reset::Free => {
                if states.len() > most {
                    continue;
                }
                let ones: Vec<u64> = states.iter().map(one).collect();
                states.extend(ones);
            }
        }
    }
    let place = |latch: usize| side.latches.iter().position(|&known| known == latch);
    states.retain(|state| {
        equal.iter().all(|&(one, other)| {
            let values = [one, other].map(|latch| place(latch).map(|p| state >> p & 1));
            values[0] == values[1] || values.contains(&None)
        })
    });
    states
}

/// Whether a trace in this state of the outer traces must be refuted: a finite trace that has ended, or any infinite trace, since those
/// have no bit for their end.
fn has_ended(question: &Inner, state: u64) -> bool {
    let mut latches = question.outer.latches.iter();
    let place = question
        .alive
        .and_then(|alive| latches.position(|&latch| latch == alive));
    place.is_none_or(|place| state >> place & 1 == 0)
}

/// Returns the listing with an automaton that awaits one acceptance condition at a time (degeneralised). Positions that never accept are
/// left out. `None` if a limit is exceeded.
fn positions(
    question: &Inner,
    outer: Outer,
    (moves, first): (&ByStep, &[u64]),
    limits: &Limits,
) -> Option<Listing> {
    let known = outer.starts.len() * first.len();
    let ended: Vec<bool> = (outer.states.iter())
        .map(|&state| has_ended(question, state))
        .collect();
    let pairs = paired(question, &outer, (moves, first), limits)?;
    let useful = pairs.useful(&ended);
    let mut listing = Listing {
        first: vec![Vec::new(); outer.starts.len()],
        outer: outer.states,
        ended,
        starts: outer.starts,
        steps: Vec::new(),
        inner: pairs.positions.clone(),
        letters: Vec::new(),
    };
    for pair in (0..known).filter(|&pair| useful[pair]) {
        let (state, position) = pairs.at(pair);
        let place = listing.starts.iter().position(|&start| start == state);
        if let Some(place) = place {
            listing.first[place].push(position);
        }
    }
    let mut by_step = letters_by_step(&pairs, &useful);
    let mut letters: HashMap<InOrder, usize> = HashMap::new();
    for (state, steps) in outer.steps.iter().enumerate() {
        let mut out: Vec<OuterStep> = Vec::new();
        for &(inputs, to) in steps {
            let mut letter = by_step.remove(&(state, inputs)).unwrap_or_default();
            letter.sort_unstable();
            let fresh = letters.len();
            let letter = *letters.entry(letter).or_insert(fresh);
            let mut same = out.iter();
            if same.all(|step| (step.to, step.letter) != (to, letter)) {
                out.push(OuterStep { inputs, to, letter });
            }
        }
        listing.steps.push(out);
    }
    let mut in_order: Vec<(InOrder, usize)> = letters.into_iter().collect();
    in_order.sort_unstable_by_key(|&(_, number)| number);
    let letters = in_order.into_iter();
    listing.letters = letters
        .map(|(letter, _)| letter.into_iter().collect())
        .collect();
    Some(listing)
}

/// A letter as a list, ordered by position.
type InOrder = Vec<(usize, Vec<(usize, bool)>)>;

/// Returns the reachable pairs of an outer state and a position; the first ones are all pairs of initial states. `None` if a limit is
/// exceeded.
fn paired(
    question: &Inner,
    outer: &Outer,
    (moves, first): (&ByStep, &[u64]),
    limits: &Limits,
) -> Option<Pairs> {
    let conditions = question.runs.justice.len();
    // The conditions met in a step are the bits of one word.
    if conditions > 63 {
        return None;
    }
    let mut pairs = Pairs::default();
    for &start in &outer.starts {
        for &state in first {
            pairs.number(start, (state, 0));
        }
    }
    let none = Vec::new();
    let mut steps = 0;
    while let Some((state, (inner, waits_for))) = pairs.unexplored() {
        if pairs.len() > limits.pairs || steps > limits.steps {
            return None;
        }
        for &(inputs, to) in &outer.steps[state] {
            let moves = moves.get(&(state, inputs)).unwrap_or(&none);
            let from = moves.partition_point(|&(from, ..)| from < inner);
            let own = moves[from..].iter();
            for &(_, next, met) in own.take_while(|&&(from, ..)| from == inner) {
                let mut waiting = waits_for;
                while waiting < conditions && met >> waiting & 1 == 1 {
                    waiting += 1;
                }
                let all = waiting == conditions;
                let next = (next, if all { 0 } else { waiting });
                pairs.add_step(inputs, to, next, all);
                steps += 1;
            }
        }
    }
    Some(pairs)
}

/// Returns, for each step of outer traces (state, inputs), the automaton's moves between positions of pairs that are `useful`.
fn letters_by_step(pairs: &Pairs, useful: &[bool]) -> HashMap<(usize, usize), InOrder> {
    let mut by_step: HashMap<(usize, usize), InOrder> = HashMap::new();
    for pair in (0..pairs.len()).filter(|&pair| useful[pair]) {
        let (state, position) = pairs.at(pair);
        let mut out: HashMap<usize, Vec<(usize, bool)>> = HashMap::new();
        for &(inputs, to, all) in pairs.steps(pair).iter().filter(|step| useful[step.1]) {
            let (_, next) = pairs.at(to);
            out.entry(inputs).or_default().push((next, all));
        }
        for (inputs, mut out) in out {
            out.sort_unstable();
            // A move that meets all conditions subsumes an equal move that does not.
            out.dedup_by(|later, earlier| {
                let same = later.0 == earlier.0;
                earlier.1 |= same && later.1;
                same
            });
            let letter = by_step.entry((state, inputs)).or_default();
            letter.push((position, out));
        }
    }
    by_step
}
