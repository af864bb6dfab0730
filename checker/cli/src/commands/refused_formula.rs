//! What is said of formulas that are not decided.

use hyperkill_checker::hyperltl::FormulaError;
use hyperkill_core::ConditionalMutant;
use hyperkill_formulas::ComposeError;
use hyperkill_formulas::signals::near;

use crate::exit_code::ExitCode;
use crate::failure::Failure;

/// Why a formula is not decided. `place` is where it stands, or itself.
pub(super) fn undecidable(
    error: FormulaError,
    model: &ConditionalMutant,
    place: &dyn std::fmt::Display,
) -> Failure {
    match error {
        FormulaError::Compose(ComposeError::UnknownSignal { name }) => {
            let failure = Failure::usage(format!("{place}: the model has no signal `{name}`"));
            match near(model, &name).as_slice() {
                [] => failure,
                names => failure.with_help(format!("there is {}", names.join(", "))),
            }
        }
        FormulaError::Compose(
            error @ (ComposeError::MonitorTooLarge | ComposeError::UnsupportedShape { .. }),
        ) => not_decided(place, &error),
        FormulaError::Undecided(why) => not_decided(place, &why),
        FormulaError::Compose(error) => Failure::usage(format!("{place}: {error}")),
        FormulaError::Evidence(_) | FormulaError::Safety(_) => {
            Failure::message(ExitCode::Evidence, error.into())
                .with_help("this is a bug in hyperkill; please report it with the model")
        }
    }
}

/// A formula that is well formed, and of no fragment that is decided.
fn not_decided(place: &dyn std::fmt::Display, why: &dyn std::fmt::Display) -> Failure {
    Failure::message(ExitCode::Undecided, anyhow::anyhow!("{place}: {why}"))
        .with_help("decided are formulas with at most one change between `exists` and `forall`")
}
