//! The interface to SAT solvers. Literals are RustSAT's.
//!
//! Three solvers implement [`Solver`]: CaDiCaL for unrollings (`core/sat-cadical`), BatSat for the certifier (`core/sat-batsat`), and the
//! checker's own for property-directed reachability (`checker/src/engines/local_solver`). They are separate packages, so that Cargo
//! enforces who uses which: the certifier does not depend on the engines' solver.
//!
//! Answers are named by their meaning for the question, not `sat` and `unsat`. With quantifier alternation these words have no fixed
//! meaning, so they occur only in these packages and `checker/src/engines/encode`.

pub use rustsat::types::Lit;

use hyperkill_core::budget::{Budget, Stop};

/// The answer of a solver call.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Answer {
    /// An assignment satisfies all clauses and assumptions; [`Solver::value`] reads it.
    Possible,
    /// No assignment satisfies all clauses and assumptions; [`Solver::is_blamed`] tells which assumptions were used.
    Impossible,
    /// A limit was reached before the answer was known.
    Undecided(Stop),
}

/// An incremental SAT solver.
pub trait Solver {
    /// Returns a fresh variable's positive literal.
    fn new_lit(&mut self) -> Lit;

    /// Adds a permanent clause.
    fn add_clause(&mut self, clause: &[Lit]);

    /// Adds the clauses that define `out` as the conjunction of two literals. A solver may use the information that they are a gate.
    fn add_gate(&mut self, _out: Lit, _fan_in: [Lit; 2], clauses: &[&[Lit]]) {
        for clause in clauses {
            self.add_clause(clause);
        }
    }

    /// Solves under assumptions, within `conflicts` conflicts (unlimited if `None`) and the budget.
    fn solve(&mut self, assumptions: &[Lit], conflicts: Option<u32>, budget: &Budget) -> Answer;

    /// Returns the literal's value after [`Answer::Possible`]; false for a don't-care.
    fn value(&mut self, lit: Lit) -> bool;

    /// Whether the last [`Answer::Impossible`] was derived with this assumption.
    fn is_blamed(&mut self, assumption: Lit) -> bool;
}
