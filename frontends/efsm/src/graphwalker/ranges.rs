//! Ranges of integers, proved from guards: the smallest intervals that contain all reachable values of a variable, up to widening.
//!
//! Intervals of a location grow as edges lead there. After some rounds a bound that still grows is widened to the next number of the
//! scripts, and beyond the last one to infinity. Later rounds narrow the intervals to the values that edges lead to.
//!
//! A round visits locations in reverse postorder. It skips locations that have not grown since their last visit.

use std::collections::{BTreeMap, BTreeSet};

use hyperkill_guarded::tree::{BinaryOp, ExprId, ExprKind, Exprs, UnaryOp};

/// The number of rounds before bounds are widened, so that loops with few iterations are precise.
const PRECISE_ROUNDS: usize = 12;

/// The number of rounds in which a widened bound advances by one number of the scripts. Later it advances by 2, 4, 8, …, so that few rounds
/// suffice for any amount of numbers.
const SINGLE_ROUNDS: usize = 100;

/// The number of rounds of narrowing.
const NARROWING_ROUNDS: usize = 3;

/// The magnitude above which a number is unbounded: 2^53, as for numbers in scripts.
const MAX_BOUND: i64 = 1 << 53;

/// The integers from the first to the second. The extremes of the type stand for a missing bound.
pub(super) type Interval = (i64, i64);

/// The unbounded interval.
const ALL: Interval = (i64::MIN, i64::MAX);

/// A step from one location to another.
#[derive(Clone, Debug)]
pub(super) struct GuardedStep {
    /// The location before the step.
    pub(super) from: usize,
    /// The location after the step.
    pub(super) to: usize,
    /// The guard of the step; `None` if it is always enabled.
    pub(super) guard: Option<ExprId>,
    /// The updates: variables with their new values.
    pub(super) updates: Vec<(usize, ExprId)>,
}

/// The input of the analysis of ranges: steps between locations, initial values, and given ranges.
#[derive(Debug)]
pub(super) struct Question<'q> {
    pub(super) exprs: &'q Exprs,
    /// The integer variables by name.
    pub(super) names: &'q BTreeMap<String, usize>,
    /// The initial values.
    pub(super) initial: Vec<i64>,
    /// The given ranges. Values outside of them are ignored.
    pub(super) given: Vec<Option<Interval>>,
    pub(super) steps: &'q [GuardedStep],
    pub(super) locations: usize,
    pub(super) first: usize,
}

type State = Vec<Interval>;

