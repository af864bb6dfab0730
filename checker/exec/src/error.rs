//! Tests that cannot be run.

use hyperkill_export::ExportError;
use hyperkill_run::unfit::Unfit;

/// The reason why tests cannot be run.
#[derive(Debug, thiserror::Error)]
pub enum ExecError {
    /// The options do not fit the suite or the model.
    #[error(transparent)]
    Unfit(#[from] Unfit),
    /// A test has a form that cannot be run.
    #[error(transparent)]
    Test(#[from] ExportError),
}
