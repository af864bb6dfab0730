//! Search for tests on state estimates (semantics.md §6.9): the possible states of mutants, and the possible states of the model after the
//! same inputs and outputs. A test kills if a mutant gives an output that no possible state of the model can give.
//!
//! The model's estimate depends on inputs and outputs only. So one search serves all mutants of a family, and inputs and outputs that lead
//! to the same estimate are processed together.

use std::cmp::Reverse;
use std::collections::BinaryHeap;

use hyperkill_core::budget::{Budget, Stop};
use hyperkill_core::trace::Stimulus;
use hyperkill_core::{ConditionalMutant, SelectorId};
use hyperkill_evidence::estimates::Estimates;
use hyperkill_evidence::fault::{Fault, planted};
use rustc_hash::FxHashMap;

use super::Limits;
use super::relation::Relation;
use super::store::{Bdd, Level};
use super::system::{MODEL, MUTANT, System};

/// A test that kills a mutant, as runs of both sides on its inputs.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Kill {
    /// The mutant that is killed.
    pub mutant: SelectorId,
    /// A run of the original on the inputs.
    pub model_run: Stimulus,
    /// A run of the mutant. No run of the original has its outputs.
    pub mutant_run: Stimulus,
}

/// The result of a search on state estimates.
#[derive(Clone, PartialEq, Eq, Default, Debug)]
pub struct Searched {
    /// The kills found, each with the mutant and runs that show it.
    pub kills: Vec<Kill>,
    /// The proof that no test kills the remaining mutants, if the search was exhaustive. Not yet certified.
    pub proof: Option<Estimates>,
}

/// Searches tests of at most `bound` steps that kill members potentially, and a proof that no test kills the remaining members. The search
/// ends at a limit, with the budget, or when all mutants are killed or all positions expanded. At most `positions` positions are visited.
#[must_use]
pub fn search(
    model: &ConditionalMutant,
    members: &[SelectorId],
    positions: usize,
    bound: Option<usize>,
    limits: Limits,
    budget: &Budget,
) -> Searched {
    let mut searched = Searched::default();
    // A limit that ends the search keeps the kills found before.
    let _ended: Result<(), Stop> =
        System::new(model, members, limits, budget).and_then(|mut system| {
            let mut search = KillSearch::new(&mut system)?;
            let left = search.run(members, positions, bound, &mut searched.kills)?;
            searched.proof = match left {
                Some(left) => search.estimates(members, left)?,
                None => None,
            };
            Ok(())
        });
    searched
}

/// The cost that delays a position in which every mutant's state is also a possible state of the model.
const LATER: usize = 16;

/// The joint state estimate of the model and the mutants after some inputs and outputs.
pub(super) struct Position {
    /// States of the mutants, with the selector of each.
    pub(super) mutants: Bdd,
    /// States of the model after the same inputs and outputs: those that agree with the mutants so far.
    pub(super) agreeing: Bdd,
    /// States of the model after the same inputs, with any outputs: those that accept them.
    pub(super) accepting: Bdd,
    /// The index of the previous position, with the inputs and outputs between them; `None` for the first.
    pub(super) before: Option<(usize, Bdd)>,
    pub(super) steps: usize,
}

/// A pair of state estimates of the model (`agreeing`, `accepting`), shared by all positions that have it.
pub(super) struct Known {
    pub(super) agreeing: Bdd,
    pub(super) accepting: Bdd,
    /// The mutants' states in all positions with this pair of estimates.
    mutants: Bdd,
    /// The mutants' states whose steps have been expanded here. Steps of their other states in `mutants` have been expanded at subsuming
    /// entries.
    pub(super) expanded: Bdd,
    /// Indices of entries that subsume this one: `agreeing` is a subset, `accepting` a superset.
    pub(super) below: Vec<usize>,
}

