//! Infinite traces, one for each variable of a formula: they exist, and the formula's body holds of them.
//!
//! Traces are run gate by gate and judged by the reference evaluator (`formulas::semantics`), which knows no circuit and no monitor.

use hyperkill_core::aig::{Cone, Node, Reset};
use hyperkill_core::conditional::Port;
use hyperkill_core::product::Variant;
use hyperkill_core::sort::Value;
use hyperkill_core::trace::Stimulus;
use hyperkill_core::{Aig, ConditionalMutant, Lit, SelectorId};
use hyperkill_evidence::answer::{Beyond, Witness};
use hyperkill_evidence::fault;
use hyperkill_formulas::Formula;
use hyperkill_formulas::ast::Atom;
use hyperkill_formulas::semantics::{
    Lasso, TraceView, body_holds_on_finite_traces, body_holds_on_lassos,
};
use hyperkill_formulas::signals::resolve;

use super::CertifyError;
use super::formula::deciding;

/// Checks that these infinite traces exist and that the body of `formula` holds of them. There is one trace for each of its variables, in
/// their order.
///
/// # Errors
/// [`CertifyError::Witness`] with the condition that fails.
pub fn certify_lassos(
    model: &ConditionalMutant,
    mutant: SelectorId,
    formula: &Formula,
    witness: &Witness,
) -> Result<(), CertifyError> {
    if fault::evidence_is_believed() {
        return Ok(());
    }
    if witness.runs.len() != formula.prefix.len() {
        return Err(CertifyError::Witness(
            "the number of traces is not the number of trace variables",
        ));
    }
    let lassos = lassos(model, mutant, formula, witness)?;
    match body_holds_on_lassos(formula, &lassos) {
        Ok(true) => Ok(()),
        Ok(false) => Err(CertifyError::Witness(
            "the traces do not satisfy the formula",
        )),
        Err(_) => Err(CertifyError::Witness(
            "the formula cannot be evaluated on the traces",
        )),
    }
}

/// Checks that these finite traces exist and that the body of `formula` holds of them. There is one trace for each of its variables, in
/// their order.
///
/// # Errors
/// [`CertifyError::Witness`] with the condition that fails.
pub fn certify_finite(
    model: &ConditionalMutant,
    mutant: SelectorId,
    formula: &Formula,
    witness: &Witness,
) -> Result<(), CertifyError> {
    if fault::evidence_is_believed() {
        return Ok(());
    }
    let wrong = CertifyError::Witness;
    let runs = ending(model, mutant, formula, witness)?;
    if runs.len() != formula.prefix.len() {
        return Err(wrong(
            "the number of traces is not the number of trace variables",
        ));
    }
    match body_holds_on_finite_traces(formula, &runs) {
        Ok(true) => Ok(()),
        Ok(false) => Err(wrong("the traces do not satisfy the formula")),
        Err(_) => Err(wrong("the formula cannot be evaluated on the traces")),
    }
}

/// Checks that these finite traces exist: they satisfy all constraints, and all have the given number of steps.
///
/// # Errors
/// [`CertifyError::Witness`] with the condition that fails.
pub fn certify_ending(
    model: &ConditionalMutant,
    mutant: SelectorId,
    formula: &Formula,
    witness: &Witness,
) -> Result<(), CertifyError> {
    if fault::evidence_is_believed() {
        return Ok(());
    }
    ending(model, mutant, formula, witness).map(|_| ())
}

fn ending<'m>(
    model: &'m ConditionalMutant,
    mutant: SelectorId,
    formula: &Formula,
    witness: &Witness,
) -> Result<Vec<Run<'m>>, CertifyError> {
    let wrong = CertifyError::Witness;
    if witness.variants.len() != witness.runs.len() {
        return Err(wrong("a trace names no system"));
    }
    if witness.beyond != Beyond::Nothing || witness.decided == 0 {
        return Err(wrong("finite traces have a loop, or no step"));
    }
    let mut runs = Vec::new();
    for (run, &variant) in witness.runs.iter().zip(&witness.variants) {
        if !is_in_question(formula, mutant, variant) {
            return Err(wrong("a trace is of another mutant"));
        }
        let (trace, _) =
            Run::of(model, variant, run).ok_or(wrong("a trace does not fit the circuit"))?;
        if trace.values.len() != witness.decided || !trace.keeps_constraints() {
            return Err(wrong("a trace breaks a constraint, or has another length"));
        }
        runs.push(trace);
    }
    Ok(runs)
}

/// Checks that these infinite traces exist: they satisfy all constraints and lead back to the beginning of their loop.
///
/// # Errors
/// [`CertifyError::Witness`] with the condition that fails.
pub fn certify_infinite(
    model: &ConditionalMutant,
    mutant: SelectorId,
    formula: &Formula,
    witness: &Witness,
) -> Result<(), CertifyError> {
    if fault::evidence_is_believed() {
        return Ok(());
    }
    lassos(model, mutant, formula, witness).map(|_| ())
}

