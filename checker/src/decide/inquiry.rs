//! The question that a run asks about all its mutants.

use hyperkill_core::{ConditionalMutant, SelectorId};
use hyperkill_evidence::verdict::Property;

use crate::determinism::Determinism;
use crate::engines::explicit::KnownSteps;
use crate::external::External;
use crate::input_classes::SharedClasses;
use crate::schedule::mutants;

/// The parameters that all mutants of a run share.
#[derive(Clone, Debug)]
pub struct Inquiry<'a> {
    /// The circuit with the original and all mutants, selected by their selectors.
    pub model: &'a ConditionalMutant,
    /// The killing formula that is asked of each mutant.
    pub property: Property,
    /// Whether the original is deterministic.
    pub original: Determinism,
    /// The options of the schedule of each mutant.
    pub schedule: mutants::Options,
    /// External model checkers, asked about questions that the engines of this package leave open.
    pub others: Option<External>,
    /// Seed of the random inputs of simulation.
    pub seed: u64,
    /// Classes of input valuations that checks of evidence share.
    pub classes: SharedClasses,
    /// A cache of steps of listed states that searches share.
    pub steps: KnownSteps,
}

impl Inquiry<'_> {
    pub(super) fn deterministic(&self) -> bool {
        self.original == Determinism::Deterministic
    }

    pub(super) fn name(&self, mutant: SelectorId) -> String {
        self.model.selectors[mutant.0].id.to_string()
    }
}
