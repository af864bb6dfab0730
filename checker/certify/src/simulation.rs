//! Checks simulation relations by one step of induction: the strategy starts in the relation and preserves it.
//!
//! By induction over the length of a test, every run of the mutant has a run of the model beside it with the same outputs and related
//! states. If both sides are to agree, every input sequence has such a pair of runs. The relation and the strategy are circuits of
//! multiplexers. Evidence with an order of variables is checked by decision diagrams (`diagrams`). A SAT solver checks it only if they
//! exceed their limits.

use hyperkill_core::ConditionalMutant;
use hyperkill_core::aig::Reset;
use hyperkill_core::budget::{Budget, Stop};
use hyperkill_evidence::closed_set::Relation;
use hyperkill_evidence::fault;
use hyperkill_evidence::multiplexers::{Look, Source};
use hyperkill_evidence::question::{Family, Question};
use hyperkill_evidence::simulation::Simulation;
use hyperkill_sat::{Lit as SatLit, Solver};

use super::diagrams::{DiagramLimits, check_simulation};
use super::multiplexers::{Circuit, MODEL, MUTANT, Made, obliged, seen};
use super::naive::{Naive, Start};
use super::{CertifyError, CheckLimits};

/// Checks a simulation relation. It proves that no test of any length kills these mutants potentially ([`Relation::Matched`]) or definitely
/// ([`Relation::Agreeing`]).
///
/// # Errors
/// [`CertifyError::Simulation`] with the condition that fails.
pub fn certify_simulation(
    model: &ConditionalMutant,
    simulation: &Simulation,
    budget: &Budget,
) -> Result<(), CertifyError> {
    certify_simulation_within(model, simulation, CheckLimits::default(), budget)
}

/// Checks a simulation relation as [`certify_simulation`] does, within limits.
///
/// # Errors
/// As [`certify_simulation`], or if the limits end the check.
pub fn certify_simulation_within(
    model: &ConditionalMutant,
    simulation: &Simulation,
    limits: CheckLimits,
    budget: &Budget,
) -> Result<(), CertifyError> {
    if fault::evidence_is_believed() {
        return Ok(());
    }
    let check = Check {
        model,
        simulation,
        conflicts: limits.conflicts,
    };
    check.form()?;
    if !simulation.order.is_empty() {
        match check_simulation(&check.circuit(), simulation, limits.diagrams, budget) {
            Err(CertifyError::Stopped(Stop::Bound)) => {}
            decided => return decided,
        }
    }
    let family = Family::phi1(simulation.members.clone(), false);
    let question = Question::Family(family);
    check.starts(&question, budget)?;
    check.step(&question, budget)
}

/// Checks a simulation relation as [`certify_simulation`] does, by decision diagrams alone, in the variable order of the evidence.
///
/// # Errors
/// As [`certify_simulation`], or if the limits are exceeded.
pub fn certify_simulation_in_order(
    model: &ConditionalMutant,
    simulation: &Simulation,
    limits: DiagramLimits,
    budget: &Budget,
) -> Result<(), CertifyError> {
    let check = Check {
        model,
        simulation,
        conflicts: None,
    };
    check.form()?;
    check_simulation(&check.circuit(), simulation, limits, budget)
}

struct Check<'a> {
    model: &'a ConditionalMutant,
    simulation: &'a Simulation,
    conflicts: Option<u32>,
}

fn unsound<T>(what: &'static str) -> Result<T, CertifyError> {
    Err(CertifyError::Simulation(what))
}