/// Checks an infinite run of a circuit. It satisfies all constraints, its loop closes in all latches that constraints and conditions depend
/// on, and it meets every condition in the loop.
///
/// # Errors
/// [`CertifyError::Witness`] with the condition that fails.
pub fn certify_fair_run(
    aig: &Aig,
    justice: &[Lit],
    run: &Stimulus,
    back: usize,
) -> Result<(), CertifyError> {
    if fault::evidence_is_believed() {
        return Ok(());
    }
    let wrong = CertifyError::Witness;
    let circuit = ConditionalMutant {
        accepts: None,
        events: Vec::new(),
        name: String::new(),
        aig: aig.clone(),
        inputs: Vec::new(),
        choices: Vec::new(),
        outputs: Vec::new(),
        selectors: Vec::new(),
        mutants: Vec::new(),
    };
    let (trace, end) = Run::of(&circuit, Variant::Original, run)
        .ok_or(wrong("the run does not fit the circuit"))?;
    if !trace.keeps_constraints() {
        return Err(wrong("the run breaks a constraint"));
    }
    let constraints = aig.constraints.iter().map(|signal| signal.lit);
    let cone = Cone::sequential(aig, constraints.chain(justice.iter().copied()));
    let mut latches = aig.latches().iter().enumerate();
    let returns = back < trace.values.len()
        && latches.all(|(index, latch)| {
            !cone.contains(latch.var) || trace.latch(back, index) == end[index]
        });
    if !returns {
        return Err(wrong(
            "the state at the end of the run is not the one where the loop begins",
        ));
    }
    let again = |&lit: &Lit| (back..trace.values.len()).any(|step| trace.lit(step, lit));
    match justice.iter().all(again) {
        true => Ok(()),
        false => Err(wrong("a fairness condition does not hold in the loop")),
    }
}

/// Checks that a run of one side is a lasso in a model without test inputs: it satisfies all constraints, and closes its loop in all
/// latches that constraints depend on.
///
/// # Errors
/// [`CertifyError::Acceptance`] with the condition that fails.
pub fn certify_endless(
    model: &ConditionalMutant,
    variant: Variant,
    run: &Stimulus,
) -> Result<(), CertifyError> {
    if fault::evidence_is_believed() {
        return Ok(());
    }
    let wrong = |what| Err(CertifyError::Acceptance(what));
    if model.input_bits().next().is_some() {
        return wrong("the model has inputs, so that a loop does not show that it accepts them");
    }
    let Some((trace, end)) = Run::of(model, variant, run) else {
        return wrong("a run does not fit the circuit");
    };
    if !trace.keeps_constraints() {
        return wrong("a run breaks a constraint");
    }
    let constraints = model.aig.constraints.iter().map(|signal| signal.lit);
    let cone = Cone::sequential(&model.aig, constraints);
    let latches = model.aig.latches().iter().enumerate();
    let relevant = latches.filter(|(_, latch)| cone.contains(latch.var));
    let relevant: Vec<usize> = relevant.map(|(index, _)| index).collect();
    let is_back = |step: usize| relevant.iter().all(|&l| trace.latch(step, l) == end[l]);
    match (0..trace.values.len()).any(is_back) {
        true => Ok(()),
        false => wrong("the state at the end of a run is no earlier state of it"),
    }
}

/// Whether a formula is about traces of this variant: the original, the mutant, or a system that the formula names.
fn is_in_question(formula: &Formula, mutant: SelectorId, variant: Variant) -> bool {
    let atoms = formula.body.atoms();
    let mut named = atoms.iter().filter_map(|atom| match atom {
        Atom::System(_, number) => Some(*number),
        _ => None,
    });
    variant == Variant::Original
        || variant == Variant::Mutant(mutant)
        || named.any(|number| variant == Variant::of_system(number))
}

fn lassos<'m>(
    model: &'m ConditionalMutant,
    mutant: SelectorId,
    formula: &Formula,
    witness: &Witness,
) -> Result<Vec<Lasso<Run<'m>>>, CertifyError> {
    let wrong = CertifyError::Witness;
    let Beyond::Loop(back) = witness.beyond else {
        return Err(wrong(
            "the traces are finite, and the question is about infinite ones",
        ));
    };
    if witness.variants.len() != witness.runs.len() {
        return Err(wrong("a trace names no system"));
    }
    let mut lassos = Vec::new();
    for (run, &variant) in witness.runs.iter().zip(&witness.variants) {
        if !is_in_question(formula, mutant, variant) {
            return Err(wrong("a trace is of another mutant"));
        }
        let (trace, end) =
            Run::of(model, variant, run).ok_or(wrong("a trace does not fit the circuit"))?;
        if back >= trace.values.len() {
            return Err(wrong(
                "the state at the end of a trace is not the one where the loop begins",
            ));
        }
        if !trace.keeps_constraints() {
            return Err(wrong("a trace breaks a constraint"));
        }
        for latch in deciding(model, formula, variant) {
            if trace.latch(back, latch) != end[latch] {
                return Err(wrong(
                    "the state at the end of a trace is not the one where the loop begins",
                ));
            }
        }
        lassos.push(Lasso { trace, back });
    }
    Ok(lassos)
}

