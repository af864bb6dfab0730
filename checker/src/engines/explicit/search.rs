//! Breadth-first search through positions, with an antichain of positions that no other position subsumes.
//!
//! A position with fewer pairs, and larger sets of all states, subsumes another: all inputs that kill from the other kill from it.
//! (Antichains: De Wulf, Doyen, Henzinger, Raskin, CAV 2006.) [`super::subsets`] computes successors and recognises kills.

use hyperkill_core::SelectorId;
use hyperkill_evidence::closed_set::{ClosedSet, Position, Relation};
use hyperkill_evidence::fault::{self, Fault};
use rustc_hash::{FxHashMap, FxHashSet};

use super::machine::{Limit, Machines, Move, Side, State, Valuation};
use super::sets::{SetId, Sets};

/// A position of the search: a state estimate as it is stored, by numbers of states and sets; evidence has it as a [`Position`].
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub(super) struct Spot {
    /// The state of the mutant's run, for [`Relation::Matched`] only.
    pub(super) run: Option<State>,
    /// The (mutant, model) pairs of states possible after equal outputs, see [`pair`]. With `run`, the states of the model paired with it.
    pub(super) pairs: SetId,
    /// All states of the mutant after the inputs, whatever the outputs, if they are tracked.
    pub(super) mutant: Option<SetId>,
    /// All states of the model after the inputs, whatever the outputs, if they are tracked.
    pub(super) model: Option<SetId>,
}

/// The step by which a position was reached. For [`Relation::Matched`] it includes the step of the mutant.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Way {
    /// The index of the previous position in `found`.
    pub(super) from: usize,
    pub(super) valuation: Valuation,
    /// The move of the mutant's run in the step; `None` for pairs without a run.
    pub(super) step: Option<Move>,
}

/// Encodes a (mutant, model) pair of states as one number, the member of a set.
pub(super) fn pair(mutant: State, model: State) -> u64 {
    u64::from(mutant) << 32 | u64::from(model)
}

/// Decodes a pair of states from one number: mutant, then model.
pub(super) fn unpair(pair: u64) -> (State, State) {
    ((pair >> 32) as State, pair as State)
}

/// The positions that a search has found so far, and the sets of states in them.
#[derive(Debug, Default)]
pub(super) struct Positions {
    pub(super) sets: Sets,
    /// The positions in the order of discovery, each with the step to it; `None` for initial ones.
    pub(super) found: Vec<(Spot, Option<Way>)>,
    /// For each state of the run, the positions that no other position subsumes.
    kept: FxHashMap<Option<State>, Vec<Spot>>,
    seen: FxHashSet<Spot>,
}

impl Positions {
    /// Records a position as seen; returns whether it was not seen before. Subsumed positions count as seen too.
    pub(super) fn is_new(&mut self, spot: Spot) -> bool {
        self.seen.insert(spot)
    }

    /// Adds the positions of one level that no other position subsumes; returns their indices in `found`.
    pub(super) fn admit(&mut self, mut level: Vec<(Spot, Option<Way>)>) -> Vec<usize> {
        // Subsuming positions precede subsumed ones.
        let sets = &self.sets;
        let size = |set: Option<SetId>| set.map_or(0, |set| sets.members(set).len());
        level.sort_by_key(|(spot, _)| {
            let all = size(spot.mutant) + size(spot.model);
            (size(Some(spot.pairs)), usize::MAX - all)
        });
        let mut admitted = Vec::new();
        for (spot, way) in level {
            let kept = self.kept.entry(spot.run).or_default();
            if kept.iter().any(|&other| subsumes(sets, other, spot)) {
                continue;
            }
            kept.retain(|&other| !subsumes(sets, spot, other));
            kept.push(spot);
            admitted.push(self.found.len());
            self.found.push((spot, way));
        }
        admitted
    }

    /// Returns the number of listed positions, where each counts once more for every 64 states in its sets.
    pub(super) fn weight(&self) -> usize {
        self.seen.len() + self.sets.total() / 64
    }

    /// Returns the approximate memory in bytes, for the budget.
    pub(super) fn bytes(&self) -> usize {
        let entry = size_of::<(Spot, Option<Way>)>() + 2 * size_of::<Spot>();
        self.sets.bytes() + entry * self.seen.len()
    }

    /// Returns the positions on the way to a position, by index, from the first on, and the steps between them.
    pub(super) fn path(&self, to: usize) -> (Vec<Spot>, Vec<Way>) {
        let mut spots = Vec::new();
        let mut ways = Vec::new();
        let mut at = to;
        loop {
            let (spot, way) = self.found[at];
            spots.push(spot);
            match way {
                Some(way) => {
                    ways.push(way);
                    at = way.from;
                }
                None => break,
            }
        }
        spots.reverse();
        ways.reverse();
        (spots, ways)
    }

