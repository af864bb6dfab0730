//! Checks verdicts on formulas of prefix ∃*∀*: witness traces for the existential quantifiers if a formula holds, and the statement about
//! universal traces that copy choices of others if it fails.
//!
//! The semantics of the formula is taken from its text ([`Shape`]), atom by atom, and never from the engines' composition.

use hyperkill_core::aig::Reset;
use hyperkill_core::budget::Budget;
use hyperkill_core::product::{CopySpec, Variant};
use hyperkill_core::trace::Stimulus;
use hyperkill_core::{ConditionalMutant, SelectorId};
use hyperkill_evidence::answer::{Beyond, Witness};
use hyperkill_evidence::fault;
use hyperkill_evidence::question::{Composed, Question};
use hyperkill_formulas::ast::{Atom, Quantifier};
use hyperkill_formulas::shape::{Shape, Signed};
use hyperkill_formulas::{Formula, Traces};
use hyperkill_sat::{Answer, Lit as SatLit, Solver};

use super::CertifyError;
use super::atoms::{Moment, wires};
use super::naive::{Naive, Start, equal};
use super::path_state::{latches_behind, state_latches_of};

/// Checks a witness. Its traces exist, as infinite traces if they must be, and satisfy the part of `formula` about existential traces.
/// Every choice of universal traces fulfils the rest of `formula` within `decided` steps or breaks a constraint. Finite traces end with
/// these steps.
///
/// # Errors
/// [`CertifyError::Witness`] with the condition that fails.
pub fn certify_witness(
    model: &ConditionalMutant,
    mutant: SelectorId,
    formula: &Formula,
    traces: Traces,
    witness: &Witness,
    budget: &Budget,
) -> Result<(), CertifyError> {
    if fault::evidence_is_believed() {
        return Ok(());
    }
    let composed = statement(model, mutant, formula, witness)?;
    let steps = steps_of(model, traces, witness)?;
    let question = Question::Composed(composed.clone());
    let claim = Claim {
        model,
        composed: &composed,
        question: &question,
        witness,
    };
    claim.holds_within(steps, budget)?;
    match witness.beyond {
        Beyond::Anything => claim.never_ends(budget),
        Beyond::Nothing | Beyond::Loop(_) => Ok(()),
    }
}

/// Checks that no traces of this many steps, of any variants, satisfy the part of `formula` about existential traces and their constraints.
/// Then the formula fails over infinite traces.
///
/// # Errors
/// [`CertifyError::Witness`] if there may be such traces.
pub fn certify_end(
    model: &ConditionalMutant,
    mutant: SelectorId,
    formula: &Formula,
    steps: usize,
    budget: &Budget,
) -> Result<(), CertifyError> {
    if fault::evidence_is_believed() {
        return Ok(());
    }
    let alone = CopySpec::alone(Variant::Original);
    let composed = Composed {
        formula: formula.clone(),
        mutant,
        copies: vec![alone; formula.prefix.len()],
    };
    check_statement(model, &composed)?;
    let question = Question::Composed(composed.clone());
    let mut naive = Naive::new(model, &question, Start::First);
    let mut due = Vec::new();
    for step in 0..steps {
        budget.check().map_err(CertifyError::Stopped)?;
        naive.push_step();
        due.extend(required(&mut naive, &composed, step));
    }
    let met = naive.all(&due);
    exclude(
        &mut naive,
        met,
        budget,
        "the bound is not proved: traces of this length exist",
    )
}

fn wrong(what: &'static str) -> CertifyError {
    CertifyError::Witness(what)
}

/// Returns the claim of a witness as a question: the formula over the variants of its traces. Refused unless the traces of the witness are
/// exactly the existential ones.
fn statement(
    model: &ConditionalMutant,
    mutant: SelectorId,
    formula: &Formula,
    witness: &Witness,
) -> Result<Composed, CertifyError> {
    let existential = witness.runs.len();
    let alone = |variant| CopySpec::alone(variant);
    let mut copies: Vec<CopySpec> = witness.variants.iter().copied().map(alone).collect();
    if copies.len() != existential {
        return Err(wrong(
            "the number of traces is not the number of existential trace variables",
        ));
    }
    copies.resize(formula.prefix.len(), alone(Variant::Original));
    let composed = Composed {
        formula: formula.clone(),
        mutant,
        copies,
    };
    check_statement(model, &composed)?;
    if (0..formula.prefix.len()).any(|trace| composed.is_universal(trace) != (trace >= existential))
    {
        return Err(wrong(
            "a trace is existential where its quantifier is universal, or the reverse",
        ));
    }
    Ok(composed)
}

