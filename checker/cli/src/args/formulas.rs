//! Languages and trace semantics of formulas.

use clap::ValueEnum;
use hyperkill_formulas::{Dialect, Traces};

/// Trace semantics of a formula.
#[derive(Clone, Copy, PartialEq, Eq, Debug, ValueEnum)]
pub enum TracesChoice {
    /// Infinite traces. A run that ends in a state without a step is no trace.
    Infinite,
    /// Finite traces of equal length: of some length if the formula begins with `exists`, of every length if it begins with `forall`.
    Finite,
}

/// Language of a formula.
#[derive(Clone, Copy, PartialEq, Eq, Debug, ValueEnum)]
pub enum DialectChoice {
    /// Syntax of hyperkill.
    Hyperkill,
    /// Prefix syntax of MCHyper.
    Mchyper,
    /// Syntax of HyperQB 1.
    Hyperqb1,
    /// Syntax of HyperQB 2.
    Hyperqb2,
    /// Syntax of AutoHyper.
    Autohyper,
}

impl From<DialectChoice> for Dialect {
    fn from(choice: DialectChoice) -> Dialect {
        match choice {
            DialectChoice::Hyperkill => Dialect::Hyperkill,
            DialectChoice::Mchyper => Dialect::MCHyper,
            DialectChoice::Hyperqb1 => Dialect::HyperQb1,
            DialectChoice::Hyperqb2 => Dialect::HyperQb2,
            DialectChoice::Autohyper => Dialect::AutoHyper,
        }
    }
}

impl From<TracesChoice> for Traces {
    fn from(choice: TracesChoice) -> Traces {
        match choice {
            TracesChoice::Infinite => Traces::Infinite,
            TracesChoice::Finite => Traces::Finite,
        }
    }
}
