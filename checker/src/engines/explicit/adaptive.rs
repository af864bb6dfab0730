//! Adaptive tests by a game of the tester: solves the game, and extracts a winning strategy as a tree.

use hyperkill_core::budget::Budget;
use hyperkill_core::{ConditionalMutant, SelectorId};

use super::game::{End, Game};
use super::game_tree::harvest;
use super::known_steps::KnownSteps;
use super::machine::{Limit, Machines, ShownValues};
use super::{Adaptive, Explored, Listing};

/// Searches a shortest adaptive test (least depth) that kills definitely, over all depths.
///
/// With a `bound`, in steps, deeper tests are not searched. The result that no test exists is no verdict and comes without evidence.
#[must_use]
pub fn adaptive(
    model: &ConditionalMutant,
    mutant: SelectorId,
    effort: &Listing,
    bound: Option<usize>,
    budget: &Budget,
) -> Explored<Adaptive, ()> {
    let steps = KnownSteps::default();
    adaptive_knowing(model, mutant, effort, bound, &steps, budget)
}

/// Searches like [`adaptive`], with a cache of steps of the circuit.
#[must_use]
pub fn adaptive_knowing(
    model: &ConditionalMutant,
    mutant: SelectorId,
    effort: &Listing,
    bound: Option<usize>,
    steps: &KnownSteps,
    budget: &Budget,
) -> Explored<Adaptive, ()> {
    let play = |shown| {
        let machines = Machines::new(model, mutant, shown, effort, steps, budget);
        played(machines, effort, bound)
    };
    // The winner does not depend on values that no state distinguishes, but a tree must list all outputs of the model.
    match play(ShownValues::Representatives) {
        Some(played) => played,
        None => play(ShownValues::All).unwrap_or(Explored::TooLarge { refuted: 0 }),
    }
}

/// Solves the tester's game on these machines. `None` if the tree found is incomplete, because some of its outputs represent others.
fn played(
    machines: Machines<'_>,
    effort: &Listing,
    bound: Option<usize>,
) -> Option<Explored<Adaptive, ()>> {
    let mut game = Game::new(machines, effort);
    let (end, refuted) = game.run(bound);
    let won = matches!(end, Ok(End::Won) | Err(Limit::Listing))
        && game
            .depth()
            .is_some_and(|depth| bound.is_none_or(|bound| depth <= bound));
    if won && let Some((tree, witness)) = harvest(&game) {
        let mut branches = tree.nodes.iter().flat_map(|node| &node.branches);
        if branches.any(|(outputs, _)| game.machines.stands_for_others(outputs)) {
            return None;
        }
        let shortest = matches!(end, Ok(End::Won));
        return Some(Explored::Killed(Adaptive {
            tree,
            witness,
            shortest,
        }));
    }
    Some(match end {
        Ok(End::Lost) => Explored::Excluded(()),
        // All positions are known, and every strategy is deeper than the bound.
        Ok(End::Won) => Explored::TooLarge {
            refuted: refuted.max(bound.unwrap_or(0)),
        },
        Ok(End::Bound) | Err(Limit::Listing) => Explored::TooLarge { refuted },
        Err(Limit::Stopped(stop)) => Explored::Stopped { refuted, stop },
    })
}
