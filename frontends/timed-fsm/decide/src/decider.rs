//! A specification whose mutants can be decided.

use std::collections::BTreeMap;

use hyperkill_core::budget::{Budget, Stop};
use hyperkill_core::mutant::MutantId;
use hyperkill_core::suite::Step;
use hyperkill_core::verdict::{Kill, Strength, Stronger};
use hyperkill_frontend::decision::{Contents, OwnKill};
use hyperkill_frontend::domain::Completeness;
use hyperkill_timed_fsm::choices::{MutationMachine, Selection};
use hyperkill_timed_fsm::machine::{Change, Machine};
use hyperkill_timed_fsm::pieces;

use crate::fault::{self, CompleteFault, Fault};
use crate::{complete, run};

/// A specification whose mutants can be decided.
pub(crate) struct TimedDecider {
    pub(crate) contents: Contents,
    pub(crate) machine: Machine,
    /// The machine, in pieces if answers depend on delays.
    pub(crate) flat: Machine,
    /// The number of parts of a unit. Delays of tests are in parts.
    pub(crate) scale: u32,
    /// Whether answers depend on delays, in the machine or in a mutant.
    pub(crate) has_guards: bool,
    pub(crate) changes: BTreeMap<MutantId, Change>,
    /// The specification and all implementations with any number of faults, in pieces.
    pub(crate) domain: Option<(Machine, MutationMachine)>,
    pub(crate) planted: Option<Fault>,
    pub(crate) planted_in_suites: Option<CompleteFault>,
}

impl TimedDecider {
    /// Returns the kill of a mutant by a test, with both runs; `None` if its times exceed the range of numbers.
    pub(crate) fn kill(&self, mutant: &Machine, test: &[(u128, usize)]) -> Option<OwnKill> {
        let stimuli = test
            .iter()
            .map(|&(delay, input)| Some((u64::try_from(delay).ok()?, input)));
        let stimuli = stimuli.collect::<Option<Vec<run::Stimulus>>>()?;
        Some(Kill {
            strength: Strength::Definite,
            model_run: run::steps(&self.flat, &stimuli, self.scale, self.planted)?,
            mutant_run: run::steps(mutant, &stimuli, self.scale, self.planted)?,
            shortest: true,
            sole_run: true,
            stronger: Stronger::NotAsked,
            tree: None,
        })
    }
}

impl TimedDecider {
    pub(crate) fn steps(&self, test: &[run::Stimulus]) -> Option<Vec<Step>> {
        run::steps(&self.flat, test, self.scale, None)
    }

    /// Returns the mutant with a change, cut into pieces (states without guards); `None` if its timeouts are too long.
    pub(crate) fn mutant(&self, change: &Change) -> Option<Machine> {
        let mutant = self.machine.with(change);
        let mutant = match self.planted {
            Some(Fault::ClosedBoundTakenForOpen) => fault::open_ends(&mutant),
            _ => mutant,
        };
        pieces::alone(&mutant, self.scale).ok()
    }

    /// Returns the inputs of tests with their delays; `None` if a test expects other answers than those of the machine.
    pub(crate) fn own_tests(&self, tests: &[Vec<Step>]) -> Option<Vec<Vec<run::Stimulus>>> {
        let read = tests.iter().map(|test| {
            let (stimuli, expected) = self.stimuli(test)?;
            let own = run::answers(&self.flat, &stimuli, None);
            (own == expected).then_some(stimuli)
        });
        read.collect()
    }

    pub(crate) fn stimuli(&self, test: &[Step]) -> Option<(Vec<run::Stimulus>, Vec<usize>)> {
        run::stimuli(&self.machine, test, self.scale)
    }

    /// Returns a surviving mutant as a document, simplified, with a test that kills it.
    pub(crate) fn survivor(
        &self,
        (own, domain): (&Machine, &MutationMachine),
        survivor: (Selection, Vec<run::Stimulus>),
        tests: &[Vec<run::Stimulus>],
        budget: &Budget,
    ) -> Completeness {
        let (selection, test) = complete::simplest(own, domain, survivor, tests, budget);
        let mutant = domain.machine(own, &selection);
        let runs = self.steps(&test);
        let runs = runs.zip(run::steps(&mutant, &test, self.scale, None));
        let Some((steps, of_mutant)) = runs else {
            return Completeness::Open(Stop::Bound);
        };
        let both = steps.into_iter().zip(of_mutant);
        let steps = both.map(|(step, of_mutant)| Step {
            mutant_outputs: Some(of_mutant.outputs),
            ..step
        });
        Completeness::Survivor {
            choices: complete::choices(own, domain, &selection),
            test: steps.collect(),
            mutant: complete::implementation(own, domain, &selection),
        }
    }
}
