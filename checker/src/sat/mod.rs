//! The one place that talks to a SAT solver. Literals are RustSAT's.
//!
//! There are three makes: [`Cadical`] for unrollings, [`Focused`] for the many small questions of property-directed
//! reachability, [`Batsat`] for the certifier.
//!
//! Answers are named for what they say about the question asked, not `sat` and `unsat`: with quantifier
//! alternation those words have no fixed sense, so they never leave this module and `encode`.

use hyperkill_core::budget::{Budget, Stop};

mod batsat;
mod cadical;
mod focused;
mod order;

pub use batsat::Batsat;
pub use cadical::Cadical;
pub use focused::Focused;
pub use rustsat::types::Lit;

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

    /// Solves under assumptions, within `conflicts` conflicts (unlimited if `None`) and the budget.
    fn solve(&mut self, assumptions: &[Lit], conflicts: Option<u32>, budget: &Budget) -> Answer;

    /// The literal's value after [`Answer::Possible`]; a don't-care is false.
    fn value(&mut self, lit: Lit) -> bool;

    /// Whether the assumption was used for the last [`Answer::Impossible`].
    fn is_blamed(&mut self, assumption: Lit) -> bool;
}
