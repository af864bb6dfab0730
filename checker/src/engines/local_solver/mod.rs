//! A small clause-learning SAT solver that assigns only the variables relevant to a call.
//!
//! Property-directed reachability asks many thousands of small questions about one large circuit. Other solvers assign every variable
//! before they answer "possible". This solver is given the variables that matter to a call ([`LocalSolver::focus`]). It assigns no others,
//! and skips clauses that contain a variable outside the focus.
//!
//! This is sound for every focus: the answer "impossible" follows from clauses alone. The answer "possible" means that the focus can be
//! assigned. The caller guarantees that such an assignment extends to all variables. The guarantee holds if all other variables are gates
//! whose operands are in the focus, or are not read at all.
//!
//! Not all of the focus is assigned either. The solver knows the operands of gates ([`Solver::add_gate`]), and decides only variables that
//! an assigned gate or a clause still needs. An assignment is complete if assigned operands justify every assigned gate, and every clause
//! has a true literal. It then holds for all values of the other variables (the justification frontier of test generation for circuits). A
//! call that proves hard is decided in the order of activity instead.
//!
//! The machinery follows Eén, Sörensson, "An extensible SAT-solver" (SAT 2003).

mod decisions;
mod order;
#[cfg(test)]
mod tests;

use hyperkill_core::budget::memory::Charge;
use hyperkill_core::budget::{Budget, Stop};
use hyperkill_core::work::{Unit, count};
use hyperkill_sat::{Answer, Lit, Solver};

use order::Order;

/// The number of a literal: twice the variable, plus one if it is negated.
type Code = u32;
/// The index in the arena at which a clause starts.
type Place = u32;

/// Stands for "no clause": the reason of decisions.
const NONE: Place = u32::MAX;
/// Number of watches in a cache line.
const WATCHES_IN_A_LINE: u64 = 8;
/// Number of conflicts between restarts, multiplied by the Luby sequence.
const RESTART: u64 = 64;
/// Number of conflicts between two checks of the clock.
const PATIENCE: u64 = 64;
/// Initial limit of learned clauses. It grows whenever half of them are dropped.
const LEARNED: usize = 2_000;

/// Estimates of memory: bytes per entry of the arena, with its part of two watches, and bytes per variable, as measured on random circuits
/// of 300 000 gates.
const PER_ENTRY: usize = 10;
const PER_VARIABLE: usize = 140;

/// Flag, in the clause of a watch, of a clause of two literals.
const PAIR: u32 = 1 << 31;

#[derive(Clone, Copy)]
struct Watch {
    /// The place of the clause, marked with [`PAIR`] if the blocker is its only other literal.
    clause: Place,
    /// Another literal of the clause. If it is true, or does not matter, the clause need not be inspected.
    blocker: Code,
}

/// The state of the search when a decision level starts.
#[derive(Clone, Copy)]
struct Mark {
    /// The number of assigned literals when the level started.
    trail: usize,
    /// The number of assumptions that have been decided.
    made: usize,
    /// How many literals of the trail and how many owed clauses are known to need no decision.
    settled: [usize; 2],
}

/// A learned clause, which may be dropped again.
struct Learned {
    place: Place,
    /// The number of levels among its literals when it was learned (LBD); small numbers mark useful clauses.
    levels: u32,
}

