//! Who works on a question, in which order, and with how much effort.
//!
//! A schedule is a pure function of the question's kind, of what is known of the model, and of the options: a list of steps for each turn,
//! with more effort in each. Nothing here asks a solver or looks at a clock. One loop ([`execute`]) carries schedules out; it knows time
//! and interruption, and nothing of engines. [`explain`] prints schedules, and snapshot tests hold them.
//!
//! | schedule | of what | its steps are taken by |
//! | --- | --- | --- |
//! | [`rounds`] | all mutants of a model | `crate::rounds` |
//! | [`mutants`] | one mutant: killed potentially, definitely, by an adaptive test? | `crate::decide` |
//! | [`formulas`] | a formula of the user's | `crate::hyperltl` |
//! | [`fairness`] | whether a circuit has an infinite run that meets conditions again and again | `crate::hyperltl::fair` |
//! | [`reachability`] | whether a product can reach a goal, which all others come down to | `crate::solve` |

pub mod efforts;
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

/// Which engines may work.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Engines {
    /// Random simulation of model and mutants.
    pub simulation: bool,
    /// A walk through the pairs of states that original and mutant reach together, where states can be listed.
    pub pairs: bool,
    /// Many mutants at once.
    pub family: bool,
    /// Bounded model checking, which also shortens the runs of others.
    pub bmc: bool,
    /// Signal correspondence and k-induction.
    pub induction: bool,
    /// Property-directed reachability (IC3).
    pub pdr: bool,
    /// Sets of explicit states, and games on them, where states can be listed.
    pub explicit: bool,
    /// Counterexample-guided expansion of universal runs.
    pub exists_forall: bool,
    /// Sets of states and relations between them as decision diagrams, for many mutants at once.
    pub diagrams: bool,
}

impl Engines {
    /// All engines may be used.
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
    /// No engine may be used.
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

    /// Whether any of those may work that go on as long as there is time.
    #[must_use]
    pub fn any_that_goes_on(self) -> bool {
        self.bmc || self.induction || self.pdr || self.exists_forall || self.explicit
    }
}
