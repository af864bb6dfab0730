//! The greatest simulation of mutants by the model, and the greatest set of pairs of states from which both can agree on any input
//! (semantics.md §6.9). All members of a family are computed at once: selectors are variables.

use hyperkill_core::budget::{Budget, Stop};
use hyperkill_core::{ConditionalMutant, SelectorId};
use hyperkill_evidence::closed_set::Relation as Question;
use hyperkill_evidence::simulation::Simulation;

use super::game::Game;
use super::strategy;
use super::system::System;
use super::{Among, Limits};

/// Returns a simulation relation within the permitted pairs as a proof about all members that it relates to the model; `None` if it
/// relates no member.
///
/// # Errors
/// If limits or budget end the search.
pub fn simulation(
    model: &ConditionalMutant,
    members: &[SelectorId],
    question: Question,
    among: Among,
    limits: Limits,
    budget: &Budget,
) -> Result<Option<Simulation>, Stop> {
    let mut system = System::new(model, members, limits, budget)?;
    // Relations need no numbers of estimates.
    system.numbers.clear();
    let mut game = Game::new(&mut system, question, among)?;
    let Some((related, proved)) = game.greatest(members, among)? else {
        return Ok(None);
    };
    strategy::evidence(&mut game, related, proved).map(Some)
}
