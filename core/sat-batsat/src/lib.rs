//! BatSat, a solver of the MiniSat family in Rust. Only the certifier uses it, so that a bug in the engines' solver cannot confirm itself.

use std::cell::Cell;

use batsat::{Callbacks, ClauseKind, SolverInterface, SolverOpts, lbool};
use hyperkill_core::budget::memory::Charge;
use hyperkill_core::budget::{Budget, Stop};
use hyperkill_core::work::{Unit, count};
use hyperkill_sat::{Answer, Lit, Solver};

/// Bytes that BatSat takes per variable, per clause and per literal in a clause, as measured on random circuits of 300 000 gates, without
/// learned clauses.
const PER_VARIABLE: usize = 160;
const PER_CLAUSE: usize = 32;
const PER_LITERAL: usize = 4;

/// Number of decisions between two checks of the clock.
const PATIENCE: u32 = 1024;

/// A BatSat instance.
pub struct Batsat {
    solver: batsat::Solver<Limit>,
    /// The positive literal of each variable.
    positive: Vec<batsat::Lit>,
    clause: Vec<batsat::Lit>,
    /// Clauses and literals added.
    clauses: usize,
    literals: usize,
    /// The number of added clauses that have been counted as work.
    counted: usize,
    charge: Charge,
}

/// The limits of a call.
struct Limit {
    /// Clauses learned in all calls, one for each conflict.
    learned: u64,
    /// Limit of learned clauses.
    most: u64,
    budget: Budget,
    /// Decisions until the next check of the clock.
    patience: Cell<u32>,
    over: Cell<bool>,
}

impl Callbacks for Limit {
    fn on_new_clause(&mut self, _: &[batsat::Lit], kind: ClauseKind) {
        self.learned += u64::from(kind == ClauseKind::Learnt);
    }

    fn stop(&self) -> bool {
        if self.learned >= self.most || self.over.get() {
            return true;
        }
        let patience = self.patience.get();
        if patience > 0 {
            self.patience.set(patience - 1);
            return false;
        }
        self.patience.set(PATIENCE);
        self.over.set(self.budget.stopped().is_some());
        self.over.get()
    }
}

impl Default for Batsat {
    fn default() -> Self {
        Batsat::new()
    }
}

impl Batsat {
    /// Returns an empty solver.
    #[must_use]
    pub fn new() -> Batsat {
        let limit = Limit {
            learned: 0,
            most: u64::MAX,
            budget: Budget::unlimited(),
            patience: Cell::new(PATIENCE),
            over: Cell::new(false),
        };
        Batsat {
            solver: batsat::Solver::new(SolverOpts::default(), limit),
            positive: Vec::new(),
            clause: Vec::new(),
            clauses: 0,
            literals: 0,
            counted: 0,
            charge: Charge::default(),
        }
    }

    /// Returns the approximate memory in bytes, as far as it is visible from outside.
    fn size(&self) -> usize {
        PER_VARIABLE * self.positive.len() + PER_CLAUSE * self.clauses + PER_LITERAL * self.literals
    }

    fn own(&self, lit: Lit) -> batsat::Lit {
        let positive = self.positive[lit.vidx()];
        if lit.is_pos() { positive } else { !positive }
    }
}

impl Solver for Batsat {
    fn new_lit(&mut self) -> Lit {
        let lit = Lit::positive(self.positive.len() as u32);
        let var = self.solver.new_var_default();
        self.positive.push(batsat::Lit::new(var, true));
        lit
    }

    fn add_clause(&mut self, clause: &[Lit]) {
        self.clauses += 1;
        self.literals += clause.len();
        let mut own = std::mem::take(&mut self.clause);
        own.clear();
        own.extend(clause.iter().map(|&lit| self.own(lit)));
        self.solver.add_clause_reuse(&mut own);
        self.clause = own;
    }

    fn solve(&mut self, assumptions: &[Lit], conflicts: Option<u32>, budget: &Budget) -> Answer {
        let over = self.charge.hold(budget, self.size());
        if let Some(stop) = over.or_else(|| budget.stopped()) {
            return Answer::Undecided(stop);
        }
        let assumed: Vec<batsat::Lit> = assumptions.iter().map(|&lit| self.own(lit)).collect();
        let new = self.clauses - std::mem::replace(&mut self.counted, self.clauses);
        count(Unit::Clauses, new as u64);
        let limit = self.solver.cb_mut();
        let learned = limit.learned;
        let allowed = conflicts.map_or(u64::MAX, u64::from);
        limit.most = limit.learned.saturating_add(allowed);
        limit.budget = budget.clone();
        limit.over.set(false);
        let answer = self.solver.solve_limited(&assumed);
        let learned = self.solver.cb().learned - learned;
        count(Unit::Conflicts, learned);
        if answer == lbool::TRUE {
            Answer::Possible
        } else if answer == lbool::FALSE {
            Answer::Impossible
        } else {
            Answer::Undecided(budget.stopped().unwrap_or(Stop::Bound))
        }
    }

    fn value(&mut self, lit: Lit) -> bool {
        self.solver.value_lit(self.own(lit)) == lbool::TRUE
    }

    fn is_blamed(&mut self, assumption: Lit) -> bool {
        let own = self.own(assumption);
        self.solver.unsat_core_contains_var(own.var())
    }
}
