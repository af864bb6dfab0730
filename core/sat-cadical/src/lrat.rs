//! Proofs of unsatisfiability in LRAT format, which a small program can check: every step names the clauses from which it follows by unit
//! propagation.

use std::cell::RefCell;
use std::fmt::Write;
use std::rc::Rc;

use cadical_sys::{CaDiCal, ProofTracer, Status};
use hyperkill_core::budget::{Budget, Stop};
use rustc_hash::FxHashMap;

use crate::StopWhenOver;

/// The reason why there is no proof.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum NoRefutation {
    /// The clauses are satisfiable.
    Possible,
    /// The budget is spent.
    Stopped(Stop),
    /// The text is no DIMACS problem.
    Malformed,
}

/// Returns an LRAT proof that the clauses of a DIMACS problem are unsatisfiable. Its numbers count these clauses from 1.
///
/// # Errors
/// If the clauses are satisfiable, the budget is spent, or the text is malformed.
pub fn refutation(dimacs: &str, budget: &Budget) -> Result<String, NoRefutation> {
    let clauses = clauses(dimacs).ok_or(NoRefutation::Malformed)?;
    let steps = Rc::new(RefCell::new(Steps {
        numbers: FxHashMap::default(),
        originals: 0,
        last: clauses.len(),
        text: String::new(),
        is_over: false,
    }));
    let mut solver = CaDiCal::new();
    // Variables introduced by the solver would cause steps that do not follow by propagation.
    solver.set("factor", 0);
    solver.connect_proof_tracer1(Rc::clone(&steps), true, false);
    for clause in &clauses {
        solver.clause6(clause);
    }
    solver.connect_terminator(StopWhenOver(budget.clone()));
    let status = solver.solve();
    solver.disconnect_terminator();
    drop(solver);
    match status {
        Status::UNSATISFIABLE => Ok(std::mem::take(&mut steps.borrow_mut().text)),
        Status::SATISFIABLE => Err(NoRefutation::Possible),
        Status::UNKNOWN => {
            let stop = budget.stopped().unwrap_or(Stop::Bound);
            Err(NoRefutation::Stopped(stop))
        }
    }
}

fn clauses(dimacs: &str) -> Option<Vec<Vec<i32>>> {
    let lines = dimacs.lines();
    let lines = lines.filter(|line| !line.starts_with(['c', 'p']));
    let mut clauses = Vec::new();
    let mut clause = Vec::new();
    for word in lines.flat_map(str::split_ascii_whitespace) {
        match word.parse().ok()? {
            0 => clauses.push(std::mem::take(&mut clause)),
            literal => clause.push(literal),
        }
    }
    clause.is_empty().then_some(clauses)
}

/// The proof steps so far, with clauses renumbered consecutively.
struct Steps {
    numbers: FxHashMap<i64, usize>,
    originals: usize,
    last: usize,
    text: String,
    /// Whether the empty clause was derived.
    is_over: bool,
}

impl Steps {
    fn step(&mut self, id: i64, clause: &[i32], antecedents: &[i64]) {
        if self.is_over {
            return;
        }
        self.last += 1;
        self.numbers.insert(id, self.last);
        // Writing to a string cannot fail.
        let _ = write!(self.text, "{}", self.last);
        for literal in clause {
            let _ = write!(self.text, " {literal}");
        }
        self.text.push_str(" 0");
        for antecedent in antecedents {
            let number = self.numbers.get(antecedent).copied().unwrap_or(0);
            let _ = write!(self.text, " {number}");
        }
        self.text.push_str(" 0\n");
        self.is_over = clause.is_empty();
    }
}

impl ProofTracer for Steps {
    fn add_original_clause(&mut self, id: i64, _: bool, _: &[i32], restored: bool) {
        if !restored {
            self.originals += 1;
            self.numbers.insert(id, self.originals);
        }
    }

    fn add_derived_clause(
        &mut self,
        id: i64,
        _: bool,
        _: i32,
        clause: &[i32],
        antecedents: &[i64],
    ) {
        self.step(id, clause, antecedents);
    }

    fn delete_clause(&mut self, id: i64, _: bool, _: &[i32]) {
        if let Some(number) = self.numbers.get(&id)
            && !self.is_over
        {
            let _ = writeln!(self.text, "{} d {number} 0", self.last);
        }
    }

    fn weaken_minus(&mut self, _: i64, _: &[i32]) {}

    fn strengthen(&mut self, _: i64) {}

    fn finalize_clause(&mut self, _: i64, _: &[i32]) {}

    fn add_assumption(&mut self, _: i32) {}

    fn add_constraint(&mut self, _: &[i32]) {}

    fn reset_assumptions(&mut self) {}

    fn add_assumption_clause(&mut self, id: i64, clause: &[i32], antecedents: &[i64]) {
        self.step(id, clause, antecedents);
    }

    fn conclude_sat(&mut self, _: i32, _: &[i32]) {}

    fn conclude_unsat(&mut self, _: i32, _: &[i64]) {}

    fn conclude_unknown(&mut self, _: &[i32]) {}
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn of_clauses_that_can_be_satisfied_there_is_no_refutation() {
        let budget = Budget::unlimited();
        let of = |text: &str| refutation(text, &budget);
        assert_eq!(of("p cnf 1 1\n1 0\n"), Err(NoRefutation::Possible));
        assert_eq!(of("p cnf 1 1\n1\n"), Err(NoRefutation::Malformed));
        assert_eq!(of("p cnf 1 1\nx 0\n"), Err(NoRefutation::Malformed));
        let steps = of("c two ways\np cnf 2 4\n1 2 0\n1 -2 0\n-1 2 0\n-1 -2 0\n").unwrap();
        let last = steps.lines().last().unwrap();
        assert!(last.contains(" 0 "), "{steps}");
    }
}
