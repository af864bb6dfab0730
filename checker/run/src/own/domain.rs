//! Complete suites for domains of faults, where a language has them: found, and checked by its second procedure.

use hyperkill_audit::names::{CERTIFICATES, OF_DOMAIN};
use hyperkill_core::budget::Budget;
use hyperkill_core::suite::Step;
use hyperkill_core::verdict::Reason;
use hyperkill_frontend::decision::Refutation;
use hyperkill_frontend::domain::{Aim, Completeness, DomainSize, DomainSuite};

use super::{Fault, Procedures};
use crate::certificates::Filed;
use crate::documents::{Certificate, ClaimWord, CompleteWord, DomainResult, Shown};

/// How suites for a domain are looked for.
#[derive(Clone, Copy, Debug)]
pub struct Wanted {
    /// Which tests.
    pub aim: Aim,
    /// Whether tests are limited otherwise, so that none need be complete.
    pub bounded: bool,
}

/// A domain of faults in a result.
#[derive(Clone, Debug)]
pub struct OfDomain {
    /// As documents say it.
    pub document: DomainResult,
    /// The number of mutants for people.
    pub rounded: String,
}

/// A complete suite with its proof.
#[derive(Clone, Debug)]
pub struct Complete {
    tests: Vec<Vec<Step>>,
    classes: usize,
    proof: serde_json::Value,
}

/// The clauses that say of tests that they are not complete, and the steps that refute them.
#[derive(Clone, Debug)]
pub struct Refuted {
    /// In DIMACS.
    pub clauses: String,
    /// In LRAT.
    pub steps: String,
}

impl Procedures<'_> {
    /// Returns tests that are complete and a proof that was checked, or why there are none; `None` if the language has no such suites.
    ///
    /// # Errors
    /// If the proof does not check.
    pub fn complete(
        &self,
        wanted: Wanted,
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
                let what = format!("a mutant survives its own suite: {}", choices.join("; "));
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
            Ok(_) => Err(Fault::Complete("it is about other classes".to_owned())),
            Err(Refutation::Stopped(stop)) => Ok(Some(Err(stop.into()))),
            Err(Refutation::Wrong(what)) => Err(Fault::Complete(what)),
        }
    }

    /// Returns the last question about a complete suite and the proof of its answer, for other checkers; or why there was no time for it.
    ///
    /// # Errors
    /// If the proof of the suite does not lead to a question, or the question has another answer.
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
            None => Err(Fault::Complete(
                "something satisfies its clauses".to_owned(),
            )),
        }
    }
}

fn none() -> Fault {
    Fault::Complete("the language has no domains of faults".to_owned())
}

/// The documents of a domain.
#[derive(Clone, Debug)]
pub struct Recorded {
    /// The domain.
    pub of: OfDomain,
    /// The tests that are complete for it.
    pub tests: Option<Vec<Vec<Step>>>,
    /// The certificate.
    pub filed: Option<Filed>,
}

/// Returns the document of a domain of this size for which nothing is proved yet.
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

/// Returns the documents of a domain. `model` is the digest of the model.
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
