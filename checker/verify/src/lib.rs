//! Questions about a model itself, without mutation analysis.
//!
//! Can a bad state be reached ([`safety`])? Do the fair runs satisfy the LTL formulas stated in the model ([`linear`])? Does the model
//! satisfy a formula of the user ([`formula`], about one model or several: [`subject`])? Has every state a successor ([`totality`])? Do
//! tests tell all mutants of a domain of faults from the model ([`completeness`])? [`explain`] describes how these are decided.
//!
//! This package only computes: [`means::Means`] contains the limits, and the caller provides threads.

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
