//! Valuations in one line.

use hyperkill_core::events::{Calls, Side};

use hyperkill_audit::documents::Valuation;
use hyperkill_audit::terminal::in_a_line;

/// Returns a valuation as `a=1 b=coff`.
#[must_use]
pub fn assignments(valuation: &Valuation) -> String {
    let assignments = valuation
        .0
        .iter()
        .map(|(name, value)| format!("{name}={value}"));
    in_a_line(&assignments.collect::<Vec<_>>().join(" "))
}

/// Returns a valuation as `a=1 after(20)`, with events in place of their ports.
#[must_use]
pub fn calls(calls: &Calls<'_>, side: Side, valuation: &Valuation) -> String {
    in_a_line(&calls.line(side, &valuation.0))
}
