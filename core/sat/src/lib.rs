//! What a SAT solver is to hyperkill. Literals are RustSAT's.
//!
//! Three makes implement [`Solver`]: CaDiCaL for unrollings (`core/sat-cadical`), BatSat for the certifier (`core/sat-batsat`), and one of
//! the checker's own for property-directed reachability (`checker/src/sat`). They are packages apart, so that Cargo says who uses which:
//! the certifier never sees the engines' solver.
//!
//! Answers are named for what they say about the question asked, not `sat` and `unsat`: with quantifier
//! alternation those words have no fixed sense, so they never leave these packages and `checker/src/engines/encode`.

pub use rustsat::types::Lit;

use hyperkill_core::budget::{Budget, Stop};

/// What a solver call found out.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Answer {
    /// An assignment satisfies all clauses and assumptions; [`Solver::value`] reads it.
    Possible,
    /// None does; [`Solver::is_blamed`] says which assumptions were used.
    Impossible,
    /// Neither: a limit was reached.
    Undecided(Stop),
}

/// An incremental SAT solver.
pub trait Solver {
    /// A fresh variable's positive literal.
    fn new_lit(&mut self) -> Lit;

    /// Adds a clause for good.
    fn add_clause(&mut self, clause: &[Lit]);

    /// Adds the clauses that make `out` the conjunction of two literals. A solver may make use of knowing what they are.
    fn add_gate(&mut self, _out: Lit, _fan_in: [Lit; 2], clauses: &[&[Lit]]) {
        for clause in clauses {
            self.add_clause(clause);
        }
    }

    /// Solves under assumptions, within `conflicts` conflicts (unlimited if `None`) and the budget.
    fn solve(&mut self, assumptions: &[Lit], conflicts: Option<u32>, budget: &Budget) -> Answer;

    /// The literal's value after [`Answer::Possible`]; a don't-care is false.
    fn value(&mut self, lit: Lit) -> bool;

    /// Whether the assumption was used for the last [`Answer::Impossible`].
    fn is_blamed(&mut self, assumption: Lit) -> bool;
}