pub(super) struct KillSearch<'s, 'm> {
    pub(super) system: &'s mut System<'m>,
    pub(super) positions: Vec<Position>,
    /// The pairs of state estimates of the model that occur in positions, each once.
    pub(super) known: Vec<Known>,
    known_by_sets: FxHashMap<(Bdd, Bdd), usize>,
    /// Two relations of the model: from a state to the inputs and outputs of its steps, and to the inputs that it accepts.
    shows: [Relation; 2],
    /// Two relations from the model's states to next states: of agreeing and of accepting states.
    goes: [Relation; 2],
    /// Two relations from the model's states to next states together with inputs and outputs: of agreeing and of accepting states.
    goes_by: [Relation; 2],
    /// The relation of the mutants from a state to the inputs and outputs of its steps; the next field has that to next states.
    mutants_show: Relation,
    mutants_go: Relation,
    /// For each side the conjuncts that a step must satisfy, outputs included.
    pub(super) all_parts: [Vec<Bdd>; 2],
}

impl<'s, 'm> KillSearch<'s, 'm> {
    fn new(system: &'s mut System<'m>) -> Result<KillSearch<'s, 'm>, Stop> {
        let inputs = system.input_levels();
        let observed = [inputs.clone(), system.shown.clone()].concat();
        let sides = [MODEL, MUTANT].map(|side| {
            let side = &system.sides[side];
            [side.now(), side.chosen()].concat()
        });
        let [of_model, of_mutant] = sides;
        let with_outputs = [system.parts(MODEL, true)?, system.parts(MUTANT, true)?];
        let without = system.parts(MODEL, false)?;
        let shown = [
            system.observed_parts(MODEL)?,
            system.observed_parts(MUTANT)?,
        ];
        let constraints = system.sides[MODEL].constraints.clone();
        let store = &mut system.store;
        let shows = [
            Relation::new(store, &shown[MODEL], &of_model)?,
            Relation::new(store, &constraints, &of_model)?,
        ];
        let by_observed = [of_model.clone(), observed.clone()].concat();
        let by_inputs = [of_model.clone(), inputs].concat();
        let goes = [
            Relation::new(store, &with_outputs[MODEL], &by_observed)?,
            Relation::new(store, &without, &by_inputs)?,
        ];
        let goes_by = [
            Relation::new(store, &with_outputs[MODEL], &of_model)?,
            Relation::new(store, &without, &of_model)?,
        ];
        let mutants_show = Relation::new(store, &shown[MUTANT], &of_mutant)?;
        let by_observed = [of_mutant, observed].concat();
        let mutants_go = Relation::new(store, &with_outputs[MUTANT], &by_observed)?;
        Ok(KillSearch {
            system,
            positions: Vec::new(),
            known: Vec::new(),
            known_by_sets: FxHashMap::default(),
            shows,
            goes,
            goes_by,
            mutants_show,
            mutants_go,
            all_parts: with_outputs,
        })
    }

    /// Expands positions, cheapest first, and adds kills to `found`. Returns the members, as values of selectors, that no test kills, if
    /// all positions have been expanded.
    fn run(
        &mut self,
        members: &[SelectorId],
        most: usize,
        bound: Option<usize>,
        found: &mut Vec<Kill>,
    ) -> Result<Option<Bdd>, Stop> {
        let mut is_all = true;
        let mut live = self.system.one_member;
        let [model, mutants] = [MODEL, MUTANT].map(|side| self.system.sides[side].initial);
        let mutants = self.system.store.and(mutants, live)?;
        let mut open = BinaryHeap::new();
        let start = Position {
            mutants,
            agreeing: model,
            accepting: model,
            before: None,
            steps: 0,
        };
        let start = self.add(start)?;
        open.extend(start.map(|start| (Reverse(0), Reverse(start))));
        while let Some((_, Reverse(number))) = open.pop() {
            if live == Bdd::FALSE {
                return Ok(None);
            }
            let Position {
                mutants,
                agreeing,
                accepting,
                ..
            } = self.positions[number];
            let mutants = self.system.store.and(mutants, live)?;
            let known = self.known(agreeing, accepting)?;
            let mutants = self.unsubsumed(mutants, known)?;
            if mutants == Bdd::FALSE {
                continue;
            }
            self.positions[number].mutants = mutants;
            live = self.kill_here(number, members, live, found)?;
            let ends = bound.is_some_and(|bound| self.positions[number].steps + 2 > bound);
            if ends || self.positions.len() >= most {
                is_all = false;
                continue;
            }
            let expanded = self.known[known].expanded;
            self.known[known].expanded = self.system.store.or(expanded, mutants)?;
            for next in self.expand(number, live, most)? {
                let cost = self.cost(next)?;
                open.push((Reverse(cost), Reverse(next)));
            }
            self.keep(live);
        }
        Ok((is_all && live != Bdd::FALSE).then_some(live))
    }

