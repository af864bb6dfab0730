//! Turns kills into executable tests and a small suite.

mod allowed_outputs;
mod best_run;
mod cover;
mod extract;
mod free;
mod noticed;
pub mod running;
mod suite;
mod tree;

pub use allowed_outputs::{Allowed, allowed};
pub use best_run::{Effort, best_run};
pub use extract::{Answers, Form, Test, Writer, extract};
pub use noticed::{Noticed, noticed};
pub use suite::{Suite, SuiteTest, suite};
