//! The end of a run: results, tests and numbers, before they are written down.

use std::collections::{BTreeMap, BTreeSet};
use std::time::Duration;

use hyperkill_core::budget::ledger::{Ledger, Lines};
use hyperkill_core::mutant::MutantId;

use crate::certificates::OfModel;
use crate::documents::{
    MutantDescription, MutantResult, MutantTime, OperatorResult, RunEvidence, SuiteTest, Summary,
    Timings, build, times,
};
use crate::own::domain::OfDomain;

/// Everything found out.
#[derive(Debug)]
pub struct Decided {
    /// The question: a killing formula, or the relation of the language.
    pub property: String,
    /// Whether the original is deterministic, in a word.
    pub original: &'static str,
    /// The certificates of that, and of which mutants are models.
    pub certificates: OfModel,
    /// One result per selected mutant, in catalogue order.
    pub results: Vec<MutantResult>,
    /// Their descriptions, in the same order.
    pub mutants: Vec<MutantDescription>,
    /// Time spent on each, in the same order.
    pub times: Vec<Duration>,
    /// Parts of the time that this process has spent on mutants, by id.
    pub spent: BTreeMap<String, Lines>,
    /// The tests, each bit by bit as well if the model is a circuit.
    pub tests: Vec<(SuiteTest, Option<RunEvidence>)>,
    /// Mutants of which the language says beforehand that they need no test.
    pub needless: BTreeSet<MutantId>,
    /// Numbers.
    pub summary: Summary,
    /// Mutants with any number of faults.
    pub domain: Option<OfDomain>,
    /// Whether the user stopped it.
    pub interrupted: bool,
}

impl Decided {
    /// The document about times, of a run with so many jobs at a time.
    #[must_use]
    pub fn timings(&self, ledger: &Ledger, jobs: usize) -> Timings {
        let took = self.results.iter().zip(&self.times);
        let balance = ledger.balance();
        let parts = |mutant: &String| self.spent.get(mutant).map_or_else(Vec::new, times::parts);
        Timings {
            schema: Timings::SCHEMA.to_owned(),
            jobs,
            total_seconds: build::seconds(balance.time),
            parts: times::parts_of_all(&balance),
            threads: times::threads(&balance),
            rounds: balance.rounds,
            mutants: took
                .map(|(result, took)| MutantTime {
                    mutant: result.mutant.clone(),
                    seconds: build::seconds(*took),
                    parts: parts(&result.mutant),
                })
                .collect(),
        }
    }

    /// Numbers by operator, beside the guidelines of the language about its mutants.
    #[must_use]
    pub fn by_operator(&self) -> Option<Vec<OperatorResult>> {
        OperatorResult::table(&self.mutants, &self.results, &self.needless)
    }

    /// The results with their times.
    #[must_use]
    pub fn results_with_times(&self) -> Vec<MutantResult> {
        let mut results = self.results.clone();
        for (result, took) in results.iter_mut().zip(&self.times) {
            result.seconds = Some(build::seconds(*took));
        }
        results
    }
}
