//! A model in a language with a procedure of its own.

use hyperkill_audit::model::Listing;
use hyperkill_frontend::decision::{Contents, Decider, Decision, Rechecker};
use hyperkill_frontend::{Diagnostic, FrontendOptions};

use crate::procedure::RunError;

/// A model whose language decides its mutants.
pub struct OwnModel {
    /// The name of the language.
    pub language: &'static str,
    /// The model.
    pub listing: Listing,
    /// The model in the language's own form, without mutants. The mutants are in the listing.
    pub contents: Contents,
    /// The procedure that checks verdicts. Parsing dominates its time for many mutants, so the model is parsed once.
    pub rechecker: Box<dyn Rechecker>,
    /// Creates the procedure that decides mutants.
    pub decision: Box<dyn Decision>,
    /// The options for parsing the texts of the listing.
    pub options: FrontendOptions,
}

impl OwnModel {
    /// Parses the model for the procedure that decides.
    ///
    /// # Errors
    /// If the deciding procedure refuses the model. The checking procedure has accepted it, so this is a fault of the language.
    pub fn decider(&self) -> Result<Box<dyn Decider>, Vec<Diagnostic>> {
        self.decision.read(&self.listing.sources, &self.options)
    }

    /// Parses the model like [`OwnModel::decider`], with the error type of a run.
    pub(super) fn read(&self) -> Result<Box<dyn Decider>, RunError> {
        self.decider().map_err(|errors| RunError::Unread {
            sources: self.listing.sources.clone(),
            errors,
        })
    }
}
