//! Classes of input valuations for checks of evidence, found once for all mutants of a circuit.

use std::sync::{Arc, OnceLock};

use hyperkill_certify::InputClasses;
use hyperkill_core::ConditionalMutant;
use hyperkill_core::budget::Budget;

/// The input classes of one circuit, computed when a check first needs them. Clones share them.
#[derive(Clone, Debug, Default)]
pub struct SharedClasses(Arc<OnceLock<InputClasses>>);

impl SharedClasses {
    /// Returns the classes of this circuit. All calls must pass the same circuit.
    pub(crate) fn of(&self, model: &ConditionalMutant, budget: &Budget) -> &InputClasses {
        self.0.get_or_init(|| InputClasses::of(model, budget))
    }
}
