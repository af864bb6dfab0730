//! Which inputs and free initial values can matter to some variants: the rest of a run is noise.
//!
//! Runs that leave noise at 0 are easier to read, and two tests that differ only in noise become one.

use crate::ConditionalMutant;
use crate::aig::Cone;
use crate::conditional::Port;
use crate::product::{CopySpec, Product, Variant};
use crate::trace::Stimulus;

/// The inputs and latches of a circuit that outputs or constraints depend on.
#[derive(Clone, Debug)]
pub struct Relevance {
    /// By index of the input.
    inputs: Vec<bool>,
    /// By index of the latch.
    latches: Vec<bool>,
}

impl Relevance {
    /// What can reach an output or constraint of one of these variants, selectors folded in.
    #[must_use]
    pub fn to(model: &ConditionalMutant, variants: &[Variant]) -> Relevance {
        let mut relevance = Relevance {
            inputs: vec![false; model.aig.inputs().len()],
            latches: vec![false; model.aig.latches().len()],
        };
        for &variant in variants {
            let product = Product::new(model, &[CopySpec::alone(variant)]);
            let copy = &product.copies[0];
            let roots = copy.outputs.iter().copied().chain([copy.valid]);
            let cone = Cone::sequential(&product.aig, roots);
            for (relevant, lit) in relevance.inputs.iter_mut().zip(&copy.inputs) {
                *relevant |= lit.is_some_and(|lit| cone.contains(lit.var()));
            }
            for (relevant, latch) in relevance.latches.iter_mut().zip(&copy.latches) {
                let var = latch.map(|i| product.aig.latches()[i].var);
                *relevant |= var.is_some_and(|var| cone.contains(var));
            }
        }
        relevance
    }

    /// The run with everything else at 0.
    #[must_use]
    pub fn without_noise(&self, run: &Stimulus) -> Stimulus {
        let keep = |row: &[bool], relevant: &[bool]| -> Vec<bool> {
            let pairs = row.iter().zip(relevant);
            pairs.map(|(&value, &relevant)| value && relevant).collect()
        };
        Stimulus {
            initial: keep(&run.initial, &self.latches),
            steps: run
                .steps
                .iter()
                .map(|step| keep(step, &self.inputs))
                .collect(),
        }
    }

    /// Whether a bit of the port can matter.
    #[must_use]
    pub fn of_port(&self, port: &Port) -> bool {
        port.bits.iter().any(|&bit| self.inputs[bit])
    }

    /// Whether the circuit input can matter.
    #[must_use]
    pub fn of_input(&self, input: usize) -> bool {
        self.inputs[input]
    }

    /// Whether the latch can matter.
    #[must_use]
    pub fn of_latch(&self, latch: usize) -> bool {
        self.latches[latch]
    }
}
