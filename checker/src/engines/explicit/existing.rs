//! Finds the existing steps from given states where constraints exclude most valuations.
//!
//! Inputs and choices are chosen a few bits at a time, and a prefix that breaks a constraint for all values of the remaining bits is
//! dropped at once. For example, relations between states and their successors, as in SMV, determine most choices. [`super::evaluator`]
//! instead tries all valuations.

use std::collections::BTreeMap;

use hyperkill_core::sim::words;
use hyperkill_evidence::fault::{self, Fault};

use super::evaluator::{Evaluator, Extracted, LANES, RawStep, WORDS};
use super::plan::{Plan, Valuation};

/// Number of bits chosen between two checks of the constraints.
const CHOSEN_AT_ONCE: usize = 2;

/// Number of prefixes of steps that are extended together; so many are stored for each number of chosen bits.
const TOGETHER: usize = 1 << 12;

/// A state with its plan, from which steps are searched.
#[derive(Clone, Copy, Debug)]
pub(super) struct Start<'s> {
    pub(super) plan: &'s Plan,
    pub(super) state: &'s [u64],
    /// The only input valuation to consider, if not all are.
    pub(super) valuation: Option<Valuation>,
}

/// A prefix of a step: some bits of its plan are chosen, the others are still 0.
#[derive(Clone, Copy)]
struct Prefix {
    /// The index, among the given states, of the state from which it starts.
    slot: usize,
    assignment: usize,
    /// Mask of the bits of choices that can no longer matter, for all values of the other bits; they stay 0.
    idle: u64,
}

/// The order in which the bits of a plan are chosen.
struct Order {
    /// The bits of an assignment: given ones first, then the others in the order of choice.
    places: Vec<usize>,
    /// The number of bits that are given at the start.
    given: usize,
    /// The number of bits after whose choice no constraint can fail.
    decided: usize,
}

