//! Values of variables in a line.

use crate::documents::Valuation;
use crate::terminal::in_a_line;

/// `a=1 b=coff`.
#[must_use]
pub fn assignments(valuation: &Valuation) -> String {
    let assignments = valuation
        .0
        .iter()
        .map(|(name, value)| format!("{name}={value}"));
    in_a_line(&assignments.collect::<Vec<_>>().join(" "))
}
