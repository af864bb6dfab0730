//! Findings of an audit: claims that were checked, faults, and claims that could not be checked.

use std::collections::BTreeMap;
use std::time::Duration;

use hyperkill_certify::CertifyError;
use hyperkill_core::budget::{Budget, Stop};
use serde_json::Value;

use crate::documents::{Checked, Fault, StrengthWord, TruthWord, VerdictWord};

/// Kinds of claims that an audit checks, in the order of reports.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum Kind {
    /// Kills, by strength.
    Kill(StrengthWord),
    /// Verdicts other than kills.
    Verdict(VerdictWord),
    /// Acceptance of inputs by mutants.
    Acceptance,
    /// The determinism of the model.
    Original,
    /// The list of mutants that are models.
    Models,
    /// Tests of the suite.
    Test,
    /// Kills of mutants by the tests of the suite.
    Kills,
    /// The completeness of suites for a fault domain.
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
            Kind::Test => ("test", "replayed, with its allowed outputs"),
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

/// The findings of an audit: numbers of correct claims, faults, and claims that could not be checked.
#[derive(Debug, Default)]
pub struct Findings {
    counts: BTreeMap<Kind, usize>,
    /// Wrong claims, each with its file or mutant.
    pub faults: Vec<Fault>,
    /// Claims that could not be checked: a limit ended the check, or the run keeps no evidence.
    pub open: Vec<Fault>,
}

impl Findings {
    pub(super) fn counted(&mut self, kind: Kind) {
        *self.counts.entry(kind).or_default() += 1;
    }

    pub(super) fn wrong(&mut self, place: &str, what: impl ToString) {
        self.faults.push(fault(place, what));
    }

    /// Counts a claim of this kind if the result of its check is `Ok`. Otherwise records a fault or an open claim at `place`, a file or
    /// mutant; trouble that another finding reports is not recorded again.
    pub(super) fn take(&mut self, kind: Kind, place: &str, result: Result<(), Trouble>) {
        match result {
            Ok(()) => self.counted(kind),
            Err(Trouble::Wrong(what)) => self.wrong(place, what),
            Err(Trouble::Open(what)) => self.open.push(fault(place, what)),
            Err(Trouble::Elsewhere) => {}
        }
    }

    /// Returns the findings of both checks together, those of `self` first.
    pub fn join(mut self, other: Findings) -> Findings {
        for (kind, count) in other.counts {
            *self.counts.entry(kind).or_default() += count;
        }
        self.faults.extend(other.faults);
        self.open.extend(other.open);
        self
    }

    /// Returns the number of correct claims of each kind, as reports have them.
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

pub(super) fn fault(place: &str, what: impl ToString) -> Fault {
    Fault {
        place: place.to_owned(),
        what: what.to_string(),
    }
}

/// The reason why a claim does not count as checked.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) enum Trouble {
    /// The claim has no evidence, or contradicts the rest of the folder.
    Wrong(String),
    /// A limit or an interruption ended the check, or the run keeps no evidence.
    Open(String),
    /// A claim that this one depends on is wrong. The fault is recorded there.
    Elsewhere,
}

impl Trouble {
    pub(super) fn wrong(what: impl ToString) -> Trouble {
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

/// Limits of time for checks.
#[derive(Clone, Debug)]
pub struct Limits {
    /// The budget for all checks.
    pub budget: Budget,
    /// Time for one claim.
    pub timeout: Option<Duration>,
    /// Counted work for one claim, in the unit of [`Budget::slice`].
    pub effort: Option<u64>,
}

impl Limits {
    /// Returns the budget for the check of one claim: the common one within the limits of time and effort.
    pub(super) fn one(&self) -> Budget {
        let one = self.budget.within(self.timeout);
        match self.effort {
            Some(effort) => one.slice(effort),
            None => one,
        }
    }
}

/// Checks that a document is equal to the expected one. The error names the first difference.
pub(super) fn same(
    expected: &impl serde::Serialize,
    found: &impl serde::Serialize,
) -> Result<(), Trouble> {
    let value = |document: Result<Value, serde_json::Error>| document.map_err(Trouble::wrong);
    let expected = value(serde_json::to_value(expected))?;
    let found = value(serde_json::to_value(found))?;
    match difference(&expected, &found) {
        None => Ok(()),
        Some(path) => Err(Trouble::Wrong(format!(
            "the document differs from the results of the check: {path}"
        ))),
    }
}

/// Returns the path to the first difference of two JSON values; `None` if they are equal.
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
