//! Which mutants there are while something is executed, and what its execution makes.

use std::collections::BTreeMap;

use hyperkill_core::term::TermId;

use crate::design::{Claim, Driver, Partial, WordId};

/// Which mutants there are while something is executed.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub enum World {
    /// All but those that are executed apart, as alternatives at their places.
    #[default]
    All,
    /// None.
    Original,
    /// This one, in the place of the original.
    Only(usize),
}

/// What the execution of a process has made.
#[derive(Default, Debug)]
pub struct Made {
    /// What it drives.
    pub drivers: BTreeMap<WordId, Vec<Driver>>,
    /// What it drives at times.
    pub partial: BTreeMap<WordId, Vec<Partial>>,
    /// What it gives to words at the start.
    pub initial: BTreeMap<WordId, TermId>,
    /// What it claims and assumes.
    pub claims: Vec<Claim>,
}
