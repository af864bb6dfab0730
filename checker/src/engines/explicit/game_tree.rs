//! Extracts a strategy, and runs on which it kills, from the won positions of the game.

use hyperkill_evidence::strategy_tree::{Next, Node, StrategyTree};
use rustc_hash::FxHashMap;

use super::Witness;
use super::game::{Game, NEVER, OF_BOTH, Plays, by_output};
use super::machine::{Move, Output, Side, State, Valuation};
use super::witness::{Agreement, witness};

/// A decision of the strategy: the input that it gives at a position, and how it continues.
struct Decision {
    position: usize,
    valuation: Valuation,
    /// Outputs that both sides can give, each with the index of the next decision.
    open: Vec<(Output, usize)>,
}

/// A position, by index, and the sides that must have complete plays from it.
type Aim = (usize, Plays);

/// Returns a strategy of least depth as a tree, and the runs of one of its plays that ends in a fail. `None` if the game is not won.
pub(super) fn harvest(game: &Game<'_>) -> Option<(StrategyTree, Witness)> {
    let decisions = decisions(game)?;
    Some((tree(game, &decisions)?, failing_play(game, &decisions)?))
}

/// Returns all decisions of a strategy of least depth, by decreasing rank, each before those that follow it; the first is the start. `None`
/// if the game is not won.
fn decisions(game: &Game<'_>) -> Option<Vec<Decision>> {
    if game.ranks.first()?[OF_BOTH] == NEVER {
        return None;
    }
    let mut wanted: Vec<Aim> = vec![(0, OF_BOTH)];
    let mut numbers: FxHashMap<Aim, usize> = FxHashMap::default();
    numbers.insert((0, OF_BOTH), 0);
    let mut decisions = Vec::new();
    while let Some(&(position, plays)) = wanted.get(decisions.len()) {
        let (valuation, open) = decide(game, position, plays)?;
        let open = open.into_iter().map(|(output, child)| {
            let number = *numbers.entry(child).or_insert_with(|| {
                wanted.push(child);
                wanted.len() - 1
            });
            (output, number)
        });
        decisions.push(Decision {
            position,
            valuation,
            open: open.collect(),
        });
    }
    // Successors have smaller ranks.
    let rank = |number: usize| game.ranks[wanted[number].0][wanted[number].1];
    let mut order: Vec<usize> = (0..decisions.len()).collect();
    order.sort_by_key(|&number| std::cmp::Reverse(rank(number)));
    let mut place = vec![0; order.len()];
    for (at, &number) in order.iter().enumerate() {
        place[number] = at;
    }
    let mut sorted: Vec<Option<Decision>> = decisions.into_iter().map(Some).collect();
    let sorted = order.iter().map(|&number| {
        let mut decision = sorted[number].take()?;
        for (_, child) in &mut decision.open {
            *child = place[*child];
        }
        Some(decision)
    });
    sorted.collect()
}

/// Returns an input for a position with which complete plays of the sides `plays` have the least depth. Each output after which the play
/// goes on comes with the aim there.
fn decide(
    game: &Game<'_>,
    position: usize,
    plays: Plays,
) -> Option<(Valuation, Vec<(Output, Aim)>)> {
    let rank = game.ranks[position][plays].checked_sub(1)?;
    let offers = game.offers.get(position)?;
    offers.iter().find_map(|offer| {
        let stages = game.stages(offer);
        if *stages.last()?.get(plays)? != rank {
            return None;
        }
        let mut open = Vec::new();
        let mut left = plays;
        for (stage, &(output, child)) in stages.iter().zip(&offer.open).rev() {
            let pairs = (0..4).flat_map(|before| (0..4).map(move |then| (before, then)));
            let (before, then) = pairs
                .filter(|(before, then)| before | then == left)
                .min_by_key(|&(before, then)| stage[before].max(game.ranks[child][then]))?;
            open.push((output, (child, then)));
            left = before;
        }
        open.reverse();
        Some((offer.valuation, open))
    })
}

/// The branches of a [`Node`], with successors numbered from the end of the list of nodes.
type Branches = Vec<(Vec<bool>, Next)>;