/// A clause-learning solver that assigns only the variables in focus.
pub struct LocalSolver {
    /// Clauses one after the other: length, then literals; the first two are watched. Length 0 marks a dropped clause.
    arena: Vec<u32>,
    watches: Vec<Vec<Watch>>,
    learned: Vec<Learned>,
    most_learned: usize,
    /// For each literal its current value: 1 true, -1 false, 0 open.
    values: Vec<i8>,
    levels: Vec<u32>,
    reasons: Vec<Place>,
    phases: Vec<bool>,
    trail: Vec<Code>,
    marks: Vec<Mark>,
    /// For each variable the operands of its gate; [`NONE`] twice for other variables.
    fan_ins: Vec<[Code; 2]>,
    /// Clauses that are neither a gate's nor learned. The search must make one literal of each true.
    owed: Vec<Place>,
    /// The number of owed clauses from which on those that are always true are removed.
    most_owed: usize,
    /// How many literals of the trail and how many owed clauses need no decision at the current level.
    settled: [usize; 2],
    /// Whether this call assigns all variables of the focus, in the order of activity.
    thorough: bool,
    head: usize,
    order: Order,
    /// For each variable the stamp of the last focus that contained it; the current focus has the current stamp.
    focus: Vec<u32>,
    stamp: u32,
    /// Whether a focus is set; without one all variables matter.
    focused: bool,
    in_focus: Vec<u32>,
    seen: Vec<bool>,
    model: Vec<bool>,
    /// For each variable the number of the call that last assigned it.
    assigned_in: Vec<u32>,
    calls: u32,
    blamed: Vec<bool>,
    blame: Vec<Code>,
    conflicts: u64,
    /// The approximate number of cache lines that searches have read.
    ticks: u64,
    /// Conflicts and ticks that have been counted as work.
    counted: [u64; 2],
    charge: Charge,
    /// Whether the clauses are contradictory without any assumptions.
    broken: bool,
}

impl Default for LocalSolver {
    fn default() -> Self {
        LocalSolver::new()
    }
}

fn code(lit: Lit) -> Code {
    lit.vidx32() << 1 | u32::from(lit.is_neg())
}

fn variable(lit: Code) -> usize {
    (lit >> 1) as usize
}

impl LocalSolver {
    /// Returns an empty solver without a focus.
    #[must_use]
    pub fn new() -> LocalSolver {
        LocalSolver {
            arena: Vec::new(),
            watches: Vec::new(),
            learned: Vec::new(),
            most_learned: LEARNED,
            values: Vec::new(),
            levels: Vec::new(),
            reasons: Vec::new(),
            phases: Vec::new(),
            trail: Vec::new(),
            marks: Vec::new(),
            fan_ins: Vec::new(),
            owed: Vec::new(),
            most_owed: 0,
            settled: [0; 2],
            thorough: false,
            head: 0,
            order: Order::new(),
            focus: Vec::new(),
            stamp: 0,
            focused: false,
            in_focus: Vec::new(),
            seen: Vec::new(),
            model: Vec::new(),
            assigned_in: Vec::new(),
            calls: 0,
            blamed: Vec::new(),
            blame: Vec::new(),
            conflicts: 0,
            ticks: 0,
            counted: [0; 2],
            charge: Charge::default(),
            broken: false,
        }
    }

    /// Returns the approximate memory in bytes: clauses with their watches, learned ones included, and variables.
    fn size(&self) -> usize {
        PER_ENTRY * self.arena.len() + PER_VARIABLE * self.levels.len()
    }

    /// Returns the conflicts of all calls so far, a number that is the same on every machine.
    #[must_use]
    pub fn conflicts(&self) -> u64 {
        self.conflicts
    }

    /// Sets the focus of the next calls: the variables of these literals, and the assumed ones.
    pub fn focus(&mut self, lits: impl IntoIterator<Item = Lit>) {
        self.focused = true;
        self.stamp += 1;
        self.in_focus.clear();
        for lit in lits {
            self.add_to_focus(lit.vidx());
        }
    }

    /// Whether the last answer assigned this variable; all others may have any value.
    #[must_use]
    pub fn is_assigned(&self, lit: Lit) -> bool {
        self.assigned_in[lit.vidx()] == self.calls && self.is_in_focus(lit)
    }

    /// Whether this variable is in the focus of the next or last call.
    #[must_use]
    pub fn is_in_focus(&self, lit: Lit) -> bool {
        self.matters(lit.vidx())
    }

    /// Adds a variable to the focus. Returns `false` if it was there already.
    pub fn add_focus(&mut self, lit: Lit) -> bool {
        let new = self.focus[lit.vidx()] != self.stamp;
        self.add_to_focus(lit.vidx());
        new
    }