impl Check<'_> {
    /// Checks that all named parts exist, that the circuit has no cycle, and that strategies read only values decided before.
    fn form(&self) -> Result<(), CertifyError> {
        let simulation = self.simulation;
        let members = &simulation.members;
        let ascend = members.is_sorted_by(|a, b| a < b);
        let exist = members.iter().all(|m| m.0 < self.model.selectors.len());
        if members.is_empty() || !ascend || !exist {
            return unsound("the listed mutants are not in order, or not in the circuit");
        }
        let circuit = self.circuit();
        circuit.form().or_else(unsound)?;
        circuit
            .looks_only_at(simulation.related, |look| {
                matches!(look, Look::Model(_) | Look::Mutant(_))
            })
            .or_else(unsound)?;
        let is_free = |latch: usize| {
            let is_selector = self.model.selectors.iter().any(|s| s.latch == latch);
            self.model.aig.latches()[latch].reset == Reset::Free && !is_selector
        };
        let agrees = simulation.relation == Relation::Agreeing;
        circuit
            .ordered(&simulation.initial, |look| match look {
                Look::Model(latch) if is_free(latch) => Made::Now,
                Look::Mutant(latch) if agrees && is_free(latch) => Made::Now,
                Look::Model(_) | Look::Mutant(_) => Made::Before,
                _ => Made::Never,
            })
            .or_else(unsound)?;
        circuit
            .ordered(&simulation.choices, |look| match look {
                Look::Chosen(_) => Made::Now,
                Look::MutantChosen(_) if agrees => Made::Now,
                Look::Next(_) | Look::Shown(_) if agrees => Made::Never,
                Look::MutantChosen(_) | Look::ModelNext(_) | Look::Estimate(_) => Made::Never,
                _ => Made::Before,
            })
            .or_else(unsound)
    }

    fn circuit(&self) -> Circuit<'_> {
        Circuit {
            model: self.model,
            multiplexers: &self.simulation.multiplexers,
        }
    }

    /// Returns a literal that is equivalent to a source's function at a step.
    fn value(
        &self,
        naive: &mut Naive<'_>,
        source: Source,
        step: usize,
    ) -> Result<SatLit, CertifyError> {
        let value = self
            .circuit()
            .value(naive, source, |naive, look| seen(naive, look, step));
        value.or_else(unsound)
    }

    /// Checks that the initial states that the strategy chooses are related.
    fn starts(&self, question: &Question, budget: &Budget) -> Result<(), CertifyError> {
        let mut naive = Naive::new(self.model, question, Start::First);
        naive.conflicts = self.conflicts;
        naive.push_step();
        for &(choice, source) in &self.simulation.initial {
            self.choose(&mut naive, choice, source)?;
        }
        let related = self.value(&mut naive, self.simulation.related, 0)?;
        holds(
            &mut naive,
            related,
            budget,
            "the initial states that the strategy chooses are not related",
        )
    }

    /// Checks that the strategy leads from related states to related states, by a step that exists and has the same outputs.
    fn step(&self, question: &Question, budget: &Budget) -> Result<(), CertifyError> {
        let mut naive = Naive::new(self.model, question, Start::Later);
        naive.conflicts = self.conflicts;
        naive.push_step();
        naive.push_step();
        let related = self.value(&mut naive, self.simulation.related, 0)?;
        naive.solver.add_clause(&[related]);
        let constraints = |naive: &mut Naive<'_>, copy: usize| -> Vec<SatLit> {
            let constraints = self.model.aig.constraints.iter();
            constraints.map(|c| naive.lit(0, copy, c.lit)).collect()
        };
        let mut owed = constraints(&mut naive, MODEL);
        let of_mutant = constraints(&mut naive, MUTANT);
        match self.simulation.relation {
            Relation::Matched => {
                for constraint in of_mutant {
                    naive.solver.add_clause(&[constraint]);
                }
            }
            Relation::Agreeing => owed.extend(of_mutant),
        }
        for &(choice, source) in &self.simulation.choices {
            self.choose(&mut naive, choice, source)?;
        }
        for constraint in owed {
            holds(
                &mut naive,
                constraint,
                budget,
                "a step that the strategy chooses breaks a constraint",
            )?;
        }
        for output in &self.model.aig.outputs {
            let [a, b] = [MODEL, MUTANT].map(|copy| naive.lit(0, copy, output.lit));
            let same = naive.same(a, b);
            holds(
                &mut naive,
                same,
                budget,
                "a step that the strategy chooses has other outputs",
            )?;
        }
        let related = self.value(&mut naive, self.simulation.related, 1)?;
        holds(
            &mut naive,
            related,
            budget,
            "a step that the strategy chooses leads out of the relation",
        )
    }

    /// Asserts that a choice has the value that the strategy gives it.
    fn choose(
        &self,
        naive: &mut Naive<'_>,
        choice: Look,
        source: Source,
    ) -> Result<(), CertifyError> {
        let chosen = seen(naive, choice, 0);
        let value = self.value(naive, source, 0)?;
        naive.solver.add_clause(&[!chosen, value]);
        naive.solver.add_clause(&[chosen, !value]);
        Ok(())
    }
}

fn holds(
    naive: &mut Naive<'_>,
    lit: SatLit,
    budget: &Budget,
    wrong: &'static str,
) -> Result<(), CertifyError> {
    obliged(naive, lit, CertifyError::Simulation(wrong), budget)
}