    /// Returns the cost of a position, by index; the position of least cost is expanded next. The cost is low if a mutant is in a state
    /// that the model cannot be in. It grows with the model's estimate and the number of steps.
    fn cost(&mut self, number: usize) -> Result<usize, Stop> {
        let Position {
            mutants,
            agreeing,
            steps,
            ..
        } = self.positions[number];
        let [model, mutant] = [&self.system.sides[MODEL], &self.system.sides[MUTANT]];
        let pairs = model.states.iter().zip(&mutant.states);
        let pairs: Vec<(Level, Level)> = pairs.map(|(o, m)| (o.now, m.now)).collect();
        let store = &mut self.system.store;
        let images: Vec<(Level, Bdd)> = pairs
            .into_iter()
            .map(|(o, m)| (o, store.variable(m)))
            .collect();
        let beside = store.substitution(images);
        let alike = store.substitute(agreeing, &beside)?;
        let differs = !store.implies(mutants, alike)?;
        let later = if differs { 0 } else { LATER };
        Ok(2 * self.weight(agreeing) + steps + later)
    }

    /// Returns twice the binary logarithm of the number of states in a set of the model's states.
    fn weight(&self, states: Bdd) -> usize {
        let levels = self.system.store.levels();
        let count = self.system.store.count(states, levels);
        let others = levels - self.system.sides[MODEL].states.len();
        let bits = count.max(1.0).log2() - others as f64;
        (bits.max(0.0) * 2.0) as usize
    }

    fn keep(&mut self, live: Bdd) {
        let mut roots = self.system.roots();
        let relations = self.shows.iter().chain(&self.goes).chain(&self.goes_by);
        let relations = relations.chain([&self.mutants_show, &self.mutants_go]);
        roots.extend(relations.flat_map(Relation::roots));
        roots.extend(self.all_parts.iter().flatten().copied());
        roots.push(live);
        for known in &self.known {
            roots.extend([known.agreeing, known.accepting]);
            roots.extend([known.mutants, known.expanded]);
        }
        for position in &self.positions {
            let by = position.before.map_or(Bdd::TRUE, |(_, by)| by);
            roots.extend([position.mutants, position.agreeing, position.accepting, by]);
        }
        self.system.store.keep(roots);
    }

    /// Adds to `found` the kills by one more step from a position, and returns the members of `live` that are not killed there.
    fn kill_here(
        &mut self,
        number: usize,
        members: &[SelectorId],
        mut live: Bdd,
        found: &mut Vec<Kill>,
    ) -> Result<Bdd, Stop> {
        let Position {
            mutants,
            agreeing,
            accepting,
            ..
        } = self.positions[number];
        let store = &mut self.system.store;
        let answered = self.shows[0].image(store, agreeing)?;
        let accepted = self.shows[1].image(store, accepting)?;
        let shown = self.mutants_show.image(store, mutants)?;
        let killing = store.without(shown, answered)?;
        let mut killing = store.and(killing, accepted)?;
        while killing != Bdd::FALSE {
            let Some(mutant) = self.member_of(killing, members) else {
                break;
            };
            let selected = self.selected(mutant)?;
            let own = self.system.store.and(killing, selected)?;
            if let Some(kill) = self.runs(mutant, number, own)? {
                found.push(kill);
            }
            let store = &mut self.system.store;
            killing = store.without(killing, selected)?;
            live = store.without(live, selected)?;
        }
        Ok(live)
    }

