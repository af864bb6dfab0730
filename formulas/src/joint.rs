//! Traces side by side: what runs of copies of a model must satisfy so that a formula with existential traces holds of them.
//!
//! The copies are a product ([`hyperkill_core::product`]), what the formula says of them are monitors ([`crate::monitor`]) in the same
//! circuit. The formula holds of infinite traces iff the circuit has an infinite run that keeps all constraints and meets all conditions
//! again and again; [`hyperkill_core::liveness`] asks that as reachability.
//!
//! What is fixed of traces at every step (which variant each is, whose inputs it has) is built into the copies, exactly as it is for the
//! killing shape ([`crate::compose`]).

use hyperkill_core::aig::{Node, Reset, Signal};
use hyperkill_core::liveness::FairRuns;
use hyperkill_core::product::{CopySpec, Product};
use hyperkill_core::trace::Stimulus;
use hyperkill_core::{ConditionalMutant, Lit, SelectorId};

use crate::ast::{Atom, Formula, Ltl, TraceVar};
use crate::compose::specifications;
use crate::error::ComposeError;
use crate::fragment::Fragment;
use crate::lower::{Lowering, reads};
use crate::monitor::{Builder, Demands, Temporal};

/// Existential traces and what they must satisfy.
#[derive(Clone, Debug)]
pub struct Joint {
    /// The copies, one per trace variable; monitors' latches and inputs come after theirs.
    pub product: Product,
    /// The variable of each copy.
    pub traces: Vec<TraceVar>,
    /// What each copy was made from.
    pub specs: Vec<CopySpec>,
    /// What runs must satisfy, constraints of the copies included.
    pub demands: Demands,
    /// Latches of the copies; those of monitors come after them.
    pub latches_of_copies: usize,
}

/// The size of a monitor.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Size {
    /// Its latches.
    pub latches: usize,
    /// Its inputs: none means that it is deterministic.
    pub choices: usize,
    /// What must be met again and again: nothing means that the formula is a safety property of these traces.
    pub justice: usize,
}

impl Joint {
    /// Composes a formula whose traces are all existential; `mut` in it means this mutant.
    ///
    /// # Errors
    /// If some trace is universal, or the formula speaks of what the model does not have.
    pub fn new(
        model: &ConditionalMutant,
        mutant: SelectorId,
        formula: &Formula,
    ) -> Result<Joint, ComposeError> {
        match Fragment::of(formula) {
            Fragment::Exists | Fragment::Empty => {}
            other => return Err(ComposeError::UnsupportedPrefix(other)),
        }
        let specs = specifications(model, mutant, formula)?;
        let traces: Vec<TraceVar> = formula.prefix.iter().map(|(_, t)| t.clone()).collect();
        let mut question = Question::new(model, specs, traces, &formula.body)?;
        let body = question.temporal(&formula.body, true)?;
        let valid: Vec<Lit> = (question.product.copies.iter())
            .map(|copy| copy.valid)
            .collect();
        question.always(&valid);
        question.require(&body);
        Ok(question.finish())
    }

    /// How large the monitor is.
    #[must_use]
    pub fn size(&self) -> Size {
        Size {
            latches: self.product.aig.latches().len() - self.latches_of_copies,
            choices: self.demands.choices.len(),
            justice: self.demands.justice.len(),
        }
    }

    /// The circuit by itself, with its constraints and what must be met again and again.
    #[must_use]
    pub fn fair_runs(&self) -> FairRuns {
        let mut aig = self.product.aig.clone();
        let always = self.demands.always.iter();
        aig.constraints = always
            .filter(|&&lit| lit != Lit::TRUE)
            .map(|&lit| Signal { lit, name: None })
            .collect();
        FairRuns {
            aig,
            justice: self.demands.justice.clone(),
        }
    }

    /// What one copy does in a run of the whole: its free initial values and its inputs, in the model's own order.
    #[must_use]
    pub fn run_of(&self, copy: usize, run: &Stimulus) -> Stimulus {
        let aig = &self.product.aig;
        let parts = &self.product.copies[copy];
        let value = |lit: Lit, step: &[bool]| match aig.node(lit.var()) {
            Node::Input(input) => {
                step.get(input as usize).copied().unwrap_or(false) ^ lit.is_negated()
            }
            _ => lit == Lit::TRUE,
        };
        let initial = parts.latches.iter().map(|latch| match latch {
            Some(latch) => match aig.latches()[*latch].reset {
                Reset::Free => run.initial.get(*latch).copied().unwrap_or(false),
                Reset::One => true,
                Reset::Zero => false,
            },
            None => false,
        });
        let steps = run.steps.iter().map(|step| {
            let inputs = parts.inputs.iter();
            inputs
                .map(|input| input.is_some_and(|lit| value(lit, step)))
                .collect()
        });
        Stimulus {
            initial: initial.collect(),
            steps: steps.collect(),
        }
    }
}