    fn add_to_focus(&mut self, variable: usize) {
        if self.focus[variable] != self.stamp {
            self.focus[variable] = self.stamp;
            self.in_focus.push(variable as u32);
        }
    }

    fn matters(&self, variable: usize) -> bool {
        !self.focused || self.focus[variable] == self.stamp
    }

    fn value_of(&self, lit: Code) -> i8 {
        self.values[lit as usize]
    }

    fn level(&self) -> u32 {
        self.marks.len() as u32
    }

    fn enqueue(&mut self, lit: Code, reason: Place) {
        let v = variable(lit);
        self.values[lit as usize] = 1;
        self.values[(lit ^ 1) as usize] = -1;
        self.levels[v] = self.level();
        self.reasons[v] = reason;
        self.trail.push(lit);
    }

    fn attach(&mut self, lits: &[Code]) -> Place {
        let place = self.arena.len() as Place;
        debug_assert!(place < PAIR);
        self.arena.push(lits.len() as u32);
        self.arena.extend(lits);
        let mark = if lits.len() == 2 { PAIR } else { 0 };
        for (own, other) in [(0, 1), (1, 0)] {
            self.watches[(lits[own] ^ 1) as usize].push(Watch {
                clause: place | mark,
                blocker: lits[other],
            });
        }
        place
    }

    /// Whether a clause with this literal can be skipped: the literal is true, or it is open and out of focus (not with `everything`).
    fn passes(&self, lit: Code, everything: bool) -> bool {
        match self.value_of(lit) {
            0 => !everything && self.focus[variable(lit)] != self.stamp,
            value => value > 0,
        }
    }

    /// Propagates assignments by unit clauses. Returns a clause that became false; `None` if there is none.
    fn propagate(&mut self) -> Option<Place> {
        // A consequence at level 0 holds in every call, for every focus.
        let everything = !self.focused || self.level() == 0;
        while self.head < self.trail.len() {
            let lit = self.trail[self.head];
            self.head += 1;
            let mut watches = std::mem::take(&mut self.watches[lit as usize]);
            self.ticks += 1 + watches.len() as u64 / WATCHES_IN_A_LINE;
            let (mut kept, mut at) = (0, 0);
            let mut conflict = None;
            while at < watches.len() && conflict.is_none() {
                let (watch, broken) = self.visit(watches[at], lit ^ 1, everything);
                at += 1;
                if let Some(watch) = watch {
                    watches[kept] = watch;
                    kept += 1;
                }
                conflict = broken;
            }
            watches.copy_within(at.., kept);
            watches.truncate(kept + watches.len() - at);
            self.watches[lit as usize] = watches;
            if conflict.is_some() {
                self.head = self.trail.len();
                return conflict;
            }
        }
        None
    }

    /// Inspects a clause whose watched literal `own` has become false. Returns the watch if the clause is still watched there (`None` if
    /// not), and the clause if all its literals are false.
    #[inline]
    fn visit(
        &mut self,
        watch: Watch,
        own: Code,
        everything: bool,
    ) -> (Option<Watch>, Option<Place>) {
        if self.passes(watch.blocker, everything) {
            return (Some(watch), None);
        }
        if watch.clause & PAIR != 0 {
            // Pairs are never dropped, and the blocker is the only other literal.
            let place = watch.clause & !PAIR;
            if self.value_of(watch.blocker) != 0 {
                return (Some(watch), Some(place));
            }
            self.enqueue(watch.blocker, place);
            return (Some(watch), None);
        }
        let start = watch.clause as usize + 1;
        let length = self.arena[start - 1] as usize;
        if length == 0 {
            return (None, None);
        }
        if self.arena[start] == own {
            self.arena.swap(start, start + 1);
        }
        let other = self.arena[start];
        let renewed = Watch {
            clause: watch.clause,
            blocker: other,
        };
        if self.passes(other, everything) {
            return (Some(renewed), None);
        }
        let open = (2..length).find(|&i| self.value_of(self.arena[start + i]) >= 0);
        if let Some(i) = open {
            let new = self.arena[start + i];
            self.arena[start + i] = own;
            self.arena[start + 1] = new;
            self.watches[(new ^ 1) as usize].push(renewed);
            return (None, None);
        }
        if self.value_of(other) < 0 {
            return (Some(renewed), Some(watch.clause));
        }
        self.enqueue(other, watch.clause);
        (Some(renewed), None)
    }

