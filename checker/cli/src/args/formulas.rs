//! How formulas are read: their language, and the traces that they are about.

use clap::ValueEnum;
use hyperkill_formulas::{Dialect, Traces};

/// Which traces a formula is about.
#[derive(Clone, Copy, PartialEq, Eq, Debug, ValueEnum)]
pub enum TracesChoice {
    /// Infinite ones. A run that ends for want of a step is none.
    Infinite,
    /// Finite ones of one length: of some length if the formula begins with `exists`, of every length if with `forall`.
    Finite,
}

/// The language that a formula is written in.
#[derive(Clone, Copy, PartialEq, Eq, Debug, ValueEnum)]
pub enum DialectChoice {
    /// Our own.
    Hyperkill,
    /// MCHyper's prefix syntax.
    Mchyper,
    /// HyperQB 1.
    Hyperqb1,
    /// HyperQB 2.
    Hyperqb2,
    /// AutoHyper.
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
