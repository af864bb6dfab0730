//! Complete suites for fault domains (`hyperkill_frontend::domain`), in languages that have them.
//!
//! The deciding procedure of the language finds a suite with a proof, and the other procedure checks the proof. The documents of the result
//! are made here, too: [`recorded`].

use hyperkill_audit::names::{CERTIFICATES, OF_DOMAIN};
use hyperkill_core::budget::Budget;
use hyperkill_core::suite::Step;
use hyperkill_core::verdict::Reason;
use hyperkill_frontend::decision::Refutation;
use hyperkill_frontend::domain::{Aim, Completeness, DomainSize, DomainSuite};

use super::{Fault, Procedures};
use crate::certificates::Filed;
use crate::documents::{Certificate, ClaimWord, CompleteWord, DomainResult, Shown};

/// The options of the search for a complete suite.
#[derive(Clone, Copy, Debug)]
pub struct DomainTask {
    /// The kind of suite.
    pub aim: Aim,
    /// Whether the length of tests is bounded (`--bound`). Then no suite is searched, since a complete one may need longer tests.
    pub bounded: bool,
}

/// The result for a fault domain, for documents and for messages.
#[derive(Clone, Debug)]
pub struct OfDomain {
    /// The form for documents.
    pub document: DomainResult,
    /// The number of mutants, rounded, for messages.
    pub rounded: String,
}

/// A complete suite with its checked proof.
#[derive(Clone, Debug)]
pub struct Complete {
    tests: Vec<Vec<Step>>,
    classes: usize,
    proof: serde_json::Value,
}

/// The clauses that encode "the suite is not complete", and their refutation.
#[derive(Clone, Debug)]
pub struct Refuted {
    /// The clauses in DIMACS.
    pub clauses: String,
    /// The refutation in LRAT.
    pub steps: String,
}

impl Procedures<'_> {
    /// Returns a complete suite with a checked proof, or the reason why none was found; `None` if the model has no fault domain. `start`
    /// has tests that the search begins with.
    ///
    /// # Errors
    /// If the proof does not check, or a mutant of the domain survives the suite.
    pub fn complete(
        &self,
        wanted: DomainTask,
        start: &[Vec<Step>],
        budget: &Budget,
    ) -> Result<Option<Result<Complete, Reason>>, Fault> {
        let Some(domain) = self.decider.domain() else {
            return Ok(None);
        };
        if wanted.bounded {
            return Ok(Some(Err(Reason::Bound)));
        }
        if let Some(stop) = budget.stopped() {
            return Ok(Some(Err(stop.into())));
        }
        let DomainSuite {
            tests,
            completeness,
        } = domain.complete(wanted.aim, start, budget);
        let (classes, proof) = match completeness {
            Completeness::Complete { classes, proof } => (classes, proof),
            Completeness::Open(stop) => return Ok(Some(Err(stop.into()))),
            Completeness::Survivor { choices, .. } => {
                let what = format!("a mutant survives the suite: {}", choices.join("; "));
                return Err(Fault::Complete(what));
            }
        };
        let checked = self.rechecker.domain().ok_or_else(none)?;
        match checked.recheck_complete(&tests, &proof, budget) {
            Ok(checked) if checked == classes => Ok(Some(Ok(Complete {
                tests,
                classes,
                proof,
            }))),
            Ok(_) => Err(Fault::Complete(
                "the checking procedure counts other classes of mutants".to_owned(),
            )),
            Err(Refutation::Stopped(stop)) => Ok(Some(Err(stop.into()))),
            Err(Refutation::Wrong(what)) => Err(Fault::Complete(what)),
        }
    }

    /// Returns the last query of the proof that a suite is complete, as clauses with a refutation for external checkers. An inner `Err` has
    /// the reason why the time ended first.
    ///
    /// # Errors
    /// If the proof of the suite leads to no query, or the query has a solution.
    pub fn refuted(
        &self,
        tests: &[Vec<Step>],
        proof: &serde_json::Value,
        budget: &Budget,
    ) -> Result<Result<Refuted, Reason>, Fault> {
        let checked = self.rechecker.domain().ok_or_else(none)?;
        let clauses = checked.question(tests, proof, budget);
        let clauses = clauses.map_err(|what| Fault::Complete(what.to_string()))?;
        let domain = self.decider.domain().ok_or_else(none)?;
        match domain.refutation(&clauses, budget) {
            Some(Ok(steps)) => Ok(Ok(Refuted { clauses, steps })),
            Some(Err(stop)) => Ok(Err(stop.into())),
            None => Err(Fault::Complete("its clauses have a solution".to_owned())),
        }
    }
}

fn none() -> Fault {
    Fault::Complete("the language has no domains of faults".to_owned())
}

/// The documents of a fault domain, and the suite.
#[derive(Clone, Debug)]
pub struct Recorded {
    /// The result.
    pub of: OfDomain,
    /// A suite that is complete for the domain.
    pub tests: Option<Vec<Vec<Step>>>,
    /// The certificate of completeness.
    pub filed: Option<Filed>,
}

/// Returns the result for a fault domain of this size as long as no proof exists.
#[must_use]
pub fn unproved(size: &DomainSize) -> DomainResult {
    DomainResult {
        mutants: size.mutants.clone(),
        transitions: size.transitions,
        places: size.places,
        complete: CompleteWord::Unknown,
        reason: None,
        classes: None,
        certificate: None,
    }
}

/// Returns the documents for the result of [`Procedures::complete`]. `model` is the digest of the model.
#[must_use]
pub fn recorded(model: &str, size: DomainSize, found: Result<Complete, Reason>) -> Recorded {
    let mut document = unproved(&size);
    let (tests, filed) = match found {
        Err(reason) => {
            document.reason = Some(reason.to_string());
            (None, None)
        }
        Ok(found) => {
            let certificate = Certificate {
                schema: Certificate::SCHEMA.to_owned(),
                circuit: model.to_owned(),
                claim: ClaimWord::Complete,
                mutants: Vec::new(),
                evidence: Shown::Own(found.proof),
            };
            let place = format!("{CERTIFICATES}/{OF_DOMAIN}");
            document.complete = CompleteWord::Proved;
            document.classes = Some(found.classes);
            document.certificate = Some(place.clone());
            (Some(found.tests), Some(Filed { place, certificate }))
        }
    };
    let of = OfDomain {
        document,
        rounded: size.rounded,
    };
    Recorded { of, tests, filed }
}