impl Evaluator {
    /// Calls `visit` for every existing step from these states, whose plans all have the same number of bits, at most
    /// [`Plan::MOST_CHOSEN`]. Steps come by state, in any order for one state. Of steps that differ only in choices that do not matter, the
    /// one with the least choice is visited.
    ///
    /// Returns the number of prefixes evaluated for each state, which does not depend on the other states.
    ///
    /// # Errors
    /// The error of `afford`, which is called before each evaluation with the number of prefixes.
    pub(super) fn existing<E>(
        &self,
        starts: &[Start<'_>],
        afford: impl FnMut(usize) -> Result<(), E>,
        visit: impl FnMut(RawStep<'_>),
    ) -> Result<Vec<usize>, E> {
        let orders = self.orders(starts);
        let first = orders.iter().map(|order| order.given).min();
        let begin = |(slot, start): (usize, &Start<'_>)| Prefix {
            slot,
            assignment: start
                .valuation
                .map_or(0, |v| self.enumerated().assigned(start.plan, v)),
            idle: 0,
        };
        let mut alike: BTreeMap<usize, Vec<Prefix>> = BTreeMap::new();
        for (prefix, order) in starts.iter().enumerate().map(begin).zip(&orders) {
            alike.entry(order.decided).or_default().push(prefix);
        }
        let mut search = StepSearch {
            evaluator: self,
            starts,
            orders,
            decided: 0,
            evaluated: vec![0; starts.len()],
            possible: self.simulator().possible(),
            lanes: self.simulator().lanes(),
            extracted: Extracted::new(self),
            afford,
            visit,
        };
        for (decided, prefixes) in alike {
            search.decided = decided;
            search.go_on(&prefixes, first.unwrap_or(0))?;
        }
        Ok(search.evaluated)
    }

    /// Returns for each state the order in which the bits of its plan are chosen: those that the constraint with the fewest open bits reads
    /// come first.
    fn orders(&self, starts: &[Start<'_>]) -> Vec<Order> {
        match starts.len() {
            0..=64 => self.orders_of::<1>(starts),
            _ => self.orders_of::<WORDS>(starts),
        }
    }

    fn orders_of<const W: usize>(&self, starts: &[Start<'_>]) -> Vec<Order> {
        let mut orders = Vec::with_capacity(starts.len());
        let mut possible = self.simulator().possible::<W>();
        for batch in starts.chunks(64 * W) {
            let states: Vec<&[u64]> = batch.iter().map(|start| start.state).collect();
            for (latch, row) in self.rows(&states, 1) {
                possible.set_latch(latch, row);
            }
            possible.eval();
            for (lane, start) in batch.iter().enumerate() {
                let (inputs, places): (Vec<usize>, Vec<u64>) =
                    self.enumerated().inputs_of(start.plan).into_iter().unzip();
                let constraints = self.constraints().iter().copied();
                let conditions = possible.conditions(lane, constraints, &inputs);
                let conditions = conditions.into_iter().map(|reads| {
                    let read = places.iter().take(64).enumerate();
                    let read = read.filter(|&(k, _)| reads >> k & 1 == 1);
                    read.fold(0, |all, (_, places)| all | places)
                });
                orders.push(order(start, conditions.collect()));
            }
        }
        orders
    }
}

/// Returns the order in which bits are chosen. Each of `conditions` is the mask of the bits that one constraint reads.
fn order(start: &Start<'_>, mut conditions: Vec<u64>) -> Order {
    let bits = start.plan.bits();
    let mut places: Vec<usize> = match start.valuation {
        Some(_) => start.plan.valuation_places().collect(),
        None => Vec::new(),
    };
    let given = places.len();
    let mut open = (0..bits).fold(0u64, |open, place| open | 1 << place);
    for &place in &places {
        open &= !(1 << place);
    }
    loop {
        conditions.retain(|reads| reads & open != 0);
        let next = conditions
            .iter()
            .min_by_key(|&&reads| (reads & open).count_ones());
        let Some(&reads) = next else {
            break;
        };
        places.extend((0..bits).filter(|place| (reads & open) >> place & 1 == 1));
        open &= !reads;
    }
    let decided = places.len();
    places.extend((0..bits).filter(|place| open >> place & 1 == 1));
    Order {
        places,
        given,
        decided,
    }
}

struct StepSearch<'a, 's, A, V> {
    evaluator: &'a Evaluator,
    starts: &'s [Start<'s>],
    /// For each state the order in which bits are chosen.
    orders: Vec<Order>,
    /// The number of bits after which no constraint can fail in any of the states.
    decided: usize,
    /// For each state the number of prefixes evaluated so far.
    evaluated: Vec<usize>,
    possible: hyperkill_core::sim::Possible<'a, WORDS>,
    lanes: hyperkill_core::sim::Lanes<'a, WORDS>,
    extracted: Extracted,
    afford: A,
    visit: V,
}

impl<E, A: FnMut(usize) -> Result<(), E>, V: FnMut(RawStep<'_>)> StepSearch<'_, '_, A, V> {
    /// Extends prefixes in which the first `chosen` bits of the order are chosen to complete steps.
    fn go_on(&mut self, prefixes: &[Prefix], chosen: usize) -> Result<(), E> {
        let all = self.orders.first().map_or(0, |order| order.places.len());
        if chosen >= self.decided || all - chosen <= CHOSEN_AT_ONCE {
            return self.continued(prefixes, chosen..all, Self::complete);
        }
        for together in prefixes.chunks(TOGETHER) {
            let mut left = Vec::new();
            let next = chosen + CHOSEN_AT_ONCE;
            self.continued(together, chosen..next, |search, lanes| {
                search.leave(lanes, next, &mut left);
            })?;
            self.go_on(&left, next)?;
        }
        Ok(())
    }

    /// Extends prefixes by all values of the bits at these positions of the order. Calls `then` with each batch of extended prefixes, at
    /// most one for each lane.
    fn continued(
        &mut self,
        prefixes: &[Prefix],
        bits: std::ops::Range<usize>,
        mut then: impl FnMut(&mut Self, &[Prefix]),
    ) -> Result<(), E> {
        let mut lanes = Vec::with_capacity(LANES);
        for &prefix in prefixes {
            let slot = prefix.slot;
            let places = self.orders[slot].places[bits.clone()].iter().copied();
            let places: Vec<usize> = places.filter(|p| prefix.idle >> p & 1 == 0).collect();
            for values in 0..1usize << places.len() {
                let chosen = places.iter().enumerate();
                let chosen = chosen.map(|(k, &place)| (values >> k & 1) << place);
                let assignment = chosen.fold(prefix.assignment, |all, bit| all | bit);
                if self.starts[slot].plan.repeats(assignment) {
                    continue;
                }
                lanes.push(Prefix {
                    assignment,
                    ..prefix
                });
                self.evaluated[slot] += 1;
                if lanes.len() == LANES {
                    (self.afford)(LANES)?;
                    then(self, &lanes);
                    lanes.clear();
                }
            }
        }
        if !lanes.is_empty() {
            (self.afford)(lanes.len())?;
            then(self, &lanes);
        }
        Ok(())
    }

    /// Adds to `left` those of these prefixes, with `chosen` bits chosen, that may still satisfy the constraints.
    fn leave(&mut self, lanes: &[Prefix], chosen: usize, left: &mut Vec<Prefix>) {
        let states: Vec<&[u64]> = lanes.iter().map(|p| self.starts[p.slot].state).collect();
        for (latch, row) in self.evaluator.rows(&states, 1) {
            self.possible.set_latch(latch, row);
        }
        for (input, ones, known) in self.inputs(lanes, chosen) {
            let zero = ones.map(|word| !word);
            let one = std::array::from_fn(|w| ones[w] | !known[w]);
            self.possible.set_input(input, [zero, one]);
        }
        self.possible.eval();
        let mut alive = words::range::<WORDS>(0..lanes.len());
        for &constraint in self.evaluator.constraints() {
            let [zero, one] = self.possible.can_be(constraint);
            let holds = if fault::planted(Fault::DroppedOpenSteps) {
                zero.map(|word| !word)
            } else {
                one
            };
            alive = std::array::from_fn(|w| alive[w] & holds[w]);
        }
        if fault::planted(Fault::IgnoredDeadEnds) {
            alive = words::range(0..lanes.len());
        }
        let influence = self.possible.influence(self.evaluator.signals());
        let enumerated = self.evaluator.enumerated();
        left.extend(words::lanes_of(&alive).map(|lane| {
            let matters =
                |place: usize| words::is_set(&influence[enumerated.inputs()[place]], lane);
            Prefix {
                idle: enumerated.idle(self.starts[lanes[lane].slot].plan, matters),
                ..lanes[lane]
            }
        }));
    }

    /// Simulates steps whose bits are all chosen, and calls `visit` for those that satisfy the constraints.
    fn complete(&mut self, lanes: &[Prefix]) {
        let states: Vec<&[u64]> = lanes.iter().map(|p| self.starts[p.slot].state).collect();
        for (latch, row) in self.evaluator.rows(&states, 1) {
            self.lanes.set_latch(latch, row);
        }
        let all = self.orders.first().map_or(0, |order| order.places.len());
        for (input, ones, _) in self.inputs(lanes, all) {
            self.lanes.set_input(input, ones);
        }
        self.lanes.eval();
        let (evaluator, starts, visit) = (self.evaluator, self.starts, &mut self.visit);
        let used = lanes.len();
        self.extracted
            .each(evaluator, &self.lanes, used, |lane, outputs, next| {
                let Prefix {
                    slot, assignment, ..
                } = lanes[lane];
                visit(RawStep {
                    slot,
                    valuation: evaluator
                        .enumerated()
                        .valuation(starts[slot].plan, assignment),
                    assignment,
                    outputs,
                    next,
                });
            });
    }

    /// Returns for each enumerated circuit input the lanes in which it is known to be 1, and the lanes in which it is known.
    fn inputs(&self, lanes: &[Prefix], chosen: usize) -> Vec<(usize, [u64; WORDS], [u64; WORDS])> {
        let enumerated = self.evaluator.enumerated();
        let mut values = vec![[[0u64; WORDS]; 2]; enumerated.inputs().len()];
        for (
            lane,
            &Prefix {
                slot, assignment, ..
            },
        ) in lanes.iter().enumerate()
        {
            let places = self.orders[slot].places[..chosen].iter();
            let places = places.fold(0u64, |all, &place| all | 1 << place);
            enumerated.each_known(self.starts[slot].plan, assignment, places, |input, one| {
                let [ones, known] = &mut values[input];
                known[lane / 64] |= 1 << (lane % 64);
                ones[lane / 64] |= u64::from(one) << (lane % 64);
            });
        }
        let inputs = enumerated.inputs().iter().zip(values);
        inputs
            .map(|(&input, [ones, known])| (input, ones, known))
            .collect()
    }
}