    /// Returns a member whose selector is on in some valuation of the set; `None` for an empty set.
    fn member_of(&self, set: Bdd, members: &[SelectorId]) -> Option<SelectorId> {
        if self.system.selectors.is_empty() {
            return members.first().copied();
        }
        let values = self.system.store.pick(set)?;
        let on = values.into_iter().filter(|(_, value)| *value);
        let mut on = on.filter_map(|(level, _)| {
            let selectors = self.system.selectors.iter();
            selectors.map(|&(id, of)| (id, of)).find(|s| s.1 == level)
        });
        on.next().map(|(id, _)| id)
    }

    /// Returns the condition that the selector of this member is on.
    pub(super) fn selected(&mut self, member: SelectorId) -> Result<Bdd, Stop> {
        let selector = self.system.selectors.iter().find(|s| s.0 == member);
        let Some(&(_, level)) = selector else {
            return Ok(Bdd::TRUE);
        };
        let variable = self.system.store.variable(level);
        self.system.store.and(variable, self.system.one_member)
    }

    /// Adds the positions after one more step from a position, for all inputs and outputs, while there are fewer than `most`. Returns the
    /// indices of those that are new.
    fn expand(&mut self, number: usize, live: Bdd, most: usize) -> Result<Vec<usize>, Stop> {
        let Position {
            mutants,
            agreeing,
            accepting,
            steps,
            ..
        } = self.positions[number];
        let store = &mut self.system.store;
        let mutants = store.and(mutants, live)?;
        let [shown, answered] = self.shown_and_answered(mutants, agreeing)?;
        let mut left = self.system.store.and(shown, answered)?;
        let [by, accepted_by] = self.leads(agreeing, accepting)?;
        let mut found = Vec::new();
        while left != Bdd::FALSE && self.positions.len() < most {
            let class = self.class(left, by, accepted_by)?;
            left = self.system.store.without(left, class)?;
            let (agreeing, accepting) = self.after(agreeing, accepting, class)?;
            let mutants = self.mutants_after(mutants, class)?;
            let position = Position {
                mutants,
                agreeing,
                accepting,
                before: Some((number, class)),
                steps: steps + 1,
            };
            found.extend(self.add(position)?);
            if planted(Fault::ForgottenClass) {
                break;
            }
        }
        Ok(found)
    }

    /// Returns the model's two estimates after a step with inputs and outputs in `observed`: the successors of the agreeing states, and
    /// those of the accepting states, for which outputs do not count.
    pub(super) fn after(
        &mut self,
        agreeing: Bdd,
        accepting: Bdd,
        observed: Bdd,
    ) -> Result<(Bdd, Bdd), Stop> {
        let store = &mut self.system.store;
        let agreeing = store.and(agreeing, observed)?;
        let accepting = store.and(accepting, observed)?;
        let agreeing = self.goes[0].image(store, agreeing)?;
        let accepting = self.goes[1].image(store, accepting)?;
        let agreeing = self.system.present(MODEL, agreeing)?;
        let shown = self.system.shown.clone();
        let shown = self.system.store.cube(shown)?;
        let accepting = self.system.store.exists(accepting, shown)?;
        let accepting = self.system.present(MODEL, accepting)?;
        Ok((agreeing, accepting))
    }

    /// Returns the successors of the mutants' states by steps with inputs and outputs in `observed`.
    fn mutants_after(&mut self, mutants: Bdd, observed: Bdd) -> Result<Bdd, Stop> {
        let store = &mut self.system.store;
        let mutants = store.and(mutants, observed)?;
        let mutants = self.mutants_go.image(store, mutants)?;
        self.system.present(MUTANT, mutants)
    }

    /// Returns two sets of inputs and outputs: those of steps of the mutants from their states, and those of the model from its states.
    pub(super) fn shown_and_answered(
        &mut self,
        mutants: Bdd,
        agreeing: Bdd,
    ) -> Result<[Bdd; 2], Stop> {
        let store = &mut self.system.store;
        let shown = self.mutants_show.image(store, mutants)?;
        let selectors: Vec<Level> = self.system.selectors.iter().map(|s| s.1).collect();
        let selectors = store.cube(selectors)?;
        let shown = store.exists(shown, selectors)?;
        let answered = self.shows[0].image(store, agreeing)?;
        Ok([shown, answered])
    }

