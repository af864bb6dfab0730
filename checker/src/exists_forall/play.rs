//! Concrete runs of all copies: existential ones as a candidate has them, universal ones as a strategy answers.

use hyperkill_core::aig::{Cone, Node};
use hyperkill_core::product::Product;
use hyperkill_core::Lit;

use super::sides::Sides;
use super::strategy::{Source, Strategy};

/// Runs of the existential copies.
#[derive(Clone, Debug)]
pub(super) struct Candidate {
    /// Per product latch; only free, existential ones count.
    pub initial: Vec<bool>,
    /// Per step and product input; only existential ones count.
    pub inputs: Vec<Vec<bool>>,
}

/// All values of a play.
#[derive(Clone, Debug)]
pub(super) struct Play {
    /// Per step and product node.
    values: Vec<Vec<bool>>,
}

impl Play {
    /// Plays a strategy against a candidate. Only values in the cone are meaningful.
    pub(super) fn of(product: &Product, cone: &Cone, candidate: &Candidate, strategy: &Strategy, sides: &Sides) -> Play {
        let aig = &product.aig;
        let mut state: Vec<bool> = (0..aig.latches().len())
            .map(|latch| candidate.first(product, latch))
            .collect();
        let firsts = state.clone();
        for (latch, first) in state.iter_mut().enumerate() {
            if sides.universal_latch[latch] {
                *first = match strategy.initial[latch] {
                    Source::Constant(value) => value,
                    Source::Follow(lit) => match aig.node(lit.var()) {
                        Node::Latch(i) => firsts[i as usize] ^ lit.is_negated(),
                        _ => false,
                    },
                };
            }
        }
        let mut play = Play { values: Vec::with_capacity(candidate.inputs.len()) };
        for (step, inputs) in candidate.inputs.iter().enumerate() {
            let mut values = vec![false; aig.len()];
            for (var, node) in aig.nodes() {
                if !cone.contains(var) {
                    continue;
                }
                values[var.index()] = match node {
                    Node::False => false,
                    Node::Input(i) if sides.universal_input[i as usize] => {
                        let i = i as usize;
                        let exception = strategy.exception(step, i);
                        exception.unwrap_or_else(|| match strategy.inputs[i] {
                            Source::Constant(value) => value,
                            Source::Follow(lit) => value_in(&values, lit),
                        })
                    }
                    Node::Input(i) => inputs[i as usize],
                    Node::Latch(i) => state[i as usize],
                    Node::And(a, b) => value_in(&values, a) && value_in(&values, b),
                };
            }
            for (latch, value) in aig.latches().iter().zip(&mut state) {
                *value = value_in(&values, latch.next);
            }
            play.values.push(values);
        }
        play
    }

    /// Whether the universal runs survive all steps and keep the goal false: the strategy refutes the candidate.
    pub(super) fn refutes(&self, sides: &Sides) -> bool {
        (0..self.values.len()).all(|step| {
            sides.assumed.iter().all(|&lit| self.value(step, lit)) && !self.value(step, sides.goal)
        })
    }

    /// The value of a literal of the product at a step.
    pub(super) fn value(&self, step: usize, lit: Lit) -> bool {
        value_in(&self.values[step], lit)
    }
}

fn value_in(values: &[bool], lit: Lit) -> bool {
    values[lit.var().index()] ^ lit.is_negated()
}
