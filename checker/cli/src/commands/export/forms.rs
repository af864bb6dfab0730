//! Forms of tests as files.

use crate::failure::Failure;

/// Names of files with their contents.
pub(super) type Files = Vec<(String, Vec<u8>)>;

/// A language whose tests have no such form.
pub(super) fn no_such_form(language: &str) -> Failure {
    Failure::usage(format!(
        "tests of models in {language} cannot be written so"
    ))
}
