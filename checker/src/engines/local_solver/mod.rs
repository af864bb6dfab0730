//! A small clause-learning solver that decides only what a question is about.
//!
//! Property-directed reachability asks many thousands of small questions about one large circuit. Other solvers assign every
//! variable before they say "possible". This one is told which variables matter to a call ([`LocalSolver::focus`]) and
//! leaves all others alone: clauses that mention one of these are passed over.
//!
//! That is sound whatever the focus: an answer "impossible" comes from clauses alone. An answer "possible" says that the
//! focus can be assigned; that this can be extended to all variables is the caller's promise. Where all other variables
//! are gates whose fan-ins are in the focus, or are not read at all, it can.
//!
//! Eén, Sörensson, "An extensible SAT-solver" (SAT 2003), for the machinery.

mod order;

use hyperkill_core::budget::memory::Charge;
use hyperkill_core::budget::{Budget, Stop};
use hyperkill_sat::{Answer, Lit, Solver};

use order::Order;

/// A literal's number: twice the variable, plus one if negated.
type Code = u32;
/// Where a clause starts in the arena.
type Place = u32;

/// Stands for the absence of a clause, as the reason of decisions.
const NONE: Place = u32::MAX;
/// Conflicts between restarts, times the Luby sequence.
const RESTART: u64 = 64;
/// Conflicts between two looks at the clock.
const PATIENCE: u64 = 64;
/// Learned clauses kept at first; grows whenever half of them are dropped.
const LEARNED: usize = 2_000;

/// Bytes for an entry of the arena and its part of two watches, and for a variable, as measured on random circuits of 300 000 gates.
const PER_ENTRY: usize = 10;
const PER_VARIABLE: usize = 140;

/// Marks the place of a clause of two literals.
const PAIR: u32 = 1 << 31;

#[derive(Clone, Copy)]
struct Watch {
    /// Marked with [`PAIR`] if the blocker is the only other literal.
    clause: Place,
    /// Some other literal of the clause: if it is true, or does not matter, the clause need not be looked at.
    blocker: Code,
}

/// A learned clause, which may be dropped again.
struct Learned {
    place: Place,
    /// Number of levels among its literals when it was learned: the fewer, the more useful.
    levels: u32,
}

