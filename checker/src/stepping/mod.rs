//! Lists all steps of model and mutant from sets of states, on given test inputs.

mod answers;
mod difference;
mod disjoint;
mod existing;
#[cfg(test)]
pub(crate) mod random;
mod stepper;

pub(crate) use answers::{Answering, Answers, MutantAnswers};
pub(crate) use difference::Difference;
pub(crate) use disjoint::{can_agree, kills_definitely};
pub(crate) use stepper::{Move, State, Stepper};
