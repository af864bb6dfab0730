//! Closed sets of positions, and sets of states that input sequences lead to, as documents and back.

use hyperkill_core::{ConditionalMutant, SelectorId};
use hyperkill_evidence::accepted_sets::AcceptedSets;
use hyperkill_evidence::closed_set::{ClosedSet, Position, Relation};

use super::{Circuit, Unreadable, state};
use crate::documents::bits::state_bits;
use crate::documents::{AcceptedSetsEvidence, ClosedSetEvidence, PositionEvidence, RelationWord};

/// Returns a closed set of positions as the evidence in a document.
#[must_use]
pub fn written_closed(model: &ConditionalMutant, closed: &ClosedSet) -> ClosedSetEvidence {
    let position = |position: &Position| PositionEvidence {
        pairs: position.pairs.iter().map(|&(m, o)| [m, o]).collect(),
        mutant: position.mutant.clone(),
        model: position.model.clone(),
    };
    ClosedSetEvidence {
        relation: match closed.relation {
            Relation::Matched => RelationWord::Matched,
            Relation::Agreeing => RelationWord::Agreeing,
        },
        states: states(model, &closed.states),
        positions: closed.positions.iter().map(position).collect(),
    }
}

/// Returns the sets of states that input sequences lead to as the evidence in a document.
#[must_use]
pub fn written_accepted(model: &ConditionalMutant, sets: &AcceptedSets) -> AcceptedSetsEvidence {
    AcceptedSetsEvidence {
        states: states(model, &sets.states),
        pairs: sets.pairs.clone(),
    }
}

fn states(model: &ConditionalMutant, states: &[Vec<bool>]) -> Vec<String> {
    let states = states.iter();
    states.map(|state| state_bits(model, state)).collect()
}

/// Returns the closed set of positions in a document, about these mutants.
///
/// # Errors
/// If the circuit does not have one of the states.
pub fn read_closed(
    circuit: &Circuit<'_>,
    closed: &ClosedSetEvidence,
    members: &[SelectorId],
) -> Result<ClosedSet, Unreadable> {
    let states = closed.states.iter().map(|text| state(circuit.model, text));
    let position = |position: &PositionEvidence| Position {
        pairs: position.pairs.iter().map(|&[m, o]| (m, o)).collect(),
        mutant: position.mutant.clone(),
        model: position.model.clone(),
    };
    Ok(ClosedSet {
        members: members.to_vec(),
        relation: match closed.relation {
            RelationWord::Matched => Relation::Matched,
            RelationWord::Agreeing => Relation::Agreeing,
        },
        states: states.collect::<Result<_, _>>()?,
        positions: closed.positions.iter().map(position).collect(),
    })
}

/// Returns the sets of states that input sequences lead to, from a document.
///
/// # Errors
/// If the circuit does not have one of the states.
pub fn read_accepted(
    circuit: &Circuit<'_>,
    sets: &AcceptedSetsEvidence,
) -> Result<AcceptedSets, Unreadable> {
    let states = sets.states.iter().map(|text| state(circuit.model, text));
    Ok(AcceptedSets {
        states: states.collect::<Result<_, _>>()?,
        pairs: sets.pairs.clone(),
    })
}
