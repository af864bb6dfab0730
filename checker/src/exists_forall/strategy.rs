//! How universal runs answer existential ones: counterexamples as functions where possible, as constants last.

use hyperkill_core::Lit;
use hyperkill_core::aig::{Cone, Node, Reset};
use hyperkill_core::product::Product;
use hyperkill_formulas::compose::Composition;

use super::play::{Candidate, Play};
use super::sides::Sides;

/// Where one universal bit comes from.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub(super) enum Source {
    /// A literal of the existential copies, at the same step.
    Follow(Lit),
    /// Always the same value.
    Constant(bool),
}

/// Choices for all universal copies, at every step, whatever the existential runs are.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) struct Strategy {
    /// Per product latch: where a free, universal initial value comes from; a literal to follow is that of a latch. Unused for other latches.
    pub initial: Vec<Source>,
    /// Per product input: the same for universal inputs.
    pub inputs: Vec<Source>,
    /// Exceptions: (step, product input, value), ascending.
    pub exceptions: Vec<(usize, usize, bool)>,
}

impl Strategy {
    /// The strategies that copy choices: each universal copy makes the choices of one existential copy, in all combinations.
    pub(super) fn copying(composition: &Composition, sides: &Sides) -> Vec<Strategy> {
        let product = &composition.product;
        let idols: Vec<usize> = composition.existential().collect();
        let followers: Vec<usize> = composition.universal().collect();
        let mut strategies = Vec::new();
        let Some(combinations) = idols.len().checked_pow(followers.len() as u32) else {
            return strategies;
        };
        for mut number in 0..combinations.min(MANY) {
            let mut strategy = Strategy::zero(product);
            for &follower in &followers {
                let idol = idols[number % idols.len()];
                number /= idols.len();
                strategy.copy(product, sides, follower, idol);
            }
            if !strategies.contains(&strategy) {
                strategies.push(strategy);
            }
        }
        strategies
    }

    fn zero(product: &Product) -> Strategy {
        Strategy {
            initial: vec![Source::Constant(false); product.aig.latches().len()],
            inputs: vec![Source::Constant(false); product.aig.inputs().len()],
            exceptions: Vec::new(),
        }
    }

    fn copy(&mut self, product: &Product, sides: &Sides, follower: usize, idol: usize) {
        let (follower, idol) = (&product.copies[follower], &product.copies[idol]);
        for (own, theirs) in follower.inputs.iter().zip(&idol.inputs) {
            if let (Some(own), Some(theirs)) = (own, theirs)
                && let Node::Input(i) = product.aig.node(own.var())
                && sides.universal_input[i as usize]
            {
                self.inputs[i as usize] = Source::Follow(*theirs);
            }
        }
        for (own, theirs) in follower.latches.iter().zip(&idol.latches) {
            if let (Some(own), Some(theirs)) = (*own, *theirs)
                && sides.universal_latch[own]
            {
                self.initial[own] = Source::Follow(product.aig.latches()[theirs].var.lit());
            }
        }
    }

    /// All literals that the strategy follows within steps.
    pub(super) fn followed(&self) -> impl Iterator<Item = Lit> + '_ {
        self.inputs.iter().filter_map(|source| match source {
            Source::Follow(lit) => Some(*lit),
            Source::Constant(_) => None,
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

/// More combinations of copies than any killing formula has are not tried.
const MANY: usize = 64;

/// A counterexample to a candidate: values of the universal bits, and which of them matter.
#[derive(Clone, Debug)]
pub(super) struct Counterexample {
    /// Per product latch; only universal ones count. `None`: it does not matter.
    pub initial: Vec<Option<bool>>,
    /// Per step and product input; the same.
    pub inputs: Vec<Vec<Option<bool>>>,
}

/// Turns a counterexample into a strategy: for each bit the first function of the existential runs at the same step that gives all values
/// that matter, else those values as exceptions to copying.
pub(super) struct Generaliser {
    /// Literals of existential copies that functions may follow, most promising first.
    followable: Vec<Lit>,
    /// What to do where nothing matters.
    base: Strategy,
}

impl Generaliser {
    pub(super) fn new(composition: &Composition, sides: &Sides) -> Generaliser {
        let product = &composition.product;
        let aig = &product.aig;
        let mut followable = Vec::new();
        for copy in composition.existential() {
            let copy = &product.copies[copy];
            followable.extend(&copy.outputs);
            // What a choice leads to shows in the next state: of a Moore machine, its next outputs.
            for &latch in copy.latches.iter().flatten() {
                followable.push(aig.latches()[latch].next);
            }
            followable.extend(copy.inputs.iter().flatten());
            let latches = copy.latches.iter().flatten();
            followable.extend(latches.map(|&latch| aig.latches()[latch].var.lit()));
        }
        followable.retain(|lit| lit.as_constant().is_none());
        let mut seen = rustc_hash::FxHashSet::default();
        followable.retain(|lit| seen.insert(lit.var()));
        let first = Strategy::copying(composition, sides).into_iter().next();
        Generaliser {
            followable,
            base: first.unwrap_or_else(|| Strategy::zero(product)),
        }
    }

    /// All literals whose values the generaliser reads.
    pub(super) fn followable(&self) -> &[Lit] {
        &self.followable
    }

    pub(super) fn generalise(
        &self,
        product: &Product,
        candidate: &Candidate,
        cone: &Cone,
        sides: &Sides,
        found: &Counterexample,
    ) -> Strategy {
        let mut strategy = self.base.clone();
        // Existential values do not depend on what the universal copies do.
        let play = Play::of(product, cone, candidate, &strategy, sides);
        for (input, source) in strategy.inputs.iter_mut().enumerate() {
            let cares: Vec<(usize, bool)> = found
                .inputs
                .iter()
                .enumerate()
                .filter_map(|(step, row)| Some((step, row[input]?)))
                .collect();
            let gives = |source: Source| {
                cares.iter().all(|&(step, value)| match source {
                    Source::Follow(lit) => play.value(step, lit) == value,
                    Source::Constant(constant) => constant == value,
                })
            };
            if gives(*source) {
                continue;
            }
            // A literal of a copy that was built later cannot be followed.
            let own = product.aig.inputs()[input].var;
            let follow = self
                .followable
                .iter()
                .filter(|lit| lit.var() < own)
                .flat_map(|&lit| [Source::Follow(lit), Source::Follow(!lit)]);
            let constants = [false, true].map(Source::Constant);
            match follow.chain(constants).find(|&source| gives(source)) {
                Some(function) => *source = function,
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
            let kept = match *source {
                Source::Constant(constant) => constant == value,
                Source::Follow(lit) => match product.aig.node(lit.var()) {
                    Node::Latch(i) => candidate.first(product, i as usize) ^ lit.is_negated() == value,
                    _ => false,
                },
            };
            if !kept {
                *source = Source::Constant(value);
            }
        }
        strategy
    }
}

impl Candidate {
    /// The first value of an existential latch.
    pub(super) fn first(&self, product: &Product, latch: usize) -> bool {
        match product.aig.latches()[latch].reset {
            Reset::Zero => false,
            Reset::One => true,
            Reset::Free => self.initial[latch],
        }
    }
}
