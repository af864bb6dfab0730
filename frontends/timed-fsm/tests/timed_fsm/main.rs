//! Reading timed machines and making mutants of them.

mod diagnostics;
mod foreign;
mod guards;
mod mutants;
mod written;
