//! Checks verdicts about mutants of timed machines (semantics.md §7), without the code that decides them.
//!
//! A mutant is read anew from the source text with its edit.

mod classes;
mod complete;
mod delays;
mod dimacs;
mod hull;
mod names;
mod relation;
mod replay;
mod said;
mod survivor;

use std::collections::BTreeMap;

use hyperkill_core::budget::Budget;
use hyperkill_core::mutant::MutantId;
use hyperkill_core::suite::Step;
use hyperkill_core::verdict::{Strength, Stronger, Verdict};
use hyperkill_frontend::decision::{Contents, OwnKill, OwnVerdict, Recheck, Rechecker, Refutation};
use hyperkill_frontend::domain::{CheckedDomain, DomainSize, Survivor};
use hyperkill_frontend::{Diagnostic, FrontendOptions, SourceFile, apply};
use hyperkill_timed_fsm::machine::Machine;
use hyperkill_timed_fsm::without_faults;
use said::{Domain, Said, Unread};
use serde_json::Value as Document;

/// The procedure that checks verdicts about timed machines.
#[derive(Clone, Copy, Default, Debug)]
pub struct TimedRecheck;

impl Recheck for TimedRecheck {
    fn read(
        &self,
        sources: &[SourceFile],
        options: &FrontendOptions,
    ) -> Result<Box<dyn Rechecker>, Vec<Diagnostic>> {
        let model = hyperkill_timed_fsm::read(sources, options)?;
        // A fault domain may be far longer than the machine, and must not be read again for each mutant.
        let text = sources
            .first()
            .map(|source| without_faults(&source.text).to_owned());
        let text = text.unwrap_or_default();
        let unread = |what: String| {
            let message = format!("the recheck cannot read the machine: {what}");
            vec![Diagnostic::unlocated(message)]
        };
        let machine = said::machine_of(&text).map_err(|error| unread(error.to_string()))?;
        let domain = match Said::read(sources, options) {
            Ok(said) => {
                let (specification, domain) =
                    said.domain().map_err(|error| unread(error.to_string()))?;
                Ok(Implementations {
                    size: said.size(),
                    specification,
                    domain,
                })
            }
            Err(Unread::TooMany) => Err(Unread::TooMany),
            Err(error) => return Err(unread(error.to_string())),
        };
        let contents = model.contents();
        let ids = contents.catalogue.iter().enumerate();
        Ok(Box::new(TimedRechecker {
            places: ids.map(|(i, (mutant, _))| (mutant.id.clone(), i)).collect(),
            contents,
            machine,
            scale: model.scale,
            domain,
            text,
        }))
    }
}

/// The specification and all implementations, in pieces if answers depend on delays.
struct Implementations {
    specification: Machine,
    domain: Domain,
    size: DomainSize,
}

struct TimedRechecker {
    contents: Contents,
    /// The index of each mutant in the catalogue.
    places: BTreeMap<MutantId, usize>,
    machine: Machine,
    /// The number of parts of a unit.
    scale: u32,
    /// The specification and all implementations, unless they exceed the limit.
    domain: Result<Implementations, Unread>,
    text: String,
}

impl TimedRechecker {
    fn mutant(&self, id: &MutantId) -> Result<Machine, Refutation> {
        let catalogue = &self.contents.catalogue;
        let found = self.places.get(id).and_then(|place| catalogue.get(*place));
        let Some((mutant, _)) = found else {
            return Refutation::wrong(format!("there is no mutant {id}"));
        };
        let text = match apply(&self.text, mutant) {
            Ok(text) => text,
            Err(stale) => return Refutation::wrong(stale.to_string()),
        };
        let Ok(machine) = said::machine_of(&text) else {
            return Refutation::wrong(format!("the source of {id} is not a timed machine"));
        };
        let names = |machine: &Machine| -> Vec<String> {
            let states = machine.states.iter().map(|state| state.name.clone());
            states
                .chain(machine.inputs.clone())
                .chain(machine.outputs.clone())
                .collect()
        };
        match names(&machine) == names(&self.machine) {
            true => Ok(machine),
            false => Refutation::wrong(format!(
                "{id} has other states, inputs or outputs than the model"
            )),
        }
    }

    /// Returns a machine without guards, cut into pieces, if answers depend on delays; otherwise the machine.
    fn in_pieces(&self, machine: &Machine) -> Result<Machine, Refutation> {
        let cut = said::alone(machine, self.scale);
        cut.map_err(|error| Refutation::Wrong(error.to_string()))
    }

    /// Returns the answers of the model to a test that it passes.
    fn expected(&self, test: &[Step]) -> Result<Vec<usize>, Refutation> {
        let shown = replay::replay(&self.machine, test, 1).map_err(Refutation::Wrong)?;
        let said = replay::said(&self.machine, test).map_err(Refutation::Wrong)?;
        if shown.is_silent {
            return Refutation::wrong("the test has an input that the model does not answer");
        }
        if said != shown.outputs {
            return Refutation::wrong("the model does not answer as the test expects");
        }
        for step in test {
            let only_own = |outputs: &Vec<_>| *outputs == step.outputs;
            let allowed = step.allowed.as_ref();
            if allowed.is_some_and(|allowed| !allowed.outputs.iter().all(only_own)) {
                return Refutation::wrong("the test allows an output that the model does not give");
            }
        }
        Ok(said)
    }