    /// Returns the (mutant, model) pairs of states in a position.
    pub(super) fn pairs(&self, spot: Spot) -> impl Iterator<Item = (State, State)> + '_ {
        let members = self.sets.members(spot.pairs).iter();
        members.map(move |&member| match spot.run {
            Some(run) => (run, member as State),
            None => unpair(member),
        })
    }

    /// Returns the states of one side in a position, with repetitions.
    pub(super) fn named(&self, spot: Spot, side: Side) -> impl Iterator<Item = State> + '_ {
        let all = match side {
            Side::Mutant => spot.mutant,
            Side::Model => spot.model,
        };
        let of_pairs = self.pairs(spot).map(move |(m, o)| match side {
            Side::Mutant => m,
            Side::Model => o,
        });
        of_pairs.chain(all.into_iter().flat_map(|set| self.plain(set)))
    }

    /// Returns the states of one side in the position, ascending.
    pub(super) fn states(&self, spot: Spot, side: Side) -> Vec<State> {
        let mut states: Vec<State> = self.named(spot, side).collect();
        states.sort_unstable();
        states.dedup();
        states
    }

    /// Returns the members of a set of single states as states.
    pub(super) fn plain(&self, set: SetId) -> impl Iterator<Item = State> + '_ {
        self.sets.members(set).iter().map(|&state| state as State)
    }

    /// Returns the proof that no test kills: the positions that no other position subsumes (the antichain).
    pub(super) fn closed_set(
        &self,
        machines: &Machines<'_>,
        mutant: SelectorId,
        relation: Relation,
    ) -> ClosedSet {
        let kept: FxHashSet<Spot> = self.kept.values().flatten().copied().collect();
        let mut table = StateTable::new(machines);
        let spots = self.found.iter().map(|(spot, _)| spot);
        let positions = spots
            .filter(|spot| kept.contains(spot))
            .map(|spot| {
                let mut all = |set: Option<SetId>| -> Vec<usize> {
                    let states = set.into_iter().flat_map(|set| self.plain(set));
                    sorted(states.map(|state| table.index(state)).collect())
                };
                let (mutant, model) = (all(spot.mutant), all(spot.model));
                let pairs = self.pairs(*spot);
                let pairs = pairs.map(|(m, o)| (table.index(m), table.index(o)));
                Position {
                    pairs: sorted(pairs.collect()),
                    mutant,
                    model,
                }
            })
            .collect();
        ClosedSet {
            members: vec![mutant],
            relation,
            states: table.states,
            positions,
        }
    }
}

/// Whether every test that kills from position `other` kills from `spot`: the run is the same, and the pairs are fewer.
fn subsumes(sets: &Sets, spot: Spot, other: Spot) -> bool {
    let (spot, other) = if fault::planted(Fault::ReversedSubsumption) {
        (other, spot)
    } else {
        (spot, other)
    };
    let covers = |mine: Option<SetId>, theirs: Option<SetId>| match (mine, theirs) {
        (None, _) => true,
        (Some(_), None) => false,
        (Some(mine), Some(theirs)) => sets.included(theirs, mine),
    };
    spot.run == other.run
        && sets.included(spot.pairs, other.pairs)
        && covers(spot.mutant, other.mutant)
        && covers(spot.model, other.model)
}

fn sorted<T: Ord>(mut items: Vec<T>) -> Vec<T> {
    items.sort_unstable();
    items
}

/// Collects the states that a proof names, in the order of their first appearance.
pub(super) struct StateTable<'m, 'a> {
    machines: &'m Machines<'a>,
    numbers: FxHashMap<State, usize>,
    /// The bits of each state, by its index in the proof.
    pub(super) states: Vec<Vec<bool>>,
}

impl<'m, 'a> StateTable<'m, 'a> {
    pub(super) fn new(machines: &'m Machines<'a>) -> StateTable<'m, 'a> {
        StateTable {
            machines,
            numbers: FxHashMap::default(),
            states: Vec::new(),
        }
    }

    /// Returns the index of a state in the table; adds the state if it is new.
    pub(super) fn index(&mut self, state: State) -> usize {
        *self.numbers.entry(state).or_insert_with(|| {
            self.states.push(self.machines.state_bits(state));
            self.states.len() - 1
        })
    }
}

/// A set of states, as one bit for each.
#[derive(Default)]
struct Marks {
    /// One bit per state, in words.
    bits: Vec<u64>,
}

impl Marks {
    /// Marks a state; returns false if it was marked before.
    fn mark(&mut self, state: State) -> bool {
        let (word, bit) = (state as usize / 64, 1 << (state % 64));
        if self.bits.len() <= word {
            self.bits.resize(word + 1, 0);
        }
        let is_new = self.bits[word] & bit == 0;
        self.bits[word] |= bit;
        is_new
    }
}

/// Lists the steps of all states in the positions of a level (indices in `found`), for both sides.
pub(super) fn list(
    machines: &mut Machines<'_>,
    positions: &Positions,
    level: &[usize],
) -> Result<(), Limit> {
    for side in [Side::Model, Side::Mutant] {
        // Many runs of the mutant are paired with the same states of the model.
        let mut seen = FxHashSet::default();
        let mut wanted = Marks::default();
        let mut states = Vec::new();
        for &at in level {
            let spot = positions.found[at].0;
            let of_side = match (side, spot.run) {
                (Side::Model, Some(_)) => (None, Some(spot.pairs), spot.model),
                (Side::Mutant, Some(run)) => (Some(run), None, spot.mutant),
                (Side::Model, None) => (None, Some(spot.pairs), spot.model),
                (Side::Mutant, None) => (None, Some(spot.pairs), spot.mutant),
            };
            if seen.insert(of_side) {
                machines.go_on(positions.bytes() + size_of_val(states.as_slice()))?;
                let new = positions.named(spot, side);
                // Most states were listed for earlier levels.
                let new = new.filter(|&state| !machines.is_listed(side, state));
                states.extend(new.filter(|&state| wanted.mark(state)));
            }
        }
        machines.list(side, states)?;
    }
    Ok(())
}
