//! Checks state estimates by diagrams: forwards along the run of the mutant, and backwards along the run of the model.

use hyperkill_core::budget::Budget;
use hyperkill_evidence::estimates::Estimates;
use hyperkill_evidence::fault::{Fault, planted};
use hyperkill_evidence::multiplexers::{Look, Source};

use super::CertifyError;
use super::conjunction::project;
use super::store::{DiagramLimits, Function, Level};
use super::system::{Subject, System};
use crate::multiplexers::{Circuit, MODEL, MUTANT};

/// Checks well-formed state estimates by diagrams alone. `read` are the latches that the model's outputs and constraints can depend on.
///
/// # Errors
/// If they prove nothing, if their order is invalid, or if the limits or the budget end the check.
pub(crate) fn check_estimates(
    circuit: &Circuit<'_>,
    estimates: &Estimates,
    read: &[usize],
    limits: DiagramLimits,
    budget: &Budget,
) -> Result<(), CertifyError> {
    let choices = estimates.last.iter().chain(&estimates.before);
    let choices: Vec<Source> = choices.map(|&(_, source)| source).collect();
    let sets = vec![estimates.beside, estimates.contains];
    let subject = Subject {
        circuit,
        members: &estimates.members,
        order: &estimates.order,
        sources: [choices, sets, estimates.next.clone()].concat(),
        bits: estimates.next.len(),
        wrong: CertifyError::Estimates,
    };
    let system = System::new(subject, limits, budget)?;
    let mut check = Check {
        beside: system.function(estimates.beside),
        contains: system.function(estimates.contains),
        system,
        estimates,
        read,
    };
    check.starts()?;
    check.last_steps()?;
    check.numbers_after()?;
    check.steps_before()
}

struct Check<'a> {
    system: System<'a>,
    estimates: &'a Estimates,
    /// Latches that the model's outputs and constraints can depend on.
    read: &'a [usize],
    beside: Function,
    contains: Function,
}

