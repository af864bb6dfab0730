//! Compares the inputs that original and mutant accept, by the sets of states that either can be in after them, for all outputs. If no
//! reachable state of either side refuses an input, the reachable states suffice. If there are too many sets, a simulation relation is
//! searched in which each side answers the steps of the other.

use hyperkill_core::budget::Budget;
use hyperkill_core::trace::Stimulus;
use hyperkill_core::{ConditionalMutant, SelectorId};
use hyperkill_evidence::accepted_sets::AcceptedSets;
use hyperkill_evidence::fault::{self, Fault};
use rustc_hash::{FxHashMap, FxHashSet};

use super::Listing;
use super::known_steps::KnownSteps;
use super::machine::{Limit, Machines, REFUSED, Row, Run, ShownValues, Side, State, Valuation};
use super::search::StateTable;
use super::sets::{SetId, Sets};
use super::simulation_relation::accepting_pairs;
use super::vectors::PER_ENTRY;
use crate::schedule::engine_efforts::{
    ACCEPTANCE_FEW_STATES, ACCEPTANCE_KEPT_PART, ACCEPTANCE_SMALL_PAIRS,
};

/// The result of the comparison of the inputs that original and mutant accept.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Accepted {
    /// The mutant refuses the last input of this run of the original, which is a shortest such run.
    MutantRefuses(Stimulus),
    /// The mutant accepts everything that the original accepts. It also accepts this run, whose last input the original refuses.
    OriginalRefuses(Stimulus, AcceptedSets),
    /// Both sides accept the same inputs, by this proof.
    Equally(AcceptedSets),
}

/// Compares the inputs that both sides accept; `None` if effort or budget did not suffice. `steps`, a cache, must belong to this circuit.
#[must_use]
pub fn acceptance(
    model: &ConditionalMutant,
    mutant: SelectorId,
    effort: &Listing,
    steps: &KnownSteps,
    budget: &Budget,
) -> Option<Accepted> {
    let machines = || {
        let shown = ShownValues::Representatives;
        Machines::new(model, mutant, shown, effort, steps, budget)
    };
    let mut search = RefusalSearch {
        machines: machines(),
        sets: Sets::default(),
        found: Vec::new(),
        numbers: FxHashMap::default(),
        refused: None,
        allowed: effort.positions,
    };
    if let Some(states) = within(search.accepting_states())? {
        return Some(Accepted::Equally(search.everywhere(states)));
    }
    if let Some(accepted) = within(search.run().map(Some))? {
        return Some(accepted);
    }
    // Single states are fewer than their sets.
    let allowed = effort.positions.saturating_mul(ACCEPTANCE_SMALL_PAIRS);
    let Some(run) = search.refused else {
        let sets = within(accepting_pairs(machines(), true, allowed))??;
        return Some(Accepted::Equally(sets));
    };
    let sets = within(accepting_pairs(machines(), false, allowed))??;
    Some(Accepted::OriginalRefuses(run, sets))
}

/// Separates the limits of a search: `Some(None)` if its effort was spent, `None` if the budget ended it, else the result.
fn within<T>(searched: Result<Option<T>, Limit>) -> Option<Option<T>> {
    match searched {
        Ok(found) => Some(found),
        Err(Limit::Listing) => Some(None),
        Err(Limit::Stopped(_)) => None,
    }
}

const SIDES: [Side; 2] = [Side::Model, Side::Mutant];

/// The sets of states in which both sides can be after some inputs, original first.
type Pair = [SetId; 2];

struct RefusalSearch<'a> {
    machines: Machines<'a>,
    sets: Sets,
    /// The pairs in the order of discovery, each with its predecessor and the input valuation between them.
    found: Vec<(Pair, Option<(usize, Valuation)>)>,
    numbers: FxHashMap<Pair, usize>,
    /// A run of the mutant whose last input the original refuses.
    refused: Option<Stimulus>,
    /// Limit on the pairs that are listed.
    allowed: usize,
}