    fn cancel(&mut self, level: u32) {
        if self.level() <= level {
            return;
        }
        let Mark {
            trail: start,
            settled,
            ..
        } = self.marks[level as usize];
        self.settled = settled;
        for i in (start..self.trail.len()).rev() {
            let lit = self.trail[i];
            let v = variable(lit);
            self.values[lit as usize] = 0;
            self.values[(lit ^ 1) as usize] = 0;
            self.phases[v] = lit & 1 == 0;
            self.order.put_back(v as u32);
        }
        self.trail.truncate(start);
        self.marks.truncate(level as usize);
        self.head = start;
    }

    /// Returns the clause learned from a false clause, with its only literal of the current level first, and the level to return to.
    fn analyse(&mut self, conflict: Place) -> (Vec<Code>, u32) {
        let mut clause = vec![0];
        let mut open = 0;
        let mut place = conflict;
        let mut at = self.trail.len();
        let mut marked: Vec<usize> = Vec::new();
        let mut resolved: Option<Code> = None;
        loop {
            let start = place as usize + 1;
            for i in start..start + self.arena[start - 1] as usize {
                let lit = self.arena[i];
                let v = variable(lit);
                if Some(lit) == resolved || self.seen[v] || self.levels[v] == 0 {
                    continue;
                }
                self.seen[v] = true;
                marked.push(v);
                self.order.bump(v as u32);
                if self.levels[v] == self.level() {
                    open += 1;
                } else {
                    clause.push(lit);
                }
            }
            let lit = loop {
                at -= 1;
                if self.seen[variable(self.trail[at])] {
                    break self.trail[at];
                }
            };
            open -= 1;
            if open == 0 {
                clause[0] = lit ^ 1;
                break;
            }
            resolved = Some(lit);
            place = self.reasons[variable(lit)];
        }
        // A literal whose reason is implied by the others is redundant.
        let kept: Vec<Code> = clause[1..]
            .iter()
            .copied()
            .filter(|&lit| !self.is_implied(lit))
            .collect();
        clause.truncate(1);
        clause.extend(kept);
        for v in marked {
            self.seen[v] = false;
        }
        let deepest = (1..clause.len()).max_by_key(|&i| self.levels[variable(clause[i])]);
        let back = deepest.map_or(0, |i| {
            clause.swap(1, i);
            self.levels[variable(clause[1])]
        });
        (clause, back)
    }

    fn is_implied(&self, lit: Code) -> bool {
        let reason = self.reasons[variable(lit)];
        if reason == NONE {
            return false;
        }
        let start = reason as usize + 1;
        let lits = &self.arena[start..start + self.arena[start - 1] as usize];
        lits.iter().all(|&other| {
            let v = variable(other);
            v == variable(lit) || self.seen[v] || self.levels[v] == 0
        })
    }

    fn learn(&mut self, clause: &[Code], back: u32) {
        let mut levels: Vec<u32> = clause.iter().map(|&l| self.levels[variable(l)]).collect();
        levels.sort_unstable();
        levels.dedup();
        self.cancel(back);
        if clause.len() == 1 {
            self.enqueue(clause[0], NONE);
            return;
        }
        let place = self.attach(clause);
        self.learned.push(Learned {
            place,
            levels: levels.len() as u32,
        });
        self.enqueue(clause[0], place);
    }

