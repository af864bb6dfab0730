//! Decides φ2 and φ3 for all lengths at once, by the subset construction (semantics.md §2).
//!
//! A position of φ2 is one state of the mutant and all states of the model that are possible after the same outputs. A position of φ3 is
//! all pairs of states that are possible after the same outputs. An empty set of states or pairs is a kill, if the inputs are accepted. A
//! state that can still agree and accepts the inputs shows that. Otherwise the search restarts with all states of either side in its
//! positions, independent of outputs. The search is breadth-first, so the first kill is a shortest one.

use hyperkill_core::budget::{Budget, Stop};
use hyperkill_core::{ConditionalMutant, SelectorId};
use hyperkill_evidence::closed_set::{ClosedSet, Relation};
use rustc_hash::FxHashMap;

use super::known_steps::KnownSteps;
use super::machine::{
    Limit, Machines, Move, Output, ShownValues, Side, State, Valuation, ValuationClasses,
    listed_agreeing,
};
use super::search::{Positions, Spot, Way, list, pair};
use super::sets::SetId;
use super::simulation_relation::simulation_knowing;
use super::witness::{Agreement, witness};
use super::{Explored, Listing, Witness};
use crate::schedule::engine_efforts::SETS_FIRST_PART;

/// Decides φ2: returns a shortest potentially killing test, or a proof that none exists.
///
/// With a `bound`, longer tests are not searched.
#[must_use]
pub fn potential(
    model: &ConditionalMutant,
    mutant: SelectorId,
    effort: &Listing,
    bound: Option<usize>,
    budget: &Budget,
) -> Explored<Witness> {
    let steps = KnownSteps::default();
    potential_knowing(model, mutant, effort, bound, &steps, budget)
}

/// Decides like [`potential`], with a cache of steps of the circuit.
#[must_use]
pub fn potential_knowing(
    model: &ConditionalMutant,
    mutant: SelectorId,
    effort: &Listing,
    bound: Option<usize>,
    steps: &KnownSteps,
    budget: &Budget,
) -> Explored<Witness> {
    let question = Question {
        model,
        mutant,
        relation: Relation::Matched,
        steps,
        budget,
    };
    question.decide(effort, bound)
}

/// Decides φ3: returns a shortest definitely killing test, or a proof that none exists.
///
/// With a `bound`, longer tests are not searched.
#[must_use]
pub fn definite(
    model: &ConditionalMutant,
    mutant: SelectorId,
    effort: &Listing,
    bound: Option<usize>,
    budget: &Budget,
) -> Explored<Witness> {
    let steps = KnownSteps::default();
    definite_knowing(model, mutant, effort, bound, &steps, budget)
}

/// Decides like [`definite`], with a cache of steps of the circuit.
#[must_use]
pub fn definite_knowing(
    model: &ConditionalMutant,
    mutant: SelectorId,
    effort: &Listing,
    bound: Option<usize>,
    steps: &KnownSteps,
    budget: &Budget,
) -> Explored<Witness> {
    let question = Question {
        model,
        mutant,
        relation: Relation::Agreeing,
        steps,
        budget,
    };
    question.decide(effort, bound)
}

/// The result of one search; numbers are lengths, in steps, up to which no test kills.
enum Found {
    Settled(Explored<Witness>),
    Unclear(usize),
    Bound(usize),
    TooLarge(usize),
    Stopped(usize, Stop),
}

/// A question about one mutant: a kill for this relation, or a proof that there is none.
struct Question<'a> {
    model: &'a ConditionalMutant,
    mutant: SelectorId,
    relation: Relation,
    steps: &'a KnownSteps,
    budget: &'a Budget,
}

