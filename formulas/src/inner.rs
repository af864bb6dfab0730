//! The inner question of a formula ∃*∀*: which traces of the universal variables refute given traces of the existential variables.
//!
//! The copies of all traces run in parallel with a monitor of the negated body. Inputs and latches of existential traces are *outer*: they
//! are given. Inputs and latches of universal traces and of the monitor are *inner*. They form a nondeterministic automaton with justice
//! conditions, which reads outer traces and accepts exactly the refuted ones.

use hyperkill_core::aig::{Cone, Node};
use hyperkill_core::liveness::FairRuns;
use hyperkill_core::{Aig, ConditionalMutant, Lit, SelectorId};

use crate::ast::{Formula, Quantifier, TraceVar};
use crate::error::ComposeError;
use crate::fragment::Fragment;
use crate::joint::{Joint, Question};
use crate::semantics::Traces;

/// The inputs and latches of some of the traces in a circuit, by index and ascending, restricted to the cone of influence of the question.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Side {
    /// The indices of the inputs.
    pub inputs: Vec<usize>,
    /// The indices of the latches.
    pub latches: Vec<usize>,
}

/// The inner question of a formula ∃*∀* as a circuit: which universal traces refute given existential traces.
#[derive(Clone, Debug)]
pub struct Inner {
    /// All traces and the monitor of the negated body, with the constraints of the universal traces and of the monitor.
    pub joint: Joint,
    /// The circuit with its constraints, and the justice conditions.
    pub runs: FairRuns,
    /// The inputs and latches of the existential traces, which are given.
    pub outer: Side,
    /// The inputs and latches of the universal traces and of the monitor.
    pub inner: Side,
    /// The constraints of the existential traces: literals that must hold at every step.
    pub exists: Vec<Lit>,
    /// Pairs of latches of the existential traces that share one free first value.
    pub equal: Vec<(usize, usize)>,
    /// For finite traces: the index of the outer latch that is true before they end. Outer traces that never end need not be refuted.
    pub alive: Option<usize>,
}

impl Inner {
    /// Returns the inner question of a formula ∃*∀*; `mut` in it means this mutant. With finite traces, an added input ends all traces.
    ///
    /// # Errors
    /// If the prefix is another one, the variant of a trace is not fixed, or the formula mentions names that the model does not have.
    pub fn new(
        model: &ConditionalMutant,
        mutant: SelectorId,
        formula: &Formula,
        reading: Traces,
    ) -> Result<Inner, ComposeError> {
        match Fragment::of(formula) {
            Fragment::ExistsForall | Fragment::Exists | Fragment::Forall => {}
            other => return Err(ComposeError::UnsupportedPrefix(other)),
        }
        let specs = Joint::specifications(model, mutant, formula)?;
        let prefix = formula.prefix.iter();
        let existential = prefix.take_while(|(q, _)| *q == Quantifier::Exists).count();
        let traces = formula.prefix.iter();
        let traces: Vec<TraceVar> = traces.map(|(_, trace)| trace.clone()).collect();
        let mut question = Question::new(model, specs, traces, &formula.body)?;
        let end = (reading == Traces::Finite).then(|| question.end_by_input());
        if end.is_some() {
            question.rest_at_the_end();
        }
        let refuted = question.temporal(&formula.body, false)?;
        let (given, answers) = question.product.copies.split_at(existential);
        let exists: Vec<Lit> = given.iter().map(|copy| copy.valid).collect();
        let valid: Vec<Lit> = answers.iter().map(|copy| copy.valid).collect();
        let inputs = given.iter().flat_map(|copy| copy.inputs.iter().flatten());
        let aig = &question.product.aig;
        let inputs = inputs.filter_map(|lit| match aig.node(lit.var()) {
            Node::Input(input) => Some(input as usize),
            _ => None,
        });
        let inputs: Vec<usize> = inputs.chain(end.map(|(input, _)| input)).collect();
        let latches = given.iter().flat_map(|copy| copy.latches.iter().flatten());
        let alive = end.map(|(_, latch)| latch);
        let latches: Vec<usize> = latches.copied().chain(alive).collect();
        let mut equal = question.product.initially_equal.clone();
        equal.retain(|(one, other)| latches.contains(one) && latches.contains(other));
        let exists = question.while_alive(&exists);
        question.always(&valid);
        question.require(&refuted);
        let joint = question.finish();
        let runs = joint.fair_runs();
        let roots = joint.demands.always.iter().chain(&joint.demands.justice);
        let roots = roots.chain(&exists).copied();
        let alive_now = alive.map(|latch| runs.aig.latches()[latch].var.lit());
        let cone = Cone::sequential(&runs.aig, roots.chain(alive_now));
        let (outer, inner) = sides(&runs.aig, &cone, &inputs, &latches);
        Ok(Inner {
            joint,
            runs,
            outer,
            inner,
            exists,
            equal,
            alive,
        })
    }
}

/// Divides the inputs and latches in the cone: the first result has those in `inputs` and `latches`, the second the others.
fn sides(aig: &Aig, cone: &Cone, inputs: &[usize], latches: &[usize]) -> (Side, Side) {
    let all = |given: bool| Side {
        inputs: (aig.inputs().iter().enumerate())
            .filter(|(index, input)| cone.contains(input.var) && inputs.contains(index) == given)
            .map(|(index, _)| index)
            .collect(),
        latches: (aig.latches().iter().enumerate())
            .filter(|(index, latch)| cone.contains(latch.var) && latches.contains(index) == given)
            .map(|(index, _)| index)
            .collect(),
    };
    (all(true), all(false))
}
