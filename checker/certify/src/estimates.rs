//! Checks state estimates by induction: forwards along the run of the mutant, and backwards along the run of the model.
//!
//! Each state of a mutant's run has the number of an estimate beside it. From the last step of the run back to the first one, the evidence
//! names states of these estimates. Each named state has a step with the outputs of the mutant that leads to the state named before. The
//! last state to be named is initial, so these steps are a run of the model. Latches that outputs and constraints do not depend on need not
//! agree: every run has some value for them.
//!
//! Evidence with an order of variables is checked by decision diagrams (`diagrams`). A SAT solver checks it only if they exceed their
//! limits.

use hyperkill_core::ConditionalMutant;
use hyperkill_core::aig::Reset;
use hyperkill_core::budget::{Budget, Stop};
use hyperkill_core::product::Variant;
use hyperkill_evidence::estimates::Estimates;
use hyperkill_evidence::fault;
use hyperkill_evidence::multiplexers::{Look, Source};
use hyperkill_evidence::question::{Family, Question};
use hyperkill_sat::{Lit as SatLit, Solver};

use super::diagrams::{DiagramLimits, check_estimates};
use super::multiplexers::{Circuit, MODEL, MUTANT, Made, obliged, seen};
use super::naive::{Naive, Start};
use super::steps::Steps;
use super::{CertifyError, CheckLimits};

/// Checks state estimates. They prove that no test of any length kills these mutants potentially.
///
/// # Errors
/// [`CertifyError::Estimates`] with the condition that fails.
pub fn certify_estimates(
    model: &ConditionalMutant,
    estimates: &Estimates,
    budget: &Budget,
) -> Result<(), CertifyError> {
    certify_estimates_within(model, estimates, CheckLimits::default(), budget)
}

/// Checks state estimates as [`certify_estimates`] does, within limits.
///
/// # Errors
/// As [`certify_estimates`], or if the limits end the check.
pub fn certify_estimates_within(
    model: &ConditionalMutant,
    estimates: &Estimates,
    limits: CheckLimits,
    budget: &Budget,
) -> Result<(), CertifyError> {
    if fault::evidence_is_believed() {
        return Ok(());
    }
    let check = Check::new(model, estimates, limits.conflicts)?;
    check.form()?;
    if !estimates.order.is_empty() {
        match check.by_diagrams(limits.diagrams, budget) {
            Err(CertifyError::Stopped(Stop::Bound)) => {}
            decided => return decided,
        }
    }
    let family = Family::phi1(estimates.members.clone(), false);
    let question = Question::Family(family);
    check.starts(&question, budget)?;
    check.last_steps(&question, budget)?;
    check.steps_before(&question, budget)
}

/// Checks state estimates as [`certify_estimates`] does, by decision diagrams alone, in the variable order of the evidence.
///
/// # Errors
/// As [`certify_estimates`], or if the limits are exceeded.
pub fn certify_estimates_in_order(
    model: &ConditionalMutant,
    estimates: &Estimates,
    limits: DiagramLimits,
    budget: &Budget,
) -> Result<(), CertifyError> {
    let check = Check::new(model, estimates, None)?;
    check.form()?;
    check.by_diagrams(limits, budget)
}

fn unsound(what: &'static str) -> CertifyError {
    CertifyError::Estimates(what)
}

struct Check<'a> {
    model: &'a ConditionalMutant,
    estimates: &'a Estimates,
    conflicts: Option<u32>,
    /// Latches that the model's outputs and constraints can depend on.
    read: Vec<usize>,
    circuit: Circuit<'a>,
}

/// A step of a mutant from a state with an estimate beside it, in the naive product. The model's step beside it is free.
struct EstimateStep<'a> {
    naive: Naive<'a>,
    /// The bits of the number of the present estimate and of the next one.
    number: Vec<SatLit>,
    next: Vec<SatLit>,
    /// The wanted next state of the model, by latch.
    wanted: Vec<SatLit>,
}

