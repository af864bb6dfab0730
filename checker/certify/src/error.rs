//! The reasons why evidence is rejected.

use hyperkill_core::budget::Stop;

use super::replay::ReplayError;

/// The reason why evidence was rejected.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
pub enum CertifyError {
    /// An obligation of the proof does not hold.
    #[error("the {0} of the induction does not hold")]
    Broken(&'static str),
    /// The clauses are no inductive invariant, or do not exclude the bad states.
    #[error("the {0} of the invariant does not hold")]
    Invariant(&'static str),
    /// A set of positions does not prove its claim.
    #[error("the set of positions proves nothing: {0}")]
    ClosedSet(&'static str),
    /// A simulation relation does not prove its claim.
    #[error("the simulation relation proves nothing: {0}")]
    Simulation(&'static str),
    /// State estimates do not prove their claim.
    #[error("the state estimates prove nothing: {0}")]
    Estimates(&'static str),
    /// The variable order of the evidence is invalid.
    #[error("the order of variables is not valid: {0}")]
    Order(&'static str),
    /// Sets of states do not show the claim on accepted inputs.
    #[error("the evidence about accepted inputs proves nothing: {0}")]
    Acceptance(&'static str),
    /// Traces do not show that a formula holds.
    #[error("the traces do not show that the formula holds: {0}")]
    Witness(&'static str),
    /// An adaptive test does not kill with the claimed strength.
    #[error("the adaptive test does not kill as claimed: {0}")]
    Tree(&'static str),
    /// The evidence does not show the determinism of the model.
    #[error("the evidence does not show whether the model is deterministic: {0}")]
    Determinism(&'static str),
    /// The evidence does not show which mutants are models.
    #[error("the evidence does not show which mutants are models: {0}")]
    Validity(&'static str),
    /// Two circuits are not the same.
    #[error("the circuits differ")]
    Differ,
    /// A test of a suite does not have the claimed effect.
    #[error("the test does not kill: {0}")]
    Test(&'static str),
    /// A kill did not replay, or another run contradicts it.
    #[error(transparent)]
    Kill(#[from] ReplayError),
    /// The check reached a time limit or was interrupted, so the evidence is undecided.
    #[error("the check was stopped")]
    Stopped(Stop),
}

impl From<Stop> for CertifyError {
    fn from(stop: Stop) -> CertifyError {
        CertifyError::Stopped(stop)
    }
}