    /// Drops the less useful half of the learned clauses. Called at level 0 only.
    fn forget(&mut self) {
        if self.learned.len() < self.most_learned {
            return;
        }
        self.most_learned += self.most_learned / 10;
        self.learned
            .sort_by_key(|clause| (clause.levels, std::cmp::Reverse(clause.place)));
        for dropped in self.learned.split_off(self.learned.len() / 2) {
            let start = dropped.place as usize + 1;
            let is_reason = |lit: Code| {
                let v = variable(lit);
                self.value_of(lit) > 0 && self.reasons[v] == dropped.place
            };
            let is_pair = self.arena[start - 1] == 2;
            if is_pair || is_reason(self.arena[start]) || is_reason(self.arena[start + 1]) {
                self.learned.push(dropped);
            } else {
                self.arena[start - 1] = 0;
            }
        }
    }

    /// Records as blamed the assumption `failed`, which is false, and the assumptions that imply its negation.
    fn blame_for(&mut self, failed: Code) {
        self.add_blame(failed);
        let mut marked = vec![variable(failed)];
        self.seen[variable(failed)] = true;
        let base = self
            .marks
            .first()
            .map_or(self.trail.len(), |mark| mark.trail);
        for i in (base..self.trail.len()).rev() {
            let lit = self.trail[i];
            let v = variable(lit);
            if !self.seen[v] {
                continue;
            }
            if self.reasons[v] == NONE {
                self.add_blame(lit);
                continue;
            }
            let start = self.reasons[v] as usize + 1;
            for j in start..start + self.arena[start - 1] as usize {
                let other = variable(self.arena[j]);
                if !self.seen[other] && self.levels[other] > 0 {
                    self.seen[other] = true;
                    marked.push(other);
                }
            }
        }
        for v in marked {
            self.seen[v] = false;
        }
    }

    fn add_blame(&mut self, lit: Code) {
        self.blamed[lit as usize] = true;
        self.blame.push(lit);
    }

    /// Counts the work of a call since it was last counted, as work of this thread.
    fn count_work(&mut self) {
        let [conflicts, ticks] = std::mem::replace(&mut self.counted, [self.conflicts, self.ticks]);
        count(Unit::Conflicts, self.conflicts - conflicts);
        count(Unit::Ticks, self.ticks - ticks);
    }

    /// Searches an assignment under the assumptions `assumed`, with at most `most` conflicts.
    fn search(&mut self, assumed: &[Code], most: u64, budget: &Budget) -> Answer {
        let first = self.conflicts;
        let mut restarts = 0;
        let mut until = self.conflicts + RESTART;
        loop {
            if let Some(conflict) = self.propagate() {
                self.conflicts += 1;
                if self.level() == 0 {
                    self.broken = true;
                    return Answer::Impossible;
                }
                let (clause, back) = self.analyse(conflict);
                self.learn(&clause, back);
                self.order.decay();
                if (self.conflicts - first).is_multiple_of(PATIENCE) {
                    self.count_work();
                    if let Some(stop) = budget.stopped() {
                        return Answer::Undecided(stop);
                    }
                }
                continue;
            }
            if self.conflicts - first >= most {
                return Answer::Undecided(Stop::Bound);
            }
            if self.conflicts >= until {
                restarts += 1;
                until = self.conflicts + RESTART * luby(restarts);
                self.cancel(0);
                self.forget();
                self.search_thoroughly();
                continue;
            }
            let mut made = self.marks.last().map_or(0, |mark| mark.made);
            while assumed.get(made).is_some_and(|&lit| self.value_of(lit) > 0) {
                made += 1;
            }
            let decision = match assumed.get(made) {
                Some(&lit) if self.value_of(lit) < 0 => {
                    self.blame_for(lit);
                    return Answer::Impossible;
                }
                Some(&lit) => Some((lit, made + 1)),
                None => self.choose().map(|lit| (lit, made)),
            };
            let Some((lit, made)) = decision else {
                return Answer::Possible;
            };
            self.marks.push(Mark {
                trail: self.trail.len(),
                made,
                settled: self.settled,
            });
            self.enqueue(lit, NONE);
        }
    }

