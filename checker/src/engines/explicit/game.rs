//! Adaptive tests: the tester's game on state estimates after the inputs given and the outputs seen.
//!
//! A position is the set of mutant states and the set of model states that are possible after the outputs seen. An input that none of these
//! model states accepts is not offered. A play ends when only one side can have given the last output. A strategy kills if both sides have
//! complete plays and none is a play of both: an adaptive kill is a potential kill. [`super::game_tree`] turns the strategy found into a
//! tree.

use hyperkill_evidence::fault::{self, Fault};
use rustc_hash::FxHashMap;

use super::Listing;
use super::machine::{Limit, Machines, Move, Output, Side, State, Valuation};
use super::sets::{SetId, Sets};
use super::vectors::PER_ENTRY;

/// The result of a search for a winning strategy.
pub(super) enum End {
    /// A strategy exists, and none of less depth.
    Won,
    /// No strategy exists, whatever its depth.
    Lost,
    /// No strategy exists within the bound on the depth.
    Bound,
}

/// A position of the game: the state estimates of both sides.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub(super) struct Beliefs {
    /// The set of states in which the mutant can be, given the outputs seen.
    pub(super) mutant: SetId,
    /// The set of states in which the model can be, given the outputs seen.
    pub(super) model: SetId,
}

/// The sides that have complete plays, that is, plays that end: bit 0 for the model, bit 1 for the mutant.
pub(super) type Plays = usize;
const OF_MODEL: Plays = 1;
const OF_MUTANT: Plays = 2;
/// Both sides, which must have complete plays for a kill.
pub(super) const OF_BOTH: Plays = OF_MODEL | OF_MUTANT;

/// For each set of sides ([`Plays`], as index) the least depth of a strategy whose complete plays are of exactly these sides.
pub(super) type Ranks = [u32; 4];

/// The rank (least depth) of a position without a strategy.
pub(super) const NEVER: u32 = u32::MAX;

/// An input that the tester can give at a position, and its results.
#[derive(Debug)]
pub(super) struct Offer {
    pub(super) valuation: Valuation,
    /// The sides that can give an output which the other side cannot give, so that a play ends.
    pub(super) ended: Plays,
    /// Outputs that both sides can give, ascending, each with the index of the position after it.
    pub(super) open: Vec<(Output, usize)>,
}

/// The tester's game: its positions, the inputs offered there, and the depths of strategies.
#[derive(Debug)]
pub(super) struct Game<'a> {
    pub(super) machines: Machines<'a>,
    pub(super) sets: Sets,
    allowed: usize,
    /// The positions in the order of discovery; the first is the start of a test.
    pub(super) positions: Vec<Beliefs>,
    numbers: FxHashMap<Beliefs, usize>,
    /// For each expanded position the inputs that the tester can give.
    pub(super) offers: Vec<Vec<Offer>>,
    /// For each position the indices of the positions with an offer that leads to it.
    parents: Vec<Vec<usize>>,
    /// For each position the least depths of strategies from it, by set of sides.
    pub(super) ranks: Vec<Ranks>,
    edges: usize,
}

