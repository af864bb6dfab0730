//! Concrete runs of all copies: existential ones from a candidate, universal ones by a strategy.

use hyperkill_core::Lit;
use hyperkill_core::aig::{Cone, Images, Leaf, Node, Reset};
use hyperkill_core::budget::{Budget, Stop};
use hyperkill_core::product::Product;

use super::sides::Sides;
use super::strategy::{Counterexample, Strategy};

/// Initial values and inputs that determine runs of the existential copies.
#[derive(Clone, Debug)]
pub(super) struct Candidate {
    /// The first value of each product latch; only free existential latches count.
    pub initial: Vec<bool>,
    /// For each step the values of the product's inputs; only existential ones count.
    pub inputs: Vec<Vec<bool>>,
}

/// The values of all nodes in the runs of all copies.
#[derive(Clone, Debug)]
pub(super) struct Play {
    /// For each step the value of each product node in the cone.
    values: Vec<Images<bool>>,
}

impl Play {
    /// Runs the existential copies as `candidate` says and the universal copies by `strategy`, for as many steps. Nodes outside the cone
    /// have no meaningful values.
    pub(super) fn of(
        product: &Product,
        cone: &Cone,
        candidate: &Candidate,
        strategy: &Strategy,
        sides: &Sides,
        budget: &Budget,
    ) -> Result<Play, Stop> {
        let stage = Stage {
            product,
            cone,
            sides,
        };
        let mut state = stage.first_state(candidate, |latch| {
            strategy.initial[latch].value(&|lit| candidate.first_of(product, lit))
        });
        let mut values = Vec::with_capacity(candidate.inputs.len());
        for (step, row) in candidate.inputs.iter().enumerate() {
            budget.check()?;
            let next_row = candidate.inputs.get(step + 1);
            let now = stage.answer(&state, row, next_row, step, strategy);
            state = stage.state_after(&now);
            values.push(now);
        }
        Ok(Play { values })
    }

    /// Runs the existential copies as `candidate` says and the universal copies with the values in `found`; values that do not matter are
    /// 0.
    pub(super) fn out(
        product: &Product,
        cone: &Cone,
        candidate: &Candidate,
        found: &Counterexample,
        sides: &Sides,
        budget: &Budget,
    ) -> Result<Play, Stop> {
        let stage = Stage {
            product,
            cone,
            sides,
        };
        let mut state = stage.first_state(candidate, |latch| found.initial[latch] == Some(true));
        let mut values = Vec::with_capacity(candidate.inputs.len());
        for (row, choices) in candidate.inputs.iter().zip(&found.inputs) {
            budget.check()?;
            let now = stage.step(&state, row, |_, i| choices[i] == Some(true));
            state = stage.state_after(&now);
            values.push(now);
        }
        Ok(Play { values })
    }

    /// Whether the universal runs survive all steps and keep the goal false, so that the strategy refutes the candidate.
    pub(super) fn refutes(&self, sides: &Sides) -> bool {
        (0..self.values.len()).all(|step| {
            sides.assumed.iter().all(|&lit| self.value(step, lit)) && !self.value(step, sides.goal)
        })
    }

    /// Returns the value of a literal of the product at a step.
    pub(super) fn value(&self, step: usize, lit: Lit) -> bool {
        self.values[step].of(lit)
    }
}

/// The data for the steps of a play: the product, the cone of nodes and the sides.
struct Stage<'a> {
    product: &'a Product,
    cone: &'a Cone,
    sides: &'a Sides,
}

impl Stage<'_> {
    fn first_state(&self, candidate: &Candidate, universal: impl Fn(usize) -> bool) -> Vec<bool> {
        let latches = 0..self.product.aig.latches().len();
        let first = latches.map(|latch| {
            if self.sides.universal_latch[latch] {
                universal(latch)
            } else {
                candidate.first(self.product, latch)
            }
        });
        first.collect()
    }

    /// Returns the values of all nodes in a step from `state` with the existential inputs in `row`. `choose` gives a universal input, by
    /// index, from the values computed before it.
    fn step(
        &self,
        state: &[bool],
        row: &[bool],
        choose: impl Fn(&Images<bool>, usize) -> bool,
    ) -> Images<bool> {
        let aig = &self.product.aig;
        let mut values = Images::none(aig);
        // Latches are set first, since strategies read them.
        for (latch, &value) in aig.latches().iter().zip(state) {
            values.set(latch.var, value);
        }
        aig.evaluate_into(
            &mut values,
            |var| self.cone.contains(var),
            |values, leaf| match leaf {
                Leaf::Input(i) if self.sides.universal_input[i] => choose(values, i),
                Leaf::Input(i) => row[i],
                Leaf::Latch(i) => state[i],
            },
        );
        values
    }

    fn state_after(&self, values: &Images<bool>) -> Vec<bool> {
        let latches = self.product.aig.latches().iter();
        latches.map(|latch| values.of(latch.next)).collect()
    }

    fn fine(&self, values: &Images<bool>) -> bool {
        let mut assumed = self.sides.assumed.iter();
        assumed.all(|&lit| values.of(lit)) && !values.of(self.sides.goal)
    }

    /// Returns the values of all nodes in a step in which the universal copies follow a strategy; `next_row` has the existential inputs of
    /// the next step, if there is one. [`Answer`](super::answer::Answer) builds the same step as gates.
    fn answer(
        &self,
        state: &[bool],
        row: &[bool],
        next_row: Option<&Vec<bool>>,
        step: usize,
        strategy: &Strategy,
    ) -> Images<bool> {
        let plainly = |state: &[bool], row: &[bool], step: usize| {
            self.step(state, row, |values, i| {
                let exception = strategy.exception(step, i);
                exception.unwrap_or_else(|| strategy.inputs[i].value(&|lit| values.of(lit)))
            })
        };
        let plain = plainly(state, row, step);
        if !strategy.greedy {
            return plain;
        }
        let ahead = |values: &Images<bool>| {
            next_row.is_none_or(|next_row| {
                let next = plainly(&self.state_after(values), next_row, step + 1);
                !next.of(self.sides.goal)
            })
        };
        let mut second = None;
        let others = strategy.alternatives(self.sides);
        let others = others.map(|choice| self.step(state, row, |_, i| choice[i]));
        for values in std::iter::once(plain.clone()).chain(others) {
            if self.fine(&values) {
                if ahead(&values) {
                    return values;
                }
                second.get_or_insert(values);
            }
        }
        second.unwrap_or(plain)
    }
}

impl Candidate {
    /// Returns the initial value of a literal of an existential latch.
    pub(super) fn first_of(&self, product: &Product, lit: Lit) -> bool {
        match product.aig.node(lit.var()) {
            Node::Latch(latch) => self.first(product, latch as usize) ^ lit.is_negated(),
            _ => lit.is_negated(),
        }
    }

    /// Returns the initial value of an existential latch, by product index.
    pub(super) fn first(&self, product: &Product, latch: usize) -> bool {
        match product.aig.latches()[latch].reset {
            Reset::Zero => false,
            Reset::One => true,
            Reset::Free => self.initial[latch],
        }
    }
}
