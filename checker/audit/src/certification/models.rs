//! Checks the list of mutants that are models against all mutants of the translation.

use hyperkill_certify::certify_validity;
use hyperkill_evidence::validity::Validity;

use super::findings::{Findings, Limits, Trouble};
use super::folder::Folder;
use super::folder::strictly;
use crate::certificates::{Circuit, read_validity};
use crate::documents::{Certificate, ClaimWord, Shown};
use crate::model::Draft;
use crate::names;

/// Returns the file for findings about the list of mutants that are models: the certificate, or the document that should name it.
pub(super) fn place(folder: &Folder) -> &str {
    let named = folder.run.validity_certificate.as_deref();
    named.unwrap_or(names::OUTCOMES)
}

/// Checks the evidence of a run for the list of mutants that are models, and returns it. `None` if no evidence is needed, because all
/// mutants are well-formed.
///
/// # Errors
/// If the evidence is missing, superfluous or does not check.
pub(super) fn check(
    draft: &Draft,
    folder: &Folder,
    limits: &Limits,
) -> Result<Option<Validity>, Trouble> {
    let named = &folder.run.validity_certificate;
    if !draft.can_fail() {
        return match named {
            None => Ok(None),
            Some(_) => Err(Trouble::wrong(
                "a certificate of well-formedness exists, but all mutants of this model are well-formed",
            )),
        };
    }
    if named.is_none() {
        let nothing = "the run keeps no certificate of well-formedness";
        return Err(Trouble::Open(nothing.to_owned()));
    }
    let certificate = certificate(folder)?;
    let Shown::Validity(said) = &certificate.evidence else {
        return Err(Trouble::wrong(
            "the evidence is of another kind than the claim",
        ));
    };
    let obligations = draft.obligations();
    let circuit = obligations.map(|obligations| obligations.circuit);
    let shown = read_validity(draft.model(), circuit, said)?;
    certify_validity(draft.model(), obligations.as_ref(), &shown, &limits.one())?;
    Ok(Some(shown))
}

/// Checks that the certificate of the list of models is about this circuit and lists exactly its mutants, which are the valid ones.
pub(super) fn is_of(circuit: &Circuit<'_>, folder: &Folder, findings: &mut Findings) {
    if folder.run.validity_certificate.is_none() {
        return;
    }
    let ids = circuit.model.selectors.iter();
    let ids: Vec<String> = ids.map(|selector| selector.id.to_string()).collect();
    match certificate(folder) {
        Ok(certificate) if certificate.circuit != circuit.digest => {
            findings.wrong(place(folder), "it is about another circuit");
        }
        Ok(certificate) if certificate.mutants != ids => {
            findings.wrong(
                place(folder),
                "the certificate lists other mutants than the valid ones",
            );
        }
        Ok(_) | Err(_) => {}
    }
}

fn certificate(folder: &Folder) -> Result<Certificate, Trouble> {
    let certificate: Certificate = strictly(&folder.bytes(place(folder))?)?;
    if certificate.schema != Certificate::SCHEMA {
        return Err(Trouble::Wrong(format!(
            "the document is not of schema {}",
            Certificate::SCHEMA
        )));
    }
    if certificate.claim != ClaimWord::Models {
        return Err(Trouble::wrong("it claims something else"));
    }
    Ok(certificate)
}
