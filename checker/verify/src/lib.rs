//! Questions about a model itself, mutants aside.
//!
//! Can a bad state be reached ([`safety`])? Are the formulas of linear temporal logic that it states true of its fair runs ([`linear`])?
//! Does it satisfy a formula of the user's ([`formula`], about one model or several: [`subject`])? Has every state a successor
//! ([`totality`])? Do tests tell all mutants of a domain of faults ([`completeness`])? [`explain`] says how these are decided.
//!
//! This package only computes: [`means::Means`] has the limits, and threads come from the caller.

pub mod completeness;
mod error;
pub mod explain;
pub mod formula;
pub mod linear;
pub mod means;
mod refused;
pub mod safety;
pub mod show;
pub mod subject;
pub mod totality;

pub use error::VerifyError;
