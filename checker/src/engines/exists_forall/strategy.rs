//! Strategies of universal runs against existential ones: functions where possible, constants last.

use hyperkill_core::Lit;
use hyperkill_core::aig::Node;
use hyperkill_core::product::Product;
use hyperkill_formulas::compose::Composition;

use super::function::Function;
use super::sides::Sides;
use crate::schedule::engine_efforts::{COPY_COMBINATIONS, GREEDY_BITS, GREEDY_NODES};

/// A rule by which the universal copies choose their inputs and initial values, given the existential runs.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) struct Strategy {
    /// For each product latch with a free universal initial value, its source: a constant or an existential latch. Unused for other
    /// latches.
    pub initial: Vec<Function>,
    /// For each universal product input the function that gives its value in a step; unused for other inputs.
    pub inputs: Vec<Function>,
    /// Whether the inputs given by functions are only the first attempt. If with them a constraint breaks or the goal is reached in this
    /// step, or the goal in the next, all other inputs are tried in turn.
    pub greedy: bool,
    /// Values that inputs have instead of the functions' at some steps: (step, product input, value), ascending.
    pub exceptions: Vec<(usize, usize, bool)>,
}

impl Strategy {
    /// Returns the strategies that copy choices: each universal copy copies one existential copy, in all combinations.
    pub(super) fn copying(composition: &Composition, sides: &Sides) -> Vec<Strategy> {
        let product = &composition.product;
        let existential: Vec<usize> = composition.existential().collect();
        let universal: Vec<usize> = composition.universal().collect();
        let mut strategies = Vec::new();
        let Some(combinations) = existential.len().checked_pow(universal.len() as u32) else {
            return strategies;
        };
        for mut number in 0..combinations.min(COPY_COMBINATIONS) {
            let mut strategy = Strategy::zero(product);
            for &copy in &universal {
                let of = existential[number % existential.len()];
                number /= existential.len();
                strategy.copy(product, sides, copy, of);
            }
            if !strategies.contains(&strategy) {
                strategies.push(strategy);
            }
        }
        strategies
    }

    pub(super) fn zero(product: &Product) -> Strategy {
        Strategy {
            initial: vec![Function::Constant(false); product.aig.latches().len()],
            inputs: vec![Function::Constant(false); product.aig.inputs().len()],
            greedy: false,
            exceptions: Vec::new(),
        }
    }

    fn copy(&mut self, product: &Product, sides: &Sides, universal: usize, existential: usize) {
        let (universal, existential) = (&product.copies[universal], &product.copies[existential]);
        for (own, theirs) in universal.inputs.iter().zip(&existential.inputs) {
            if let (Some(own), Some(theirs)) = (own, theirs)
                && let Node::Input(i) = product.aig.node(own.var())
                && sides.universal_input[i as usize]
            {
                self.inputs[i as usize] = Function::Follow(*theirs);
            }
        }
        for (own, theirs) in universal.latches.iter().zip(&existential.latches) {
            if let (Some(own), Some(theirs)) = (*own, *theirs)
                && sides.universal_latch[own]
            {
                self.initial[own] = Function::Follow(product.aig.latches()[theirs].var.lit());
            }
        }
    }

    /// Returns all literals that the strategy's functions read in a step.
    pub(super) fn reads(&self) -> impl Iterator<Item = Lit> + '_ {
        self.inputs.iter().filter_map(|function| match function {
            Function::Follow(lit) => Some(*lit),
            Function::Constant(_) => None,
        })
    }

    /// Returns the strategy with [`Strategy::greedy`] set; `None` if the universal inputs have too many values to try.
    pub(super) fn made_greedy(&self, product: &Product, sides: &Sides) -> Option<Strategy> {
        let bits = sides
            .universal_input
            .iter()
            .filter(|&&universal| universal)
            .count();
        let few = bits > 0 && bits <= GREEDY_BITS && product.aig.len() << bits <= GREEDY_NODES;
        few.then(|| Strategy {
            greedy: true,
            ..self.clone()
        })
    }

    /// Returns every assignment of the universal inputs in a step, as one bool for each input of the product; existential inputs are false.
    /// If there are more than `GREEDY_BITS` universal inputs, only the first ones vary; greedy strategies have no more.
    pub(super) fn alternatives<'a>(
        &self,
        sides: &'a Sides,
    ) -> impl Iterator<Item = Vec<bool>> + use<'a> {
        let bits = sides
            .universal_input
            .iter()
            .filter(|&&universal| universal)
            .count();
        (0..1_usize << bits.min(GREEDY_BITS)).map(|number| {
            let mut left = number;
            let universal = sides.universal_input.iter();
            universal
                .map(|&universal| {
                    let value = universal && left & 1 == 1;
                    if universal {
                        left >>= 1;
                    }
                    value
                })
                .collect()
        })
    }

    /// Returns the value that the strategy gives to a product input at a step as an exception; `None` if there is none.
    pub(super) fn exception(&self, step: usize, input: usize) -> Option<bool> {
        let found = self
            .exceptions
            .binary_search_by_key(&(step, input), |&(s, i, _)| (s, i));
        found.ok().map(|index| self.exceptions[index].2)
    }
}

/// Values of the universal bits, as far as they matter, with which the universal runs refute a candidate.
#[derive(Clone, Debug)]
pub(super) struct Counterexample {
    /// The first value of each product latch; only universal ones count. `None` if it does not matter.
    pub initial: Vec<Option<bool>>,
    /// The inputs by step and product input; only universal ones count. `None` if it does not matter.
    pub inputs: Vec<Vec<Option<bool>>>,
}
