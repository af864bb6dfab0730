//! The end of a run: results, tests and counts, before they are written.

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

/// All results of a run.
#[derive(Debug)]
pub struct Decided {
    /// The question: a killing formula, or the relation of the language.
    pub property: String,
    /// The word for the determinism of the original model.
    pub original: &'static str,
    /// The certificates of the determinism, and of the mutants that are models.
    pub certificates: OfModel,
    /// One result per selected mutant, in catalogue order.
    pub results: Vec<MutantResult>,
    /// The descriptions of the mutants, in the same order.
    pub mutants: Vec<MutantDescription>,
    /// The time spent on each mutant, in the same order.
    pub times: Vec<Duration>,
    /// The time of this process on mutants, by id, as lines of a ledger.
    pub spent: BTreeMap<String, Lines>,
    /// The tests. For a circuit each also has its run as bits.
    pub tests: Vec<(SuiteTest, Option<RunEvidence>)>,
    /// Mutants that need no test according to the language's guidelines.
    pub needless: BTreeSet<MutantId>,
    /// The counts of the run.
    pub summary: Summary,
    /// The result for the domain of faults: mutants with any number of faults.
    pub domain: Option<OfDomain>,
    /// Whether the user stopped the run.
    pub interrupted: bool,
}

impl Decided {
    /// Returns the document of times. `jobs` is the number of parallel jobs.
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

    /// Returns the counts by operator. `None` if no guideline of the language concerns these mutants.
    #[must_use]
    pub fn by_operator(&self) -> Option<Vec<OperatorResult>> {
        OperatorResult::table(&self.mutants, &self.results, &self.needless)
    }

    /// Returns the results with their times.
    #[must_use]
    pub fn results_with_times(&self) -> Vec<MutantResult> {
        let mut results = self.results.clone();
        for (result, took) in results.iter_mut().zip(&self.times) {
            result.seconds = Some(build::seconds(*took));
        }
        results
    }
}
