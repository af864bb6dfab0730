//! The state of a block without memory while it is executed.

use std::collections::BTreeMap;

use hyperkill_core::term::TermId;
use hyperkill_frontend::Span;
use rustc_hash::{FxHashMap, FxHashSet};

use crate::design::{VarId, WordId};

/// The sensitivity of a block without memory.
#[derive(Clone, PartialEq, Eq, Default, Debug)]
pub enum Waits {
    /// All variables that it reads.
    #[default]
    Reads,
    /// All variables that it reads and does not assign (`always_comb`).
    Inputs,
    /// The variables that the block lists.
    For(FxHashSet<VarId>),
}

/// The block without memory that is being executed.
#[derive(Default, Debug)]
pub struct Block {
    /// The variables that it waits for.
    pub waits: Waits,
    /// Variables that its expressions read, each with the first place.
    pub reads: BTreeMap<VarId, Span>,
    /// Variables read by the functions and tasks that it calls.
    pub read_in_calls: BTreeMap<VarId, Span>,
    /// Variables that are assigned by `=` and then by `<=`.
    pub(crate) clashes: Vec<(VarId, Span)>,
    /// Leaves for values before the block runs, of words that it assigns in both ways, by the condition to read them.
    pub(crate) early: FxHashMap<(WordId, Option<TermId>), TermId>,
}

/// Some bits of a word that is assigned by `=` and by `<=`.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Late {
    pub(crate) low: u32,
    pub(crate) width: u32,
    /// The condition under which `=` has assigned it.
    pub(crate) now: TermId,
    /// The condition under which `<=` has assigned it.
    pub(crate) late: TermId,
    /// The value that `<=` assigns under `late`.
    pub(crate) value: TermId,
    /// The value otherwise.
    pub(crate) kept: TermId,
}
