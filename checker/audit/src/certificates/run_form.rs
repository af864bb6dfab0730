//! Runs of a circuit as bit strings.

use hyperkill_core::ConditionalMutant;
use hyperkill_core::aig::Reset;
use hyperkill_core::first_values::FirstValues;
use hyperkill_core::trace::Stimulus;

use super::{Unreadable, from_bits};

/// The form of the runs of a circuit as bit strings.
#[derive(Debug)]
pub(super) struct RunForm {
    latches: usize,
    inputs: usize,
    /// The latches that are no selectors, ascending, with the reset of each.
    hidden: Vec<(usize, Reset)>,
}

impl RunForm {
    /// Returns the numbers of latches and inputs, and the resets, that runs of this circuit must fit.
    pub(super) fn of(model: &ConditionalMutant) -> RunForm {
        let latches = model.aig.latches();
        let hidden = model.hidden_latches().into_iter();
        RunForm {
            latches: latches.len(),
            inputs: model.aig.inputs().len(),
            hidden: hidden.map(|at| (at, latches[at].reset)).collect(),
        }
    }

    /// Returns the run that bit strings describe (`read_run`).
    ///
    /// # Errors
    /// If it does not fit the circuit.
    pub(super) fn read(&self, initial: &str, steps: &[String]) -> Result<Stimulus, Unreadable> {
        let values = from_bits(initial, self.hidden.len(), "latches")?;
        let mut first = FirstValues::zeros(self.latches);
        for (&(latch, reset), value) in self.hidden.iter().zip(values) {
            if reset.as_constant().is_some_and(|reset| reset != value) {
                return Err(Unreadable::Malformed(
                    "a run gives a latch another initial value than its reset",
                ));
            }
            first.set(latch, value);
        }
        let steps = steps.iter();
        let steps = steps.map(|step| from_bits(step, self.inputs, "inputs"));
        Ok(Stimulus {
            initial: first,
            steps: steps.collect::<Result<_, _>>()?,
        })
    }
}
