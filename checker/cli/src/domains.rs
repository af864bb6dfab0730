//! Complete suites for domains of faults, where a language has them: found, checked by its second procedure, and written down.

use std::path::Path;

use hyperkill_core::budget::Budget;
use hyperkill_core::suite::Step;
use hyperkill_core::verdict::Reason;
use hyperkill_frontend::decision::{
    Aim, Completeness, Decider, DomainSize, DomainSuite, Method, Rechecker, Refutation,
};

use crate::documents::{Certificate, ClaimWord, CompleteWord, DomainResult, Shown};
use crate::exit_code::ExitCode;
use crate::failure::Failure;
use crate::files::Disk;
use crate::load::OwnModel;
use crate::run_folder::{CERTIFICATES, OF_DOMAIN, RunFolder};

/// How suites for a domain are looked for.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Wanted {
    /// Which tests.
    pub aim: Aim,
    /// Whether tests are limited otherwise, so that none need be complete.
    pub bounded: bool,
}

/// What was found out about a domain.
#[derive(Clone, Debug)]
pub(crate) struct OfDomain {
    /// As documents say it.
    pub document: DomainResult,
    /// The number of mutants for people.
    pub rounded: String,
}

/// What a classic method is called.
pub(crate) fn name_of(method: Method) -> &'static str {
    match method {
        Method::W => "w",
        Method::Wp => "wp",
        Method::Hsi => "hsi",
        Method::H => "h",
        Method::Spy => "spy",
    }
}

/// How large the suite of a method is, for comparison with what becomes of it.
pub(crate) fn size_of(method: Method, tests: &[Vec<Step>]) -> String {
    let (count, steps) = (tests.len(), tests.iter().map(Vec::len).sum::<usize>());
    format!(
        "method {}: {count} tests, {steps} steps in all to begin with",
        name_of(method)
    )
}

/// What shows that a suite is complete.
pub(crate) struct Complete {
    tests: Vec<Vec<Step>>,
    classes: usize,
    proof: serde_json::Value,
}

/// Tests that are complete and a proof that was checked, or why there are none.
///
/// # Errors
/// If the proof does not check.
pub(crate) fn complete(
    (decider, rechecker): (&dyn Decider, &dyn Rechecker),
    (wanted, start): (Wanted, &[Vec<Step>]),
    budget: &Budget,
) -> Result<Option<Result<Complete, Reason>>, Failure> {
    if decider.domain().is_none() {
        return Ok(None);
    }
    if wanted.bounded {
        return Ok(Some(Err(Reason::Bound)));
    }
    if let Some(stop) = budget.stopped() {
        return Ok(Some(Err(stop.into())));
    }
    let Some(DomainSuite {
        tests,
        completeness,
    }) = decider.complete(wanted.aim, start, budget)
    else {
        return Ok(None);
    };
    let (classes, proof) = match completeness {
        Completeness::Complete { classes, proof } => (classes, proof),
        Completeness::Open(stop) => return Ok(Some(Err(stop.into()))),
        Completeness::Survivor { choices, .. } => {
            let what = format!("a mutant survives its own suite: {}", choices.join("; "));
            return Err(refuted(&what));
        }
    };
    match rechecker.recheck_complete(&tests, &proof, budget) {
        Ok(checked) if checked == classes => Ok(Some(Ok(Complete {
            tests,
            classes,
            proof,
        }))),
        Ok(_) => Err(refuted("it is about other classes")),
        Err(Refutation::Stopped(stop)) => Ok(Some(Err(stop.into()))),
        Err(Refutation::Wrong(what)) => Err(refuted(&what)),
    }
}

fn refuted(what: &str) -> Failure {
    let error = anyhow::anyhow!("the proof that the suite is complete does not check: {what}");
    Failure::message(ExitCode::Evidence, error)
        .with_help("this is a bug in hyperkill; please report it with the model")
}

/// Writes down the last question about a complete suite and the proof of its answer, for other checkers.
///
/// # Errors
/// If they cannot be written, or there was no time for the proof.
pub(crate) fn write_proof(
    disk: &Disk,
    folder: &Path,
    (decider, rechecker): (&dyn Decider, &dyn Rechecker),
    (tests, proof): (&[Vec<Step>], &serde_json::Value),
    budget: &Budget,
) -> Result<(), Failure> {
    let clauses = rechecker.question(tests, proof, budget);
    let clauses = clauses.map_err(|what| refuted(&what.to_string()))?;
    let steps = match decider.refutation(&clauses, budget) {
        Some(Ok(steps)) => steps,
        Some(Err(stop)) => {
            let reason = Reason::from(stop);
            return Err(Failure::usage(format!(
                "--proof: no proof was found ({reason})"
            )));
        }
        None => return Err(refuted("something satisfies its clauses")),
    };
    disk.make_folder(folder)?;
    disk.write(&folder.join("complete.cnf"), clauses.as_bytes())?;
    disk.write(&folder.join("complete.lrat"), steps.as_bytes())?;
    Ok(())
}

/// The steps of each test.
type Suite = Vec<Vec<Step>>;

/// Writes the certificate, and gives the tests back with what is said of the domain.
///
/// # Errors
/// If the folder cannot be written.
pub(crate) fn record(
    folder: &mut RunFolder,
    model: &OwnModel,
    size: DomainSize,
    found: Result<Complete, Reason>,
) -> Result<(OfDomain, Option<Suite>), Failure> {
    let mut document = DomainResult {
        mutants: size.mutants,
        transitions: size.transitions,
        places: size.places,
        complete: CompleteWord::Unknown,
        reason: None,
        classes: None,
        certificate: None,
    };
    let tests = match found {
        Err(reason) => {
            document.reason = Some(reason.to_string());
            None
        }
        Ok(found) => {
            let certificate = Certificate {
                schema: Certificate::SCHEMA.to_owned(),
                circuit: model.listing.description.hash.clone(),
                claim: ClaimWord::Complete,
                mutants: Vec::new(),
                evidence: Shown::Own(found.proof),
            };
            let place = format!("{CERTIFICATES}/{OF_DOMAIN}");
            folder.write_document(&place, &certificate)?;
            document.complete = CompleteWord::Proved;
            document.classes = Some(found.classes);
            document.certificate = Some(place);
            Some(found.tests)
        }
    };
    let of_domain = OfDomain {
        document,
        rounded: size.rounded,
    };
    Ok((of_domain, tests))
}