/// A clause-learning solver that assigns only the variables in focus.
pub struct LocalSolver {
    /// Clauses one after the other: length, then literals; the first two are watched. Length 0 marks a dropped clause.
    arena: Vec<u32>,
    watches: Vec<Vec<Watch>>,
    learned: Vec<Learned>,
    most_learned: usize,
    /// By literal: 1 true, -1 false, 0 open.
    values: Vec<i8>,
    levels: Vec<u32>,
    reasons: Vec<Place>,
    phases: Vec<bool>,
    trail: Vec<Code>,
    /// For each level where it begins on the trail, and how many assumptions were made before.
    marks: Vec<(usize, usize)>,
    head: usize,
    order: Order,
    /// Variables in focus bear the present stamp.
    focus: Vec<u32>,
    stamp: u32,
    /// Whether there is a focus at all.
    focused: bool,
    in_focus: Vec<u32>,
    seen: Vec<bool>,
    model: Vec<bool>,
    blamed: Vec<bool>,
    blame: Vec<Code>,
    conflicts: u64,
    charge: Charge,
    /// Whether the clauses alone are contradictory.
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
    /// An empty solver that is about everything.
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
            head: 0,
            order: Order::new(),
            focus: Vec::new(),
            stamp: 0,
            focused: false,
            in_focus: Vec::new(),
            seen: Vec::new(),
            model: Vec::new(),
            blamed: Vec::new(),
            blame: Vec::new(),
            conflicts: 0,
            charge: Charge::default(),
            broken: false,
        }
    }

    /// Bytes, about: clauses with their watches, learned ones as well, and variables.
    fn size(&self) -> usize {
        PER_ENTRY * self.arena.len() + PER_VARIABLE * self.levels.len()
    }

    /// Conflicts of all calls so far: the same on every machine.
    #[must_use]
    pub fn conflicts(&self) -> u64 {
        self.conflicts
    }

    /// Makes the next calls be about the variables of these literals, and those assumed, only.
    pub fn focus(&mut self, lits: impl IntoIterator<Item = Lit>) {
        self.focused = true;
        self.stamp += 1;
        self.in_focus.clear();
        for lit in lits {
            self.add_to_focus(lit.vidx());
        }
    }

    /// Whether the next call, or the last one, is about this variable.
    #[must_use]
    pub fn is_in_focus(&self, lit: Lit) -> bool {
        self.matters(lit.vidx())
    }

    /// Adds a variable to the focus. `false` if it is there already.
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

    /// Whether a clause with this literal need not be looked at: it is true, or open and out of focus.
    fn passes(&self, lit: Code, everything: bool) -> bool {
        match self.value_of(lit) {
            0 => !everything && self.focus[variable(lit)] != self.stamp,
            value => value > 0,
        }
    }

    /// Follows what is assigned; a clause that is false, if there is one.
    fn propagate(&mut self) -> Option<Place> {
        // What holds at level 0 holds in every call, whatever that is about.
        let everything = !self.focused || self.level() == 0;
        while self.head < self.trail.len() {
            let lit = self.trail[self.head];
            self.head += 1;
            let mut watches = std::mem::take(&mut self.watches[lit as usize]);
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

    /// Looks at a clause of which the watched literal `own` has become false. Gives the watch, if the clause is still watched there, and
    /// the clause, if it is false.
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
            // Pairs are not dropped, and there is nothing to look up.
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
        let (start, _) = self.marks[level as usize];
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

    /// The clause that a conflict teaches, its only literal of the present level first, and the level to go back to.
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
        // A literal whose reason is among the others says nothing new.
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

    /// Drops the less useful half of what was learned. At level 0 only.
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

    /// Blames the assumptions from which the negation of `failed` follows, and `failed` itself.
    fn blame_for(&mut self, failed: Code) {
        self.add_blame(failed);
        let mut marked = vec![variable(failed)];
        self.seen[variable(failed)] = true;
        let base = self.marks.first().map_or(self.trail.len(), |mark| mark.0);
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

    /// Assigns everything that matters, or finds out that this is impossible.
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
                if (self.conflicts - first).is_multiple_of(PATIENCE)
                    && let Some(stop) = budget.stopped()
                {
                    return Answer::Undecided(stop);
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
                continue;
            }
            let mut made = self.marks.last().map_or(0, |mark| mark.1);
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
            self.marks.push((self.trail.len(), made));
            self.enqueue(lit, NONE);
        }
    }

    /// The most active open variable that matters, with its last value.
    fn choose(&mut self) -> Option<Code> {
        while let Some(v) = self.order.take() {
            if self.values[(v << 1) as usize] == 0 && self.matters(v as usize) {
                return Some(v << 1 | u32::from(!self.phases[v as usize]));
            }
        }
        None
    }
}