impl Question<'_> {
    fn decide(&self, effort: &Listing, bound: Option<usize>) -> Explored<Witness> {
        let first = Listing {
            positions: effort.positions / SETS_FIRST_PART,
            ..*effort
        };
        let mut refuted = 0;
        for (part, is_last) in [(&first, false), (effort, true)] {
            let mut found = self.search(part, false, bound);
            if let Found::Unclear(depth) = found {
                refuted = refuted.max(depth);
                found = self.search(part, true, bound);
            }
            match found {
                Found::Settled(answer) => return answer,
                Found::Bound(depth) | Found::Unclear(depth) => {
                    refuted = refuted.max(depth);
                    return Explored::TooLarge { refuted };
                }
                Found::Stopped(depth, stop) => {
                    refuted = refuted.max(depth);
                    return Explored::Stopped { refuted, stop };
                }
                Found::TooLarge(depth) => refuted = refuted.max(depth),
            }
            if !is_last {
                // The number of sets may explode where single pairs suffice.
                match self.simulation(effort) {
                    Ok(Some(closed)) => return Explored::Excluded(closed),
                    Ok(None) => {}
                    Err(stop) => return Explored::Stopped { refuted, stop },
                }
            }
        }
        Explored::TooLarge { refuted }
    }

    fn simulation(&self, effort: &Listing) -> Result<Option<ClosedSet>, Stop> {
        let (model, mutant, relation) = (self.model, self.mutant, self.relation);
        simulation_knowing(model, mutant, relation, effort, self.steps, self.budget)
    }

    /// Searches positions (sets of pairs of states) breadth-first. With `tracked`, positions also contain all states of either side,
    /// whatever the outputs.
    fn search(&self, effort: &Listing, tracked: bool, bound: Option<usize>) -> Found {
        let mut search = SubsetSearch {
            machines: Machines::new(
                self.model,
                self.mutant,
                ShownValues::Representatives,
                effort,
                self.steps,
                self.budget,
            ),
            positions: Positions::default(),
            relation: self.relation,
            tracked,
            allowed: effort.positions,
            splits: FxHashMap::default(),
            images: FxHashMap::default(),
            valuations: FxHashMap::default(),
        };
        let (end, depth) = search.run(bound);
        match end {
            Ok(End::Killed(kill)) => match search.witness(&kill) {
                Some(witness) => Found::Settled(Explored::Killed(witness)),
                // Impossible: see `witness`.
                None => Found::TooLarge(depth),
            },
            Ok(End::Closed) => {
                let machines = &search.machines;
                let positions = &search.positions;
                let closed = positions.closed_set(machines, self.mutant, self.relation);
                Found::Settled(Explored::Excluded(closed))
            }
            Ok(End::Unclear) => Found::Unclear(depth),
            Ok(End::Bound) => Found::Bound(depth),
            Err(Limit::Listing) => Found::TooLarge(depth),
            Err(Limit::Stopped(stop)) => Found::Stopped(depth, stop),
        }
    }
}

/// How a search through positions ended.
enum End {
    /// A test kills with the last step of this path.
    Killed(Way),
    /// All positions have been visited, and no test kills.
    Closed,
    /// A set of pairs is empty, so that a test kills if its inputs are accepted, which the search does not know.
    Unclear,
    /// The bound on the length was reached, and no test within it kills.
    Bound,
}

/// The states of the model after one more step: for each output, ascending, the set of states.
type Split = Vec<(Output, SetId)>;

struct SubsetSearch<'a> {
    machines: Machines<'a>,
    positions: Positions,
    relation: Relation,
    /// Whether positions also contain all states of either side after the inputs, whatever the outputs.
    tracked: bool,
    /// Limit on the positions that are listed.
    allowed: usize,
    /// The successors of sets of the model's states, by output, cached for the current level.
    splits: FxHashMap<(SetId, Valuation), Split>,
    /// The states of a side after one more step with any output, cached for the current level.
    images: FxHashMap<(SetId, Side, Valuation), SetId>,
    /// Cached for the current level: classes of input valuations that the states of the model distinguish; keys are the agreeing states and
    /// all states.
    valuations: FxHashMap<(SetId, Option<SetId>), ValuationClasses>,
}