impl Question<'_> {
    /// Returns for each variable an interval that contains all of its values.
    pub(super) fn answered(&self) -> Vec<Interval> {
        let thresholds = self.thresholds();
        let mut states: Vec<Option<State>> = vec![None; self.locations];
        let start: State = self.initial.iter().map(|value| (*value, *value)).collect();
        states[self.first] = Some(start.clone());
        self.grow(&mut states, &thresholds);
        for _ in 0..NARROWING_ROUNDS {
            let mut next: Vec<Option<State>> = vec![None; self.locations];
            next[self.first] = Some(start.clone());
            for step in self.steps {
                let Some(end) = self.after(step, &states) else {
                    continue;
                };
                next[step.to] = Some(match next[step.to].take() {
                    None => end,
                    Some(known) => joined(&known, &end),
                });
            }
            states = next;
        }
        let mut all = start;
        for step in self.steps {
            // Values between two updates of a step count too.
            let mut between = |variable: usize, value: Interval| {
                let known: &mut Interval = &mut all[variable];
                *known = (known.0.min(value.0), known.1.max(value.1));
            };
            self.followed(step, &states, &mut between);
            // A constant counts as a value of its variable even if its step is never taken.
            for (variable, value) in &step.updates {
                if let ExprKind::Number(value) = self.exprs[*value].kind {
                    between(*variable, (value, value));
                }
            }
        }
        all
    }

    /// Extends the intervals of locations until no step leads to new values.
    fn grow(&self, states: &mut [Option<State>], thresholds: &[i64]) {
        let mut from: Vec<Vec<usize>> = vec![Vec::new(); self.locations];
        for (index, step) in self.steps.iter().enumerate() {
            from[step.from].push(index);
        }
        let order = self.reverse_postorder(&from);
        let mut places = vec![0; self.locations];
        for (place, location) in order.iter().enumerate() {
            places[*location] = place;
        }
        let (mut due, mut round) = (BTreeSet::from([places[self.first]]), 0);
        while !due.is_empty() {
            let mut next = BTreeSet::new();
            while let Some(place) = due.pop_first() {
                for index in &from[order[place]] {
                    let step = &self.steps[*index];
                    let Some(end) = self.after(step, states) else {
                        continue;
                    };
                    if grown(&mut states[step.to], end, round, thresholds) {
                        let to = places[step.to];
                        // A later location is visited in the same round.
                        if to > place {
                            due.insert(to);
                        } else {
                            next.insert(to);
                        }
                    }
                }
            }
            (due, round) = (next, round + 1);
        }
    }

    /// Returns the locations reachable from the first one in reverse postorder: each before its successors, except along back edges.
    fn reverse_postorder(&self, from: &[Vec<usize>]) -> Vec<usize> {
        let mut seen = vec![false; self.locations];
        seen[self.first] = true;
        let (mut order, mut open) = (Vec::new(), vec![(self.first, 0)]);
        while let Some((location, next)) = open.last_mut() {
            let Some(index) = from[*location].get(*next) else {
                order.push(*location);
                open.pop();
                continue;
            };
            *next += 1;
            let to = self.steps[*index].to;
            if !std::mem::replace(&mut seen[to], true) {
                open.push((to, 0));
            }
        }
        order.reverse();
        order
    }

    /// Returns the numbers of the scripts and their neighbours, and the initial values, ascending: bounds to which widening moves.
    fn thresholds(&self) -> Vec<i64> {
        let mut all: Vec<i64> = Vec::new();
        for id in self.exprs.ids() {
            if let ExprKind::Number(value) = self.exprs[id].kind {
                all.extend([value - 1, value, value + 1]);
            }
        }
        all.extend(self.initial.iter().copied());
        all.sort_unstable();
        all.dedup();
        all
    }

    /// Returns the intervals after a step; `None` if it is disabled or its location is not reached. `states` has the intervals of each
    /// location.
    fn after(&self, step: &GuardedStep, states: &[Option<State>]) -> Option<State> {
        self.followed(step, states, &mut |_, _| {})
    }

    /// Returns the intervals after a step as [`Self::after`] does, and calls `look` with each assigned variable and its interval.
    fn followed(
        &self,
        step: &GuardedStep,
        states: &[Option<State>],
        look: &mut dyn FnMut(usize, Interval),
    ) -> Option<State> {
        let mut state = states[step.from].clone()?;
        if let Some(guard) = step.guard {
            self.assume(guard, &mut state)?;
        }
        for (variable, value) in &step.updates {
            let mut value = self.value(*value, &state);
            if let Some((low, high)) = self.given[*variable] {
                value = (value.0.max(low), value.1.min(high));
                if value.0 > value.1 {
                    return None;
                }
            }
            look(*variable, value);
            state[*variable] = value;
        }
        Some(state)
    }

    fn variable(&self, id: ExprId) -> Option<usize> {
        match &self.exprs[id].kind {
            ExprKind::Name(name) => self.names.get(name).copied(),
            _ => None,
        }
    }

    /// Restricts intervals by a condition; `None` if they become empty. Conditions other than comparisons of numbers are ignored.
    fn assume(&self, condition: ExprId, state: &mut State) -> Option<()> {
        let mut open = vec![condition];
        while let Some(id) = open.pop() {
            let ExprKind::Binary(op, a, b) = self.exprs[id].kind else {
                continue;
            };
            if op == BinaryOp::And {
                open.extend([a, b]);
                continue;
            }
            for (side, other, op) in [(a, b, Some(op)), (b, a, turned(op))] {
                let (Some(variable), Some(op)) = (self.variable(side), op) else {
                    continue;
                };
                let (low, high) = self.value(other, state);
                let known = &mut state[variable];
                match op {
                    BinaryOp::Eq => *known = (known.0.max(low), known.1.min(high)),
                    BinaryOp::Lt => known.1 = known.1.min(beside(high, -1)),
                    BinaryOp::Le => known.1 = known.1.min(high),
                    BinaryOp::Gt => known.0 = known.0.max(beside(low, 1)),
                    BinaryOp::Ge => known.0 = known.0.max(low),
                    BinaryOp::Ne if low == high && known.0 == low => known.0 = beside(low, 1),
                    BinaryOp::Ne if low == high && known.1 == low => known.1 = beside(low, -1),
                    _ => {}
                }
                if known.0 > known.1 {
                    return None;
                }
            }
        }
        Some(())
    }

    /// Returns the interval of an expression; every number for other expressions than numbers.
    fn value(&self, id: ExprId, state: &State) -> Interval {
        let first = self.exprs.first(id).index();
        let mut values: Vec<Interval> = Vec::new();
        for part in self.exprs.parts(id) {
            let of = |operand: ExprId| values[operand.index() - first];
            let value = match self.exprs[part].kind {
                ExprKind::Number(value) => (value, value),
                ExprKind::Name(_) => self.variable(part).map_or(ALL, |v| state[v]),
                ExprKind::Unary(UnaryOp::Minus, a) => {
                    let (low, high) = of(a);
                    (minus(high), minus(low))
                }
                ExprKind::Binary(BinaryOp::Add, a, b) => {
                    let (a, b) = (of(a), of(b));
                    (sum(a.0, b.0), sum(a.1, b.1))
                }
                ExprKind::Binary(BinaryOp::Sub, a, b) => {
                    let (a, b) = (of(a), of(b));
                    (sum(a.0, minus(b.1)), sum(a.1, minus(b.0)))
                }
                ExprKind::Binary(BinaryOp::Mul, a, b) => product(of(a), of(b)),
                _ => ALL,
            };
            values.push(bounded(value));
        }
        values.pop().unwrap_or(ALL)
    }
}

