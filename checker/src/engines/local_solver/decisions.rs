//! Chooses the next decision: one that justifies an assigned gate or satisfies a clause; in hard calls, the most active variable.

use hyperkill_evidence::fault::{self, Fault};

use super::{Code, LocalSolver, NONE, Place, variable};

/// Number of owed clauses (those that need a decision) up to which satisfied ones are not removed.
const OWED: usize = 64;

impl LocalSolver {
    /// Returns the literal to decide next; `None` if every assigned gate is justified and every clause satisfied.
    pub(super) fn choose(&mut self) -> Option<Code> {
        if self.thorough {
            return self.most_active();
        }
        while let Some(&lit) = self.trail.get(self.settled[0]) {
            if let Some(decision) = self.justification(lit) {
                return Some(decision);
            }
            self.settled[0] += 1;
        }
        while let Some(&place) = self.owed.get(self.settled[1]) {
            if let Some(decision) = self.satisfaction(place) {
                return Some(decision);
            }
            self.settled[1] += 1;
        }
        None
    }

    /// Returns a literal that sets an operand of a false gate to false, and so justifies it. `None` if the gate `lit` needs no
    /// justification.
    fn justification(&self, lit: Code) -> Option<Code> {
        let v = variable(lit);
        // A true conjunction has propagated its operands.
        let [a, b] = self.fan_ins[v];
        if lit & 1 == 0 || a == NONE || !self.matters(v) || fault::planted(Fault::UnjustifiedGate) {
            return None;
        }
        if self.value_of(a) != 0 || self.value_of(b) != 0 {
            return None;
        }
        let is_false = |lit: Code| self.phases[variable(lit)] != (lit & 1 == 0);
        let chosen = match [is_false(a), is_false(b)] {
            [true, false] => a,
            [false, true] => b,
            _ if self.order.prefers(variable(b), variable(a)) => b,
            _ => a,
        };
        Some(chosen ^ 1)
    }

    /// Returns an open literal of a clause to set to true. `None` if the clause needs none: a literal is true, or open and out of focus.
    fn satisfaction(&self, place: Place) -> Option<Code> {
        let start = place as usize + 1;
        let lits = &self.arena[start..start + self.arena[start - 1] as usize];
        if lits.iter().any(|&lit| self.passes(lit, !self.focused)) {
            return None;
        }
        let open = lits.iter().copied().filter(|&lit| self.value_of(lit) == 0);
        let as_before = |lit: &Code| self.phases[variable(*lit)] == (lit & 1 == 0);
        let mut best = None;
        for lit in open {
            if as_before(&lit) {
                return Some(lit);
            }
            best = best.or(Some(lit));
        }
        best
    }

    /// Makes this call assign every variable in the focus, in the order of activity.
    pub(super) fn search_thoroughly(&mut self) {
        if self.thorough {
            return;
        }
        self.thorough = true;
        if self.focused {
            self.order.fill(self.in_focus.iter().copied());
        } else {
            self.order.fill(0..self.levels.len() as u32);
        }
    }

    /// Returns the literal of the most active open variable in the focus that gives it its last value; `None` if there is no such variable.
    fn most_active(&mut self) -> Option<Code> {
        while let Some(v) = self.order.take() {
            if self.values[(v << 1) as usize] == 0 && self.matters(v as usize) {
                return Some(v << 1 | u32::from(!self.phases[v as usize]));
            }
        }
        None
    }

    /// Removes owed clauses that are always true, if there are many owed clauses. Called at level 0.
    pub(super) fn settle_accounts(&mut self) {
        if self.owed.len() < self.most_owed {
            return;
        }
        let mut owed = std::mem::take(&mut self.owed);
        owed.retain(|&place| {
            let start = place as usize + 1;
            let lits = &self.arena[start..start + self.arena[start - 1] as usize];
            !lits.iter().any(|&lit| self.value_of(lit) > 0)
        });
        self.most_owed = 2 * owed.len() + OWED;
        self.owed = owed;
    }
}
