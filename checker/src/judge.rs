//! Judges a mutant under one input sequence Ī by the definitions of killing (semantics.md §2). A fresh solver answers each question, or a
//! list of the states after the inputs.
//!
//! Engines that look at one pair of runs only, and formulas whose precondition does not hold, yield candidate runs, which are judged here.
//! The judge shares the engines' unrolling, so its answer is no evidence: the certifier checks the kill again.

use hyperkill_core::aig::Reset;
use hyperkill_core::budget::{Budget, Stop};
use hyperkill_core::product::{CopySpec, Product, Variant};
use hyperkill_core::trace::Stimulus;
use hyperkill_core::{ConditionalMutant, Lit, SelectorId};
use hyperkill_evidence::fault::{self, Fault};
use hyperkill_sat::Answer;
use hyperkill_sat_cadical::Cadical;

use crate::engines::encode::{Encoder, Start, Unroller};
use crate::stepping;

/// The answer to a question whether runs with given inputs exist.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Judgement {
    /// Such a run or pair of runs exists.
    Exists,
    /// No such run or pair of runs exists.
    Never,
    /// A limit or an interruption ended the search.
    Unsettled(Stop),
}

impl From<Answer> for Judgement {
    fn from(answer: Answer) -> Judgement {
        match answer {
            Answer::Possible => Judgement::Exists,
            Answer::Impossible => Judgement::Never,
            Answer::Undecided(stop) => Judgement::Unsettled(stop),
        }
    }
}

/// Whether the variant has a run on `inputs` with `outputs`: `outputs` in R(Ī). Each step of `inputs` has one bool per circuit input, of
/// which only test inputs count; each step of `outputs` has one bool per circuit output.
#[must_use]
pub fn produces(
    model: &ConditionalMutant,
    variant: Variant,
    inputs: &[Vec<bool>],
    outputs: &[Vec<bool>],
    budget: &Budget,
) -> Judgement {
    // Building the product may take longer than solving it.
    if let Some(stop) = budget.stopped() {
        return Judgement::Unsettled(stop);
    }
    let product = single(model, variant);
    match FixedInputs::of_one_copy(model, &product, inputs, outputs, budget) {
        Ok(mut fixed) => fixed.solve(None, budget),
        Err(stop) => Judgement::Unsettled(stop),
    }
}

fn single(model: &ConditionalMutant, variant: Variant) -> Product {
    Product::new(model, &[CopySpec::alone(variant)])
}

/// Returns a run of this variant that accepts all inputs and whose outputs begin with `outputs`; `None` if there is none or a limit stops
/// the search.
#[must_use]
pub fn run_of(
    model: &ConditionalMutant,
    variant: Variant,
    inputs: &[Vec<bool>],
    outputs: &[Vec<bool>],
    budget: &Budget,
) -> Option<Stimulus> {
    if budget.stopped().is_some() {
        return None;
    }
    let product = single(model, variant);
    let mut fixed = FixedInputs::of_one_copy(model, &product, inputs, outputs, budget).ok()?;
    match fixed.solve(None, budget) {
        Judgement::Exists => Some(fixed.read(inputs)),
        Judgement::Never | Judgement::Unsettled(_) => None,
    }
}

/// Returns a run of the original on these inputs that agrees with `outputs` for as many steps as possible, cut after the first different
/// step. `None` if the original refuses the inputs or can agree to the end, or if a limit stopped the search.
#[must_use]
pub fn closest_run(
    model: &ConditionalMutant,
    inputs: &[Vec<bool>],
    outputs: &[Vec<bool>],
    budget: &Budget,
) -> Option<Stimulus> {
    // Bisection finds the longest common prefix: if `n` steps can agree, so can fewer.
    let (mut agree, mut differ) = (0, outputs.len());
    if produces(model, Variant::Original, inputs, outputs, budget) != Judgement::Never {
        return None;
    }
    while agree + 1 < differ {
        let middle = agree.midpoint(differ);
        match produces(
            model,
            Variant::Original,
            &inputs[..middle],
            &outputs[..middle],
            budget,
        ) {
            Judgement::Exists => agree = middle,
            Judgement::Never => differ = middle,
            Judgement::Unsettled(_) => return None,
        }
    }
    run_of(
        model,
        Variant::Original,
        &inputs[..differ],
        &outputs[..agree],
        budget,
    )
}

/// Whether the variant has a run on these inputs, so that it accepts them: R(Ī) is not empty.
#[must_use]
pub fn accepts(
    model: &ConditionalMutant,
    variant: Variant,
    inputs: &[Vec<bool>],
    budget: &Budget,
) -> Judgement {
    let nothing: Vec<Vec<bool>> = vec![Vec::new(); inputs.len()];
    produces(model, variant, inputs, &nothing, budget)
}

/// Whether R_o(Ī) and R_m(Ī) have an output sequence in common. `Never`, for a mutant that accepts Ī, means a definite kill. Few joint
/// states after the inputs are listed; otherwise a solver is asked. `Unsettled` if the solver exceeds its limit of conflicts.
#[must_use]
pub fn can_agree(
    model: &ConditionalMutant,
    mutant: SelectorId,
    inputs: &[Vec<bool>],
    conflicts: Option<u32>,
    budget: &Budget,
) -> Judgement {
    // These planted faults affect the solver's question only.
    let asks_solver =
        fault::planted(Fault::JudgedWithCommonChoices) || fault::planted(Fault::JudgedFromZero);
    let listed = match asks_solver {
        true => None,
        false => stepping::can_agree(model, mutant, inputs, budget),
    };
    match listed {
        Some(true) => Judgement::Exists,
        Some(false) => Judgement::Never,
        None => agrees_by_solver(model, mutant, inputs, conflicts, budget),
    }
}