impl SubsetSearch<'_> {
    /// Searches level by level, to a depth of `bound` steps. Returns how the search ended, and the length up to which no test kills.
    fn run(&mut self, bound: Option<usize>) -> (Result<End, Limit>, usize) {
        let mut depth = 0;
        let mut level = match self.initial() {
            Ok(level) => level,
            Err(limit) => return (Err(limit), depth),
        };
        while !level.is_empty() {
            if bound.is_some_and(|bound| depth >= bound) {
                return (Ok(End::Bound), depth);
            }
            match self.next_level(&level) {
                Ok(Ok(next)) => level = next,
                Ok(Err(end)) => return (Ok(end), depth),
                Err(limit) => return (Err(limit), depth),
            }
            depth += 1;
        }
        (Ok(End::Closed), depth)
    }

    fn initial(&mut self) -> Result<Vec<usize>, Limit> {
        let models = self.machines.initial(Side::Model)?;
        let mutants = self.machines.initial(Side::Mutant)?;
        let pairs = match self.relation {
            Relation::Matched => models.len().checked_add(mutants.len()),
            Relation::Agreeing => models.len().checked_mul(mutants.len()),
        };
        if pairs.is_none_or(|pairs| pairs / 64 > self.allowed) {
            return Err(Limit::Listing);
        }
        let sets = &mut self.positions.sets;
        let tracked = self.tracked;
        let mut all = |states: &[State]| {
            tracked.then(|| sets.number(states.iter().map(|&s| u64::from(s)).collect()))
        };
        let (model, mutant) = (all(&models), all(&mutants));
        let mut level = Vec::new();
        match self.relation {
            Relation::Matched => {
                let states = models.iter().map(|&o| u64::from(o));
                let pairs = self.positions.sets.number(states.collect());
                level.extend(mutants.iter().map(|&run| Spot {
                    run: Some(run),
                    pairs,
                    mutant: None,
                    model,
                }));
            }
            Relation::Agreeing => {
                let pairs = mutants
                    .iter()
                    .flat_map(|&m| models.iter().map(move |&o| pair(m, o)));
                let pairs = pairs.collect();
                level.push(Spot {
                    run: None,
                    pairs: self.positions.sets.number(pairs),
                    mutant,
                    model,
                });
            }
        }
        level.retain(|&spot| self.positions.is_new(spot));
        let level = level.into_iter().map(|spot| (spot, None)).collect();
        Ok(self.positions.admit(level))
    }

    /// Expands the positions with these indices. Returns the indices of the next level, or how the search ends.
    fn next_level(&mut self, level: &[usize]) -> Result<Result<Vec<usize>, End>, Limit> {
        list(&mut self.machines, &self.positions, level)?;
        self.splits.clear();
        self.images.clear();
        self.valuations.clear();
        let mut next = Vec::new();
        let mut unclear = false;
        for &from in level {
            self.machines.go_on(self.positions.bytes())?;
            let end = match self.relation {
                Relation::Matched => self.expand_matched(from, &mut next)?,
                Relation::Agreeing => self.expand_agreeing(from, &mut next)?,
            };
            match end {
                Some(End::Unclear) => unclear = true,
                Some(end) => return Ok(Err(end)),
                None => {}
            }
        }
        if unclear {
            return Ok(Err(End::Unclear));
        }
        Ok(Ok(self.positions.admit(next)))
    }

    fn push(
        &mut self,
        spot: Spot,
        way: Way,
        next: &mut Vec<(Spot, Option<Way>)>,
    ) -> Result<(), Limit> {
        if self.positions.is_new(spot) {
            next.push((spot, Some(way)));
        }
        if self.positions.weight() > self.allowed {
            return Err(Limit::Listing);
        }
        Ok(())
    }

    /// Returns the least input valuation of each class that the states in the position do not distinguish, ascending.
    fn valuations(&mut self, spot: Spot) -> Vec<Valuation> {
        let machines = &self.machines;
        let of_model = || {
            let states = self.positions.named(spot, Side::Model);
            let states = states.map(|state| (Side::Model, state));
            machines.told_apart(machines.all_alike(), states)
        };
        match spot.run {
            // Many runs of the mutant are paired with the same states of the model.
            Some(run) => {
                let key = (spot.pairs, spot.model);
                let classes = self.valuations.entry(key).or_insert_with(of_model).clone();
                let classes = machines.told_apart(classes, [(Side::Mutant, run)]);
                classes.representatives()
            }
            None => {
                let states = self.positions.named(spot, Side::Mutant);
                let states = states.map(|state| (Side::Mutant, state));
                machines.told_apart(of_model(), states).representatives()
            }
        }
    }

    fn expand_matched(
        &mut self,
        from: usize,
        next: &mut Vec<(Spot, Option<Way>)>,
    ) -> Result<Option<End>, Limit> {
        let (spot, _) = self.positions.found[from];
        let Some(run) = spot.run else {
            return Ok(None);
        };
        let mut unclear = None;
        for valuation in self.valuations(spot) {
            self.machines.go_on(self.positions.bytes())?;
            let steps = self.machines.moves(Side::Mutant, run, valuation).to_vec();
            if steps.is_empty() {
                continue;
            }
            let model = match spot.model {
                Some(all) => match self.image(all, Side::Model, valuation) {
                    None => continue,
                    image => image,
                },
                None => None,
            };
            self.split(spot.pairs, valuation);
            for step in steps {
                let split = &self.splits[&(spot.pairs, valuation)];
                let way = Way {
                    from,
                    valuation,
                    step: Some(step),
                };
                match split.binary_search_by_key(&step.output, |&(output, _)| output) {
                    Ok(at) => {
                        let spot = Spot {
                            run: Some(step.next),
                            pairs: split[at].1,
                            mutant: None,
                            model,
                        };
                        self.push(spot, way, next)?;
                    }
                    // Some state that has agreed so far has a next step, so the model accepts the input.
                    Err(_) if self.tracked || !split.is_empty() => {
                        return Ok(Some(End::Killed(way)));
                    }
                    Err(_) => unclear = Some(End::Unclear),
                }
            }
        }
        Ok(unclear)
    }

    fn expand_agreeing(
        &mut self,
        from: usize,
        next: &mut Vec<(Spot, Option<Way>)>,
    ) -> Result<Option<End>, Limit> {
        let (spot, _) = self.positions.found[from];
        let mut unclear = None;
        for valuation in self.valuations(spot) {
            self.machines.go_on(self.positions.bytes())?;
            let mut all = [None; 2];
            let sides = [(spot.mutant, Side::Mutant), (spot.model, Side::Model)];
            for (image, (states, side)) in all.iter_mut().zip(sides) {
                *image = states.and_then(|states| self.image(states, side, valuation));
            }
            let [mutant, model] = all;
            if self.tracked && (mutant.is_none() || model.is_none()) {
                continue;
            }
            let mut pairs = Vec::new();
            let mut accepted = [false; 2];
            for (m, o) in self.positions.pairs(spot) {
                let mutated = self.machines.moves(Side::Mutant, m, valuation);
                let original = self.machines.moves(Side::Model, o, valuation);
                accepted[0] |= !mutated.is_empty();
                accepted[1] |= !original.is_empty();
                let room = (64 * self.allowed).saturating_sub(pairs.len());
                let common = listed_agreeing(mutated, original, room)?.into_iter();
                pairs.extend(common.map(|(m, o)| pair(m.next, o.next)));
            }
            let way = Way {
                from,
                valuation,
                step: None,
            };
            if !pairs.is_empty() {
                let spot = Spot {
                    run: None,
                    pairs: self.positions.sets.number(pairs),
                    mutant,
                    model,
                };
                self.push(spot, way, next)?;
            } else if self.tracked || accepted == [true; 2] {
                return Ok(Some(End::Killed(way)));
            } else {
                unclear = Some(End::Unclear);
            }
        }
        Ok(unclear)
    }

    /// Adds to `splits` the successors of these states of the model under an input valuation, by output.
    fn split(&mut self, states: SetId, valuation: Valuation) {
        let sets = &mut self.positions.sets;
        self.splits.entry((states, valuation)).or_insert_with(|| {
            let states = sets.members(states).iter();
            let mut moves: Vec<Move> = states
                .flat_map(|&state| self.machines.moves(Side::Model, state as State, valuation))
                .copied()
                .collect();
            moves.sort_unstable();
            let by_output = moves.chunk_by(|a, b| a.output == b.output);
            by_output
                .map(|group| {
                    let states = group.iter().map(|step| u64::from(step.next));
                    (group[0].output, sets.number(states.collect()))
                })
                .collect()
        });
    }

    /// Returns the set of states of a side after one step under an input valuation; `None` if the set is empty.
    fn image(&mut self, states: SetId, side: Side, valuation: Valuation) -> Option<SetId> {
        let image = match self.images.get(&(states, side, valuation)) {
            Some(&image) => image,
            None => {
                let next = self.positions.plain(states).flat_map(|state| {
                    let moves = self.machines.moves(side, state, valuation);
                    moves.iter().map(|step| u64::from(step.next))
                });
                let next = next.collect();
                let image = self.positions.sets.number(next);
                self.images.insert((states, side, valuation), image);
                image
            }
        };
        (!self.positions.sets.members(image).is_empty()).then_some(image)
    }

    fn witness(&self, kill: &Way) -> Option<Witness> {
        let (spots, mut ways) = self.positions.path(kill.from);
        ways.push(*kill);
        let pairs = spots.iter();
        let pairs = pairs.map(|&spot| self.positions.pairs(spot).collect());
        let layers = |side| {
            let spots = spots.iter();
            let mut layers: Vec<Vec<State>> = spots
                .map(|&spot| self.positions.states(spot, side))
                .collect();
            let last = layers.last().into_iter().flatten();
            let beyond = last.flat_map(|&state| self.machines.moves(side, state, kill.valuation));
            layers.push(beyond.map(|step| step.next).collect());
            layers
        };
        let agreement = Agreement {
            valuations: ways.iter().map(|way| way.valuation).collect(),
            pairs: pairs.collect(),
            mutant: layers(Side::Mutant),
            model: layers(Side::Model),
            outputs: ways
                .iter()
                .map(|way| way.step.map(|step| step.output))
                .collect(),
        };
        witness(&self.machines, &agreement)
    }
}