    /// Adds a clause, simplified. Returns its place in the arena; `None` if it is always true, or has fewer than two open literals left.
    fn add(&mut self, clause: &[Lit]) -> Option<Place> {
        if self.broken {
            return None;
        }
        debug_assert_eq!(self.level(), 0);
        let mut lits: Vec<Code> = clause.iter().copied().map(code).collect();
        lits.sort_unstable();
        lits.dedup();
        let is_true = lits.windows(2).any(|pair| pair[0] ^ 1 == pair[1])
            || lits.iter().any(|&lit| self.value_of(lit) > 0);
        if is_true {
            return None;
        }
        lits.retain(|&lit| self.value_of(lit) == 0);
        match lits.as_slice() {
            [] => self.broken = true,
            [lit] => {
                self.enqueue(*lit, NONE);
                self.broken = self.propagate().is_some();
            }
            _ => return Some(self.attach(&lits)),
        }
        None
    }

    /// Stores the assignment found as the model of this call.
    fn read_model(&mut self) {
        for &lit in &self.trail {
            let v = variable(lit);
            self.model[v] = lit & 1 == 0;
            self.assigned_in[v] = self.calls;
        }
    }
}

/// Returns the element of the Luby sequence 1, 1, 2, 1, 1, 2, 4, … with this index, from 1.
fn luby(index: u64) -> u64 {
    let mut index = index;
    loop {
        let size = 64 - index.leading_zeros();
        if index + 1 == 1 << size {
            return 1 << (size - 1);
        }
        index -= (1 << (size - 1)) - 1;
    }
}

impl Solver for LocalSolver {
    fn new_lit(&mut self) -> Lit {
        let v = self.levels.len();
        self.watches.extend([Vec::new(), Vec::new()]);
        self.values.extend([0, 0]);
        self.levels.push(0);
        self.reasons.push(NONE);
        self.phases.push(false);
        self.focus.push(0);
        self.seen.push(false);
        self.model.push(false);
        self.assigned_in.push(0);
        self.fan_ins.push([NONE; 2]);
        self.blamed.extend([false, false]);
        self.order.add();
        Lit::positive(v as u32)
    }

    fn add_clause(&mut self, clause: &[Lit]) {
        let place = self.add(clause);
        self.owed.extend(place);
    }

    fn add_gate(&mut self, out: Lit, fan_in: [Lit; 2], clauses: &[&[Lit]]) {
        self.fan_ins[out.vidx()] = fan_in.map(code);
        for clause in clauses {
            self.add(clause);
        }
    }

    fn solve(&mut self, assumptions: &[Lit], conflicts: Option<u32>, budget: &Budget) -> Answer {
        let over = self.charge.hold(budget, self.size());
        if let Some(stop) = over.or_else(|| budget.stopped()) {
            return Answer::Undecided(stop);
        }
        for lit in std::mem::take(&mut self.blame) {
            self.blamed[lit as usize] = false;
        }
        if self.broken {
            return Answer::Impossible;
        }
        self.forget();
        self.settle_accounts();
        self.calls += 1;
        self.settled = [0; 2];
        self.thorough = false;
        self.order.fill(std::iter::empty());
        let assumed: Vec<Code> = assumptions.iter().copied().map(code).collect();
        if self.focused {
            for &lit in &assumed {
                self.add_to_focus(variable(lit));
            }
        }
        self.counted = [self.conflicts, self.ticks];
        let answer = self.search(&assumed, conflicts.map_or(u64::MAX, u64::from), budget);
        self.ticks += self.in_focus.len() as u64 / WATCHES_IN_A_LINE;
        self.count_work();
        if answer == Answer::Possible {
            self.read_model();
        }
        self.cancel(0);
        answer
    }

    fn value(&mut self, lit: Lit) -> bool {
        self.model[lit.vidx()] != lit.is_neg()
    }

    fn is_blamed(&mut self, assumption: Lit) -> bool {
        self.blamed[code(assumption) as usize]
    }
}
