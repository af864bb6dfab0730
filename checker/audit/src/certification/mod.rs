//! Checks the evidence of a run again from the model file and the folder alone, without engines.
//!
//! - `folder`: every file is unchanged, and the documents are about one run of this model;
//! - `models`: the list of mutants that are models;
//! - `certificates`: each certificate shows its claim;
//! - `results`: each result is the one that its certificates determine;
//! - `suite`: each test kills the mutants that the suite lists;
//! - `answers`: answers to formulas, which have a folder of their own;
//! - `domain`: the completeness of a suite for a fault domain.
//!
//! Some statements are not covered, since no evidence of them is stored: [`NOT_COVERED`].

mod answers;
mod certificates;
mod domain;
mod findings;
mod folder;
mod index;
mod models;
mod own;
mod pieces;
mod results;
mod suite;

pub use answers::{
    ANSWERS_NOT_COVERED, Asking, Excluding, answer_file, answers_are_wrong, certify_answers,
    is_described, mutants, read_answers, strategy_of, systems_of,
};
pub use findings::{Findings, Kind, Limits};
pub use folder::{Files, Folder, Texts, Unfit};
pub use own::{certify_own, determinism};

use std::collections::BTreeMap;
use std::time::Duration;

use hyperkill_core::budget::Budget;
use hyperkill_evidence::validity::Validity;
use hyperkill_evidence::verdict::Certificate;
use rayon::prelude::*;

use crate::certificates::Circuit;
use crate::model::{Draft, Loaded};
use crate::names;
use certificates::Certificates;
use index::RunIndex;
use pieces::{PieceModels, Pieces};

/// Statements of a run without evidence. Documents that repeat one must agree, but a consistent change of all of them is not detected.
pub const NOT_COVERED: [&str; 4] = [
    "how undecided mutants were searched, that tests are the shortest: known_to, reason, shortest",
    "what found a verdict or a test, in which run and round, by what seed, and notes: engine, found_by, carried_over, round, seed, notes",
    "times: seconds, timings.json; report.html, which is made of the documents",
    "lock.json and log.txt, which are in no digest",
];

/// Checks the evidence of a run for the list of mutants that are models. Returns the evidence (`None` if none is needed) and the findings.
/// `timeout` limits each check.
///
/// # Errors
/// The findings, if the evidence is unusable.
pub fn models(
    draft: &Draft,
    folder: &Folder,
    timeout: Option<Duration>,
    budget: &Budget,
) -> Result<(Option<Validity>, Findings), Findings> {
    let limits = Limits {
        budget: budget.clone(),
        timeout,
        effort: None,
    };
    let mut findings = Findings::default();
    match models::check(draft, folder, &limits) {
        Ok(shown) => {
            if shown.is_some() {
                findings.counted(Kind::Models);
            }
            Ok((shown, findings))
        }
        Err(trouble) => {
            findings.take(Kind::Models, models::place(folder), Err(trouble));
            Err(findings)
        }
    }
}

/// The proofs that the checks accept, each with its file.
pub type Proofs = Vec<(String, Certificate)>;

/// Checks the folder of a run against its model, except for the list of mutants that are models. Returns the findings and the accepted
/// proofs. `timeout` limits each check.
pub fn certify(
    loaded: &Loaded,
    folder: &Folder,
    timeout: Option<Duration>,
    budget: &Budget,
) -> (Findings, Proofs) {
    let limits = Limits {
        budget: budget.clone(),
        timeout,
        effort: None,
    };
    let circuit = Circuit::of(&loaded.model);
    let mut findings = folder.is_of(&loaded.listing);
    if folder.run.by_operator.is_some() {
        findings.wrong(
            names::OUTCOMES,
            "the results have a table by operator, which mutants of circuits do not have",
        );
    }
    let results = &folder.run.results;
    let models = PieceModels::of(&circuit, results);
    let pieces = Pieces::of(&circuit, &models, results);
    let certificates = Certificates::check(&pieces, folder, &limits, &mut findings);
    certificates.original(folder, &mut findings);
    models::is_of(&circuit, folder, &mut findings);
    let index = RunIndex::of(loaded, &pieces, folder);
    let results: Vec<Findings> = results
        .par_iter()
        .map(|result| results::check(&index, &certificates, result, &limits))
        .collect();
    let tests: Vec<Findings> = folder
        .suite
        .tests
        .par_iter()
        .map(|test| suite::check(&index, &certificates, test, &limits))
        .collect();
    let all = results.into_iter().chain(tests);
    let findings = all.fold(findings, Findings::join);
    (
        findings.join(suite::is_complete(folder)),
        certificates.proofs(),
    )
}

/// Returns for each mutant of a folder, by id, whether the evidence of its result shows the verdict. Other parts of the folder are not
/// checked.
pub fn certify_results(
    loaded: &Loaded,
    folder: &Folder,
    limits: &Limits,
) -> BTreeMap<String, bool> {
    let circuit = Circuit::of(&loaded.model);
    let mut elsewhere = Findings::default();
    let results = &folder.run.results;
    let models = PieceModels::of(&circuit, results);
    let pieces = Pieces::of(&circuit, &models, results);
    let certificates = Certificates::check(&pieces, folder, limits, &mut elsewhere);
    let index = RunIndex::of(loaded, &pieces, folder);
    let shown = results.par_iter().map(|result| {
        let found = results::check(&index, &certificates, result, limits);
        let is_shown =
            found.faults.is_empty() && found.open.is_empty() && certificates.show_all_of(result);
        (result.mutant.clone(), is_shown)
    });
    shown.collect()
}