impl RefusalSearch<'_> {
    fn run(&mut self) -> Result<Accepted, Limit> {
        let mut initial = [0; 2];
        for (set, side) in initial.iter_mut().zip(SIDES) {
            let states = self.machines.initial(side)?;
            *set = self
                .sets
                .number(states.into_iter().map(u64::from).collect());
        }
        self.push(initial, None)?;
        let mut at = 0;
        while let Some(&(pair, _)) = self.found.get(at) {
            let entry = 2 * size_of::<Pair>() + PER_ENTRY;
            let beside = self.sets.bytes() + entry * self.found.len();
            self.machines.go_on(beside)?;
            for (set, side) in pair.into_iter().zip(SIDES) {
                let states: Vec<State> = self.states(set).collect();
                self.machines.list(side, states)?;
            }
            for valuation in self.valuations(pair) {
                self.machines.go_on(beside)?;
                let mut images = [0; 2];
                for ((image, set), side) in images.iter_mut().zip(pair).zip(SIDES) {
                    *image = self.image(side, set, valuation);
                }
                let accepts = images.map(|image| !self.sets.members(image).is_empty());
                match accepts {
                    [true, true] => self.push(images, Some((at, valuation)))?,
                    [true, false] if fault::planted(Fault::OverlookedRefusal) => {}
                    [true, false] => {
                        let run = self.accepted_run(Side::Model, at, valuation);
                        return run.map(Accepted::MutantRefuses).ok_or(Limit::Listing);
                    }
                    [false, true] => {
                        if self.refused.is_none() {
                            self.refused = self.accepted_run(Side::Mutant, at, valuation);
                        }
                    }
                    [false, false] => {}
                }
            }
            at += 1;
        }
        let sets = self.evidence();
        Ok(match self.refused.take() {
            Some(run) => Accepted::OriginalRefuses(run, sets),
            None => Accepted::Equally(sets),
        })
    }

    /// Returns all reachable states of both sides, original first; `None` if one of them refuses an input.
    fn accepting_states(&mut self) -> Result<Option<[Vec<State>; 2]>, Limit> {
        let mut reached: [Vec<State>; 2] = Default::default();
        let steps = self.machines.steps_left();
        let kept = steps / ACCEPTANCE_KEPT_PART;
        for (states, side) in reached.iter_mut().zip(SIDES) {
            *states = self.machines.initial(side)?;
            let mut seen: FxHashSet<State> = states.iter().copied().collect();
            let mut looked_at = 0;
            while looked_at < states.len() {
                let is_spent = self.machines.steps_left() < kept;
                if is_spent || states.len() > self.allowed.saturating_mul(ACCEPTANCE_SMALL_PAIRS) {
                    return Err(Limit::Listing);
                }
                let layer = looked_at..states.len();
                looked_at = layer.end;
                self.machines
                    .list(side, states[layer.clone()].iter().copied())?;
                for place in layer {
                    let rows = self.machines.rows(side, states[place]);
                    if rows.contains(&REFUSED) {
                        return Ok(None);
                    }
                    let distinct: FxHashSet<Row> = rows.iter().copied().collect();
                    let moves = distinct.iter().flat_map(|&row| self.machines.row(row));
                    let next: FxHashSet<State> = moves.map(|step| step.next).collect();
                    let mut next: Vec<State> =
                        next.into_iter().filter(|&next| seen.insert(next)).collect();
                    next.sort_unstable();
                    states.extend(next);
                }
            }
        }
        Ok(Some(reached))
    }

    /// Returns the proof that both sides accept every input: one pair of all reachable `states` of both, into which all inputs lead back.
    fn everywhere(&self, states: [Vec<State>; 2]) -> AcceptedSets {
        let mut table = StateTable::new(&self.machines);
        let pair = states.map(|states| {
            let mut places: Vec<usize> = states.into_iter().map(|s| table.index(s)).collect();
            places.sort_unstable();
            places
        });
        AcceptedSets {
            states: table.states,
            pairs: vec![pair],
        }
    }

    fn push(&mut self, pair: Pair, way: Option<(usize, Valuation)>) -> Result<(), Limit> {
        let allowed = match self.sets.total() <= ACCEPTANCE_FEW_STATES * self.found.len() {
            true => self.allowed.saturating_mul(ACCEPTANCE_SMALL_PAIRS),
            false => self.allowed,
        };
        if self.found.len() + self.sets.total() / 64 >= allowed {
            return Err(Limit::Listing);
        }
        let number = self.found.len();
        if *self.numbers.entry(pair).or_insert(number) == number {
            self.found.push((pair, way));
        }
        Ok(())
    }

    fn states(&self, set: SetId) -> impl Iterator<Item = State> + '_ {
        self.sets.members(set).iter().map(|&state| state as State)
    }

    /// Returns the least input valuation of each class that the states in the pair do not distinguish, ascending.
    fn valuations(&self, pair: Pair) -> Vec<Valuation> {
        let states = pair.into_iter().zip(SIDES).flat_map(|(set, side)| {
            let states = self.states(set);
            states.map(move |state| (side, state))
        });
        self.machines.distinct_valuations(states)
    }

    fn image(&mut self, side: Side, set: SetId, valuation: Valuation) -> SetId {
        let moves = self
            .states(set)
            .flat_map(|state| self.machines.moves(side, state, valuation));
        let next = moves.map(|step| u64::from(step.next)).collect();
        self.sets.number(next)
    }

    /// Returns a run of a side on the inputs that lead to the pair with this index, and on one more input. `None` if there is none.
    fn accepted_run(&self, side: Side, pair: usize, last: Valuation) -> Option<Stimulus> {
        let mut valuation = last;
        let mut at = pair;
        let mut wanted: Option<State> = None;
        let mut reversed = Vec::new();
        loop {
            let (sets, way) = self.found[at];
            let (state, step) = self.states(sets[side as usize]).find_map(|state| {
                let mut moves = self.machines.moves(side, state, valuation).iter();
                let step = moves.find(|step| wanted.is_none_or(|wanted| wanted == step.next))?;
                Some((state, *step))
            })?;
            reversed.push((valuation, step));
            wanted = Some(state);
            match way {
                Some((from, before)) => (at, valuation) = (from, before),
                None => {
                    reversed.reverse();
                    let run = Run {
                        start: state,
                        moves: reversed,
                    };
                    return Some(self.machines.stimulus(side, &run));
                }
            }
        }
    }

    fn evidence(&self) -> AcceptedSets {
        let mut table = StateTable::new(&self.machines);
        let pairs = self.found.iter().map(|(pair, _)| {
            pair.map(|set| {
                let mut states: Vec<usize> =
                    self.states(set).map(|state| table.index(state)).collect();
                states.sort_unstable();
                states
            })
        });
        let pairs = pairs.collect();
        AcceptedSets {
            states: table.states,
            pairs,
        }
    }
}
