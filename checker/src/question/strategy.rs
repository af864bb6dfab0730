//! Questions about copies whose choices a strategy makes, step by step (semantics.md §3, §6.8).
//!
//! Can the strategy be forced to a step in which no choice keeps the copies' outputs equal? If not, it matches for ever, which proves
//! equivalence, or that no test kills definitely. If it can, nothing is proved: another strategy might have made better choices in earlier
//! steps.
//!
//! The choice is eliminated by expansion: each valuation of the choices is an instance of the step's circuit. Late choices
//! ([`Options::late`]) are made with the next step, when that step's input is known. This is sound, since such a choice is not visible
//! before the next step.

use hyperkill_core::product::{CopySpec, Product, Variant};
use hyperkill_core::{ConditionalMutant, Lit, SelectorId};
use hyperkill_evidence::question::strategy::MAX_BITS;
use hyperkill_evidence::question::{Aim, Options, Preference, Shaped, Steered, When};

use super::options::{options, readers, selected};
use super::{Pose, Reachability, strategy_product};
use crate::schedule::engine_efforts::STEP_INSTANCE_GATES;
use hyperkill_core::relevance::Relevance;

/// The error that a strategy would have to choose too much at once for an elimination by expansion.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
#[error("a strategy would have to choose among 2^{bits} choices in a circuit of {gates} gates")]
pub struct TooManyChoices {
    /// Number of choice bits that the strategy would have to choose at once.
    pub bits: usize,
    /// Number of gates of the copies that the strategy chooses for.
    pub gates: usize,
}

/// Returns the latches by which a strategy compares the states of two copies: those that a choice of these variants influences.
fn shaped(model: &ConditionalMutant, variants: &[Variant], options: &[Options]) -> Shaped {
    let aig = &model.aig;
    let mut shaped = Shaped::default();
    let mut reads_late = vec![false; aig.len()];
    let mut reads_early = vec![false; aig.len()];
    for (&variant, options) in variants.iter().zip(options) {
        shaped.first.extend(&options.initial);
        let selected = selected(model, variant);
        let late = readers(aig, &selected, &options.late);
        let early = readers(aig, &selected, &options.early);
        for var in 0..aig.len() {
            reads_late[var] |= late[var];
            reads_early[var] |= early[var];
        }
    }
    shaped.first.sort_unstable();
    shaped.first.dedup();
    let relevance = Relevance::to(model, &[Variant::Original]);
    for (i, latch) in aig.latches().iter().enumerate() {
        let next = latch.next.var().index();
        if relevance.of_latch(i) && reads_late[next] {
            shaped.later.push(i);
        } else if relevance.of_latch(i) && reads_early[next] {
            shaped.next.push(i);
        }
    }
    shaped
}

/// Returns the question whether a strategy with this aim and preference can be forced to fail against the mutant.
///
/// # Errors
/// If there are too many choices.
pub fn steered(
    model: &ConditionalMutant,
    mutant: SelectorId,
    aim: Aim,
    preference: Preference,
) -> Result<Steered, TooManyChoices> {
    let both = [Variant::Original, Variant::Mutant(mutant)];
    let (chosen_for, accepting) = match aim {
        Aim::Track => (&both[..1], &both[..1]),
        Aim::Agree => (&both[..], &both[..]),
    };
    let alone = |&variant: &Variant| Product::new(model, &[CopySpec::alone(variant)]);
    let constrained = |variant: &&Variant| alone(variant).copies[0].valid != Lit::TRUE;
    let options: Vec<Options> = chosen_for.iter().map(|&v| options(model, v)).collect();
    let shaped = match preference {
        Preference::State => shaped(model, chosen_for, &options),
        _ => Shaped::default(),
    };
    let question = Steered {
        mutant,
        aim,
        preference,
        options,
        witnesses: accepting.iter().filter(constrained).copied().collect(),
        shaped,
    };
    let gates = chosen_for.iter().map(|v| alone(v).aig.gate_count()).sum();
    let bits = |when| question.bits(when).iter().sum::<usize>();
    let bits = bits(When::First).max(bits(When::Later));
    let expand = !matches!(preference, Preference::Copy | Preference::State);
    if (bits > MAX_BITS && expand) || gates > STEP_INSTANCE_GATES >> bits.min(MAX_BITS) {
        return Err(TooManyChoices { bits, gates });
    }
    Ok(question)
}

impl Pose for Steered {
    fn pose(&self, model: &ConditionalMutant) -> Reachability {
        strategy_product::pose(self, model)
    }
}
