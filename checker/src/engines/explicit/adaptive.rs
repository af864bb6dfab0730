//! Adaptive tests by the tester's game: play it, and make a tree of a strategy that wins.

use hyperkill_core::budget::Budget;
use hyperkill_core::{ConditionalMutant, SelectorId};

use super::game::{End, Game};
use super::game_tree::harvest;
use super::machine::{Limit, Machines};
use super::{Adaptive, Explored, Listing};

/// A shortest adaptive test (least depth) that kills for certain, or none of any depth.
///
/// With a `bound` none deeper than that is looked for. "None" is no verdict and comes without evidence.
#[must_use]
pub fn adaptive(
    model: &ConditionalMutant,
    mutant: SelectorId,
    effort: &Listing,
    bound: Option<usize>,
    budget: &Budget,
) -> Explored<Adaptive, ()> {
    let mut game = Game::new(Machines::new(model, mutant, effort, budget), effort);
    let (end, refuted) = game.run(bound);
    let won = matches!(end, Ok(End::Won) | Err(Limit::Listing))
        && game
            .depth()
            .is_some_and(|depth| bound.is_none_or(|bound| depth <= bound));
    if won && let Some((tree, witness)) = harvest(&game) {
        let shortest = matches!(end, Ok(End::Won));
        return Explored::Killed(Adaptive {
            tree,
            witness,
            shortest,
        });
    }
    match end {
        Ok(End::Lost) => Explored::Excluded(()),
        // All positions are known, and every strategy is deeper than the bound.
        Ok(End::Won) => Explored::TooLarge {
            refuted: refuted.max(bound.unwrap_or(0)),
        },
        Ok(End::Bound) | Err(Limit::Listing) => Explored::TooLarge { refuted },
        Err(Limit::Stopped(stop)) => Explored::Stopped { refuted, stop },
    }
}