/// The Luby sequence 1, 1, 2, 1, 1, 2, 4, …, from index 1.
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
        self.blamed.extend([false, false]);
        self.order.add();
        Lit::positive(v as u32)
    }

    fn add_clause(&mut self, clause: &[Lit]) {
        if self.broken {
            return;
        }
        debug_assert_eq!(self.level(), 0);
        let mut lits: Vec<Code> = clause.iter().copied().map(code).collect();
        lits.sort_unstable();
        lits.dedup();
        let is_true = lits.windows(2).any(|pair| pair[0] ^ 1 == pair[1])
            || lits.iter().any(|&lit| self.value_of(lit) > 0);
        if is_true {
            return;
        }
        lits.retain(|&lit| self.value_of(lit) == 0);
        match lits.as_slice() {
            [] => self.broken = true,
            [lit] => {
                self.enqueue(*lit, NONE);
                self.broken = self.propagate().is_some();
            }
            _ => {
                self.attach(&lits);
            }
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
        let assumed: Vec<Code> = assumptions.iter().copied().map(code).collect();
        if self.focused {
            for &lit in &assumed {
                self.add_to_focus(variable(lit));
            }
            self.order.fill(self.in_focus.iter().copied());
        } else {
            self.order.fill(0..self.levels.len() as u32);
        }
        let answer = self.search(&assumed, conflicts.map_or(u64::MAX, u64::from), budget);
        if answer == Answer::Possible {
            if self.focused {
                for i in 0..self.in_focus.len() {
                    let v = self.in_focus[i] as usize;
                    self.model[v] = self.values[v << 1] > 0;
                }
            } else {
                for v in 0..self.model.len() {
                    self.model[v] = self.values[v << 1] > 0;
                }
            }
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

#[cfg(test)]
mod tests {
    use rand::{Rng, RngExt, SeedableRng};
    use rand_chacha::ChaCha8Rng;

    use super::*;

    const VARIABLES: usize = 12;

    fn satisfies(assignment: u64, clause: &[Lit]) -> bool {
        let holds = |lit: &Lit| (assignment >> lit.vidx() & 1 == 1) == lit.is_pos();
        clause.iter().any(holds)
    }

    fn some_lits(rng: &mut ChaCha8Rng, many: usize) -> Vec<Lit> {
        (0..many)
            .map(|_| Lit::new(rng.random_range(0..VARIABLES as u32), rng.random_bool(0.5)))
            .collect()
    }

    #[test]
    fn answers_and_blame_agree_with_all_assignments() {
        let budget = Budget::unlimited();
        let mut seen = [0; 2];
        for seed in 0..400 {
            let mut rng = ChaCha8Rng::seed_from_u64(seed);
            let mut solver = LocalSolver::new();
            for _ in 0..VARIABLES {
                solver.new_lit();
            }
            let mut clauses: Vec<Vec<Lit>> = Vec::new();
            for _ in 0..30 {
                for _ in 0..rng.random_range(0..4) {
                    let many = rng.random_range(2..5);
                    let clause = some_lits(&mut rng, many);
                    solver.add_clause(&clause);
                    clauses.push(clause);
                }
                let many = rng.random_range(0..6);
                let assumed = some_lits(&mut rng, many);
                let mut all = clauses.clone();
                all.extend(assumed.iter().map(|&lit| vec![lit]));
                let possible = |all: &[Vec<Lit>]| {
                    (0..1 << VARIABLES).any(|a| all.iter().all(|c| satisfies(a, c)))
                };
                match solver.solve(&assumed, None, &budget) {
                    Answer::Possible => {
                        let bit = |v: usize| Lit::positive(v as u32);
                        let values = (0..VARIABLES).map(|v| u64::from(solver.value(bit(v))) << v);
                        let found: u64 = values.sum();
                        assert!(
                            all.iter().all(|clause| satisfies(found, clause)),
                            "seed {seed}"
                        );
                        seen[0] += 1;
                    }
                    Answer::Impossible => {
                        let blamed = assumed.iter().filter(|&&lit| solver.is_blamed(lit));
                        let mut core = clauses.clone();
                        core.extend(blamed.map(|&lit| vec![lit]));
                        assert!(!possible(&core), "seed {seed}");
                        seen[1] += 1;
                    }
                    Answer::Undecided(stop) => panic!("{stop:?}"),
                }
            }
        }
        assert!(seen.iter().all(|&n| n > 2_000), "{seen:?}");
    }

    /// Gates over inputs; questions about some of them, with the gates' cones in focus.
    #[test]
    fn a_focus_that_is_closed_under_fan_in_changes_no_answer() {
        let budget = Budget::unlimited();
        let mut impossible = 0;
        for seed in 0..300 {
            let mut rng = ChaCha8Rng::seed_from_u64(seed);
            let mut focused = LocalSolver::new();
            let mut whole = LocalSolver::new();
            let mut cones: Vec<u64> = Vec::new();
            for v in 0..40 {
                let out = focused.new_lit();
                whole.new_lit();
                cones.push(1 << v);
                if v >= 8 {
                    let mut fan_in = || Lit::new(rng.next_u32() % v, rng.random_bool(0.5));
                    let (a, b) = (fan_in(), fan_in());
                    cones[v as usize] |= cones[a.vidx()] | cones[b.vidx()];
                    for clause in [vec![!out, a], vec![!out, b], vec![out, !a, !b]] {
                        focused.add_clause(&clause);
                        whole.add_clause(&clause);
                    }
                }
            }
            for _ in 0..40 {
                let many = rng.random_range(1..6);
                let pick = |_| Lit::new(rng.next_u32() % 40, rng.random_bool(0.5));
                let assumed: Vec<Lit> = (0..many).map(pick).collect();
                let cone = assumed.iter().fold(0, |all, lit| all | cones[lit.vidx()]);
                let about = (0..40).filter(|v| cone >> v & 1 == 1);
                focused.focus(about.map(Lit::positive));
                let answer = focused.solve(&assumed, None, &budget);
                assert_eq!(answer, whole.solve(&assumed, None, &budget), "seed {seed}");
                impossible += usize::from(answer == Answer::Impossible);
            }
        }
        assert!(impossible > 1_000, "{impossible}");
    }

    #[test]
    fn the_luby_sequence_begins_as_it_should() {
        let begin: Vec<u64> = (1..=15).map(luby).collect();
        assert_eq!(begin, [1, 1, 2, 1, 1, 2, 4, 1, 1, 2, 1, 1, 2, 4, 8]);
    }
}
