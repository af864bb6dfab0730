//! Potential and definite killability (semantics.md §2) on circuits of realistic size, by the subset construction.
//!
//! Explores all relevant histories, as the definitions read. A node is a mutant state with the model states that can have shown the same
//! outputs, or the set of pairs of states with the same outputs. Termination is exact: a node needs no further search if it holds a pair
//! from which outputs can be kept equal for ever (`Game`).

use std::collections::BTreeMap;
use std::hash::Hash;
use std::rc::Rc;

use hyperkill_core::{ConditionalMutant, SelectorId};
use rustc_hash::{FxHashMap, FxHashSet};

use super::game::{Game, Pair, Rule, agreements};
use super::graph::Vertex;
use super::{TooLarge, Word};

/// The largest number of sets in the search guided by the lengths of games.
const SETS: usize = 1 << 21;
/// The number of sets to search breadth-first before the distance to a kill is computed.
pub const BLINDLY: usize = 1 << 14;

/// Returns the length of the shortest test that kills the mutant behind this selector potentially; `None` if it is equivalent. The answer
/// does not depend on `blindly`, see [`BLINDLY`].
///
/// # Errors
///
/// If the circuit has constraints or there is too much to explore.
pub fn potential_kill(
    model: &ConditionalMutant,
    selector: SelectorId,
    blindly: usize,
) -> Result<Option<usize>, TooLarge> {
    let mut game = Game::new(model, selector, Rule::ModelFollows)?;
    let models: Rc<[Vertex]> = set(game.original.initial().iter().copied()).into();
    let initial = game.mutant.initial().iter();
    let initial: Vec<(Vertex, Rc<[Vertex]>)> = initial
        .map(|&mutant| (mutant, Rc::clone(&models)))
        .collect();
    let pairs = |(mutant, models): &(Vertex, Rc<[Vertex]>)| {
        models.iter().map(|&original| (*mutant, original)).collect()
    };
    search(
        &mut game,
        initial,
        blindly,
        pairs,
        |game, (mutant, models), next| {
            let steps = game.mutant.steps(*mutant)?;
            let mut answers = Vec::new();
            for &original in models.iter() {
                answers.push(game.original.steps(original)?);
            }
            for (input, edges) in steps.iter().enumerate() {
                // Most events change nothing in most states.
                let same = |other: usize| {
                    let mut answers = answers.iter();
                    Rc::ptr_eq(&steps[other], edges)
                        && answers.all(|by_input| Rc::ptr_eq(&by_input[other], &by_input[input]))
                };
                if (0..input).any(same) {
                    continue;
                }
                // The model states after this input, by outputs.
                let mut after: FxHashMap<Word, FxHashSet<Vertex>> = FxHashMap::default();
                for edge in answers.iter().flat_map(|by_input| by_input[input].iter()) {
                    after.entry(edge.outputs).or_default().insert(edge.next);
                }
                let after: FxHashMap<Word, Rc<[Vertex]>> = after
                    .into_iter()
                    .map(|(outputs, states)| (outputs, set(states).into()))
                    .collect();
                for edge in edges.iter() {
                    let Some(models) = after.get(&edge.outputs) else {
                        return Ok(false);
                    };
                    next.push((edge.next, Rc::clone(models)));
                }
            }
            Ok(true)
        },
    )
}

/// Returns the length of the shortest test that kills the mutant behind this selector definitely; `None` if there is none. The answer does
/// not depend on `blindly`, see [`BLINDLY`].
///
/// # Errors
///
/// If the circuit has constraints or there is too much to explore.
pub fn definite_kill(
    model: &ConditionalMutant,
    selector: SelectorId,
    blindly: usize,
) -> Result<Option<usize>, TooLarge> {
    let mut game = Game::new(model, selector, Rule::BothAgree)?;
    let initial = game.mutant.initial().iter();
    let initial: Vec<Pair> = initial
        .flat_map(|&m| game.original.initial().iter().map(move |&o| (m, o)))
        .collect();
    search(
        &mut game,
        vec![set(initial)],
        blindly,
        Vec::clone,
        |game, pairs, next| {
            let mut both = Vec::new();
            for &(mutant, original) in pairs {
                both.push((game.mutant.steps(mutant)?, game.original.steps(original)?));
            }
            for input in 0..both.first().map_or(0, |(steps, _)| steps.len()) {
                let agreeing = both
                    .iter()
                    .flat_map(|(mutant, original)| agreements(&mutant[input], &original[input]));
                let pairs = set(agreeing);
                if pairs.is_empty() {
                    return Ok(false);
                }
                next.push(pairs);
            }
            Ok(true)
        },
    )
}

