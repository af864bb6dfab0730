//! A model of such a language, as it was read.

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
    /// The same as its language knows it, but for the mutants, which are in the listing.
    pub contents: Contents,
    /// The procedure that checks verdicts. Reading the model is most of its work where there are many mutants, so it is done once.
    pub rechecker: Box<dyn Rechecker>,
    /// The reader of the procedure that decides.
    pub decision: Box<dyn Decision>,
    /// The options to read the texts of the listing with.
    pub options: FrontendOptions,
}

impl OwnModel {
    /// Reads the model for the procedure that decides.
    ///
    /// # Errors
    /// If it does not take the model: both procedures take the same ones, so this is a fault of the language.
    pub fn decider(&self) -> Result<Box<dyn Decider>, Vec<Diagnostic>> {
        self.decision.read(&self.listing.sources, &self.options)
    }

    /// The same as an error of a run.
    pub(super) fn read(&self) -> Result<Box<dyn Decider>, RunError> {
        self.decider().map_err(|errors| RunError::Unread {
            sources: self.listing.sources.clone(),
            errors,
        })
    }
}
