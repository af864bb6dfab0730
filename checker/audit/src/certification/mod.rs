//! A run's evidence, checked again: from the model file and the folder alone, never by the engines.
//!
//! - `folder`: every file is what the run wrote, and the documents are about one run of this model;
//! - `models`: which mutants are models;
//! - `certificates`: each certificate shows what it claims;
//! - `results`: each result says what its certificates show, and no more;
//! - `suite`: each test does what the suite says of it;
//! - `answers`: answers to formulas, which have a folder of their own;
//! - `domain`: a suite is complete for a domain of faults.
//!
//! Not covered, since no evidence of it is kept: [`NOT_COVERED`].

mod answers;
mod certificates;
mod domain;
mod folder;
mod models;
mod own;
mod results;
mod suite;

pub use answers::{
    ANSWERS_NOT_COVERED, Asking, Excluding, answer_file, certify_answers, read_answers, strategy_of,
};
pub use folder::{Files, Folder, Texts, Unfit};
pub use own::{certify_own, determinism};

use std::collections::BTreeMap;
use std::time::Duration;

use hyperkill_certify::CertifyError;
use hyperkill_core::budget::{Budget, Stop};
use hyperkill_evidence::validity::Validity;
use hyperkill_evidence::verdict::Certificate;
use rayon::prelude::*;
use serde_json::Value;

use crate::certificates::Circuit;
use crate::documents::{Checked, Fault, StrengthWord, TruthWord, VerdictWord};
use crate::model::{Draft, Loaded};
use crate::names;
use certificates::Certificates;

/// What a run says without evidence. Documents repeat some of it, and then must agree; but who changes all of them is not found out.
pub const NOT_COVERED: [&str; 4] = [
    "how undecided mutants were searched, that tests are the shortest: known_to, reason, shortest",
    "what found a verdict or a test, in which run and round, by what seed, and notes: engine, found_by, carried_over, round, seed, notes",
    "times: seconds, timings.json; report.html, which is made of the documents",
    "lock.json and log.txt, which are in no digest",
];

/// Kinds of claims, in the order of reports.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum Kind {
    /// Kills, by what they guarantee.
    Kill(StrengthWord),
    /// Verdicts that are no kills.
    Verdict(VerdictWord),
    /// What inputs mutants accept.
    Acceptance,
    /// Whether the model is deterministic.
    Original,
    /// Which mutants are models.
    Models,
    /// Tests of the suite.
    Test,
    /// Kills of mutants by the tests of the suite.
    Kills,
    /// Suites that are complete for a domain of faults.
    Domain,
    /// Answers to formulas.
    Answer(TruthWord),
    /// Files of the run folder.
    File,
}

impl Kind {
    fn words(self) -> (&'static str, &'static str) {
        match self {
            Kind::Kill(StrengthWord::Definite) => (
                "definite kill",
                "replayed; no run of the mutant agrees with the model",
            ),
            Kind::Kill(StrengthWord::Adaptive) => {
                ("adaptive kill", "the tree, against all runs of both")
            }
            Kind::Kill(StrengthWord::Potential) => (
                "potential kill",
                "replayed; no run of the model has these outputs",
            ),
            Kind::Kill(StrengthWord::Controllable) => {
                ("controllable kill", "replayed with its choices")
            }
            Kind::Verdict(VerdictWord::Killed) => ("kill", "replayed"),
            Kind::Verdict(VerdictWord::Equivalent) => ("equivalent", "proved again"),
            Kind::Verdict(VerdictWord::NotDefinitelyKillable) => {
                ("not definitely killable", "proved again")
            }
            Kind::Verdict(VerdictWord::RefusesInput) => (
                "refused input",
                "the model's run replayed; the mutant has none",
            ),
            Kind::Verdict(VerdictWord::Invalid) => ("invalid", "translated again"),
            Kind::Verdict(VerdictWord::DuplicateOf) => {
                ("duplicate", "every step compared with a solver")
            }
            Kind::Verdict(VerdictWord::Unknown) => ("undecided", "nothing to check"),
            Kind::Acceptance => ("accepted inputs", "proved or listed again"),
            Kind::Original => ("determinism", "two runs replayed, or proved again"),
            Kind::Models => (
                "well-formedness",
                "values and first steps replayed; the rest asked again",
            ),
            Kind::Test => ("test", "replayed, with what it allows"),
            Kind::Kills => ("kill of a test", "on the test's own inputs"),
            Kind::Domain => (
                "complete suite",
                "conforming classes walked through, the rest excluded by another solver",
            ),
            Kind::Answer(TruthWord::Holds) => (
                "formula holds",
                "traces run and judged by its text; invariants and sets proved closed again",
            ),
            Kind::Answer(TruthWord::Fails) => (
                "formula fails",
                "traces run and judged by its text; invariants and sets proved closed again",
            ),
            Kind::Answer(TruthWord::Unknown) => ("formula unknown", "nothing to check"),
            Kind::File => ("file", "as the run wrote it"),
        }
    }
}

