//! Decides mutants: kills them with tests or proves that none exists.
//!
//! | entry point | purpose |
//! | --- | --- |
//! | [`decide_all`] | decides all mutants of a model, by [`Options`], into a [`Report`] |
//! | [`testgen::suite`] | makes a small suite of tests of a report |
//! | [`decide_formula`] | decides whether a model satisfies a HyperLTL formula |
//! | [`decide_safety`] | decides whether a literal of a circuit can ever be true |
//! | [`explain`] | lists the order of the engines and their effort |
//!
//! [`engines`], [`question`] and [`solve`] are open to tests and benchmarks.
//!
//! This package reads no files, prints nothing and starts no processes; the caller provides clock, interruption and journal. Verdicts leave
//! it only through `checker/certify`, a package that depends on none of these engines. The words "sat" and "unsat" occur only in
//! `core/sat*` and `engines/encode`.

mod acceptance;
pub mod carry_over;
pub mod decide;
pub mod determinism;
pub mod engines;
pub mod existence;
pub mod external;
pub mod family;
mod fault;
pub mod hyperltl;
pub mod input_classes;
pub mod judge;
pub mod observable;
pub mod question;
pub mod rounds;
pub mod safety;
pub mod schedule;
pub mod search_progress;
pub mod solve;
mod stepping;
pub mod testgen;
pub mod totality;
pub mod validity;
pub mod witness;

pub use hyperltl::decide_formula;
pub use rounds::{Ask, Observer, Options, Plan, Report, Silent, decide_all};
pub use safety::decide_safety;
pub use schedule::explain;
