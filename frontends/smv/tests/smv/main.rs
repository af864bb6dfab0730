//! Tests of the SMV front end as a whole. One module per subject.

mod beverage;
// Marked as a test module, so that the lints for tests apply to its functions.
#[cfg(test)]
mod support;
