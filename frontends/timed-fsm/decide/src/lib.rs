//! Decides mutants of timed machines: a shortest test, or a proof that there is none.
//!
//! The comparison is exact and always ends (semantics.md §7). What it says is checked by a package that shares only the syntax with it.

mod chain;
pub mod fault;
mod product;
mod relation;
mod run;

use std::collections::BTreeMap;

use hyperkill_core::budget::Budget;
use hyperkill_core::mutant::MutantId;
use hyperkill_core::suite::Step;
use hyperkill_core::verdict::{Kill, Reason, Strength, Stronger, Verdict};
use hyperkill_frontend::decision::{Contents, Decider, Decision, OwnKill, OwnVerdict};
use hyperkill_frontend::{Diagnostic, FrontendOptions, SourceFile};
use hyperkill_timed_fsm::machine::{Change, Machine};

use fault::Fault;
use product::{Found, compare};

/// The decision procedure of timed machines.
#[derive(Clone, Copy, Default, Debug)]
pub struct TimedDecision {
    planted: Option<Fault>,
}

impl TimedDecision {
    /// One that is wrong on purpose, to see whether tests notice.
    #[must_use]
    pub fn with_fault(fault: Fault) -> TimedDecision {
        TimedDecision {
            planted: Some(fault),
        }
    }
}

impl Decision for TimedDecision {
    fn read(
        &self,
        sources: &[SourceFile],
        options: &FrontendOptions,
    ) -> Result<Box<dyn Decider>, Vec<Diagnostic>> {
        let model = hyperkill_timed_fsm::read(sources, options)?;
        let changes = model.mutations.iter();
        Ok(Box::new(TimedDecider {
            contents: model.contents(),
            changes: changes.map(|m| (m.mutant.id.clone(), m.meaning)).collect(),
            machine: model.machine,
            planted: self.planted,
        }))
    }
}

/// A specification whose mutants can be decided.
struct TimedDecider {
    contents: Contents,
    machine: Machine,
    changes: BTreeMap<MutantId, Change>,
    planted: Option<Fault>,
}

impl TimedDecider {
    /// The kill by a test; `None` if it takes longer than a time can say.
    fn kill(&self, mutant: &Machine, test: &[(u128, usize)]) -> Option<OwnKill> {
        let stimuli = test
            .iter()
            .map(|&(delay, input)| Some((u64::try_from(delay).ok()?, input)));
        let stimuli = stimuli.collect::<Option<Vec<run::Stimulus>>>()?;
        Some(Kill {
            strength: Strength::Definite,
            model_run: run::steps(&self.machine, &stimuli, self.planted)?,
            mutant_run: run::steps(mutant, &stimuli, self.planted)?,
            shortest: true,
            sole_run: true,
            stronger: Stronger::NotAsked,
            tree: None,
        })
    }
}

impl Decider for TimedDecider {
    fn contents(&self) -> &Contents {
        &self.contents
    }

    fn decide(&self, mutant: &MutantId, bound: Option<usize>, budget: &Budget) -> OwnVerdict {
        let unknown = |known_to: usize, reason: Reason| Verdict::Unknown { known_to, reason };
        let Some(change) = self.changes.get(mutant) else {
            return unknown(0, Reason::Engines);
        };
        let mutant = self.machine.with(change);
        match compare(&self.machine, &mutant, bound, budget, self.planted) {
            Found::Difference(test) => match self.kill(&mutant, &test) {
                Some(kill) => Verdict::Killed(Box::new(kill)),
                // Shorter tests do not exist, and no other of this length is over sooner.
                None => unknown(test.len() - 1, Reason::Bound),
            },
            Found::Same(pairs) => Verdict::Equivalent(relation::document(&self.machine, &pairs)),
            Found::Open(known_to, stop) => unknown(known_to, stop.into()),
        }
    }

    fn kills(&self, test: &[Step], mutant: &MutantId) -> Option<Strength> {
        let (stimuli, expected) = run::stimuli(&self.machine, test)?;
        let own = run::answers(&self.machine, &stimuli, self.planted);
        let mutant = self.machine.with(self.changes.get(mutant)?);
        let answers = run::answers(&mutant, &stimuli, self.planted);
        (own == expected && answers != expected).then_some(Strength::Definite)
    }
}