    /// Returns two relations from inputs and outputs to the model's next states: from its agreeing states, and from its accepting states.
    pub(super) fn leads(&mut self, agreeing: Bdd, accepting: Bdd) -> Result<[Bdd; 2], Stop> {
        let store = &mut self.system.store;
        let by = self.goes_by[0].image(store, agreeing)?;
        let accepted_by = self.goes_by[1].image(store, accepting)?;
        Ok([by, accepted_by])
    }

    /// Returns a subset of `left`, a set of inputs and outputs, all elements of which lead the model to the same two estimates. It contains
    /// the least element of `left`; `by` and `accepted_by` are the relations of [`KillSearch::leads`].
    pub(super) fn class(&mut self, left: Bdd, by: Bdd, accepted_by: Bdd) -> Result<Bdd, Stop> {
        let picked = self.system.store.pick(left).unwrap_or_default();
        let of = |level: Level| picked.iter().any(|&(l, value)| l == level && value);
        let observed = [self.system.input_levels(), self.system.shown.clone()].concat();
        let constants: Vec<(Level, Bdd)> = observed
            .iter()
            .map(|&level| (level, Bdd::constant(of(level))))
            .collect();
        let coming = self.system.sides[MODEL].coming();
        let store = &mut self.system.store;
        let coming = store.cube(coming)?;
        let fixed = store.substitution(constants);
        let mut class = left;
        for relation in [by, accepted_by] {
            let to = store.substitute(relation, &fixed)?;
            let other = store.xor(relation, to)?;
            let other = store.exists(other, coming)?;
            class = store.without(class, other)?;
        }
        Ok(class)
    }

    /// Adds a position, without the mutants' states that a subsuming position contains, and returns its index. `None` if no state of a
    /// mutant remains.
    fn add(&mut self, mut position: Position) -> Result<Option<usize>, Stop> {
        let known = self.known(position.agreeing, position.accepting)?;
        position.mutants = self.unsubsumed(position.mutants, known)?;
        let own = self.known[known].mutants;
        position.mutants = self.system.store.without(position.mutants, own)?;
        if position.mutants == Bdd::FALSE {
            return Ok(None);
        }
        self.known[known].mutants = self.system.store.or(own, position.mutants)?;
        self.positions.push(position);
        Ok(Some(self.positions.len() - 1))
    }

    /// Returns `mutants` without the states that entries which subsume the entry `known` contain.
    fn unsubsumed(&mut self, mut mutants: Bdd, known: usize) -> Result<Bdd, Stop> {
        for &other in &self.known[known].below {
            if mutants == Bdd::FALSE {
                break;
            }
            let other = self.known[other].mutants;
            mutants = self.system.store.without(mutants, other)?;
        }
        Ok(mutants)
    }

    /// Returns the index of the pair of estimates in the list `known`; adds it if it is new.
    pub(super) fn known(&mut self, agreeing: Bdd, accepting: Bdd) -> Result<usize, Stop> {
        if let Some(&known) = self.known_by_sets.get(&(agreeing, accepting)) {
            return Ok(known);
        }
        let number = self.known.len();
        let mut below = Vec::new();
        for other in 0..number {
            let store = &mut self.system.store;
            let theirs = &mut self.known[other];
            let is_less = store.implies(theirs.agreeing, agreeing)?
                && store.implies(accepting, theirs.accepting)?;
            if is_less != planted(Fault::ReversedEstimates) {
                below.push(other);
                continue;
            }
            let is_more = store.implies(agreeing, theirs.agreeing)?
                && store.implies(theirs.accepting, accepting)?;
            if is_more {
                theirs.below.push(number);
            }
        }
        self.known.push(Known {
            agreeing,
            accepting,
            mutants: Bdd::FALSE,
            expanded: Bdd::FALSE,
            below,
        });
        self.known_by_sets.insert((agreeing, accepting), number);
        Ok(number)
    }
}
