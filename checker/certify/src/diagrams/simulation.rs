//! Checks simulation relations by diagrams: the strategy starts in the relation and preserves it.

use hyperkill_core::budget::Budget;
use hyperkill_evidence::closed_set::Relation;
use hyperkill_evidence::fault::{Fault, planted};
use hyperkill_evidence::multiplexers::{Look, Source};
use hyperkill_evidence::simulation::Simulation;

use super::CertifyError;
use super::conjunction::project;
use super::store::{DiagramLimits, Function};
use super::system::{Subject, System};
use crate::multiplexers::{Circuit, MODEL, MUTANT};

/// Checks a well-formed simulation relation by diagrams alone.
///
/// # Errors
/// If it proves nothing, if its order is invalid, or if the limits or the budget end the check.
pub(crate) fn check_simulation(
    circuit: &Circuit<'_>,
    simulation: &Simulation,
    limits: DiagramLimits,
    budget: &Budget,
) -> Result<(), CertifyError> {
    let choices = simulation.initial.iter().chain(&simulation.choices);
    let sources: Vec<Source> = choices.map(|&(_, source)| source).collect();
    let subject = Subject {
        circuit,
        members: &simulation.members,
        order: &simulation.order,
        sources: [sources, vec![simulation.related]].concat(),
        bits: 0,
        wrong: CertifyError::Simulation,
    };
    let mut system = System::new(subject, limits, budget)?;
    starts(&mut system, simulation)?;
    match simulation.relation {
        Relation::Matched => matched(&mut system, simulation),
        Relation::Agreeing => agreeing(&mut system, simulation),
    }
}

/// Checks that the initial states that the strategy chooses are related to the mutants' initial states.
fn starts(system: &mut System<'_>, simulation: &Simulation) -> Result<(), CertifyError> {
    let related = system.function(simulation.related);
    let chosen = system.choose(related, &simulation.initial)?;
    system.store.pin([chosen]);
    let mut starts = system.one_member;
    for side in [MODEL, MUTANT] {
        let initial = system.initial(side)?;
        starts = system.store.and(starts, initial)?;
    }
    if planted(Fault::UncheckedStart) {
        return Ok(());
    }
    system.exclude(starts, !chosen, "a pair of initial states is not related")
}

/// Checks that the choices of the strategy answer each step of the mutant from related states.
fn matched(system: &mut System<'_>, simulation: &Simulation) -> Result<(), CertifyError> {
    let related = system.function(simulation.related);
    let after = system.after(related)?;
    let latches = system.latches_read(MODEL, &[after]);
    let mut parts = system.steps(MODEL, |latch| latches.contains(&latch))?;
    parts.extend(system.shown(MODEL)?);
    parts.extend(system.owed(MODEL));
    let reached = system
        .order
        .levels(|look| matches!(look, Look::ModelNext(_)));
    let good = project(&mut system.store, after, &parts, &reached)?;
    let mut good = system.choose(good, &simulation.choices)?;
    if planted(Fault::QuantifiedInput) {
        let inputs = system.order.levels(|look| matches!(look, Look::Input(_)));
        let inputs = system.store.cube(inputs)?;
        good = system.store.exists(good, inputs)?;
    }
    // States with a step of the mutant that has no answer.
    let latches = system.latches_read(MUTANT, &[good]);
    let mut parts = system.steps(MUTANT, |latch| latches.contains(&latch))?;
    parts.extend(system.shown(MUTANT)?);
    parts.extend(system.sides[MUTANT].constraints.iter().copied());
    let step = system.order.levels(|look| {
        matches!(
            look,
            Look::Input(_) | Look::Next(_) | Look::MutantChosen(_) | Look::Shown(_)
        )
    });
    let related = system.store.and(related, system.one_member)?;
    // Related states are nearly equal. So diagrams stay small if they are conjoined with the relation first.
    let unanswered = system.store.and(related, !good)?;
    let lost = project(&mut system.store, unanswered, &parts, &step)?;
    system.exclude(
        related,
        lost,
        "a step has no answer that leads to related states",
    )
}

/// Checks that on every input the choices for both sides have the same outputs and lead from related states to related states.
fn agreeing(system: &mut System<'_>, simulation: &Simulation) -> Result<(), CertifyError> {
    let related = system.function(simulation.related);
    let after = system.after(related)?;
    let mut parts: Vec<Function> = Vec::new();
    for side in [MODEL, MUTANT] {
        let latches = system.latches_read(side, &[after]);
        parts.extend(system.steps(side, |latch| latches.contains(&latch))?);
        parts.extend(system.shown(side)?);
        parts.extend(system.owed(side));
    }
    let step = system
        .order
        .levels(|look| matches!(look, Look::ModelNext(_) | Look::Next(_) | Look::Shown(_)));
    let good = project(&mut system.store, after, &parts, &step)?;
    let mut good = system.choose(good, &simulation.choices)?;
    if planted(Fault::QuantifiedInput) {
        let inputs = system.order.levels(|look| matches!(look, Look::Input(_)));
        let inputs = system.store.cube(inputs)?;
        good = system.store.exists(good, inputs)?;
    }
    let related = system.store.and(related, system.one_member)?;
    system.exclude(
        related,
        !good,
        "the chosen steps lead out of the relation, or have different outputs",
    )
}
