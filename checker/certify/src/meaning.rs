//! The meaning of circuit nodes under known selectors: each node is a constant, or equal to another node.
//!
//! This is the certifier's own constant propagation. It shares nothing with the circuits that the engines build.

use hyperkill_core::aig::Node;
use hyperkill_core::product::Variant;
use hyperkill_core::{ConditionalMutant, Lit, SelectorId};
use hyperkill_evidence::question::{Composed, Family, Question};
use hyperkill_formulas::ast::{Atom, Ltl};
use hyperkill_formulas::shape::Shape;

/// Returns the variant of each copy of a question, in the order of the copies.
pub(super) fn variants_of(question: &Question) -> Vec<Variant> {
    match question {
        Question::Pair(pair) | Question::Family(Family { pair, .. }) => pair.variants.to_vec(),
        Question::Steered(steered) => {
            let mut variants = steered.variants().to_vec();
            variants.extend(&steered.witnesses);
            variants
        }
        Question::Composed(composed) => composed.copies.iter().map(|spec| spec.variant).collect(),
    }
}

/// Returns for each copy of a question the meaning of its nodes: for each node an equal literal, given the selectors that the question
/// determines. `of_either` gives the selector of a trace that a formula allows to be of both kinds.
pub(super) fn meanings_of(
    model: &ConditionalMutant,
    question: &Question,
    of_either: impl Fn(&Composed, usize) -> Option<bool>,
) -> Vec<Vec<Lit>> {
    let variants = variants_of(question).into_iter().enumerate();
    let meanings = variants.map(|(copy, variant)| {
        meanings(model, |selector| match question {
            Question::Family(family) if copy == 1 => {
                (!family.members.contains(&selector)).then_some(false)
            }
            Question::Composed(composed)
                if composed.may_be_either(copy) && selector == composed.mutant =>
            {
                of_either(composed, copy)
            }
            _ => Some(variant == Variant::Mutant(selector)),
        })
    });
    meanings.collect()
}

/// Returns the value of the selector that the formula asserts for a trace; `None` if it asserts none.
pub(super) fn asserted_selector(composed: &Composed, trace: usize) -> Option<bool> {
    let shape = Shape::of(&composed.formula.body).ok()?;
    shape
        .asserted
        .iter()
        .find_map(|signed| match signed.formula {
            Ltl::Atom(Atom::Selector(of)) if composed.formula.position(of) == Some(trace) => {
                Some(signed.positive)
            }
            _ => None,
        })
}

/// Returns for each node of a variant the literal that it is equal to: a constant, or a node that is its own representative.
pub(super) fn of_variant(model: &ConditionalMutant, variant: Variant) -> Vec<Lit> {
    meanings(model, |selector| Some(variant == Variant::Mutant(selector)))
}

/// Returns as [`of_variant`] the literal that each node is equal to; `on` returns the value of a selector, `None` if it is unknown.
pub(super) fn meanings(
    model: &ConditionalMutant,
    on: impl Fn(SelectorId) -> Option<bool>,
) -> Vec<Lit> {
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
