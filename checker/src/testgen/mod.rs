//! From kills to tests that a person or a machine can run, and to a small suite of them.

mod allowed_outputs;
mod best_run;
mod disjoint;
mod existing;
mod extract;
mod free;
mod noticed;
#[cfg(test)]
mod random;
pub mod running;
mod stepper;
mod suite;
mod tree;

pub use allowed_outputs::{Allowed, allowed};
pub use best_run::{Effort, best_run};
pub use extract::{Answers, Form, Test, extract, extract_answered};
pub use noticed::{Noticed, noticed};
pub use suite::{Suite, SuiteTest, suite};
