//! Tests that cannot be run.

use hyperkill_export::ExportError;
use hyperkill_run::unfit::Unfit;

/// Why tests cannot be run.
#[derive(Debug, thiserror::Error)]
pub enum ExecError {
    /// The wishes of the user do not fit the suite or the model.
    #[error(transparent)]
    Unfit(#[from] Unfit),
    /// A test is none that can be run.
    #[error(transparent)]
    Test(#[from] ExportError),
}