/// What checking has found.
#[derive(Debug, Default)]
pub struct Findings {
    counts: BTreeMap<Kind, usize>,
    /// What was found wrong, with the file or mutant that it is about.
    pub faults: Vec<Fault>,
    /// What could not be checked.
    pub open: Vec<Fault>,
}

impl Findings {
    fn counted(&mut self, kind: Kind) {
        *self.counts.entry(kind).or_default() += 1;
    }

    fn wrong(&mut self, place: &str, what: impl ToString) {
        self.faults.push(fault(place, what));
    }

    /// Counts what is as it should, or says why it is not.
    fn take(&mut self, kind: Kind, place: &str, result: Result<(), Trouble>) {
        match result {
            Ok(()) => self.counted(kind),
            Err(Trouble::Wrong(what)) => self.wrong(place, what),
            Err(Trouble::Open(what)) => self.open.push(fault(place, what)),
            Err(Trouble::Elsewhere) => {}
        }
    }

    /// The findings of both, these first.
    pub fn join(mut self, other: Findings) -> Findings {
        for (kind, count) in other.counts {
            *self.counts.entry(kind).or_default() += count;
        }
        self.faults.extend(other.faults);
        self.open.extend(other.open);
        self
    }

    /// The counts, for reports.
    pub fn checked(&self) -> Vec<Checked> {
        let counts = self.counts.iter();
        let checked = counts.map(|(kind, &count)| Checked {
            what: kind.words().0.to_owned(),
            count,
            how: kind.words().1.to_owned(),
        });
        checked.collect()
    }
}

fn fault(place: &str, what: impl ToString) -> Fault {
    Fault {
        place: place.to_owned(),
        what: what.to_string(),
    }
}

/// Why something is not as it should, or not known to be.
#[derive(Clone, PartialEq, Eq, Debug)]
enum Trouble {
    /// The claim is not shown, or does not agree with the rest of the folder.
    Wrong(String),
    /// A limit was hit.
    Open(String),
    /// What it rests on is not, which is said there.
    Elsewhere,
}

impl Trouble {
    fn wrong(what: impl ToString) -> Trouble {
        Trouble::Wrong(what.to_string())
    }
}

impl From<CertifyError> for Trouble {
    fn from(error: CertifyError) -> Trouble {
        match error {
            CertifyError::Stopped(Stop::Interrupted) => Trouble::Open("interrupted".to_owned()),
            CertifyError::Stopped(_) => Trouble::Open("not checked within the limits".to_owned()),
            error => Trouble::wrong(error),
        }
    }
}

/// How long checks may take.
#[derive(Clone, Debug)]
struct Limits {
    budget: Budget,
    timeout: Option<Duration>,
}

impl Limits {
    /// The budget for checking one claim.
    fn one(&self) -> Budget {
        self.budget.within(self.timeout)
    }
}

