//! Writes clauses as DIMACS for other solvers.

use std::fmt::Write;

use hyperkill_core::budget::{Budget, Stop};
use hyperkill_sat::{Answer, Lit, Solver};

/// Records clauses without solving them.
#[derive(Default)]
pub(crate) struct Clauses {
    variables: u32,
    clauses: usize,
    text: String,
}

impl Clauses {
    /// Returns the clauses in DIMACS. `remarks` explains the variables, one line each.
    pub(crate) fn problem(&self, remarks: &[String]) -> String {
        let mut text = String::new();
        for remark in remarks {
            text += &format!("c {remark}\n");
        }
        text + &format!("p cnf {} {}\n{}", self.variables, self.clauses, self.text)
    }
}

impl Solver for Clauses {
    fn new_lit(&mut self) -> Lit {
        let lit = Lit::positive(self.variables);
        self.variables += 1;
        lit
    }

    fn add_clause(&mut self, clause: &[Lit]) {
        self.clauses += 1;
        for literal in clause {
            // Writing to a string cannot fail.
            let _ = write!(self.text, "{} ", literal.to_ipasir());
        }
        self.text.push_str("0\n");
    }

    fn solve(&mut self, _: &[Lit], _: Option<u32>, _: &Budget) -> Answer {
        Answer::Undecided(Stop::Bound)
    }

    fn value(&mut self, _: Lit) -> bool {
        false
    }

    fn is_blamed(&mut self, _: Lit) -> bool {
        true
    }
}