/// Copies of a model, and monitors that are being built of what is said of them.
pub struct Question<'m> {
    model: &'m ConditionalMutant,
    /// The copies so far.
    pub product: Product,
    specs: Vec<CopySpec>,
    traces: Vec<TraceVar>,
    latches_of_copies: usize,
    state: State,
}

/// What a [`Builder`] keeps between its uses.
#[derive(Default)]
struct State {
    pending: Vec<Temporal>,
    always: Vec<Lit>,
    past: Vec<(Ltl, Lit)>,
}

impl<'m> Question<'m> {
    /// Copies by these specifications, which contain all that formulas over these traces read.
    ///
    /// # Errors
    /// If `said` reads what the model does not have.
    pub fn new(
        model: &'m ConditionalMutant,
        specs: Vec<CopySpec>,
        traces: Vec<TraceVar>,
        said: &Ltl,
    ) -> Result<Question<'m>, ComposeError> {
        let product = product_of(model, &specs, said)?;
        Ok(Question {
            model,
            latches_of_copies: product.aig.latches().len(),
            product,
            specs,
            traces,
            state: State::default(),
        })
    }

    /// A formula over the traces, with literals for what speaks of one step.
    ///
    /// # Errors
    /// If the formula speaks of what the model does not have.
    pub fn temporal(&mut self, formula: &Ltl, positive: bool) -> Result<Temporal, ComposeError> {
        // The builder makes circuits of the past; the lowering makes literals of what is instantaneous.
        let Question {
            model,
            product,
            traces,
            state,
            ..
        } = self;
        let mut leaf = |formula: &Ltl| past(model, product, traces, &mut state.past, formula);
        Temporal::of(formula, positive, &mut leaf)
    }

    /// Demands literals at every step.
    pub fn always(&mut self, lits: &[Lit]) {
        self.state.always.extend(lits);
    }

    /// Demands that a formula holds at the first step.
    pub fn require(&mut self, formula: &Temporal) {
        self.state.pending.push(formula.clone());
    }

    /// The copies with monitors of all that was demanded.
    #[must_use]
    pub fn finish(mut self) -> Joint {
        let mut builder = Builder::new(&mut self.product.aig);
        for formula in &self.state.pending {
            builder.require(formula);
        }
        let mut demands = builder.demands;
        demands.always.extend(self.state.always);
        demands.always.sort_unstable();
        demands.always.dedup();
        Joint {
            product: self.product,
            traces: self.traces,
            specs: self.specs,
            demands,
            latches_of_copies: self.latches_of_copies,
        }
    }
}

/// The literal of a formula about the present and the past; `None` if it is about the future.
fn past(
    model: &ConditionalMutant,
    product: &mut Product,
    traces: &[TraceVar],
    known: &mut Vec<(Ltl, Lit)>,
    formula: &Ltl,
) -> Result<Option<Lit>, ComposeError> {
    if is_about_the_future(formula) {
        return Ok(None);
    }
    if formula.past_depth() == 0 {
        let mut lowering = Lowering {
            model,
            traces,
            product,
        };
        return lowering.literal(formula).map(Some);
    }
    if let Some((_, lit)) = known.iter().find(|(said, _)| said == formula) {
        return Ok(Some(*lit));
    }
    let operands = formula.operands().into_iter();
    let operands: Result<Vec<Option<Lit>>, ComposeError> = operands
        .map(|operand| past(model, product, traces, known, operand))
        .collect();
    let operands: Option<Vec<Lit>> = operands?.into_iter().collect();
    let Some(operands) = operands else {
        return Ok(None);
    };
    let lit = Builder::new(&mut product.aig).of_past(formula, &operands);
    known.extend(lit.map(|lit| (formula.clone(), lit)));
    Ok(lit)
}

fn is_about_the_future(formula: &Ltl) -> bool {
    let own = match formula {
        Ltl::Unary(op, _) => !op.is_past() && *op != crate::ast::UnaryOp::Not,
        Ltl::Binary(op, ..) => !op.is_past() && !op.is_instantaneous(),
        _ => false,
    };
    own || formula.operands().into_iter().any(is_about_the_future)
}

/// Copies that contain what a formula reads and what constraints do, and no more.
fn product_of(
    model: &ConditionalMutant,
    specs: &[CopySpec],
    said: &Ltl,
) -> Result<Product, ComposeError> {
    let mut read = Vec::new();
    let mut all_outputs = false;
    for atom in said.atoms() {
        all_outputs |= matches!(atom, Atom::OutputsEqual(..));
        read.extend(reads(model, atom)?);
    }
    // The copier keeps the cone of the outputs, so these are what is read.
    let mut observed = model.clone();
    let outputs = observed.aig.outputs.len();
    if !all_outputs {
        for output in &mut observed.aig.outputs {
            output.lit = Lit::FALSE;
        }
    }
    let extra = read.iter().map(|&lit| Signal { lit, name: None });
    observed.aig.outputs.extend(extra);
    let mut product = Product::new(&observed, specs);
    for copy in &mut product.copies {
        copy.outputs.truncate(outputs);
    }
    Ok(product)
}
