//! Decides mutants: kills them with tests or proves that none exists.
//!
//! This package reads no files, prints nothing and starts no processes; clock, interruption and journal are
//! given to it. Verdicts leave it only through `checker/certify`, a package that sees none of these engines. The
//! words "sat" and "unsat" do not leave `sat` and `encode`.

pub mod acceptance;
pub mod bmc;
pub mod correspondence;
pub mod decide;
pub mod determinism;
pub mod encode;
pub mod existence;
pub mod exists_forall;
pub mod explicit;
pub mod external;
pub mod family;
pub mod fault;
pub mod focused;
pub mod hyperltl;
pub mod induction;
pub mod judge;
pub mod known;
pub mod observable;
pub mod pairs;
pub mod pdr;
pub mod question;
pub mod rounds;
pub mod safety;
pub mod schedule;
pub mod simulate;
pub mod solve;
pub mod structure;
pub mod testgen;
pub mod totality;
pub mod validity;
pub mod witness;
