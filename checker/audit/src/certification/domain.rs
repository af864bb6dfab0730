//! Checks the completeness of a suite for a fault domain: the rechecker of the language checks the proof.

use hyperkill_core::suite::Step;
use hyperkill_frontend::decision::Rechecker;
use hyperkill_frontend::domain::CheckedDomain;

use super::findings::{Findings, Kind, Limits, Trouble, same};
use super::folder::Folder;
use super::folder::strictly;
use crate::documents::{Certificate, ClaimWord, CompleteWord, DomainResult, Shown};
use crate::model::Listing;
use crate::names;
use crate::own;

/// Checks the result of a run on its domain of faults. A run must have one if all mutants were selected and the language has a domain.
pub(super) fn check(
    (listing, rechecker): (&Listing, &dyn Rechecker),
    folder: &Folder,
    limits: &Limits,
) -> Findings {
    let mut findings = Findings::default();
    let is_whole = folder.run.results.len() == listing.catalogue.len();
    match (&folder.run.domain, rechecker.domain()) {
        (None, Some(_)) if is_whole => {
            findings.wrong(
                names::OUTCOMES,
                "the result for the domain of faults is missing",
            );
        }
        (None, _) => {}
        (Some(_), None) => {
            findings.wrong(names::OUTCOMES, "the model has no domain of faults");
        }
        (Some(_), Some(_)) if !is_whole => {
            findings.wrong(
                names::OUTCOMES,
                "not all mutants of the domain were selected",
            );
        }
        (Some(said), Some(domain)) => {
            let size = domain.size();
            let expected = DomainResult {
                mutants: size.mutants,
                transitions: size.transitions,
                places: size.places,
                ..said.clone()
            };
            let is_proved = said.complete == CompleteWord::Proved;
            let checked = same(&expected, said).and_then(|()| match is_proved {
                false => is_open(said),
                true => proved((listing, domain.as_ref()), said, folder, limits),
            });
            // An undecided domain is not counted.
            if is_proved || checked.is_err() {
                findings.take(Kind::Domain, names::OUTCOMES, checked);
            }
        }
    }
    findings
}

fn is_open(said: &DomainResult) -> Result<(), Trouble> {
    let is_plain = said.complete == CompleteWord::Unknown
        && said.reason.is_some()
        && said.classes.is_none()
        && said.certificate.is_none();
    match is_plain {
        true => Ok(()),
        false => Err(Trouble::wrong(
            "an unknown completeness needs a reason, and has no proof",
        )),
    }
}

fn proved(
    (listing, domain): (&Listing, &dyn CheckedDomain),
    said: &DomainResult,
    folder: &Folder,
    limits: &Limits,
) -> Result<(), Trouble> {
    let Some(file) = said.certificate.as_ref().filter(|_| said.reason.is_none()) else {
        return Err(Trouble::wrong("the certificate of the domain is missing"));
    };
    let held: Certificate = strictly(&folder.bytes(file)?)?;
    let is_of_this = held.schema == Certificate::SCHEMA
        && held.claim == ClaimWord::Complete
        && held.mutants.is_empty()
        && held.circuit == listing.description.hash;
    let Shown::Own(proof) = &held.evidence else {
        return Err(Trouble::wrong("the certificate of the domain has no proof"));
    };
    if !is_of_this {
        return Err(Trouble::wrong("a certificate claims something else"));
    }
    let tests = folder.suite.tests.iter();
    let tests = tests.map(|test| own::read_steps(&test.steps));
    let tests = tests.collect::<Result<Vec<Vec<Step>>, _>>()?;
    let classes = domain.recheck_complete(&tests, proof, &limits.one())?;
    match said.classes == Some(classes) {
        true => Ok(()),
        false => Err(Trouble::wrong("the proof has another number of classes")),
    }
}
