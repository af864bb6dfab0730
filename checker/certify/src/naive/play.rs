//! A step of a strategy in the variables of a solver.

use hyperkill_sat::Lit as SatLit;

/// A step of a strategy, as literals about its choice.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Play {
    /// A literal that is true if no choice matches in this step.
    pub(crate) stuck: SatLit,
    /// A literal that is true if the choice that the copies have taken matches.
    pub(crate) matched: SatLit,
}
