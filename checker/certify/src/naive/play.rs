//! A step of a strategy in the variables of a solver.

use hyperkill_sat::Lit as SatLit;

/// A step of the strategy.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Play {
    /// True if no choice matches in this step.
    pub(crate) stuck: SatLit,
    /// The choice that the copies have taken matches.
    pub(crate) matched: SatLit,
}
