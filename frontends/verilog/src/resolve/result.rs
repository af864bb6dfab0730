//! Settings and results of the resolver.

use std::collections::{BTreeMap, BTreeSet};

use hyperkill_core::system::{InputVar, StateVar};
use hyperkill_core::term::TermId;

use crate::clocks::{Edge, Pins};
use crate::design::{VarId, WordId};
use crate::words::Words;

/// Settings of the resolver.
#[derive(Clone, Debug)]
pub struct Setting<'a> {
    /// Clocks, which no term may read, and their ticks.
    pub pins: &'a Pins,
    /// Inputs that are choices.
    pub choices: BTreeSet<VarId>,
    /// Mutations that are left out.
    pub rejected: BTreeMap<usize, String>,
}

/// A register.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct Register {
    /// The word that it is a part of.
    pub word: WordId,
    /// Its lowest bit there.
    pub low: u32,
    /// Its bits.
    pub width: u32,
}

/// Inputs, registers and the values of the roots.
#[derive(Debug, Default)]
pub struct Resolved {
    /// All terms.
    pub words: Words,
    /// Inputs: those of the top module, then choices.
    pub inputs: Vec<InputVar>,
    /// State variables of clocks, with initial values; then registers, whose initial values are still free.
    pub states: Vec<StateVar>,
    /// Number of state variables of clocks.
    pub of_clocks: usize,
    /// The registers: the words and bits that they hold.
    pub registers: Vec<Register>,
    /// The values of the roots.
    pub roots: Vec<TermId>,
    /// The mutation of each selector.
    pub selectors: Vec<usize>,
    /// Mutations left out, with reasons.
    pub rejected: BTreeMap<usize, String>,
    /// Remarks for the user.
    pub notes: Vec<String>,
    /// Words that the original assigns by `=` at an edge at which another process reads them.
    pub raced: BTreeSet<WordId>,
    /// Words with undriven bits that no option or attribute makes choices.
    pub undriven: BTreeSet<WordId>,
    /// Words whose latches are read, with the processes.
    pub kept: BTreeSet<(WordId, usize)>,
    /// Test inputs that are tables of unknown functions.
    pub functions: Vec<String>,
    /// Terms and pieces of words that were looked for, in all passes.
    pub work: usize,
}

impl Resolved {
    /// The states of registers, in the order of these.
    #[must_use]
    pub fn register_states(&self) -> &[StateVar] {
        &self.states[self.of_clocks..]
    }
}

/// A value to resolve.
#[derive(Clone, Copy, Debug)]
pub enum Root {
    /// A term.
    Term(TermId),
    /// The visible value of a word.
    Word(WordId),
    /// Whether a step ends with an edge.
    Ticks(Edge),
}