/// A run of one variant with the values of all nodes at each step.
struct Run<'m> {
    model: &'m ConditionalMutant,
    variant: Variant,
    values: Vec<Vec<bool>>,
}

impl<'m> Run<'m> {
    /// Returns the run of a variant under a stimulus, and its state after the last step. `None` if the stimulus does not fit the circuit.
    fn of(
        model: &'m ConditionalMutant,
        variant: Variant,
        stimulus: &Stimulus,
    ) -> Option<(Run<'m>, Vec<bool>)> {
        let aig = &model.aig;
        if stimulus.initial.len() != aig.latches().len() {
            return None;
        }
        let selectors = model.selector_of_latch();
        let initial = aig.latches().iter().enumerate();
        let mut state: Vec<bool> = initial
            .map(|(index, latch)| match (selectors[index], latch.reset) {
                (Some(selector), _) => variant == Variant::Mutant(selector),
                (None, Reset::Zero) => false,
                (None, Reset::One) => true,
                (None, Reset::Free) => stimulus.initial[index],
            })
            .collect();
        let mut steps = Vec::new();
        for inputs in &stimulus.steps {
            if inputs.len() != aig.inputs().len() {
                return None;
            }
            let mut values = vec![false; aig.len()];
            for (var, node) in aig.nodes() {
                let of = |lit: Lit| values[lit.var().index()] ^ lit.is_negated();
                values[var.index()] = match node {
                    Node::False => false,
                    Node::Input(input) => inputs[input as usize],
                    Node::Latch(latch) => state[latch as usize],
                    Node::And(a, b) => of(a) && of(b),
                };
            }
            let next = |lit: Lit| values[lit.var().index()] ^ lit.is_negated();
            state = aig.latches().iter().map(|latch| next(latch.next)).collect();
            steps.push(values);
        }
        let run = Run {
            model,
            variant,
            values: steps,
        };
        Some((run, state))
    }

    fn lit(&self, step: usize, lit: Lit) -> bool {
        self.values[step][lit.var().index()] ^ lit.is_negated()
    }

    fn latch(&self, step: usize, latch: usize) -> bool {
        self.lit(step, self.model.aig.latches()[latch].var.lit())
    }

    fn keeps_constraints(&self) -> bool {
        let constraints = &self.model.aig.constraints;
        (0..self.values.len()).all(|step| {
            let mut constraints = constraints.iter();
            constraints.all(|constraint| self.lit(step, constraint.lit))
        })
    }

    fn input(&self, step: usize, port: &Port) -> Vec<bool> {
        let bits = port.bits.iter();
        bits.map(|&bit| self.lit(step, self.model.aig.inputs()[bit].var.lit()))
            .collect()
    }
}

impl TraceView for Run<'_> {
    fn steps(&self) -> usize {
        self.values.len()
    }

    fn is_mutant(&self) -> bool {
        self.variant != Variant::Original
    }

    fn system(&self) -> usize {
        self.variant.system()
    }

    fn value(&self, step: usize, name: &str) -> Option<Value> {
        let signal = resolve(self.model, name)?;
        let bits: Vec<bool> = signal.bits.iter().map(|&lit| self.lit(step, lit)).collect();
        Some(signal.sort.decode(&bits))
    }

    fn inputs(&self, step: usize) -> Vec<Value> {
        let ports = self.model.inputs.iter();
        ports
            .map(|port| port.sort.decode(&self.input(step, port)))
            .collect()
    }

    fn outputs(&self, step: usize) -> Vec<Value> {
        let outputs = self.model.aig.outputs.iter();
        outputs
            .map(|output| Value::bool(self.lit(step, output.lit)))
            .collect()
    }

    fn inputs_except(&self, step: usize, names: &[String]) -> Option<Vec<Value>> {
        let mut values = Vec::new();
        for port in &self.model.inputs {
            if names.contains(&port.name) {
                continue;
            }
            let bits = self.input(step, port);
            let is_named = |bit: usize| port.bits.len() > 1 && names.contains(&port.bit_name(bit));
            if (0..bits.len()).any(is_named) {
                let kept = bits.iter().enumerate().filter(|(bit, _)| !is_named(*bit));
                values.extend(kept.map(|(_, &value)| Value::bool(value)));
            } else {
                values.push(port.sort.decode(&bits));
            }
        }
        Some(values)
    }

    fn state(&self, step: usize) -> Option<Vec<Value>> {
        let selectors = self.model.selector_of_latch();
        let hidden = (0..selectors.len()).filter(|&latch| selectors[latch].is_none());
        Some(
            hidden
                .map(|latch| Value::bool(self.latch(step, latch)))
                .collect(),
        )
    }
}