    fn killed(&self, mutant: &Machine, kill: &OwnKill) -> Result<(), Refutation> {
        if kill.strength != Strength::Definite || !kill.sole_run {
            return Refutation::wrong(
                "a test kills deterministic mutants definitely, and another strength is claimed",
            );
        }
        if kill.stronger != Stronger::NotAsked {
            return Refutation::wrong(
                "a result on stronger kills is claimed beside a definite kill",
            );
        }
        let (test, run) = (&kill.model_run, &kill.mutant_run);
        let expected = self.expected(test)?;
        let stimulus = |step: &Step| (step.at, step.inputs.clone());
        if !test.iter().map(stimulus).eq(run.iter().map(stimulus)) {
            return Refutation::wrong("the runs of model and mutant differ in inputs or times");
        }
        let mut both = test.iter().zip(run);
        let beside = |step: &Step| step.mutant_outputs.clone();
        if both.any(|(own, of)| beside(own).is_some_and(|outputs| outputs != of.outputs)) {
            return Refutation::wrong(
                "the mutant's outputs in the test differ from those in its run",
            );
        }
        let shown = replay::replay(mutant, run, 1).map_err(Refutation::Wrong)?;
        let said = replay::said(mutant, run).map_err(Refutation::Wrong)?;
        // A run that ends without an answer has no further steps.
        let length = shown.outputs.len() + usize::from(shown.is_silent);
        if said != shown.outputs || run.len() != length {
            return Refutation::wrong("the mutant's outputs differ from those in its run");
        }
        match said == expected {
            true => Refutation::wrong("the mutant answers as the model does"),
            false => Ok(()),
        }
    }
}

impl Rechecker for TimedRechecker {
    fn contents(&self) -> &Contents {
        &self.contents
    }

    fn recheck(
        &self,
        mutant: &MutantId,
        verdict: &OwnVerdict,
        budget: &Budget,
    ) -> Result<(), Refutation> {
        let machine = self.mutant(mutant)?;
        match verdict {
            Verdict::Killed(kill) => self.killed(&machine, kill),
            Verdict::Equivalent(document) => {
                let (own, mutant) = (self.in_pieces(&self.machine)?, self.in_pieces(&machine)?);
                relation::check(&own, &mutant, document, budget)
            }
            Verdict::Unknown { .. } => Ok(()),
            Verdict::NotDefinitelyKillable { .. }
            | Verdict::RefusesInput { .. }
            | Verdict::Invalid(_)
            | Verdict::Inconsistent(_)
            | Verdict::DuplicateOf(_) => {
                let word = verdict.word();
                Refutation::wrong(format!("mutants of timed machines are never {word}"))
            }
        }
    }

    fn recheck_kill(
        &self,
        test: &[Step],
        mutant: &MutantId,
        strength: Strength,
        _: &Budget,
    ) -> Result<(), Refutation> {
        let machine = self.mutant(mutant)?;
        let expected = self.expected(test)?;
        if strength != Strength::Definite {
            return Refutation::wrong(
                "a test kills deterministic mutants definitely, and another strength is claimed",
            );
        }
        let shown = replay::replay(&machine, test, 1).map_err(Refutation::Wrong)?;
        match shown.outputs == expected {
            true => Refutation::wrong("the mutant passes the test"),
            false => Ok(()),
        }
    }

    fn domain(&self) -> Option<Box<dyn CheckedDomain + '_>> {
        let all = self.domain.as_ref().ok()?;
        Some(Box::new(Faults {
            rechecker: self,
            all,
        }))
    }
}

/// The domain of faults of a machine, for the recheck.
struct Faults<'a> {
    rechecker: &'a TimedRechecker,
    all: &'a Implementations,
}

impl Faults<'_> {
    /// Returns the specification and the domain of all implementations.
    fn implementations(&self) -> (&Machine, &Domain) {
        (&self.all.specification, &self.all.domain)
    }
}

impl CheckedDomain for Faults<'_> {
    fn size(&self) -> DomainSize {
        self.all.size.clone()
    }

    fn recheck_complete(
        &self,
        tests: &[Vec<Step>],
        proof: &Document,
        budget: &Budget,
    ) -> Result<usize, Refutation> {
        let domain = self.implementations();
        for test in tests {
            self.rechecker.expected(test)?;
        }
        complete::check(domain, tests, proof, budget)
    }

    fn question(
        &self,
        tests: &[Vec<Step>],
        proof: &Document,
        budget: &Budget,
    ) -> Result<String, Refutation> {
        let domain = self.implementations();
        for test in tests {
            self.rechecker.expected(test)?;
        }
        complete::question(domain, tests, proof, budget)
    }

    fn recheck_survivor(
        &self,
        tests: &[Vec<Step>],
        survivor: Survivor<'_>,
    ) -> Result<(), Refutation> {
        let domain = self.implementations();
        let parts = domain.1.scale();
        let mutant = survivor::read(domain, survivor)?;
        for test in tests {
            let expected = self.rechecker.expected(test)?;
            let shown = replay::replay(&mutant, test, parts).map_err(Refutation::Wrong)?;
            if shown.outputs != expected {
                return Refutation::wrong("the mutant that is to pass all tests fails one");
            }
        }
        self.rechecker.expected(survivor.test)?;
        survivor::fails(&mutant, survivor.test, parts)
    }
}
