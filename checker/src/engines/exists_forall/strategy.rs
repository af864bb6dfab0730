//! How universal runs answer existential ones: counterexamples as functions where possible, as constants last.

use hyperkill_core::Lit;
use hyperkill_core::aig::{Node, Reset};
use hyperkill_core::budget::{Budget, Stop};
use hyperkill_core::product::Product;
use hyperkill_formulas::compose::Composition;

use super::function::{Function, learn};
use super::play::{Candidate, Play};
use super::sides::Sides;

/// Choices for all universal copies, at every step, whatever the existential runs are.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) struct Strategy {
    /// Per product latch: where a free, universal initial value comes from: a constant or an existential latch. Unused for other latches.
    pub initial: Vec<Function>,
    /// Per product input: the same for universal inputs.
    pub inputs: Vec<Function>,
    /// Whether functions are only what is tried first: if the universal runs would die of it or reach the goal in this step or the next,
    /// all other choices are tried in turn.
    pub greedy: bool,
    /// Exceptions: (step, product input, value), ascending.
    pub exceptions: Vec<(usize, usize, bool)>,
}

impl Strategy {
    /// The strategies that copy choices: each universal copy makes the choices of one existential copy, in all combinations.
    pub(super) fn copying(composition: &Composition, sides: &Sides) -> Vec<Strategy> {
        let product = &composition.product;
        let existential: Vec<usize> = composition.existential().collect();
        let universal: Vec<usize> = composition.universal().collect();
        let mut strategies = Vec::new();
        let Some(combinations) = existential.len().checked_pow(universal.len() as u32) else {
            return strategies;
        };
        for mut number in 0..combinations.min(MANY) {
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

    fn zero(product: &Product) -> Strategy {
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

    /// All literals that the strategy reads within steps.
    pub(super) fn reads(&self) -> impl Iterator<Item = Lit> + '_ {
        self.inputs.iter().filter_map(|function| match function {
            Function::Follow(lit) => Some(*lit),
            Function::Constant(_) => None,
        })
    }

    /// The same strategy, but greedy, if there are few enough other choices.
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

    /// All choices of a step, by product input.
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

    /// The value it prescribes for a product input at a step, if it is an exception there.
    pub(super) fn exception(&self, step: usize, input: usize) -> Option<bool> {
        let found = self
            .exceptions
            .binary_search_by_key(&(step, input), |&(s, i, _)| (s, i));
        found.ok().map(|index| self.exceptions[index].2)
    }
}

/// Choice bits of a step that greedy strategies try out, at most.
const GREEDY_BITS: usize = 6;
/// Nodes of the product times choices of a step, at most.
const GREEDY_NODES: usize = 20_000;
/// More combinations of copies than any killing formula has are not tried.
const MANY: usize = 64;

/// Literals that functions are learned over, at most.
const MOST_LITERALS: usize = 1_000;

/// A counterexample to a candidate: values of the universal bits, and which of them matter.
#[derive(Clone, Debug)]
pub(super) struct Counterexample {
    /// Per product latch; only universal ones count. `None`: it does not matter.
    pub initial: Vec<Option<bool>>,
    /// Per step and product input; the same.
    pub inputs: Vec<Vec<Option<bool>>>,
}

/// Turns a counterexample into a strategy: for each bit the simplest function that gives all values
/// that matter, else those values as exceptions to copying.
pub(super) struct Generaliser {
    /// Literals that functions may read, most promising first.
    literals: Vec<Lit>,
    /// What to do where nothing matters.
    base: Strategy,
}

impl Generaliser {
    pub(super) fn new(composition: &Composition, sides: &Sides) -> Generaliser {
        let product = &composition.product;
        let aig = &product.aig;
        let mut literals = Vec::new();
        for copy in composition.existential() {
            let copy = &product.copies[copy];
            literals.extend(&copy.outputs);
            // What a choice leads to shows in the next state: of a Moore machine, its next outputs.
            for &latch in copy.latches.iter().flatten() {
                literals.push(aig.latches()[latch].next);
            }
            literals.extend(copy.inputs.iter().flatten());
            let latches = copy.latches.iter().flatten();
            literals.extend(latches.map(|&latch| aig.latches()[latch].var.lit()));
        }
        literals.retain(|lit| lit.as_constant().is_none());
        let mut seen = rustc_hash::FxHashSet::default();
        literals.retain(|lit| seen.insert(lit.var()));
        // How a universal run is to go on depends on where it is.
        for copy in composition.universal() {
            let latches = product.copies[copy].latches.iter().flatten();
            let own = latches.map(|&latch| aig.latches()[latch].var.lit());
            literals.extend(own.filter(|lit| seen.insert(lit.var())));
        }
        literals.truncate(MOST_LITERALS);
        let first = Strategy::copying(composition, sides).into_iter().next();
        Generaliser {
            literals,
            base: first.unwrap_or_else(|| Strategy::zero(product)),
        }
    }

    /// All literals whose values the generaliser reads.
    pub(super) fn literals(&self) -> &[Lit] {
        &self.literals
    }

    /// `play` is the counterexample played out: what universal latches are is seen there.
    pub(super) fn generalise(
        &self,
        product: &Product,
        candidate: &Candidate,
        play: &Play,
        found: &Counterexample,
        budget: &Budget,
    ) -> Result<Strategy, Stop> {
        let mut strategy = self.base.clone();
        for (input, function) in strategy.inputs.iter_mut().enumerate() {
            budget.check()?;
            let rows = found.inputs.iter().enumerate();
            let cares: Vec<(usize, bool)> = rows
                .filter_map(|(step, row)| Some((step, row[input]?)))
                .collect();
            let kept = cares
                .iter()
                .all(|&(step, wanted)| function.value(&|lit| play.value(step, lit)) == wanted);
            if kept {
                continue;
            }
            match learn(&cares, &self.literals, &|step, lit| play.value(step, lit)) {
                Some(learned) => *function = learned,
                None => {
                    let values = cares.iter().map(|&(step, value)| (step, input, value));
                    strategy.exceptions.extend(values);
                }
            }
        }
        strategy.exceptions.sort_unstable();
        for (latch, source) in strategy.initial.iter_mut().enumerate() {
            let Some(value) = found.initial[latch] else {
                continue;
            };
            let first = source.value(&|lit| candidate.first_of(product, lit));
            if first != value {
                *source = Function::Constant(value);
            }
        }
        Ok(strategy)
    }
}

impl Candidate {
    /// The first value of a literal of an existential latch.
    pub(super) fn first_of(&self, product: &Product, lit: Lit) -> bool {
        match product.aig.node(lit.var()) {
            Node::Latch(latch) => self.first(product, latch as usize) ^ lit.is_negated(),
            _ => lit.is_negated(),
        }
    }

    /// The first value of an existential latch.
    pub(super) fn first(&self, product: &Product, latch: usize) -> bool {
        match product.aig.latches()[latch].reset {
            Reset::Zero => false,
            Reset::One => true,
            Reset::Free => self.initial[latch],
        }
    }
}
