//! CaDiCaL through `cadical-sys` (cxx; builds with a C++ compiler alone, without libclang).
//!
//! The solver is not `Send`: each job creates its own.

pub mod lrat;

use cadical_sys::{CaDiCal, Status, Terminator};
use hyperkill_core::budget::memory::Charge;
use hyperkill_core::budget::{Budget, Stop};
use hyperkill_core::work::{Unit, count, ticks_of};
use hyperkill_sat::{Answer, Lit, Solver};

/// Bytes per variable, per clause and per literal in a clause, without learned clauses. With these estimates, a process that unrolled a
/// competition problem used 66 to 80 % of 200 MiB to 2 GiB when the limit stopped it.
const PER_VARIABLE: usize = 240;
const PER_CLAUSE: usize = 40;
const PER_LITERAL: usize = 6;

/// A CaDiCaL instance.
pub struct Cadical {
    solver: CaDiCal,
    variables: u32,
    clause: Vec<i32>,
    /// Clauses and literals added.
    clauses: usize,
    literals: usize,
    /// The number of added clauses that have been counted as work.
    counted: usize,
    charge: Charge,
}

pub(crate) struct StopWhenOver(pub(crate) Budget);

impl Terminator for StopWhenOver {
    fn terminated(&mut self) -> bool {
        self.0.stopped().is_some()
    }
}

impl Default for Cadical {
    fn default() -> Self {
        Cadical::new()
    }
}

impl Cadical {
    /// Returns an empty solver.
    #[must_use]
    pub fn new() -> Cadical {
        let mut solver = CaDiCal::new();
        // Bounded variable addition would introduce variables of its own, whose numbers clash with later ones.
        solver.set("factor", 0);
        // Lucky assignments would be tried at every call, and calls are many and small.
        solver.set("lucky", 0);
        Cadical {
            solver,
            variables: 0,
            clause: Vec::new(),
            clauses: 0,
            literals: 0,
            counted: 0,
            charge: Charge::default(),
        }
    }

    /// Returns an empty solver without inprocessing (simplification during search), for many easy calls.
    #[must_use]
    pub fn plain() -> Cadical {
        let mut cadical = Cadical::new();
        cadical.solver.set("inprocessing", 0);
        cadical
    }

    /// Returns an empty solver for formulas that grow from call to call, with mostly easy calls. It does not simplify clauses between
    /// calls: that takes longer than the calls, and later clauses restore removed ones.
    #[must_use]
    pub fn growing() -> Cadical {
        let mut cadical = Cadical::new();
        for technique in ["inprobing", "elim", "subsume"] {
            cadical.solver.set(technique, 0);
        }
        cadical
    }

    /// Returns the number of conflicts of all calls so far.
    #[must_use]
    pub fn conflicts(&self) -> u64 {
        u64::try_from(self.solver.get_statistic_value("conflicts")).unwrap_or(0)
    }

    /// Returns the number of cache lines that the searches of all calls have read so far, by the solver's own estimate.
    fn ticks(&self) -> u64 {
        u64::try_from(self.solver.get_statistic_value("ticks")).unwrap_or(0)
    }

    /// Returns the approximate memory in bytes, as far as it is visible from outside.
    fn size(&self) -> usize {
        PER_VARIABLE * self.variables as usize
            + PER_CLAUSE * self.clauses
            + PER_LITERAL * self.literals
    }
}

impl Solver for Cadical {
    fn new_lit(&mut self) -> Lit {
        let lit = Lit::positive(self.variables);
        self.variables += 1;
        lit
    }

    fn add_clause(&mut self, clause: &[Lit]) {
        self.clauses += 1;
        self.literals += clause.len();
        self.clause.clear();
        self.clause.extend(clause.iter().map(|lit| lit.to_ipasir()));
        self.solver.clause6(&self.clause);
    }

    fn solve(&mut self, assumptions: &[Lit], conflicts: Option<u32>, budget: &Budget) -> Answer {
        let over = self.charge.hold(budget, self.size());
        if let Some(stop) = over.or_else(|| budget.stopped()) {
            return Answer::Undecided(stop);
        }
        for lit in assumptions {
            self.solver.assume(lit.to_ipasir());
        }
        if let Some(limit) = conflicts {
            let limit = i32::try_from(limit).unwrap_or(i32::MAX);
            self.solver.limit("conflicts", limit);
        }
        // The work of this call is counted only after it, so the rest of the slice becomes a limit of the call.
        if let Some(left) = budget.slice_left() {
            let ticks = i32::try_from(ticks_of(left)).unwrap_or(i32::MAX);
            self.solver.limit("ticks", ticks);
        }
        self.solver.connect_terminator(StopWhenOver(budget.clone()));
        count(Unit::Clauses, (self.clauses - self.counted) as u64);
        self.counted = self.clauses;
        let before = [self.conflicts(), self.ticks()];
        let status = self.solver.solve();
        count(Unit::Conflicts, self.conflicts().saturating_sub(before[0]));
        count(Unit::Ticks, self.ticks().saturating_sub(before[1]));
        self.solver.disconnect_terminator();
        match status {
            Status::SATISFIABLE => Answer::Possible,
            Status::UNSATISFIABLE => Answer::Impossible,
            Status::UNKNOWN => Answer::Undecided(budget.stopped().unwrap_or(Stop::Bound)),
        }
    }

    fn value(&mut self, lit: Lit) -> bool {
        // CaDiCaL returns the literal itself if it is true, and its negation if not.
        let lit = lit.to_ipasir();
        self.solver.val(lit) == lit
    }

    fn is_blamed(&mut self, assumption: Lit) -> bool {
        self.solver.failed(assumption.to_ipasir())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_literal_and_its_negation_have_opposite_values() {
        let mut solver = Cadical::new();
        let (yes, no) = (solver.new_lit(), solver.new_lit());
        solver.add_clause(&[yes]);
        solver.add_clause(&[!no]);
        let answer = solver.solve(&[], None, &Budget::unlimited());
        assert_eq!(answer, Answer::Possible);
        assert!(solver.value(yes) && !solver.value(!yes));
        assert!(!solver.value(no) && solver.value(!no));
    }
}
