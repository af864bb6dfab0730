//! Reading timed machines and making mutants of them.

mod diagnostics;
mod mutants;