/// Decides [`can_agree`] by a solver alone.
pub(crate) fn agrees_by_solver(
    model: &ConditionalMutant,
    mutant: SelectorId,
    inputs: &[Vec<bool>],
    conflicts: Option<u32>,
    budget: &Budget,
) -> Judgement {
    if let Some(stop) = budget.stopped() {
        return Judgement::Unsettled(stop);
    }
    let specs = [
        CopySpec::alone(Variant::Original),
        CopySpec {
            variant: Variant::Mutant(mutant),
            inputs_of: Some(0),
            choices_of: fault::planted(Fault::JudgedWithCommonChoices).then_some(0),
        },
    ];
    let mut product = Product::new(model, &specs);
    let pairs: Vec<(Lit, Lit)> = product.copies[0]
        .outputs
        .iter()
        .copied()
        .zip(product.copies[1].outputs.iter().copied())
        .collect();
    let mut roots: Vec<Lit> = product.copies.iter().map(|copy| copy.valid).collect();
    for (a, b) in pairs {
        let same = product.aig.iff(a, b);
        roots.push(same);
    }
    let mut fixed = match FixedInputs::new(model, &product, &roots, inputs, budget) {
        Ok(fixed) => fixed,
        Err(stop) => return Judgement::Unsettled(stop),
    };
    for step in 0..inputs.len() {
        if let Some(stop) = budget.stopped() {
            return Judgement::Unsettled(stop);
        }
        for &root in &roots {
            fixed.require(step, root, true);
        }
    }
    fixed.solve(conflicts, budget)
}

/// A product unrolled from reset in a solver, with the test inputs fixed.
struct FixedInputs<'a> {
    product: &'a Product,
    unroller: Unroller<'a>,
    encoder: Encoder<Cadical>,
}

impl<'a> FixedInputs<'a> {
    fn new(
        model: &ConditionalMutant,
        product: &'a Product,
        roots: &[Lit],
        inputs: &[Vec<bool>],
        budget: &Budget,
    ) -> Result<FixedInputs<'a>, Stop> {
        let mut fixed = FixedInputs {
            product,
            unroller: Unroller::new(product, roots, Start::Reset),
            encoder: Encoder::new(Cadical::new()),
        };
        for step in 0..inputs.len() {
            budget.check()?;
            fixed.unroller.extend_to(step + 1);
        }
        if fault::planted(Fault::JudgedFromZero) {
            for latch in product.aig.latches() {
                if latch.reset == Reset::Free {
                    fixed.require(0, latch.var.lit(), false);
                }
            }
        }
        for (step, values) in inputs.iter().enumerate() {
            budget.check()?;
            for bit in model.input_bits() {
                for copy in &product.copies {
                    if let Some(lit) = copy.inputs[bit] {
                        fixed.require(step, lit, values[bit]);
                    }
                }
            }
        }
        Ok(fixed)
    }

    /// Returns the unrolling of a product with one copy that survives all steps and whose outputs begin with `outputs`.
    fn of_one_copy(
        model: &ConditionalMutant,
        product: &'a Product,
        inputs: &[Vec<bool>],
        outputs: &[Vec<bool>],
        budget: &Budget,
    ) -> Result<FixedInputs<'a>, Stop> {
        let copy = &product.copies[0];
        let mut roots = copy.outputs.clone();
        roots.push(copy.valid);
        let mut fixed = FixedInputs::new(model, product, &roots, inputs, budget)?;
        for step in 0..inputs.len() {
            fixed.require(step, copy.valid, true);
        }
        for (step, wanted) in outputs.iter().enumerate() {
            budget.check()?;
            for (&output, &value) in copy.outputs.iter().zip(wanted) {
                fixed.require(step, output, value);
            }
        }
        Ok(fixed)
    }

    /// Returns the run of the only copy in the solver's assignment; unread test inputs keep their given values.
    fn read(&mut self, inputs: &[Vec<bool>]) -> Stimulus {
        let aig = &self.product.aig;
        let copy = &self.product.copies[0];
        let mut steps = inputs.to_vec();
        for (step, values) in steps.iter_mut().enumerate() {
            for (bit, value) in values.iter_mut().enumerate() {
                if let Some(lit) = copy.inputs[bit]
                    && self.unroller.contains(lit.var())
                {
                    *value = self.encoder.gate_value(self.unroller.at(step, lit));
                }
            }
        }
        let initial = copy.latches.iter().map(|&latch| {
            let lit = latch.map(|i| aig.latches()[i].var.lit());
            lit.filter(|lit| self.unroller.contains(lit.var()))
                .is_some_and(|lit| self.encoder.gate_value(self.unroller.at(0, lit)))
        });
        Stimulus {
            initial: initial.collect(),
            steps,
        }
    }

    fn require(&mut self, step: usize, lit: Lit, value: bool) {
        if self.unroller.contains(lit.var()) {
            let lit = self.unroller.at(step, lit) ^ !value;
            self.encoder.require(&self.unroller.graph, &[lit]);
        }
    }

    fn solve(&mut self, conflicts: Option<u32>, budget: &Budget) -> Judgement {
        self.encoder.solve(&[], conflicts, budget).into()
    }
}
