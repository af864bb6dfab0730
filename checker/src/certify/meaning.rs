//! What the nodes of the circuit mean once selectors are known: constants, or what other nodes mean.
//!
//! The certifiers' own; shares nothing with the circuits that the engines build.

use hyperkill_core::aig::Node;
use hyperkill_core::product::Variant;
use hyperkill_core::{ConditionalMutant, Lit};

/// Per node the literal that it is equal to, of a constant or of a node that stands for itself.
pub(super) fn of_variant(model: &ConditionalMutant, variant: Variant) -> Vec<Lit> {
    meanings(model, |selector| Some(variant == Variant::Mutant(selector)))
}

/// As [`of_variant`]; `on` says which selectors (by index) are known, and their values.
pub(super) fn meanings(model: &ConditionalMutant, on: impl Fn(usize) -> Option<bool>) -> Vec<Lit> {
    let selectors = model.selector_of_latch();
    let mut meaning: Vec<Lit> = Vec::new();
    for (var, node) in model.aig.nodes() {
        let itself = var.lit();
        let known = match node {
            Node::False => Lit::FALSE,
            Node::Input(_) => itself,
            Node::Latch(i) => match selectors[i as usize] {
                Some(selector) => on(selector).map_or(itself, Lit::constant),
                None => itself,
            },
            Node::And(a, b) => {
                let a = meaning[a.var().index()] ^ a.is_negated();
                let b = meaning[b.var().index()] ^ b.is_negated();
                match (a.as_constant(), b.as_constant()) {
                    (Some(false), _) | (_, Some(false)) => Lit::FALSE,
                    (Some(true), _) => b,
                    (_, Some(true)) => a,
                    _ if a == b => a,
                    _ if a == !b => Lit::FALSE,
                    _ => itself,
                }
            }
        };
        meaning.push(known);
    }
    meaning
}