/// Returns the length of a shortest path to a kill. `pairs` lists the pairs of states of a node. `expand` adds the nodes of the next step,
/// or returns `false` if a step from here kills.
fn search<N: Clone + Eq + Hash>(
    game: &mut Game,
    initial: Vec<N>,
    blindly: usize,
    pairs: impl Fn(&N) -> Vec<Pair>,
    mut expand: impl FnMut(&mut Game, &N, &mut Vec<N>) -> Result<bool, TooLarge>,
) -> Result<Option<usize>, TooLarge> {
    let answer = breadth_first(game, &initial, (blindly, true), &pairs, &mut expand).or_else(
        // If the game is too large, breadth-first search without it may still end soon.
        |too_large| match breadth_first(game, &initial, (blindly, false), &pairs, &mut expand)? {
            Some(answer) => Ok(Some(answer)),
            None => Err(too_large),
        },
    )?;
    if let Some(answer) = answer {
        return Ok(answer);
    }
    let from: Vec<Pair> = initial.iter().flat_map(&pairs).collect();
    let lengths = game.lengths(&from)?;
    // No kill from here is shorter than the longest game.
    let at_least = |node: &N| {
        let pairs = pairs(node);
        let lengths = pairs.iter().map(|pair| lengths.get(pair).copied());
        lengths.collect::<Option<Vec<u32>>>()?.into_iter().max()
    };
    // Nodes by the length of the shortest kill that may pass through them, each with its number of steps.
    let mut open: BTreeMap<u32, Vec<(u32, N)>> = BTreeMap::new();
    let mut best: FxHashMap<N, u32> = FxHashMap::default();
    let mut found = initial;
    let mut steps = 0;
    loop {
        for node in found.drain(..) {
            let Some(at_least) = at_least(&node) else {
                continue;
            };
            if best.get(&node).is_none_or(|&known| steps < known) {
                best.insert(node.clone(), steps);
                let nodes = open.entry(steps + at_least).or_default();
                nodes.push((steps, node));
            }
        }
        if best.len() > SETS {
            return Err(TooLarge {
                what: format!("more than {SETS} sets of states"),
            });
        }
        let Some(mut entry) = open.first_entry() else {
            return Ok(None);
        };
        let Some((depth, node)) = entry.get_mut().pop() else {
            entry.remove();
            continue;
        };
        if best.get(&node) == Some(&depth) {
            steps = depth + 1;
            if !expand(game, &node, &mut found)? {
                return Ok(Some(steps as usize));
            }
        }
    }
}

/// Returns the length of a shortest path to a kill, like `search`, but by breadth-first search alone. Prunes with the game if `play` is
/// set. The outer `None` means that `limit` is exceeded.
fn breadth_first<N: Clone + Eq + Hash>(
    game: &mut Game,
    initial: &[N],
    (limit, play): (usize, bool),
    pairs: impl Fn(&N) -> Vec<Pair>,
    mut expand: impl FnMut(&mut Game, &N, &mut Vec<N>) -> Result<bool, TooLarge>,
) -> Result<Option<Option<usize>>, TooLarge> {
    let mut seen: FxHashSet<N> = initial.iter().cloned().collect();
    let mut level = initial.to_vec();
    let mut length = 0;
    while !level.is_empty() {
        length += 1;
        let mut found = Vec::new();
        let mut next_level = Vec::new();
        'nodes: for node in &level {
            for pair in pairs(node) {
                if play && game.is_won(pair)? {
                    continue 'nodes;
                }
            }
            if !expand(game, node, &mut found)? {
                return Ok(Some(Some(length)));
            }
            for next in found.drain(..) {
                if !seen.contains(&next) {
                    seen.insert(next.clone());
                    next_level.push(next);
                }
            }
            if seen.len() > limit {
                return Ok(None);
            }
        }
        level = next_level;
    }
    Ok(Some(None))
}

fn set<T: Ord>(elements: impl IntoIterator<Item = T>) -> Vec<T> {
    let mut elements: Vec<T> = elements.into_iter().collect();
    elements.sort_unstable();
    elements.dedup();
    elements
}
