//! Schedules: the order in which engines work on a question, and their efforts.
//!
//! A schedule is a pure function of the question's kind, the facts about the model and the options. It lists the steps of each turn, with
//! more effort from turn to turn. It calls no solver and reads no clock. One loop ([`execute`]) executes schedules; it knows time and
//! interruption, but no engines. [`explain`] prints schedules, and snapshot tests hold them.
//!
//! | schedule | of what | its steps are taken by |
//! | --- | --- | --- |
//! | [`rounds`] | all mutants of a model | `crate::rounds` |
//! | [`mutants`] | one mutant: killed potentially, definitely, by an adaptive test? | `crate::decide` |
//! | [`formulas`] | a formula of the user's | `crate::hyperltl` |
//! | [`fairness`] | whether a circuit has an infinite run that meets conditions again and again | `crate::hyperltl::fair` |
//! | [`reachability`] | whether a product can reach a goal, which all others come down to | `crate::solve` |

pub mod efforts;
pub(crate) mod engine_efforts;
mod execute;
mod explain;
pub mod fairness;
pub mod formula_efforts;
pub mod formulas;
pub mod mutants;
pub mod reachability;
pub mod rounds;

pub use execute::{Turns, Work, execute};
pub use explain::{Section, explain, explain_formula, explain_safety, explain_strategy};

/// The engines that may work.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Engines {
    /// Random simulation of model and mutants.
    pub simulation: bool,
    /// A walk through the joint reachable states of original and mutant, where states can be listed.
    pub pairs: bool,
    /// Proofs and searches for many mutants at once, as families.
    pub family: bool,
    /// Bounded model checking, which also shortens the runs of other engines.
    pub bmc: bool,
    /// Signal correspondence and k-induction.
    pub induction: bool,
    /// Property-directed reachability (IC3).
    pub pdr: bool,
    /// Sets of explicit states, and games on them, where states can be listed.
    pub explicit: bool,
    /// Counterexample-guided expansion of universal runs by strategies.
    pub exists_forall: bool,
    /// Sets of states and relations between them as decision diagrams, for many mutants at once.
    pub diagrams: bool,
}

impl Engines {
    /// Permits all engines.
    pub const ALL: Engines = Engines {
        simulation: true,
        pairs: true,
        family: true,
        bmc: true,
        induction: true,
        pdr: true,
        explicit: true,
        exists_forall: true,
        diagrams: true,
    };
    /// Permits no engine.
    pub const NONE: Engines = Engines {
        simulation: false,
        pairs: false,
        family: false,
        bmc: false,
        induction: false,
        pdr: false,
        explicit: false,
        exists_forall: false,
        diagrams: false,
    };

    /// Whether an engine is permitted that can continue as long as there is time: `bmc`, `induction`, `pdr`, `exists_forall` or `explicit`.
    #[must_use]
    pub fn any_that_goes_on(self) -> bool {
        self.bmc || self.induction || self.pdr || self.exists_forall || self.explicit
    }
}
