//! Domains of faults as tests ask for them: nothing, or a refutation, where there is none.

use hyperkill_core::budget::{Budget, Stop};
use hyperkill_core::suite::Step;
use hyperkill_frontend::decision::{Decider, Rechecker, Refutation};
use hyperkill_frontend::domain::{Aim, Completeness, DomainSize, DomainSuite, Survivor};
use serde_json::Value;

/// The domain of a model that is decided.
pub(crate) trait Decided {
    fn size(&self) -> Option<DomainSize>;
    fn complete(&self, aim: Aim, start: &[Vec<Step>], budget: &Budget) -> Option<DomainSuite>;
    fn completeness(&self, tests: &[Vec<Step>], budget: &Budget) -> Option<Completeness>;
    fn refutation(&self, clauses: &str, budget: &Budget) -> Option<Result<String, Stop>>;
}

impl Decided for dyn Decider + '_ {
    fn size(&self) -> Option<DomainSize> {
        self.domain().map(|domain| domain.size())
    }

    fn complete(&self, aim: Aim, start: &[Vec<Step>], budget: &Budget) -> Option<DomainSuite> {
        self.domain()
            .map(|domain| domain.complete(aim, start, budget))
    }

    fn completeness(&self, tests: &[Vec<Step>], budget: &Budget) -> Option<Completeness> {
        self.domain()?.completeness(tests, budget)
    }

    fn refutation(&self, clauses: &str, budget: &Budget) -> Option<Result<String, Stop>> {
        self.domain()?.refutation(clauses, budget)
    }
}

/// The domain of a model with checked evidence.
pub(crate) trait Checked {
    fn size(&self) -> Option<DomainSize>;
    fn recheck_complete(
        &self,
        tests: &[Vec<Step>],
        proof: &Value,
        budget: &Budget,
    ) -> Result<usize, Refutation>;
    fn question(
        &self,
        tests: &[Vec<Step>],
        proof: &Value,
        budget: &Budget,
    ) -> Result<String, Refutation>;
    fn recheck_survivor(
        &self,
        tests: &[Vec<Step>],
        survivor: Survivor<'_>,
    ) -> Result<(), Refutation>;
}

fn none() -> Refutation {
    Refutation::Wrong("there is no domain of faults".to_owned())
}

impl Checked for dyn Rechecker + '_ {
    fn size(&self) -> Option<DomainSize> {
        self.domain().map(|domain| domain.size())
    }

    fn recheck_complete(
        &self,
        tests: &[Vec<Step>],
        proof: &Value,
        budget: &Budget,
    ) -> Result<usize, Refutation> {
        let domain = self.domain().ok_or_else(none)?;
        domain.recheck_complete(tests, proof, budget)
    }

    fn question(
        &self,
        tests: &[Vec<Step>],
        proof: &Value,
        budget: &Budget,
    ) -> Result<String, Refutation> {
        let domain = self.domain().ok_or_else(none)?;
        domain.question(tests, proof, budget)
    }

    fn recheck_survivor(
        &self,
        tests: &[Vec<Step>],
        survivor: Survivor<'_>,
    ) -> Result<(), Refutation> {
        let domain = self.domain().ok_or_else(none)?;
        domain.recheck_survivor(tests, survivor)
    }
}
