//! Does a test given by an engine kill? Judged by R_o(Ī) and R_m(Ī) alone.

use super::{Oracle, Word};

/// The strength that a test claims (formats.md, `strength`), as far as a linear test can show it.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Strength {
    /// R_m ∩ R_o = ∅: the mutant always fails the test.
    Definite,
    /// R_m ⊄ R_o: the mutant can fail the test.
    Potential,
    /// Different outputs under the same choices.
    Controllable,
}

/// A linear test as an engine claims it.
#[derive(Clone, Copy, Debug)]
pub struct Test<'a> {
    /// The inputs of the test, step by step.
    pub inputs: &'a [Word],
    /// The model's outputs, step by step.
    pub outputs: &'a [Word],
    /// The outputs of the mutant's run in the kill, if the engine gave one.
    pub mutant_outputs: Option<&'a [Word]>,
}

/// A defect of a test.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Defect {
    /// An input word has bits beyond the model's inputs.
    #[error("the input of step {step} has more bits than the model has inputs")]
    NoSuchInput {
        /// The index of the step, from 0.
        step: usize,
    },
    /// The model does not accept the inputs.
    #[error("the model refuses these inputs")]
    Refused,
    /// No run of the model shows the test's outputs.
    #[error("no run of the model shows these outputs")]
    NotOfTheModel,
    /// The inputs do not kill with the strength claimed.
    #[error("the inputs do not kill with strength {0:?}")]
    NoKill(Strength),
    /// No run of the mutant shows the outputs that the engine gave for it.
    #[error("no run of the mutant shows the mutant's outputs")]
    NotOfTheMutant,
    /// The mutant's outputs are also outputs of the model and show no kill.
    #[error("the mutant's outputs are possible outputs of the model")]
    ShowsNoKill,
}

impl Oracle {
    /// Whether `test` is a test of the model that kills with `strength`.
    ///
    /// # Errors
    ///
    /// If the test is none: the first defect found.
    pub fn validate_test(&self, test: &Test<'_>, strength: Strength) -> Result<(), Defect> {
        if let Some(step) = test
            .inputs
            .iter()
            .position(|word| word >> self.original.input_bits() != 0)
        {
            return Err(Defect::NoSuchInput { step });
        }
        let responses = self.responses(test.inputs);
        if responses.original.is_empty() {
            return Err(Defect::Refused);
        }
        if !responses.original.contains(test.outputs) {
            return Err(Defect::NotOfTheModel);
        }
        if let Some(shown) = test.mutant_outputs
            && !responses.mutant.contains(shown)
        {
            return Err(Defect::NotOfTheMutant);
        }
        match strength {
            Strength::Definite if !responses.kill_definitely() => {
                return Err(Defect::NoKill(strength));
            }
            Strength::Potential if !responses.kill_potentially() => {
                return Err(Defect::NoKill(strength));
            }
            Strength::Controllable => return self.validate_controllable(test),
            Strength::Definite | Strength::Potential => {}
        }
        match test.mutant_outputs {
            Some(shown) if responses.original.contains(shown) => Err(Defect::ShowsNoKill),
            _ => Ok(()),
        }
    }

    /// Checks that the outputs of model and mutant come from the same choices, initial values included.
    fn validate_controllable(&self, test: &Test<'_>) -> Result<(), Defect> {
        let mut possible = self
            .shared_choice_responses(test.inputs)
            .into_iter()
            .filter(|(outputs, mutant_outputs)| {
                outputs == test.outputs
                    && test
                        .mutant_outputs
                        .is_none_or(|shown| shown == mutant_outputs)
            });
        if possible.any(|(outputs, mutant_outputs)| outputs != mutant_outputs) {
            Ok(())
        } else {
            Err(Defect::NoKill(Strength::Controllable))
        }
    }
}
