//! Decides mutants: kills them with tests or proves that none exists.
//!
//! This package reads no files, prints nothing and starts no processes; clock, interruption and journal are
//! given to it. Verdicts leave it only through `checker/certify`, a package that sees none of these engines. The
//! words "sat" and "unsat" do not leave `sat` and `encode`.

mod acceptance;
pub mod decide;
pub mod determinism;
pub mod engines;
pub mod existence;
pub mod external;
pub mod family;
mod fault;
pub mod hyperltl;
pub mod judge;
pub mod observable;
pub mod question;
pub mod rounds;
pub mod safety;
pub mod schedule;
pub mod search_progress;
pub mod solve;
pub mod testgen;
pub mod totality;
pub mod validity;
pub mod witness;
