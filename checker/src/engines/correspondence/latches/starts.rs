//! Compares the first values of latches.

use crate::question::Reachability;

/// Whether two latches of the product, by index, have the same first value in every run: one constant, or one free value.
pub(super) fn starts_equal(question: &Reachability, first: usize, second: usize) -> bool {
    let latches = question.product.aig.latches();
    let value = latches[first].reset.as_constant();
    let is_shared = || question.product.initially_equal.contains(&(second, first));
    value == latches[second].reset.as_constant() && (value.is_some() || is_shared())
}