/// Returns the number of steps, which is the same for all traces of a witness. Refused if they do not fit the circuit, or if their ends
/// contradict their kind.
fn steps_of(
    model: &ConditionalMutant,
    traces: Traces,
    witness: &Witness,
) -> Result<usize, CertifyError> {
    let first = witness.runs.first();
    let total = first.map_or(witness.decided, |run| run.steps.len());
    let inputs = model.aig.inputs().len();
    let fits = |run: &Stimulus| {
        run.steps.len() == total
            && run.initial.len() == model.aig.latches().len()
            && run.steps.iter().all(|step| step.len() == inputs)
    };
    if !witness.runs.iter().all(fits) || witness.decided > total || witness.decided == 0 {
        return Err(wrong(
            "a trace does not fit the circuit, or has another length",
        ));
    }
    match (traces, witness.beyond) {
        (Traces::Finite, Beyond::Nothing) if witness.decided == total => Ok(total),
        (Traces::Finite, _) => Err(wrong(
            "finite traces have a loop, or another length than the evidence says",
        )),
        (Traces::Infinite, Beyond::Nothing) => Err(wrong(
            "the traces are finite, and the question is about infinite ones",
        )),
        (Traces::Infinite, Beyond::Loop(back)) if back >= total => {
            Err(wrong("the loop of the traces begins after their end"))
        }
        (Traces::Infinite, Beyond::Loop(_) | Beyond::Anything) => Ok(total),
    }
}

/// The claim that the traces of a witness satisfy a formula.
#[derive(Clone, Copy)]
struct Claim<'a> {
    model: &'a ConditionalMutant,
    composed: &'a Composed,
    /// `composed` as the question for which naive products are built.
    question: &'a Question,
    witness: &'a Witness,
}

impl<'a> Claim<'a> {
    /// Checks the first `total` steps: the traces exist, satisfy the part of the formula about them and close their loop. No universal
    /// traces keep their constraints without fulfilling the formula.
    fn holds_within(&self, total: usize, budget: &Budget) -> Result<(), CertifyError> {
        let mut naive = Naive::new(self.model, self.question, Start::First);
        // The step after the last one gives the state that the loop must close in.
        for _ in 0..=total {
            naive.push_step();
        }
        fix_variants(&mut naive, self.composed.mutant, self.witness);
        feed(&mut naive, &self.witness.runs);
        let mut due = Vec::new();
        for step in 0..total {
            budget.check().map_err(CertifyError::Stopped)?;
            due.extend(required(&mut naive, self.composed, step));
        }
        if let Beyond::Loop(back) = self.witness.beyond {
            due.extend(self.closing_the_loop(&mut naive, total, back));
        }
        let met = naive.all(&due);
        exclude(
            &mut naive,
            !met,
            budget,
            "the traces break a constraint or the formula, or do not close their loop",
        )?;
        // The universal traces keep their constraints, and the formula is unfulfilled.
        let mut refuted = Vec::new();
        for step in 0..self.witness.decided {
            refuted.push(!goal(&mut naive, self.composed, step));
        }
        let refuted = naive.all(&refuted);
        exclude(
            &mut naive,
            refuted,
            budget,
            "universal traces refute the existential ones",
        )
    }

    /// Returns the condition that closes the loop, as literals: the existential traces at step `total` are in their states of step `back`.
    fn closing_the_loop(&self, naive: &mut Naive<'a>, total: usize, back: usize) -> Vec<SatLit> {
        let mut due = Vec::new();
        for (copy, &variant) in self.witness.variants.iter().enumerate() {
            for latch in deciding(self.model, &self.composed.formula, variant) {
                let node = self.model.aig.latches()[latch].var;
                let (now, then) = (naive.node(total, copy, node), naive.node(back, copy, node));
                due.push(naive.same(now, then));
            }
        }
        due
    }