impl<'a> Game<'a> {
    /// Returns the game with no positions.
    pub(super) fn new(machines: Machines<'a>, effort: &Listing) -> Game<'a> {
        Game {
            machines,
            sets: Sets::default(),
            allowed: effort.positions,
            positions: Vec::new(),
            numbers: FxHashMap::default(),
            offers: Vec::new(),
            parents: Vec::new(),
            ranks: Vec::new(),
            edges: 0,
        }
    }

    /// Returns the depth of the best winning strategy known; `None` if none is known.
    pub(super) fn depth(&self) -> Option<usize> {
        let rank = self.ranks.first()?[OF_BOTH];
        (rank != NEVER).then_some(rank as usize)
    }

    /// Returns the approximate memory of positions, offers and ranks, in bytes.
    fn bytes(&self) -> usize {
        let position = 2 * size_of::<Beliefs>() + size_of::<Ranks>() + PER_ENTRY;
        let offer = size_of::<Offer>() + size_of::<usize>();
        self.sets.bytes() + position * self.positions.len() + offer * self.edges
    }

    /// Searches a winning strategy, level by level, to a depth of `bound`. Returns how the search ended, and the depth up to which no
    /// strategy exists.
    pub(super) fn run(&mut self, bound: Option<usize>) -> (Result<End, Limit>, usize) {
        if let Err(limit) = self.start() {
            return (Err(limit), 0);
        }
        let mut depth = 0;
        let mut done = 0;
        // A strategy of depth d gives inputs only at positions of the first d levels.
        loop {
            if self.depth().is_some_and(|found| found <= depth) {
                return (Ok(End::Won), depth);
            }
            if done == self.positions.len() {
                let end = if self.depth().is_some() {
                    End::Won
                } else {
                    End::Lost
                };
                return (Ok(end), depth);
            }
            if bound.is_some_and(|bound| depth >= bound) {
                return (Ok(End::Bound), depth);
            }
            let level = done..self.positions.len();
            if let Err(limit) = self.look_at(level.clone()) {
                return (Err(limit), depth);
            }
            self.rank(level.clone());
            done = level.end;
            depth += 1;
        }
    }

    fn start(&mut self) -> Result<(), Limit> {
        let models = self.machines.initial(Side::Model)?;
        let mutants = self.machines.initial(Side::Mutant)?;
        let mut number = |states: Vec<State>| {
            let states = states.into_iter().map(u64::from);
            self.sets.number(states.collect())
        };
        let (model, mutant) = (number(models), number(mutants));
        self.number(Beliefs { mutant, model })?;
        Ok(())
    }

    fn number(&mut self, beliefs: Beliefs) -> Result<usize, Limit> {
        if let Some(&number) = self.numbers.get(&beliefs) {
            return Ok(number);
        }
        let weight = self.positions.len() + (self.sets.total() + self.edges) / 64;
        if weight >= self.allowed {
            return Err(Limit::Listing);
        }
        let number = self.positions.len();
        self.numbers.insert(beliefs, number);
        self.positions.push(beliefs);
        self.parents.push(Vec::new());
        self.ranks.push([NEVER; 4]);
        Ok(number)
    }

    /// Returns the states in a set of states.
    pub(super) fn states(&self, set: SetId) -> impl Iterator<Item = State> + '_ {
        self.sets.members(set).iter().map(|&state| state as State)
    }

    /// Expands the positions with indices in `level`: computes the result of every input.
    fn look_at(&mut self, level: std::ops::Range<usize>) -> Result<(), Limit> {
        for side in [Side::Model, Side::Mutant] {
            let beliefs = self.positions[level.clone()].iter();
            let sets = beliefs.map(|b| match side {
                Side::Model => b.model,
                Side::Mutant => b.mutant,
            });
            let members = sets.flat_map(|set| self.sets.members(set));
            let states: Vec<State> = members.map(|&state| state as State).collect();
            self.machines.list(side, states)?;
        }
        for position in level {
            self.machines.go_on(self.bytes())?;
            let beliefs = self.positions[position];
            let mut offers = Vec::new();
            for valuation in self.valuations(beliefs) {
                self.machines.go_on(self.bytes())?;
                offers.extend(self.offer(beliefs, valuation)?);
            }
            for offer in &offers {
                self.edges += offer.open.len() + 1;
                for &(_, child) in &offer.open {
                    if self.parents[child].last() != Some(&position) {
                        self.parents[child].push(position);
                    }
                }
            }
            debug_assert_eq!(self.offers.len(), position);
            self.offers.push(offers);
        }
        Ok(())
    }

    /// Returns the least input valuation of each class that the states in the position do not distinguish, ascending.
    fn valuations(&self, beliefs: Beliefs) -> Vec<Valuation> {
        let sets = [(Side::Mutant, beliefs.mutant), (Side::Model, beliefs.model)];
        let states = sets.into_iter().flat_map(|(side, set)| {
            let states = self.states(set);
            states.map(move |state| (side, state))
        });
        self.machines.distinct_valuations(states)
    }