/// Which mutants are models, as a run says and shows. `Err` with findings if nothing can be said without that.
pub fn models(
    draft: &Draft,
    folder: &Folder,
    timeout: Option<Duration>,
    budget: &Budget,
) -> Result<(Option<Validity>, Findings), Findings> {
    let limits = Limits {
        budget: budget.clone(),
        timeout,
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

/// Proofs that check, by file.
pub type Proofs = Vec<(String, Certificate)>;

/// Checks everything in the folder of a run against its model, but for which mutants are models. With the proofs that check.
pub fn certify(
    loaded: &Loaded,
    folder: &Folder,
    timeout: Option<Duration>,
    budget: &Budget,
) -> (Findings, Proofs) {
    let limits = Limits {
        budget: budget.clone(),
        timeout,
    };
    let circuit = Circuit::of(&loaded.model);
    let mut findings = folder.is_of(&loaded.listing);
    if folder.run.by_operator.is_some() {
        findings.wrong(names::OUTCOMES, "no guideline is about mutants of circuits");
    }
    let certificates = Certificates::check(&circuit, folder, &limits, &mut findings);
    certificates.original(folder, &mut findings);
    models::is_of(&circuit, folder, &mut findings);
    let results = folder.run.results.par_iter();
    let results: Vec<Findings> = results
        .map(|result| results::check(loaded, folder, &certificates, result, &limits))
        .collect();
    let tests: Vec<Findings> = folder
        .suite
        .tests
        .par_iter()
        .map(|test| suite::check(loaded, folder, &certificates, test, &limits))
        .collect();
    let all = results.into_iter().chain(tests);
    let findings = all.fold(findings, Findings::join);
    (
        findings.join(suite::is_complete(folder)),
        certificates.proofs(),
    )
}

/// Of the results in a folder, by mutant, whether their evidence shows what they say. Nothing else of the folder is looked at.
pub fn certify_results(
    loaded: &Loaded,
    folder: &Folder,
    timeout: Option<Duration>,
    budget: &Budget,
) -> BTreeMap<String, bool> {
    let limits = Limits {
        budget: budget.clone(),
        timeout,
    };
    let circuit = Circuit::of(&loaded.model);
    let mut elsewhere = Findings::default();
    let certificates = Certificates::check(&circuit, folder, &limits, &mut elsewhere);
    let results = folder.run.results.par_iter();
    let shown = results.map(|result| {
        let found = results::check(loaded, folder, &certificates, result, &limits);
        let is_shown =
            found.faults.is_empty() && found.open.is_empty() && certificates.show_all_of(result);
        (result.mutant.clone(), is_shown)
    });
    shown.collect()
}

/// Where two documents differ first, as a path.
fn difference(expected: &Value, found: &Value) -> Option<String> {
    match (expected, found) {
        (Value::Object(a), Value::Object(b)) => {
            let mut keys: Vec<&String> = a.keys().chain(b.keys()).collect();
            keys.sort_unstable();
            keys.dedup();
            keys.into_iter()
                .find_map(|key| match (a.get(key), b.get(key)) {
                    (Some(a), Some(b)) => difference(a, b).map(|rest| format!("{key}.{rest}")),
                    _ => Some(key.clone()),
                })
        }
        (Value::Array(a), Value::Array(b)) => {
            let pairs = a.iter().zip(b).enumerate();
            let mut inside = pairs
                .filter_map(|(i, (a, b))| difference(a, b).map(|rest| format!("[{i}].{rest}")));
            inside.next().or_else(|| {
                (a.len() != b.len()).then(|| format!("{} instead of {} entries", b.len(), a.len()))
            })
        }
        _ => (expected != found).then(|| format!("{found} instead of {expected}")),
    }
}

/// Fails unless a document is as it must be.
fn same(expected: &impl serde::Serialize, found: &impl serde::Serialize) -> Result<(), Trouble> {
    let value = |document: Result<Value, serde_json::Error>| document.map_err(Trouble::wrong);
    let expected = value(serde_json::to_value(expected))?;
    let found = value(serde_json::to_value(found))?;
    match difference(&expected, &found) {
        None => Ok(()),
        Some(path) => Err(Trouble::Wrong(format!(
            "it does not say what was found: {path}"
        ))),
    }
}
