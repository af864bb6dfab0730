//! From kills to tests that a person or a machine can run, and to a small suite of them.

mod extract;
mod suite;

pub use extract::{LinearTest, TestStep, extract};
pub use suite::{Suite, SuiteStep, SuiteTest, suite};
