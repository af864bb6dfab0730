//! The mutants present during execution, and the results of execution.

use std::collections::BTreeMap;

use hyperkill_core::term::TermId;

use crate::design::{Claim, Driver, Partial, WordId};

/// The mutants present during execution.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub enum World {
    /// All mutants as alternatives at their places, except those executed apart.
    #[default]
    All,
    /// None.
    Original,
    /// This one, in the place of the original.
    Only(usize),
}

/// The results of executing a process.
#[derive(Default, Debug)]
pub struct Made {
    /// Its drivers.
    pub drivers: BTreeMap<WordId, Vec<Driver>>,
    /// Its drivers at times.
    pub partial: BTreeMap<WordId, Vec<Partial>>,
    /// Its initial values of words.
    pub initial: BTreeMap<WordId, TermId>,
    /// Its assertions and assumptions.
    pub claims: Vec<Claim>,
}
