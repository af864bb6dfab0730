//! Simulation relations with their strategies, as documents and back.

use hyperkill_core::SelectorId;
use hyperkill_evidence::closed_set::Relation;
use hyperkill_evidence::simulation::Simulation;

use super::Unreadable;
use super::multiplexers::{
    literal, read_choices, read_multiplexers, read_order, source, written_choices,
    written_multiplexers, written_order,
};
use crate::documents::{AcceptedRelationsEvidence, RelationWord, SimulationEvidence};

/// Returns a simulation relation as the evidence in a document.
#[must_use]
pub fn written_simulation(simulation: &Simulation) -> SimulationEvidence {
    SimulationEvidence {
        relation: match simulation.relation {
            Relation::Matched => RelationWord::Matched,
            Relation::Agreeing => RelationWord::Agreeing,
        },
        multiplexers: written_multiplexers(&simulation.multiplexers),
        related: literal(simulation.related),
        initial: written_choices(&simulation.initial),
        choices: written_choices(&simulation.choices),
        order: written_order(&simulation.order),
    }
}

/// Returns the simulation relation in a document, about these mutants.
///
/// # Errors
/// If a line is malformed.
pub fn read_simulation(
    simulation: &SimulationEvidence,
    members: &[SelectorId],
) -> Result<Simulation, Unreadable> {
    Ok(Simulation {
        members: members.to_vec(),
        relation: match simulation.relation {
            RelationWord::Matched => Relation::Matched,
            RelationWord::Agreeing => Relation::Agreeing,
        },
        multiplexers: read_multiplexers(&simulation.multiplexers)?,
        related: source(simulation.related),
        initial: read_choices(&simulation.initial)?,
        choices: read_choices(&simulation.choices)?,
        order: read_order(&simulation.order)?,
    })
}

/// Returns as evidence the relation in which the mutant answers the model and, if there is one, the relation in which the model answers the
/// mutant.
#[must_use]
pub fn written_relations(
    mutant: &Simulation,
    model: Option<&Simulation>,
) -> AcceptedRelationsEvidence {
    AcceptedRelationsEvidence {
        mutant: written_simulation(mutant),
        model: model.map(written_simulation),
    }
}

/// Returns the two relations of a mutant in a document: in the first the mutant answers the model; in the second, which may be missing, the
/// model answers the mutant.
///
/// # Errors
/// If a line is malformed.
pub fn read_relations(
    relations: &AcceptedRelationsEvidence,
    mutant: SelectorId,
) -> Result<(Simulation, Option<Simulation>), Unreadable> {
    let read = |relation| read_simulation(relation, &[mutant]);
    let model = relations.model.as_ref().map(read).transpose()?;
    Ok((read(&relations.mutant)?, model))
}