/// Returns the decisions as a tree for the tester. Decisions with equal nodes are merged.
fn tree(game: &Game<'_>, decisions: &[Decision]) -> Option<StrategyTree> {
    let mut distinct: FxHashMap<(Valuation, Branches), usize> = FxHashMap::default();
    // Nodes are numbered from the end until all are known.
    let mut reversed: Vec<Node> = Vec::new();
    let mut node_of = vec![0; decisions.len()];
    for (number, decision) in decisions.iter().enumerate().rev() {
        let model = game.positions[decision.position].model;
        let moves = game.moves(Side::Model, model, decision.valuation);
        let mut branches: Branches = by_output(&moves)
            .map(|group| {
                let output = group[0].output;
                let child = decision.open.iter().find(|(shown, _)| *shown == output);
                let next = child.map_or(Next::Pass, |&(_, child)| Next::Node(node_of[child]));
                (game.machines.output_bits(output), next)
            })
            .collect();
        branches.sort_by(|a, b| a.0.cmp(&b.0));
        node_of[number] = *distinct
            .entry((decision.valuation, branches.clone()))
            .or_insert_with(|| {
                reversed.push(Node {
                    input: game.machines.valuation_inputs(decision.valuation),
                    branches,
                });
                reversed.len() - 1
            });
    }
    let last = reversed.len().checked_sub(1)?;
    let nodes = reversed.into_iter().rev().map(|mut node| {
        for (_, next) in &mut node.branches {
            if let Next::Node(child) = next {
                *child = last - *child;
            }
        }
        node
    });
    Some(StrategyTree {
        nodes: nodes.collect(),
    })
}

/// Returns a run of either side on the inputs of a shortest play that ends in a fail; `None` if no play fails.
fn failing_play(game: &Game<'_>, decisions: &[Decision]) -> Option<Witness> {
    // For each decision its predecessor and the output between them.
    let mut reached: Vec<Option<(usize, Output)>> = vec![None; decisions.len()];
    let mut queue = vec![0];
    let mut at = 0;
    let (last, failing) = loop {
        let number = *queue.get(at)?;
        at += 1;
        let decision = decisions.get(number)?;
        if let Some(step) = failing_step(game, decision) {
            break (number, step);
        }
        for &(output, child) in &decision.open {
            if child != 0 && reached[child].is_none() {
                reached[child] = Some((number, output));
                queue.push(child);
            }
        }
    };
    let mut path = vec![(last, failing.1.output)];
    while let Some((before, output)) = reached[path[path.len() - 1].0] {
        path.push((before, output));
    }
    path.reverse();
    let valuations: Vec<Valuation> = path.iter().map(|&(d, _)| decisions[d].valuation).collect();
    let beliefs = path
        .iter()
        .map(|&(number, _)| game.positions[decisions[number].position]);
    let beliefs: Vec<_> = beliefs.collect();

    // The mutant's run, from its end.
    let mut run = vec![failing.1.next, failing.0];
    for step in (0..path.len() - 1).rev() {
        let wanted = Move {
            output: path[step].1,
            next: run[run.len() - 1],
        };
        let mut states = game.states(beliefs[step].mutant);
        run.push(states.find(|&state| {
            let moves = game.machines.moves(Side::Mutant, state, valuations[step]);
            moves.contains(&wanted)
        })?);
    }
    run.reverse();
    let pairs = run.iter().zip(&beliefs);
    let pairs = pairs.map(|(&m, beliefs)| game.states(beliefs.model).map(|o| (m, o)).collect());
    let mut model: Vec<Vec<State>> = beliefs
        .iter()
        .map(|beliefs| game.states(beliefs.model).collect())
        .collect();
    let end = beliefs.last()?;
    let moves = game.moves(Side::Model, end.model, *valuations.last()?);
    model.push(moves.iter().map(|step| step.next).collect());
    let agreement = Agreement {
        pairs: pairs.collect(),
        mutant: run.iter().map(|&state| vec![state]).collect(),
        model,
        outputs: path.iter().map(|&(_, output)| Some(output)).collect(),
        valuations,
    };
    witness(&game.machines, &agreement)
}

/// Returns a step of the mutant after which the play fails, since the model cannot give its output there, with the state before it. `None`
/// if there is none.
fn failing_step(game: &Game<'_>, decision: &Decision) -> Option<(State, Move)> {
    let beliefs = game.positions[decision.position];
    let expected = game.moves(Side::Model, beliefs.model, decision.valuation);
    game.states(beliefs.mutant).find_map(|state| {
        let mut moves = game
            .machines
            .moves(Side::Mutant, state, decision.valuation)
            .iter();
        let fails = moves.find(|m| {
            expected
                .binary_search_by_key(&m.output, |e| e.output)
                .is_err()
        });
        Some((state, *fails?))
    })
}
