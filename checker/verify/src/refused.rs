//! Refusals of formulas that are not decided.

use std::fmt::Display;

use hyperkill_checker::hyperltl::FormulaError;
use hyperkill_core::ConditionalMutant;
use hyperkill_formulas::ComposeError;
use hyperkill_formulas::signals::near;
use hyperkill_run::question::Refused;
use hyperkill_run::unfit::Unfit;

use crate::error::VerifyError;

/// Returns the error for a formula that is not decided. Its message begins with `place`, the place in the formula's text or the formula
/// itself.
pub(crate) fn undecidable(
    error: FormulaError,
    model: &ConditionalMutant,
    place: &dyn Display,
) -> VerifyError {
    match error {
        FormulaError::Compose(ComposeError::UnknownSignal { name }) => {
            let unfit = Unfit::new(format!("{place}: the model has no signal `{name}`"));
            match near(model, &name).as_slice() {
                [] => unfit,
                names => unfit.with_help(format!("there is {}", names.join(", "))),
            }
            .into()
        }
        FormulaError::Compose(
            error @ (ComposeError::MonitorTooLarge | ComposeError::UnsupportedShape { .. }),
        ) => not_decided(place, &error),
        FormulaError::Undecided(why) => not_decided(place, &why),
        FormulaError::Compose(error) => Unfit::new(format!("{place}: {error}")).into(),
        FormulaError::Evidence(_) | FormulaError::Safety(_) => VerifyError::Evidence(error.into()),
    }
}

/// Returns the refusal of a well-formed formula outside of the decided fragments.
fn not_decided(place: &dyn Display, why: &dyn Display) -> VerifyError {
    let refused = Refused::Undecided {
        message: format!("{place}: {why}"),
        help: Some("decided are formulas with at most one change between `exists` and `forall`"),
    };
    refused.into()
}
