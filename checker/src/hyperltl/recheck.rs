//! Answers to formulas, checked again from what shows them.

use hyperkill_certify::certify_answer;
use hyperkill_core::budget::Budget;
use hyperkill_core::{ConditionalMutant, SelectorId};
use hyperkill_formulas::{Formula, Traces};

use super::{FormulaError, Shown};

/// Checks that what is shown shows that the formula holds, or that it does not.
///
/// # Errors
/// [`FormulaError::Evidence`] says what is wrong with the evidence.
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
