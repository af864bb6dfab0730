//! Reconstructs runs from sets of states: a run of either side that survives all inputs, agreeing for as many steps as possible.

use rustc_hash::FxHashSet;

use super::Witness;
use super::machine::{Machines, Move, Output, Run, Side, State, Valuation, agreeing};

/// For given inputs, the sets of states in which runs of both sides may be before each step; the steps of all states are listed.
#[derive(Debug)]
pub(super) struct Agreement {
    pub(super) valuations: Vec<Valuation>,
    /// For each step the (mutant, model) pairs of states that are possible before it after equal outputs.
    pub(super) pairs: Vec<Vec<(State, State)>>,
    /// States of the mutant before each step and after the last: at least those of one surviving run.
    pub(super) mutant: Vec<Vec<State>>,
    /// States in which the model can be before each step and after the last.
    pub(super) model: Vec<Vec<State>>,
    /// For each step the output that the mutant must give, if it is fixed.
    pub(super) outputs: Vec<Option<Output>>,
}

/// Returns a run of each side on the inputs of `agreement`. Their outputs agree for as many steps as possible within the given states.
/// `None` if a side has no run that survives all inputs.
pub(super) fn witness(machines: &Machines<'_>, agreement: &Agreement) -> Option<Witness> {
    let steps = agreement.valuations.len();
    let fixed = |step: usize| agreement.outputs[step];
    let mutant = survivors(machines, Side::Mutant, agreement, &agreement.mutant, fixed);
    let model = survivors(machines, Side::Model, agreement, &agreement.model, |_| None);
    let (agreed, last) = (0..steps).rev().find_map(|step| {
        let pairs = agreement.pairs.get(step)?;
        let survive =
            |&&(m, o): &&(State, State)| mutant[step].contains(&m) && model[step].contains(&o);
        Some((step, *pairs.iter().find(survive)?))
    })?;

    let mut reversed = Vec::new();
    let mut at = last;
    for step in (0..agreed).rev() {
        let valuation = agreement.valuations[step];
        let (before, moves) = agreement.pairs[step].iter().find_map(|&(m, o)| {
            let mutated = machines.moves(Side::Mutant, m, valuation);
            let original = machines.moves(Side::Model, o, valuation);
            let common = agreeing(mutated, original).find(|(m, o)| {
                (m.next, o.next) == at && fixed(step).is_none_or(|output| output == m.output)
            });
            Some(((m, o), common?))
        })?;
        reversed.push((valuation, moves));
        at = before;
    }
    let agreed_moves = reversed.into_iter().rev();
    let (mutated, original): (Vec<_>, Vec<_>) = agreed_moves
        .map(|(valuation, (m, o))| ((valuation, m), (valuation, o)))
        .unzip();
    let mut mutated = Run {
        start: at.0,
        moves: mutated,
    };
    let mut original = Run {
        start: at.1,
        moves: original,
    };
    go_on(
        machines,
        Side::Mutant,
        agreement,
        &mutant,
        fixed,
        &mut mutated,
    )?;
    go_on(
        machines,
        Side::Model,
        agreement,
        &model,
        |_| None,
        &mut original,
    )?;
    Some(Witness {
        model_run: machines.stimulus(Side::Model, &original),
        mutant_run: machines.stimulus(Side::Mutant, &mutated),
    })
}

/// Whether a move has the required output; always if none is required.
fn shows(step: &Move, output: Option<Output>) -> bool {
    output.is_none_or(|output| output == step.output)
}

/// Returns the states of one side, before each step and at the end, from which a run can take all further inputs. `layers` limits the
/// states, `fixed` the outputs.
fn survivors(
    machines: &Machines<'_>,
    side: Side,
    agreement: &Agreement,
    layers: &[Vec<State>],
    fixed: impl Fn(usize) -> Option<Output>,
) -> Vec<FxHashSet<State>> {
    let mut alive: FxHashSet<State> = layers.last().into_iter().flatten().copied().collect();
    let mut reversed = Vec::new();
    for (step, &valuation) in agreement.valuations.iter().enumerate().rev() {
        let survives = |&&state: &&State| {
            let mut moves = machines.moves(side, state, valuation).iter();
            moves.any(|m| alive.contains(&m.next) && shows(m, fixed(step)))
        };
        let before = layers[step].iter().filter(survives).copied().collect();
        reversed.push(std::mem::replace(&mut alive, before));
    }
    reversed.push(alive);
    reversed.reverse();
    reversed
}

/// Extends a run of one side to its end through states in `survivors`. `None` if no move leads there.
fn go_on(
    machines: &Machines<'_>,
    side: Side,
    agreement: &Agreement,
    survivors: &[FxHashSet<State>],
    fixed: impl Fn(usize) -> Option<Output>,
    run: &mut Run,
) -> Option<()> {
    let mut state = run.moves.last().map_or(run.start, |(_, step)| step.next);
    for step in run.moves.len()..agreement.valuations.len() {
        let valuation = agreement.valuations[step];
        let mut moves = machines.moves(side, state, valuation).iter();
        let next =
            *moves.find(|m| survivors[step + 1].contains(&m.next) && shows(m, fixed(step)))?;
        run.moves.push((valuation, next));
        state = next.next;
    }
    Some(())
}