    /// Checks that a step of the existential traces that meets all requirements is possible from all states and under all common inputs.
    fn never_ends(&self, budget: &Budget) -> Result<(), CertifyError> {
        let mut naive = Naive::new(self.model, self.question, Start::Later);
        naive.push_step();
        fix_variants(&mut naive, self.composed.mutant, self.witness);
        for copy in 1..self.witness.runs.len() {
            for bit in self.model.input_bits() {
                let node = self.model.aig.inputs()[bit].var;
                let (first, own) = (naive.node(0, 0, node), naive.node(0, copy, node));
                equal(&mut naive.solver, first, own);
            }
        }
        let due = required(&mut naive, self.composed, 0);
        let met = naive.all(&due);
        exclude(
            &mut naive,
            !met,
            budget,
            "the existential traces may end: a state has no allowed step",
        )
    }
}

/// Returns the requirements on a step of the existential traces, as literals: the part of the formula about them, and their constraints.
fn required(naive: &mut Naive<'_>, composed: &Composed, step: usize) -> Vec<SatLit> {
    let mut due = asserted(naive, composed, step);
    for copy in (0..composed.copies.len()).filter(|&copy| !composed.is_universal(copy)) {
        let constraints = naive.model.aig.constraints.iter();
        due.extend(constraints.map(|constraint| naive.lit(step, copy, constraint.lit)));
    }
    due
}

/// Returns the latches of a trace of this variant on which outputs, constraints and the formula depend. If these latches are equal at both
/// ends of a loop, every round of the loop shows the same outputs.
#[must_use]
pub fn leading_back(model: &ConditionalMutant, formula: &Formula, variant: Variant) -> Vec<usize> {
    state_latches_of(model, &wires(model, formula), variant)
}

/// Returns the latches of a trace of this variant on which constraints and the formula depend. If these latches are equal at both ends of
/// a loop, every round of the loop looks the same to the formula. Outputs that the formula does not mention may differ between rounds.
#[must_use]
pub fn deciding(model: &ConditionalMutant, formula: &Formula, variant: Variant) -> Vec<usize> {
    let mut named = wires(model, formula);
    let mut atoms = formula.body.atoms().into_iter();
    if atoms.any(|atom| matches!(atom, Atom::OutputsEqual(..))) {
        named.extend(model.aig.outputs.iter().map(|output| output.lit));
    }
    latches_behind(model, &named, variant)
}

/// Fixes the selector in the first copies of the product, so that they are of the variants of the witness's traces.
fn fix_variants(naive: &mut Naive<'_>, mutant: SelectorId, witness: &Witness) {
    let model = naive.model;
    let Some(selector) = model.selectors.get(mutant.0) else {
        return;
    };
    let node = model.aig.latches()[selector.latch].var;
    for (copy, variant) in witness.variants.iter().enumerate() {
        let lit = naive.node(0, copy, node);
        let on = *variant == Variant::Mutant(mutant);
        naive.solver.add_clause(&[if on { lit } else { !lit }]);
    }
}

/// Fixes the initial values and inputs of the first copies of the product to those of the runs.
fn feed(naive: &mut Naive<'_>, runs: &[Stimulus]) {
    let model = naive.model;
    let selectors = model.selector_of_latch();
    let mut given = Vec::new();
    for (copy, run) in runs.iter().enumerate() {
        for (i, latch) in model.aig.latches().iter().enumerate() {
            if latch.reset == Reset::Free && selectors[i].is_none() {
                let lit = naive.node(0, copy, latch.var);
                given.push(if run.initial[i] { lit } else { !lit });
            }
        }
        for (step, values) in run.steps.iter().enumerate() {
            for (input, &value) in model.aig.inputs().iter().zip(values) {
                let lit = naive.node(step, copy, input.var);
                given.push(if value { lit } else { !lit });
            }
        }
    }
    for lit in given {
        naive.solver.add_clause(&[lit]);
    }
}

