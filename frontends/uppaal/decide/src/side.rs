//! The model as a side of a comparison, and how surely a test kills.

use hyperkill_core::budget::Budget;
use hyperkill_core::timed::Automaton;
use hyperkill_core::verdict::Strength;
use hyperkill_timed::refine::Side;
use hyperkill_timed::replay::Kills;
use hyperkill_uppaal::rules::Preset;

/// Returns a model with its allowed states, as the preset says: the good ones, or all within its invariants.
///
/// # Errors
/// If it is not deterministic, or has no good initial state.
pub(crate) fn model_side(automaton: Automaton, preset: Preset) -> Result<Side, &'static str> {
    let stopped = |_| "reading the model was stopped";
    let (rules, budget) = (preset.rules(), Budget::unlimited());
    let side = Side::new(automaton, rules.is_pruned, &budget).map_err(stopped)?;
    if side.ambiguity().is_some() {
        return Err(hyperkill_uppaal::AMBIGUOUS);
    }
    // An inconsistent process cannot be tested under any preset.
    let lives_on = rules.is_pruned
        || Side::new(side.automaton.clone(), true, &budget)
            .map_err(stopped)?
            .is_consistent();
    if !lives_on || !side.is_consistent() {
        return Err(hyperkill_uppaal::NO_GOOD_START);
    }
    Ok(side)
}

pub(crate) fn strength(kills: Kills) -> Strength {
    match kills {
        Kills::Surely => Strength::Definite,
        Kills::Maybe => Strength::Potential,
    }
}
