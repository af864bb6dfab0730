//! Languages that decide their mutants themselves: one procedure decides, the other one checks. Only checked verdicts leave this module.

pub mod domain;
pub mod suite;

use hyperkill_audit::names::{CERTIFICATES, escaped};
use hyperkill_audit::own::{self, Part, Unspeakable};
use hyperkill_core::budget::Budget;
use hyperkill_core::mutant::MutantId;
use hyperkill_core::suite::Step;
use hyperkill_core::verdict::{Reason, Verdict};
use hyperkill_frontend::decision::{Decider, OwnVerdict, Rechecker, Refutation};

use crate::certificates::Filed;
use crate::documents::{Certificate, MutantResult};

/// A verdict of the run before the model was edited. Its evidence is not checked yet.
#[derive(Clone, Debug)]
pub struct Known {
    /// The result in the journal.
    pub result: MutantResult,
    /// The verdict.
    pub verdict: OwnVerdict,
}

/// The two procedures of a language for one model.
#[derive(Clone, Copy)]
pub struct Procedures<'p> {
    /// The name of the language.
    pub language: &'static str,
    /// The procedure that decides.
    pub decider: &'p dyn Decider,
    /// The procedure that checks.
    pub rechecker: &'p dyn Rechecker,
}

/// A fault of a language: its checking procedure refutes its deciding procedure.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
pub enum Fault {
    /// The evidence of a verdict does not check.
    #[error("the evidence for mutant {mutant} does not check: {what}")]
    Evidence {
        /// The language.
        language: String,
        /// The mutant.
        mutant: MutantId,
        /// The reason.
        what: String,
    },
    /// The proof that a suite is complete does not check.
    #[error("the proof that the suite is complete does not check: {0}")]
    Complete(String),
}

impl Procedures<'_> {
    /// Returns the checked verdict on a mutant; `unknown` if the budget ends first.
    ///
    /// # Errors
    /// If the evidence does not check.
    pub fn verdict(
        &self,
        mutant: &MutantId,
        bound: Option<usize>,
        budget: &Budget,
    ) -> Result<OwnVerdict, Fault> {
        let unknown = |reason: Reason| Verdict::Unknown {
            known_to: 0,
            reason,
        };
        if let Some(stop) = budget.stopped() {
            return Ok(unknown(stop.into()));
        }
        let finds = budget.finds_by(self.language);
        let verdict = self.decider.decide(mutant, bound, budget);
        if matches!(verdict, Verdict::Unknown { .. }) {
            return Ok(verdict);
        }
        let certifies = budget.certifies();
        let checked = self.recheck(mutant, &verdict, budget);
        drop((certifies, finds));
        match checked? {
            None => Ok(verdict),
            Some(reason) => Ok(unknown(reason)),
        }
    }

    /// Checks the evidence of a verdict. Returns `None` if it holds, else the reason why the check stopped early.
    ///
    /// # Errors
    /// If the evidence is wrong.
    fn recheck(
        &self,
        mutant: &MutantId,
        verdict: &OwnVerdict,
        budget: &Budget,
    ) -> Result<Option<Reason>, Fault> {
        let refuted = |what: String| Fault::Evidence {
            language: self.language.to_owned(),
            mutant: mutant.clone(),
            what,
        };
        if let Some(kill) = verdict.kill() {
            own::are_of_one_test(kill).map_err(|error| refuted(error.to_string()))?;
        }
        match self.rechecker.recheck(mutant, verdict, budget) {
            Ok(()) => Ok(None),
            Err(Refutation::Stopped(stop)) => Ok(Some(stop.into())),
            Err(Refutation::Wrong(what)) => Err(refuted(what)),
        }
    }
}

/// The documents of a mutant.
#[derive(Clone, Debug)]
pub struct Found {
    /// The result, which names the certificates.
    pub result: MutantResult,
    /// The certificates.
    pub filed: Vec<Filed>,
}

/// A model with the question about its mutants.
#[derive(Clone, Copy, Debug)]
pub struct Asked<'a> {
    /// The language of the model.
    pub language: &'a str,
    /// The digest of the model.
    pub model: &'a str,
    /// The relation that the question asks for.
    pub question: &'a str,
}

/// Returns the documents of a verdict.
///
/// # Errors
/// If a procedure of a language may not give this verdict.
pub fn found(
    Asked {
        language,
        model,
        question,
    }: Asked<'_>,
    mutant: &MutantId,
    verdict: &OwnVerdict,
) -> Result<Found, Unspeakable> {
    let written = own::written(language, question, mutant, verdict)?;
    let mut result = written.result;
    if !matches!(verdict, Verdict::Unknown { .. }) {
        result.engine = Some(language.to_owned());
    }
    let mut filed = Vec::new();
    if is_interrupted(&result) {
        return Ok(Found { result, filed });
    }
    for (part, claim, shown) in written.certificates {
        let certificate = Certificate {
            schema: Certificate::SCHEMA.to_owned(),
            circuit: model.to_owned(),
            claim,
            mutants: vec![result.mutant.clone()],
            evidence: shown,
        };
        let place = format!("{CERTIFICATES}/{}", file_name(part, &result.mutant));
        match (part, &mut result.potential) {
            (Part::Verdict, _) => result.certificate = Some(place.clone()),
            (Part::Definite, _) => result.definite_certificate = Some(place.clone()),
            (Part::Potential, Some(potential)) => potential.certificate = Some(place.clone()),
            (Part::Potential, None) => {}
        }
        filed.push(Filed { place, certificate });
    }
    Ok(Found { result, filed })
}

/// Whether an interrupt left a mutant undecided.
#[must_use]
pub fn is_interrupted(result: &MutantResult) -> bool {
    result.reason == Some(Reason::Interrupted.to_string())
}

/// Returns the test of a stored result, if it has one.
///
/// # Errors
/// If the steps of the test are malformed.
pub fn test_of(result: &MutantResult) -> Result<Option<Vec<Step>>, own::Malformed> {
    let potential = result.potential.as_ref().and_then(|p| p.test.as_ref());
    let Some(test) = result.test.as_ref().or(potential) else {
        return Ok(None);
    };
    let mut steps = own::read_steps(&test.steps)?;
    for step in &mut steps {
        step.mutant_outputs = None;
    }
    Ok(Some(steps))
}

fn file_name(part: Part, id: &str) -> String {
    let id = escaped(id);
    match part {
        Part::Verdict => format!("{id}.json"),
        Part::Definite => format!("{id}+definite.json"),
        Part::Potential => format!("{id}+potential.json"),
    }
}