    /// Returns the results of an input at a position; `None` if no possible state of the model accepts it.
    fn offer(&mut self, beliefs: Beliefs, valuation: Valuation) -> Result<Option<Offer>, Limit> {
        let model = self.moves(Side::Model, beliefs.model, valuation);
        if model.is_empty() {
            return Ok(None);
        }
        let mutant = self.moves(Side::Mutant, beliefs.mutant, valuation);
        let mut offer = Offer {
            valuation,
            ended: 0,
            open: Vec::new(),
        };
        let mut expected = by_output(&model).peekable();
        for shown in by_output(&mutant) {
            while expected
                .next_if(|e| e[0].output < shown[0].output)
                .is_some()
            {
                offer.ended |= OF_MODEL;
            }
            match expected.next_if(|e| e[0].output == shown[0].output) {
                None => offer.ended |= OF_MUTANT,
                Some(_) if fault::planted(Fault::EarlyPass) => offer.ended |= OF_MODEL,
                Some(same) => {
                    let beliefs = Beliefs {
                        mutant: self.after(shown),
                        model: self.after(same),
                    };
                    offer.open.push((shown[0].output, self.number(beliefs)?));
                }
            }
        }
        if expected.next().is_some() {
            offer.ended |= OF_MODEL;
        }
        Ok(Some(offer))
    }

    /// Returns all moves of a side from these states under an input valuation, ascending.
    pub(super) fn moves(&self, side: Side, states: SetId, valuation: Valuation) -> Vec<Move> {
        let states = self.states(states);
        let mut moves: Vec<Move> = states
            .flat_map(|state| self.machines.moves(side, state, valuation))
            .copied()
            .collect();
        moves.sort_unstable();
        moves.dedup();
        moves
    }

    fn after(&mut self, moves: &[Move]) -> SetId {
        let states = moves.iter().map(|step| u64::from(step.next));
        self.sets.number(states.collect())
    }

    /// Updates the ranks of all positions after those with indices in `fresh` have been expanded.
    fn rank(&mut self, fresh: impl Iterator<Item = usize>) {
        let mut todo: std::collections::VecDeque<usize> = fresh.collect();
        let mut waiting = vec![false; self.positions.len()];
        for &position in &todo {
            waiting[position] = true;
        }
        while let Some(position) = todo.pop_front() {
            waiting[position] = false;
            let offers = self.offers[position].iter();
            let better = offers.fold(self.ranks[position], |mut best, offer| {
                let ranks = self.stages(offer).last().copied().unwrap_or([NEVER; 4]);
                for (best, rank) in best.iter_mut().zip(ranks) {
                    *best = (*best).min(rank.saturating_add(1));
                }
                best
            });
            if better != self.ranks[position] {
                self.ranks[position] = better;
                for &parent in &self.parents[position] {
                    if !std::mem::replace(&mut waiting[parent], true) {
                        todo.push_back(parent);
                    }
                }
            }
        }
    }

    /// Returns a list of ranks of strategies after an input: its entry n holds if only the first n of its open outputs need an answer.
    pub(super) fn stages(&self, offer: &Offer) -> Vec<Ranks> {
        let mut ranks = [NEVER; 4];
        ranks[offer.ended] = 0;
        let mut stages = vec![ranks];
        for &(_, child) in &offer.open {
            ranks = both(ranks, self.ranks[child]);
            stages.push(ranks);
        }
        stages
    }
}

/// Returns the sorted moves in groups of equal output.
pub(super) fn by_output(moves: &[Move]) -> impl Iterator<Item = &[Move]> {
    moves.chunk_by(|a, b| a.output == b.output)
}

/// Returns the ranks of strategies that combine two strategies: the sides with complete plays add up, and the depth is the greater one.
fn both(one: Ranks, other: Ranks) -> Ranks {
    let mut ranks = [NEVER; 4];
    for (a, &rank_a) in one.iter().enumerate() {
        for (b, &rank_b) in other.iter().enumerate() {
            ranks[a | b] = ranks[a | b].min(rank_a.max(rank_b));
        }
    }
    ranks
}
