//! Mutants of a model, and which of them are models.

use hyperkill_core::SelectorId;
use hyperkill_core::mutant::{Mutant, MutantId};

/// A mutant of a model's catalogue, the list of all its mutants.
#[derive(Clone, Debug)]
pub struct Entry {
    /// Id of the mutant.
    pub id: MutantId,
    /// The edit of the source that makes the mutant, if known.
    pub mutant: Option<Mutant>,
    /// Whether it is a model.
    pub standing: Standing,
}

/// Whether a mutant is a valid model. If not, for example without an initial state, it is not decided, and its verdict is `invalid`.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Standing {
    /// It is a model. In the circuit, this selector switches the mutant on.
    Live(SelectorId),
    /// It is not a model, for this reason.
    Invalid(String),
}

impl Entry {
    /// Returns the reason why the mutant is not a model; `None` if it is one.
    #[must_use]
    pub fn invalid(&self) -> Option<&str> {
        match &self.standing {
            Standing::Live(_) => None,
            Standing::Invalid(reason) => Some(reason),
        }
    }
}
