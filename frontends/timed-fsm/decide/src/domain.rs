//! The fault domain of a timed machine: finds complete suites, and checks given ones.

use hyperkill_core::Aig;
use hyperkill_core::budget::memory::Charge;
use hyperkill_core::budget::{Budget, Stop};
use hyperkill_core::suite::Step;
use hyperkill_frontend::domain::{Aim, Completeness, Domain, DomainSize, DomainSuite, Method};
use hyperkill_sat_cadical::lrat::{self, NoRefutation};
use hyperkill_timed_fsm::choices::MutationMachine;
use hyperkill_timed_fsm::machine::Machine;
use hyperkill_timed_fsm::survivors;

use crate::classic::{self, Unsuited};
use crate::complete::{self, Verified};
use crate::decider::TimedDecider;
use crate::run;

/// The size of a step of a test in bytes, with its names and values.
const STEP_SIZE: usize = 400;

fn proof(own: &Machine, domain: &MutationMachine, shown: &complete::Shown) -> Completeness {
    Completeness::Complete {
        classes: shown.classes.len(),
        proof: complete::proof(own, domain, shown),
    }
}

/// The domain of faults of a machine, for the decision procedure.
pub(crate) struct Faults<'a> {
    pub(crate) decider: &'a TimedDecider,
    pub(crate) specification: &'a Machine,
    pub(crate) domain: &'a MutationMachine,
}

impl Domain for Faults<'_> {
    fn size(&self) -> DomainSize {
        hyperkill_timed_fsm::domain_size(self.domain)
    }

    fn survivors(&self, tests: &[Vec<Step>]) -> Result<Aig, String> {
        let Some(tests) = self.decider.own_tests(tests) else {
            let why = "the tests are not of this model: its outputs differ from the expected ones";
            return Err(why.to_owned());
        };
        let circuit = survivors::circuit(self.specification, self.domain, &tests);
        circuit.ok_or_else(|| "the tests take too many steps for a circuit".to_owned())
    }

    fn classic(&self, method: Method, budget: &Budget) -> Result<Vec<Vec<Step>>, String> {
        let domain = self.domain;
        if domain.pieces.is_some() {
            return Err("classic methods do not support guards".to_owned());
        }
        let timeouts = domain.timeouts.iter().flatten();
        let lengths = timeouts.filter_map(|choice| Some(choice.does?.after));
        let everything = classic::Everything {
            states: domain.states.len(),
            longest: lengths.max().unwrap_or(0),
        };
        let suite = classic::suite(&self.decider.machine, everything, method, budget);
        let tests = suite.and_then(|tests| {
            let (mut charge, mut inputs) = (Charge::default(), 0);
            let steps = tests.iter().map(|test| {
                inputs += test.len();
                let full = charge.hold(budget, inputs * STEP_SIZE);
                full.map_or_else(|| budget.check(), Err)
                    .map_err(Unsuited::Stopped)?;
                self.decider.steps(test).ok_or(Unsuited::TooMany)
            });
            steps.collect::<Result<_, Unsuited>>()
        });
        tests.map_err(|why| why.said_of(&self.decider.machine))
    }

    fn complete(&self, aim: Aim, start: &[Vec<Step>], budget: &Budget) -> DomainSuite {
        let (own, domain) = (self.specification, self.domain);
        let start = start.iter().filter_map(|test| self.decider.stimuli(test));
        let start: Vec<Vec<run::Stimulus>> = start.map(|(stimuli, _)| stimuli).collect();
        let options = complete::Options {
            longest: aim.longest,
            cost: aim.cost,
            planted: self.decider.planted_in_suites,
            ..complete::Options::default()
        };
        let found = complete::complete(own, domain, &start, options, budget);
        let tests = found.tests.iter().map(|test| self.decider.steps(test));
        let Some(tests) = tests.collect::<Option<Vec<Vec<Step>>>>() else {
            return DomainSuite {
                tests: Vec::new(),
                completeness: Completeness::Open(Stop::Bound),
            };
        };
        let completeness = match found.end {
            Ok(()) => proof(own, domain, &found.shown),
            Err(stop) => Completeness::Open(stop),
        };
        DomainSuite {
            tests,
            completeness,
        }
    }

    fn refutation(&self, clauses: &str, budget: &Budget) -> Option<Result<String, Stop>> {
        match lrat::refutation(clauses, budget) {
            Ok(steps) => Some(Ok(steps)),
            Err(NoRefutation::Stopped(stop)) => Some(Err(stop)),
            Err(NoRefutation::Possible | NoRefutation::Malformed) => None,
        }
    }

    fn completeness(&self, tests: &[Vec<Step>], budget: &Budget) -> Option<Completeness> {
        let (specification, domain) = (self.specification, self.domain);
        let read = self.decider.own_tests(tests)?;
        let options = complete::Options {
            planted: self.decider.planted_in_suites,
            ..complete::Options::default()
        };
        let verified = complete::verify(specification, domain, &read, options, budget);
        Some(match verified {
            Verified::Complete(shown) => proof(specification, domain, &shown),
            Verified::Survivor(selection, test) => {
                let own = (specification, domain);
                self.decider.survivor(own, (selection, test), &read, budget)
            }
            Verified::Open(stop) => Completeness::Open(stop),
        })
    }
}