impl Check<'_> {
    /// Checks that the first estimate is beside every initial state of the mutants, and contains only initial states.
    fn starts(&mut self) -> Result<(), CertifyError> {
        if planted(Fault::UncheckedStart) {
            return Ok(());
        }
        let [beside, contains] = [self.first(self.beside)?, self.first(self.contains)?];
        let system = &mut self.system;
        let initial = system.initial(MUTANT)?;
        let starts = system.store.and(initial, system.one_member)?;
        system.exclude(
            starts,
            !beside,
            "an initial state of the mutant has no estimate",
        )?;
        for &latch in self.read {
            let is_reset = system.is_reset(MODEL, latch)?;
            let wrong = "the first estimate contains a state that is not initial";
            system.exclude(contains, !is_reset, wrong)?;
        }
        Ok(())
    }

    /// Returns a function of states and an estimate's number with the number fixed to 0, that of the first estimate.
    fn first(&mut self, function: Function) -> Result<Function, CertifyError> {
        let mut function = function;
        let is_number = |look| matches!(look, Look::Estimate(_));
        for level in self.system.order.levels(is_number) {
            let store = &mut self.system.store;
            function = store.compose(function, level, Function::FALSE)?;
        }
        Ok(function)
    }

    /// Checks that each output of a mutant's step can be given by the model too, from the state that the evidence names in the estimate
    /// beside it.
    fn last_steps(&mut self) -> Result<(), CertifyError> {
        let system = &mut self.system;
        let mut owed = system.shown(MODEL)?;
        owed.extend(system.owed(MODEL));
        let good = system.conjoin(self.contains, owed)?;
        let good = system.choose(good, &self.estimates.last)?;
        let pins = system.store.pins();
        system.store.pin([good]);
        let parts = system.shown(MUTANT)?;
        let hidden = system.order.levels(is_of_mutant);
        let shown = self.mutants(parts, &hidden)?;
        let wrong = "the named state of the estimate has no step with the mutant's outputs";
        self.system.exclude(shown, !good, wrong)?;
        self.system.store.unpin(pins);
        Ok(())
    }

    /// Checks that after a step of a mutant the next estimate, by the evidence's number, is beside the mutant's new state.
    fn numbers_after(&mut self) -> Result<(), CertifyError> {
        let beside = self.system.after(self.beside)?;
        let pins = self.system.store.pins();
        self.system.store.pin([beside]);
        let mut parts = self.numbers()?;
        parts.extend(self.shown_if_read(&parts.clone())?);
        let latches = self
            .system
            .latches_read(MUTANT, &[&parts[..], &[beside]].concat());
        let steps = self
            .system
            .steps(MUTANT, |latch| latches.contains(&latch))?;
        parts.extend(steps);
        let selectors = self.selectors();
        let mut hidden = self.system.order.levels(|look| {
            is_of_mutant(look)
                || matches!(look, Look::Input(_) | Look::Shown(_) | Look::Estimate(_))
        });
        hidden.retain(|level| !selectors.contains(level));
        let reached = self.mutants(parts, &hidden)?;
        let wrong = "a successor of the mutant has no estimate";
        self.system.exclude(reached, !beside, wrong)?;
        self.system.store.unpin(pins);
        Ok(())
    }

    /// Checks steps between estimates: beside each step of a mutant, every state of the next estimate is the successor of the named state
    /// of this one, by a step with the same outputs.
    fn steps_before(&mut self) -> Result<(), CertifyError> {
        let system = &mut self.system;
        let mut owed = system.steps(MODEL, |latch| self.read.contains(&latch))?;
        owed.extend(system.shown(MODEL)?);
        owed.extend(system.owed(MODEL));
        let good = system.conjoin(self.contains, owed)?;
        let mut good = system.choose(good, &self.estimates.before)?;
        if planted(Fault::QuantifiedInput) {
            let inputs = system.order.levels(|look| matches!(look, Look::Input(_)));
            let inputs = system.store.cube(inputs)?;
            good = system.store.exists(good, inputs)?;
        }
        let pins = system.store.pins();
        system.store.pin([good]);
        let mut parts = self.numbers()?;
        let latches = self.system.latches_read(MUTANT, &parts);
        parts.extend(self.system.shown(MUTANT)?);
        let steps = self
            .system
            .steps(MUTANT, |latch| latches.contains(&latch))?;
        parts.extend(steps);
        let hidden = self
            .system
            .order
            .levels(|look| is_of_mutant(look) || is_next(look));
        let stepped = self.mutants(parts, &hidden)?;
        self.system.store.pin([stepped]);
        let contained = self.system.after(self.contains)?;
        let numbers = self.system.order.number_after.clone();
        let system = &mut self.system;
        let numbers = system.store.cube(numbers)?;
        let wanted = system.store.and_exists(stepped, contained, numbers)?;
        let wrong = "an estimate contains a state that the named step does not lead to";
        system.exclude(wanted, !good, wrong)?;
        system.store.unpin(pins);
        Ok(())
    }

    /// Returns one condition for each bit of the next estimate's number: the bit has the value that the evidence gives it.
    fn numbers(&mut self) -> Result<Vec<Function>, CertifyError> {
        let system = &mut self.system;
        let mut numbers = Vec::new();
        for (place, &bit) in self.estimates.next.iter().enumerate() {
            let value = system.store.variable(system.order.number_after[place]);
            let bit = system.function(bit);
            numbers.push(system.store.iff(value, bit)?);
        }
        Ok(numbers)
    }

    /// Returns one condition for each output of the mutants that one of these functions reads: its variable has the output's value.
    fn shown_if_read(&mut self, functions: &[Function]) -> Result<Vec<Function>, CertifyError> {
        let mut levels: Vec<Level> = Vec::new();
        for &function in functions {
            levels.extend(self.system.store.support(function));
        }
        let shown = self.system.shown(MUTANT)?.into_iter().enumerate();
        let is_read = |output: usize| {
            let level = self.system.order.level(Look::Shown(output));
            level.is_some_and(|level| levels.contains(&level))
        };
        Ok(shown
            .filter(|&(output, _)| is_read(output))
            .map(|(_, shown)| shown)
            .collect())
    }

    /// Returns `∃ hidden` of the steps of mutants from states that have an estimate beside them. The steps meet the mutants' constraints
    /// and `parts`.
    fn mutants(
        &mut self,
        mut parts: Vec<Function>,
        hidden: &[Level],
    ) -> Result<Function, CertifyError> {
        let system = &mut self.system;
        parts.extend(system.sides[MUTANT].constraints.iter().copied());
        let start = system.store.and(self.beside, system.one_member)?;
        Ok(project(&mut system.store, start, &parts, hidden)?)
    }

    /// Returns the levels of the members' selectors in the variable order.
    fn selectors(&self) -> Vec<Level> {
        let model = self.system.subject.circuit.model;
        let members = self.estimates.members.iter();
        let latches = members.map(|member| model.selectors[member.0].latch);
        latches
            .filter_map(|latch| self.system.order.level(Look::Mutant(latch)))
            .collect()
    }
}

/// Whether the variable is a state or a choice of the mutants before or in a step.
fn is_of_mutant(look: Look) -> bool {
    matches!(look, Look::Mutant(_) | Look::MutantChosen(_))
}

/// Whether the variable is a state of the mutants after a step.
fn is_next(look: Look) -> bool {
    matches!(look, Look::Next(_))
}
