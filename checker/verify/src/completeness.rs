//! Completeness of tests for a domain of faults: whether they tell every distinguishable mutant from the model.

use hyperkill_audit::documents::build::steps;
use hyperkill_audit::documents::{CompleteWord, CompletenessReport, SurvivorResult};
use hyperkill_core::budget::Budget;
use hyperkill_core::suite::Step;
use hyperkill_core::verdict::Reason;
use hyperkill_frontend::decision::{Decider, Refutation};
use hyperkill_frontend::domain::{Completeness, DomainSize, Survivor};
use hyperkill_run::language::OwnModel;
use hyperkill_run::own::Procedures;
use hyperkill_run::own::domain::{Refuted, unproved};
use hyperkill_run::unfit::Unfit;

use crate::error::VerifyError;

/// A model and its tests, whose completeness for the model's domain of faults is in question.
pub struct Suite<'a> {
    /// The model.
    pub model: &'a OwnModel,
    /// Decision procedure of the language.
    pub decider: &'a dyn Decider,
    /// Tests of the model, each a list of its steps.
    pub tests: &'a [Vec<Step>],
}

/// The answer whether tests are complete, with its proof.
pub struct Answered {
    /// The answer as a document.
    pub report: CompletenessReport,
    /// Size of the domain.
    pub size: DomainSize,
    /// Proof in DIMACS and LRAT, if it is wanted and exists.
    pub proof: Option<Refuted>,
}

/// Returns the error for a model whose language has no domain of faults.
#[must_use]
pub fn no_domain() -> Unfit {
    Unfit::new("--suite is for languages with domains of faults, such as timed-fsm")
}

impl Suite<'_> {
    /// Decides whether the tests are complete. The checking procedure of the language checks a proof or a survivor. With `wants_proof`, a
    /// proof is also returned in DIMACS and LRAT.
    ///
    /// # Errors
    /// If the model has no domain, a test does not fit the model, or a proof does not check. Also if a wanted proof is not found in time.
    pub fn decide(&self, wants_proof: bool, budget: &Budget) -> Result<Answered, VerifyError> {
        let domain = self.decider.domain().ok_or_else(no_domain)?;
        let size = domain.size();
        let Some(found) = domain.completeness(self.tests, budget) else {
            let message =
                "the tests are not of this model: its outputs differ from the expected ones";
            return Err(Unfit::new(message).into());
        };
        let mut refuted = None;
        let checked = match &found {
            Completeness::Open(_) => Ok(true),
            Completeness::Complete { classes, proof } => {
                let checks = self.model.rechecker.domain().ok_or_else(no_domain)?;
                let checked = checks.recheck_complete(self.tests, proof, budget);
                if checked.is_ok() && wants_proof {
                    let both = Procedures {
                        language: self.model.language,
                        decider: self.decider,
                        rechecker: self.model.rechecker.as_ref(),
                    };
                    let found = both.refuted(self.tests, proof, budget)?;
                    let found = found.map_err(|reason| {
                        Unfit::new(format!("--proof: no proof was found ({reason})"))
                    })?;
                    refuted = Some(found);
                }
                checked.map(|checked| checked == *classes)
            }
            Completeness::Survivor {
                choices,
                test,
                mutant,
            } => {
                let checks = self.model.rechecker.domain().ok_or_else(no_domain)?;
                let survivor = Survivor {
                    choices,
                    test,
                    mutant,
                };
                let checked = checks.recheck_survivor(self.tests, survivor);
                checked.map(|()| true)
            }
        };
        let found = match checked {
            Ok(true) => found,
            Err(Refutation::Stopped(stop)) => Completeness::Open(stop),
            Ok(false) | Err(Refutation::Wrong(_)) => {
                let message = "the evidence about the suite does not check";
                return Err(VerifyError::Evidence(message.into()));
            }
        };
        Ok(Answered {
            report: self.report(&size, found),
            size,
            proof: refuted,
        })
    }

    fn report(&self, size: &DomainSize, found: Completeness) -> CompletenessReport {
        let mut domain = unproved(size);
        let mut survivor = None;
        match found {
            Completeness::Complete { classes, .. } => {
                domain.complete = CompleteWord::Proved;
                domain.classes = Some(classes);
            }
            Completeness::Survivor { choices, test, .. } => {
                domain.complete = CompleteWord::Refuted;
                survivor = Some(SurvivorResult {
                    choices,
                    test: steps(test),
                });
            }
            Completeness::Open(stop) => domain.reason = Some(Reason::from(stop).to_string()),
        }
        CompletenessReport {
            schema: CompletenessReport::SCHEMA.to_owned(),
            model: self.model.listing.description.clone(),
            tests: self.tests.len(),
            domain,
            survivor,
        }
    }
}