impl<'a> Check<'a> {
    fn new(
        model: &'a ConditionalMutant,
        estimates: &'a Estimates,
        conflicts: Option<u32>,
    ) -> Result<Check<'a>, CertifyError> {
        let steps = Steps::new(model, Variant::Original, &[]);
        let steps = steps.ok_or(unsound("there are too many inputs to check"))?;
        Ok(Check {
            model,
            estimates,
            conflicts,
            read: steps.read_latches().collect(),
            circuit: Circuit {
                model,
                multiplexers: &estimates.multiplexers,
            },
        })
    }

    fn by_diagrams(&self, limits: DiagramLimits, budget: &Budget) -> Result<(), CertifyError> {
        check_estimates(&self.circuit, self.estimates, &self.read, limits, budget)
    }

    /// Checks that all named parts exist, that the circuit has no cycle, and that each function reads only values decided before it.
    fn form(&self) -> Result<(), CertifyError> {
        let Estimates {
            members,
            beside,
            contains,
            next,
            last,
            before,
            ..
        } = self.estimates;
        let ascend = members.is_sorted_by(|a, b| a < b);
        let exist = members.iter().all(|m| m.0 < self.model.selectors.len());
        if members.is_empty() || !ascend || !exist {
            return Err(unsound(
                "the listed mutants are not in order, or not in the circuit",
            ));
        }
        let circuit = &self.circuit;
        circuit.form().map_err(unsound)?;
        let is_number = |look| matches!(look, Look::Estimate(bit) if bit < next.len());
        let looks = |source: Source, may: &dyn Fn(Look) -> bool| {
            let may = |look| is_number(look) || may(look);
            circuit.looks_only_at(source, may).map_err(unsound)
        };
        looks(*beside, &|look| matches!(look, Look::Mutant(_)))?;
        looks(*contains, &|look| matches!(look, Look::Model(_)))?;
        for &bit in next {
            looks(bit, &|look| {
                matches!(
                    look,
                    Look::Input(_) | Look::Shown(_) | Look::Mutant(_) | Look::Next(_)
                )
            })?;
        }
        let is_selector = |latch| self.model.selectors.iter().any(|s| s.latch == latch);
        let made = |look: Look, leads: bool| match look {
            Look::Model(latch) if !is_selector(latch) => Made::Now,
            Look::Chosen(_) => Made::Now,
            Look::Input(_) | Look::Shown(_) => Made::Before,
            Look::ModelNext(_) if leads => Made::Before,
            Look::Estimate(_) if is_number(look) => Made::Before,
            _ => Made::Never,
        };
        let ordered = |choices: &[(Look, Source)], leads: bool| {
            let ordered = circuit.ordered(choices, |look| made(look, leads));
            ordered.map_err(unsound)
        };
        ordered(last, false)?;
        ordered(before, true)
    }

    /// Checks that the first estimate is beside every initial state of the mutants, and that it contains only initial states of the model.
    fn starts(&self, question: &'a Question, budget: &Budget) -> Result<(), CertifyError> {
        let mut naive = Naive::new(self.model, question, Start::First);
        naive.conflicts = self.conflicts;
        naive.push_step();
        let beside = self
            .circuit
            .value(&mut naive, self.estimates.beside, |naive, look| {
                seen(naive, look, 0)
            });
        let beside = beside.map_err(unsound)?;
        let wrong = unsound("an initial state of the mutant has no estimate");
        obliged(&mut naive, beside, wrong, budget)?;
        let mut naive = Naive::new(self.model, question, Start::Later);
        naive.conflicts = self.conflicts;
        naive.push_step();
        let contains = self
            .circuit
            .value(&mut naive, self.estimates.contains, |naive, look| {
                seen(naive, look, 0)
            });
        let contains = contains.map_err(unsound)?;
        naive.solver.add_clause(&[contains]);
        for &latch in &self.read {
            let latch = &self.model.aig.latches()[latch];
            let value = naive.lit(0, MODEL, latch.var.lit());
            let value = match latch.reset {
                Reset::Zero => !value,
                Reset::One => value,
                Reset::Free => continue,
            };
            let wrong = unsound("the first estimate contains a state that is not initial");
            obliged(&mut naive, value, wrong, budget)?;
        }
        Ok(())
    }

    /// Checks that each step of a mutant has an answer: a step with the same outputs from some state of the estimate beside it. Also checks
    /// that it leads to a state with an estimate.
    fn last_steps(&self, question: &'a Question, budget: &Budget) -> Result<(), CertifyError> {
        let mut step = self.step(question)?;
        self.choose(&mut step, &self.estimates.last)?;
        self.shows(&mut step, budget)?;
        let beside = self.value(&mut step, self.estimates.beside, At::After)?;
        let wrong = unsound("a successor of the mutant has no estimate");
        obliged(&mut step.naive, beside, wrong, budget)
    }

    /// Checks steps between estimates: beside each step of a mutant, every state of the next estimate is the successor of a state of this
    /// one, by a step with the same outputs.
    fn steps_before(&self, question: &'a Question, budget: &Budget) -> Result<(), CertifyError> {
        let mut step = self.step(question)?;
        let contained = self.value(&mut step, self.estimates.contains, At::After)?;
        step.naive.solver.add_clause(&[contained]);
        self.choose(&mut step, &self.estimates.before)?;
        self.shows(&mut step, budget)?;
        for &latch in &self.read {
            let var = self.model.aig.latches()[latch].var;
            let reached = step.naive.lit(1, MODEL, var.lit());
            let same = step.naive.same(reached, step.wanted[latch]);
            let wrong =
                unsound("an estimate contains a state that the named step does not lead to");
            obliged(&mut step.naive, same, wrong, budget)?;
        }
        Ok(())
    }

    /// Returns a product with an arbitrary step of a mutant from a state with an estimate beside it.
    fn step(&self, question: &'a Question) -> Result<EstimateStep<'a>, CertifyError> {
        let mut naive = Naive::new(self.model, question, Start::Later);
        naive.conflicts = self.conflicts;
        naive.push_step();
        naive.push_step();
        let mut fresh =
            |count: usize| -> Vec<SatLit> { (0..count).map(|_| naive.solver.new_lit()).collect() };
        let number = fresh(self.estimates.next.len());
        let wanted = fresh(self.model.aig.latches().len());
        for constraint in &self.model.aig.constraints {
            let holds = naive.lit(0, MUTANT, constraint.lit);
            naive.solver.add_clause(&[holds]);
        }
        let mut step = EstimateStep {
            naive,
            number,
            next: Vec::new(),
            wanted,
        };
        let beside = self.value(&mut step, self.estimates.beside, At::Before)?;
        step.naive.solver.add_clause(&[beside]);
        for &bit in &self.estimates.next {
            let bit = self.value(&mut step, bit, At::Before)?;
            step.next.push(bit);
        }
        Ok(step)
    }

    /// Asserts that the state and the choices of the model have the values that the evidence gives them.
    fn choose(
        &self,
        step: &mut EstimateStep<'a>,
        choices: &[(Look, Source)],
    ) -> Result<(), CertifyError> {
        for &(choice, source) in choices {
            let chosen = seen(&mut step.naive, choice, 0);
            let value = self.value(step, source, At::Before)?;
            step.naive.solver.add_clause(&[!chosen, value]);
            step.naive.solver.add_clause(&[chosen, !value]);
        }
        Ok(())
    }

    /// Checks that the state of the model is in the estimate, and that its step exists and has the outputs of the mutant.
    fn shows(&self, step: &mut EstimateStep<'a>, budget: &Budget) -> Result<(), CertifyError> {
        let contained = self.value(step, self.estimates.contains, At::Before)?;
        let naive = &mut step.naive;
        let wrong = unsound("a named state is not in the estimate");
        obliged(naive, contained, wrong, budget)?;
        for constraint in &self.model.aig.constraints {
            let holds = naive.lit(0, MODEL, constraint.lit);
            obliged(
                naive,
                holds,
                unsound("a named step of the model breaks a constraint"),
                budget,
            )?;
        }
        for output in &self.model.aig.outputs {
            let [a, b] = [MODEL, MUTANT].map(|copy| naive.lit(0, copy, output.lit));
            let same = naive.same(a, b);
            obliged(
                naive,
                same,
                unsound("a named step of the model has other outputs than the mutant"),
                budget,
            )?;
        }
        Ok(())
    }

    /// Returns a literal that is equivalent to the function of a source, read before or after the step.
    fn value(
        &self,
        step: &mut EstimateStep<'a>,
        source: Source,
        at: At,
    ) -> Result<SatLit, CertifyError> {
        let EstimateStep {
            naive,
            number,
            next,
            wanted,
        } = step;
        let value = self
            .circuit
            .value(naive, source, |naive, look| match (look, at) {
                (Look::Estimate(bit), At::Before) => {
                    number.get(bit).copied().unwrap_or(!naive.truth)
                }
                (Look::Estimate(bit), At::After) => next.get(bit).copied().unwrap_or(!naive.truth),
                (Look::ModelNext(latch), At::Before) | (Look::Model(latch), At::After) => {
                    wanted[latch]
                }
                (_, At::Before) => seen(naive, look, 0),
                (_, At::After) => seen(naive, look, 1),
            });
        value.map_err(unsound)
    }
}

/// Whether a function reads the state before or after a step.
#[derive(Clone, Copy, PartialEq, Eq)]
enum At {
    Before,
    After,
}
