//! The reasons why an expression has no term, and the list of all errors of a model.

use hyperkill_core::term::TermError;
use hyperkill_frontend::Diagnostic;

/// The reason why lowering stops.
pub(super) enum Stop {
    /// The model has an error.
    Model(Box<Diagnostic>),
    /// A term cannot be built. The caller knows the place and the mutant.
    Term(TermError),
    /// Another error caused it and is reported.
    Reported,
}

impl Stop {
    /// Returns the reason for the mutant, as a sentence.
    pub(super) fn reason(self) -> String {
        match self {
            Stop::Model(error) => error.message,
            Stop::Term(error) => error.to_string(),
            Stop::Reported => {
                "not supported yet: it reads a value that is not known there".to_owned()
            }
        }
    }
}

impl From<TermError> for Stop {
    fn from(error: TermError) -> Stop {
        Stop::Term(error)
    }
}

impl From<Diagnostic> for Stop {
    fn from(error: Diagnostic) -> Stop {
        Stop::Model(Box::new(error))
    }
}

/// Errors found so far.
#[derive(Default)]
pub(super) struct Errors(Vec<Diagnostic>);

impl Errors {
    /// Records the error of a result; one that is already reported is ignored.
    pub(super) fn keep(&mut self, result: Result<(), Stop>) {
        match result {
            Ok(()) | Err(Stop::Reported) => {}
            Err(Stop::Model(error)) => self.0.push(*error),
            Err(Stop::Term(error)) => self.0.push(Diagnostic::unlocated(error.to_string())),
        }
    }

    /// Returns all errors in the order of the source, each once.
    pub(super) fn sorted(mut self) -> Vec<Diagnostic> {
        self.0.sort_by_key(|e| e.span);
        self.0.dedup();
        self.0
    }
}
