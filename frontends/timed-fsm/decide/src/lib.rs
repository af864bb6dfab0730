//! Decides mutants of timed machines: finds a shortest test, or proves that none exists.
//!
//! The comparison is exact and always terminates (semantics.md §7). A package that shares only the reader with this one checks its
//! verdicts.

mod chain;
pub mod classic;
pub mod complete;
mod decider;
mod domain;
pub mod fault;
mod implementation;
mod product;
mod relation;
mod run;
mod slots;

use hyperkill_core::budget::Budget;
use hyperkill_core::mutant::MutantId;
use hyperkill_core::suite::Step;
use hyperkill_core::verdict::{Reason, Strength, Verdict};
use hyperkill_frontend::decision::{Contents, Decider, Decision, OwnVerdict, Slot, Ticks};
use hyperkill_frontend::domain::Domain;
use hyperkill_frontend::{Diagnostic, FrontendOptions, SourceFile};
use hyperkill_timed_fsm::machine::{Change, Machine};
use hyperkill_timed_fsm::mutate::Mutation;
use hyperkill_timed_fsm::pieces;

use decider::TimedDecider;
use domain::Faults;
use fault::{CompleteFault, Fault};
use implementation::{Changed, Runs, expected, visited};
use product::{Found, compare};

/// The decision procedure of timed machines.
#[derive(Clone, Copy, Default, Debug)]
pub struct TimedDecision {
    planted: Option<Fault>,
    planted_in_suites: Option<CompleteFault>,
}

impl TimedDecision {
    /// Returns a procedure with a planted fault, for tests.
    #[must_use]
    pub fn with_fault(fault: Fault) -> TimedDecision {
        TimedDecision {
            planted: Some(fault),
            ..TimedDecision::default()
        }
    }

    /// Returns a procedure with a planted fault in the search for complete suites.
    #[must_use]
    pub fn with_fault_in_suites(fault: CompleteFault) -> TimedDecision {
        TimedDecision {
            planted_in_suites: Some(fault),
            ..TimedDecision::default()
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
        let is_guard = |m: &Mutation| matches!(m.meaning, Change::Guard { .. });
        // A domain that exceeds the limits is left out.
        let domain = hyperkill_timed_fsm::read_domain(sources, options).ok();
        let is_guard_fault = self.planted == Some(Fault::NothingBetweenUnits)
            || self.planted_in_suites == Some(CompleteFault::NothingBetweenUnits);
        let scale = if is_guard_fault { 1 } else { model.scale };
        let planted = (self.planted_in_suites, scale);
        let domain = domain.and_then(|domain| fault::spoil(&model.machine, domain, planted));
        let machine = match self.planted {
            Some(Fault::ClosedBoundTakenForOpen) => fault::open_ends(&model.machine),
            _ => model.machine.clone(),
        };
        let changes = model.mutations.iter();
        Ok(Box::new(TimedDecider {
            contents: model.contents(),
            changes: changes.map(|m| (m.mutant.id.clone(), m.meaning)).collect(),
            flat: flat(&machine, scale)?,
            scale,
            has_guards: model.scale > 1
                || model.machine.has_guards()
                || model.mutations.iter().any(is_guard),
            machine: model.machine,
            domain,
            planted: self.planted,
            planted_in_suites: self.planted_in_suites,
        }))
    }
}

/// Returns a machine without guards, cut into pieces, if its answers depend on delays; otherwise the machine.
fn flat(machine: &Machine, scale: u32) -> Result<Machine, Vec<Diagnostic>> {
    let flat = pieces::alone(machine, scale);
    flat.map_err(|_| vec![Diagnostic::unlocated("a timeout is too long")])
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
        let Some(mutant) = self.mutant(change) else {
            return unknown(0, Reason::Engines);
        };
        match compare(&self.flat, &mutant, bound, budget, self.planted) {
            Found::Difference(test) => match self.kill(&mutant, &test) {
                Some(kill) => Verdict::Killed(Box::new(kill)),
                // No shorter test exists, and no other of this length takes less time.
                None => unknown(test.len() - 1, Reason::Bound),
            },
            Found::Same(pairs) => {
                Verdict::Equivalent(relation::document((&self.flat, &mutant), &pairs))
            }
            Found::Open(known_to, stop) => unknown(known_to, stop.into()),
        }
    }

    fn kills(&self, test: &[Step], mutant: &MutantId) -> Option<Strength> {
        let (stimuli, said) = self.stimuli(test)?;
        let change = *self.changes.get(mutant)?;
        if self.planted.is_some() || self.has_guards {
            let own = run::answers(&self.flat, &stimuli, self.planted);
            let answers = run::answers(&self.mutant(&change)?, &stimuli, self.planted);
            return (own == said && answers != said).then_some(Strength::Definite);
        }
        // Each test is run on each mutant without building its machine.
        let (own, _) = expected(&self.machine, 0, &stimuli)?;
        let machine = &self.machine;
        let passes = || Changed { machine, change }.passes(0, &stimuli, &said);
        (own == said && passes().is_none()).then_some(Strength::Definite)
    }

    fn kills_of(&self, test: &[Step], mutants: &[&MutantId]) -> Vec<Option<Strength>> {
        if self.planted.is_some() || self.has_guards {
            return mutants.iter().map(|m| self.kills(test, m)).collect();
        }
        // There may be a hundred million pairs of a test and a mutant, and most mutants behave like the machine on most tests.
        let machine = &self.machine;
        let read = self.stimuli(test).filter(|(stimuli, said)| {
            let own = expected(machine, 0, stimuli);
            own.is_some_and(|(own, _)| own == *said)
        });
        let Some((stimuli, said)) = read else {
            return vec![None; mutants.len()];
        };
        let seen = visited(machine, 0, &stimuli);
        let kills = mutants.iter().map(|mutant| {
            let change = *self.changes.get(*mutant)?;
            let place = match change {
                Change::Answer { state, input, .. } => (state, input),
                Change::Timeout { state, .. } => (state, machine.inputs.len()),
                Change::Guard { .. } => return None,
            };
            let passes = || Changed { machine, change }.passes(0, &stimuli, &said);
            (seen.contains(&place) && passes().is_none()).then_some(Strength::Definite)
        });
        kills.collect()
    }

    fn ticks(&self) -> Option<Ticks> {
        Some(Ticks {
            unit: self.machine.unit.clone(),
        })
    }

    fn slots(&self, test: &[Step]) -> Result<Vec<Slot>, usize> {
        let (stimuli, _) = self.stimuli(test).ok_or(0_usize)?;
        slots::slots(&self.flat, self.scale, &stimuli)
    }

    fn written(&self, form: &str) -> Option<Result<String, String>> {
        let domain = self.domain.as_ref().map(|(_, domain)| domain);
        match form {
            "tfsm" => Some(Ok(hyperkill_timed_fsm::write::tfsm(&self.machine, domain))),
            "dot" => {
                let written = hyperkill_timed_fsm::write::dot(&self.machine, domain);
                Some(written.map_err(|no| format!("{} `{}`", no.what, no.name)))
            }
            _ => None,
        }
    }

    fn domain(&self) -> Option<Box<dyn Domain + '_>> {
        let (specification, domain) = self.domain.as_ref()?;
        Some(Box::new(Faults {
            decider: self,
            specification,
            domain,
        }))
    }
}
