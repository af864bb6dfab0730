//! Checks answers to formulas again from their evidence.

use hyperkill_certify::certify_answer;
use hyperkill_core::budget::Budget;
use hyperkill_core::{ConditionalMutant, SelectorId};
use hyperkill_formulas::{Formula, Traces};

use super::{FormulaError, Shown};

/// Checks that the evidence in `shown` proves that the formula holds, or, if `holds` is false, that it fails.
///
/// # Errors
/// [`FormulaError::Evidence`] if the evidence does not check.
pub fn recheck(
    about: (&ConditionalMutant, SelectorId),
    formula: &Formula,
    traces: Traces,
    holds: bool,
    shown: &Shown,
    budget: &Budget,
) -> Result<(), FormulaError> {
    certify_answer(about, formula, traces, holds, shown, budget).map_err(FormulaError::Evidence)
}