/// Returns the comparison with its sides exchanged; `None` for other operators.
fn turned(op: BinaryOp) -> Option<BinaryOp> {
    match op {
        BinaryOp::Eq | BinaryOp::Ne => Some(op),
        BinaryOp::Lt => Some(BinaryOp::Gt),
        BinaryOp::Le => Some(BinaryOp::Ge),
        BinaryOp::Gt => Some(BinaryOp::Lt),
        BinaryOp::Ge => Some(BinaryOp::Le),
        _ => None,
    }
}

/// Joins the values `end` after a step into `known`, the intervals of a location. Returns whether they have grown. After the first rounds,
/// a bound that grows is moved on to one of the `thresholds`.
fn grown(known: &mut Option<State>, end: State, round: usize, thresholds: &[i64]) -> bool {
    let Some(known) = known else {
        *known = Some(end);
        return true;
    };
    let mut grown = false;
    for (known, new) in known.iter_mut().zip(end) {
        let joined = (known.0.min(new.0), known.1.max(new.1));
        if joined == *known {
            continue;
        }
        grown = true;
        *known = match round.checked_sub(PRECISE_ROUNDS) {
            None => joined,
            Some(widening) => {
                let further = widening
                    .saturating_sub(SINGLE_ROUNDS)
                    .min(usize::BITS as usize - 1);
                widened(*known, joined, thresholds, (1 << further) - 1)
            }
        };
    }
    grown
}

fn joined(a: &State, b: &State) -> State {
    let pairs = a.iter().zip(b);
    pairs.map(|(a, b)| (a.0.min(b.0), a.1.max(b.1))).collect()
}

/// Returns the bound plus a distance, which may be negative; a missing bound stays missing.
fn beside(bound: i64, distance: i64) -> i64 {
    match bound {
        i64::MIN | i64::MAX => bound,
        bound => bound + distance,
    }
}

fn minus(bound: i64) -> i64 {
    match bound {
        i64::MIN => i64::MAX,
        i64::MAX => i64::MIN,
        bound => -bound,
    }
}

fn sum(a: i64, b: i64) -> i64 {
    match (a, b) {
        (i64::MIN | i64::MAX, _) => a,
        (_, i64::MIN | i64::MAX) => b,
        _ => a.saturating_add(b),
    }
}

fn product(a: Interval, b: Interval) -> Interval {
    let all = [a.0, a.1, b.0, b.1];
    if all
        .iter()
        .any(|bound| matches!(*bound, i64::MIN | i64::MAX))
    {
        return ALL;
    }
    let products = [(a.0, b.0), (a.0, b.1), (a.1, b.0), (a.1, b.1)];
    let products = products.map(|(a, b)| a.saturating_mul(b));
    let least = products.iter().copied().min().unwrap_or(i64::MIN);
    let most = products.iter().copied().max().unwrap_or(i64::MAX);
    (least, most)
}

/// Returns the interval without bounds beyond ±[`MAX_BOUND`].
fn bounded((low, high): Interval) -> Interval {
    let low = if low < -MAX_BOUND { i64::MIN } else { low };
    let high = if high > MAX_BOUND { i64::MAX } else { high };
    (low, high)
}

/// Returns the old interval with each bound that the new one exceeds moved to a threshold: the next one, or a later one by `further`.
/// Beyond the last threshold the bound is missing.
fn widened(old: Interval, new: Interval, thresholds: &[i64], further: usize) -> Interval {
    let low = match new.0 < old.0 {
        false => old.0,
        true => {
            let below = thresholds.partition_point(|threshold| *threshold <= new.0);
            let below = below.checked_sub(1).and_then(|at| at.checked_sub(further));
            below.map_or(i64::MIN, |at| thresholds[at])
        }
    };
    let high = match new.1 > old.1 {
        false => old.1,
        true => {
            let above = thresholds.partition_point(|threshold| *threshold < new.1);
            let above = above.checked_add(further);
            let above = above.and_then(|at| thresholds.get(at));
            above.copied().unwrap_or(i64::MAX)
        }
    };
    (low, high)
}
