//! State estimates.

use hyperkill_core::SelectorId;
use hyperkill_evidence::estimates::Estimates;

use super::Unreadable;
use super::multiplexers::{
    literal, read_choices, read_multiplexers, read_order, source, written_choices,
    written_multiplexers, written_order,
};
use crate::documents::EstimatesEvidence;

/// Returns state estimates as the evidence in a document.
#[must_use]
pub fn written_estimates(estimates: &Estimates) -> EstimatesEvidence {
    EstimatesEvidence {
        multiplexers: written_multiplexers(&estimates.multiplexers),
        beside: literal(estimates.beside),
        contains: literal(estimates.contains),
        next: estimates.next.iter().map(|&bit| literal(bit)).collect(),
        last: written_choices(&estimates.last),
        before: written_choices(&estimates.before),
        order: written_order(&estimates.order),
    }
}

/// Returns the state estimates in a document, about these mutants.
///
/// # Errors
/// If a line is malformed.
pub fn read_estimates(
    estimates: &EstimatesEvidence,
    members: &[SelectorId],
) -> Result<Estimates, Unreadable> {
    Ok(Estimates {
        members: members.to_vec(),
        multiplexers: read_multiplexers(&estimates.multiplexers)?,
        beside: source(estimates.beside),
        contains: source(estimates.contains),
        next: estimates.next.iter().map(|&bit| source(bit)).collect(),
        last: read_choices(&estimates.last)?,
        before: read_choices(&estimates.before)?,
        order: read_order(&estimates.order)?,
    })
}