fn exclude(
    naive: &mut Naive<'_>,
    lit: SatLit,
    budget: &Budget,
    otherwise: &'static str,
) -> Result<(), CertifyError> {
    match naive.solve(&[lit], budget) {
        Answer::Impossible => Ok(()),
        Answer::Possible => Err(CertifyError::Witness(otherwise)),
        Answer::Undecided(stop) => Err(CertifyError::Stopped(stop)),
    }
}

/// Checks that the statement is well formed. The formula is ∃*∀* of the killing shape, its names exist in the model, traces copy earlier
/// ones only, and the part about existential traces mentions no others.
pub(super) fn check_statement(
    model: &ConditionalMutant,
    composed: &Composed,
) -> Result<(), CertifyError> {
    let broken = CertifyError::Broken("statement");
    let prefix = &composed.formula.prefix;
    let alternates = prefix
        .windows(2)
        .any(|w| (w[0].0, w[1].0) == (Quantifier::Forall, Quantifier::Exists));
    let copies = composed.copies.iter().enumerate();
    let mut forward =
        copies.flat_map(|(i, spec)| [spec.inputs_of, spec.choices_of].map(|of| (i, of)));
    let Ok(shape) = Shape::of(&composed.formula.body) else {
        return Err(broken);
    };
    let of_existential = |signed: &Signed<'_>| {
        let atoms = signed.formula.atoms();
        let mut traces = atoms.into_iter().flat_map(|atom| atom.traces());
        traces.all(|trace| {
            let position = composed.formula.position(trace);
            position.is_some_and(|position| !composed.is_universal(position))
        })
    };
    if alternates
        || prefix.len() != composed.copies.len()
        || forward.any(|(i, of)| of.is_some_and(|of| of >= i))
        || !shape.asserted.iter().all(of_existential)
    {
        return Err(broken);
    }
    // All atoms are defined at a step.
    let question = Question::Composed(composed.clone());
    let mut naive = Naive::new(model, &question, Start::Later);
    naive.push_step();
    let moment = Moment {
        formula: &composed.formula,
        mutant: composed.mutant,
        step: 0,
    };
    let mut said = shape.asserted.iter().chain(shape.eventual.iter().flatten());
    if said.all(|signed| moment.says(&mut naive, signed.formula).is_some()) {
        Ok(())
    } else {
        Err(broken)
    }
}

/// Returns the part of the formula about existential traces at a step, as literals. The statement must have been checked.
pub(super) fn asserted(naive: &mut Naive<'_>, composed: &Composed, step: usize) -> Vec<SatLit> {
    let shape = Shape::of(&composed.formula.body);
    let asserted = shape.map(|shape| shape.asserted).unwrap_or_default();
    literals(naive, composed, step, &asserted)
}

/// Returns a literal that is true iff at this step the formula's eventuality holds, or a universal trace breaks a constraint.
pub(super) fn goal(naive: &mut Naive<'_>, composed: &Composed, step: usize) -> SatLit {
    let shape = Shape::of(&composed.formula.body);
    let mut reasons = match shape.map(|shape| shape.eventual) {
        Ok(Some(parts)) => literals(naive, composed, step, &parts),
        Ok(None) | Err(_) => vec![naive.truth],
    };
    for copy in (0..composed.copies.len()).filter(|&copy| composed.is_universal(copy)) {
        let constraints = naive.model.aig.constraints.iter();
        reasons.extend(constraints.map(|constraint| !naive.lit(step, copy, constraint.lit)));
    }
    let none: Vec<SatLit> = reasons.into_iter().map(|reason| !reason).collect();
    !naive.all(&none)
}

fn literals(
    naive: &mut Naive<'_>,
    composed: &Composed,
    step: usize,
    parts: &[Signed<'_>],
) -> Vec<SatLit> {
    let moment = Moment {
        formula: &composed.formula,
        mutant: composed.mutant,
        step,
    };
    let parts = parts.iter().map(|signed| {
        let lit = moment.says(naive, signed.formula);
        let lit = lit.unwrap_or(naive.truth);
        if signed.positive { lit } else { !lit }
    });
    parts.collect()
}
