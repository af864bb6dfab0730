//! Simulates a product step by step: from values of its inputs to a run of each copy.

use hyperkill_core::Lit;
use hyperkill_core::aig::{Images, Leaf};
use hyperkill_core::trace::Stimulus;

use super::Found;
use super::Reachability;

/// Simulates a question's product step by step, and records the run of each copy.
pub(crate) struct ProductRun<'a> {
    question: &'a Reachability,
    /// Values of the product's latches before the next step.
    state: Vec<bool>,
    /// Values of the product's nodes in the last step.
    values: Images<bool>,
    steps: usize,
    runs: Vec<Stimulus>,
}

impl<'a> ProductRun<'a> {
    /// Returns a run without steps that starts with these values of the product's latches.
    pub(crate) fn new(question: &'a Reachability, first: Vec<bool>) -> ProductRun<'a> {
        let copies = question.product.copies.iter();
        let runs = copies.map(|copy| Stimulus {
            initial: copy
                .latches
                .iter()
                .map(|latch| latch.is_some_and(|index| first[index]))
                .collect(),
            steps: Vec::new(),
        });
        ProductRun {
            question,
            runs: runs.collect(),
            state: first,
            values: Images::none(&question.product.aig),
            steps: 0,
        }
    }

    /// Adds a step with these values of the product's inputs.
    pub(crate) fn step(&mut self, inputs: &[bool]) {
        let aig = &self.question.product.aig;
        self.steps += 1;
        self.values = aig.evaluate(|leaf| match leaf {
            Leaf::Input(i) => inputs[i],
            Leaf::Latch(i) => self.state[i],
        });
        let latches = aig.latches().iter();
        self.state = latches.map(|latch| self.holds(latch.next)).collect();
        for index in 0..self.runs.len() {
            let inputs = self.question.product.copies[index].inputs.iter();
            let values = inputs.map(|lit| lit.is_some_and(|lit| self.holds(lit)));
            let values = values.collect();
            self.runs[index].steps.push(values);
        }
    }

    /// Returns whether a literal of the product is true in the last step; there must be one.
    pub(crate) fn holds(&self, lit: Lit) -> bool {
        self.values.of(lit)
    }

    /// Returns the runs of all copies so far, as a run to the goal.
    pub(crate) fn found(self) -> Found {
        Found {
            steps: self.steps,
            runs: self.runs,
        }
    }
}
