//! Search for tests on sets of states (semantics.md §6.9): what the mutants can be in, and what the model can be in if it has given the
//! same outputs, after the same inputs. A test kills once a mutant shows what no state of the model can.
//!
//! What the model can be in depends on inputs and outputs only. So one search serves all mutants of a family, and inputs and outputs that
//! lead to the same set of states are looked at together.

use std::cmp::Reverse;
use std::collections::BinaryHeap;

use hyperkill_core::budget::{Budget, Stop};
use hyperkill_core::trace::Stimulus;
use hyperkill_core::{ConditionalMutant, SelectorId};
use rustc_hash::FxHashMap;

use super::Limits;
use super::relation::Relation;
use super::store::{Bdd, Level};
use super::system::{MODEL, MUTANT, System};

/// Inputs that kill, with a run of either side that survives them.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Kill {
    /// The mutant that is killed.
    pub mutant: SelectorId,
    /// A run of the original on the inputs.
    pub model_run: Stimulus,
    /// A run of the mutant, whose outputs no run of the original gives.
    pub mutant_run: Stimulus,
}

/// Tests of at most `bound` steps that kill some of these mutants potentially, each with the runs that show it. The search ends where
/// limits or budget do, or once all are killed or nothing is left. Sets of states that are visited are counted too.
#[must_use]
pub fn kills(
    model: &ConditionalMutant,
    members: &[SelectorId],
    positions: usize,
    bound: Option<usize>,
    limits: Limits,
    budget: &Budget,
) -> Vec<Kill> {
    let mut found = Vec::new();
    // What stops the search takes nothing from what it has found.
    let _ended: Result<(), Stop> =
        System::new(model, members, limits, budget).and_then(|mut system| {
            let mut search = Search::new(&mut system)?;
            search.run(members, positions, bound, &mut found)
        });
    found
}

/// How much later positions come in which every mutant is in a state that the model can be in.
const LATER: usize = 16;

/// What can be the case after some inputs and outputs.
pub(super) struct Position {
    /// States of the mutants, beside the selector of each.
    pub(super) mutants: Bdd,
    /// States of the model that have given the same outputs.
    pub(super) agreeing: Bdd,
    /// States of the model after the same inputs.
    pub(super) accepting: Bdd,
    /// Where it comes from, and by which inputs and outputs.
    pub(super) before: Option<(usize, Bdd)>,
    pub(super) steps: usize,
}

pub(super) struct Search<'s, 'm> {
    pub(super) system: &'s mut System<'m>,
    pub(super) positions: Vec<Position>,
    known: FxHashMap<(Bdd, Bdd), Vec<usize>>,
    /// What the model can show, and what it accepts, from a set of its states.
    shows: [Relation; 2],
    /// To which states it gets.
    goes: [Relation; 2],
    /// The same beside the inputs and outputs by which it gets there.
    goes_by: [Relation; 2],
    /// Mutants, likewise: what they can show, and where they get.
    mutants_show: Relation,
    mutants_go: Relation,
    /// All that a step of either side must meet.
    pub(super) all_parts: [Vec<Bdd>; 2],
}

impl<'s, 'm> Search<'s, 'm> {
    fn new(system: &'s mut System<'m>) -> Result<Search<'s, 'm>, Stop> {
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
        Ok(Search {
            system,
            positions: Vec::new(),
            known: FxHashMap::default(),
            shows,
            goes,
            goes_by,
            mutants_show,
            mutants_go,
            all_parts: with_outputs,
        })
    }

    fn run(
        &mut self,
        members: &[SelectorId],
        most: usize,
        bound: Option<usize>,
        found: &mut Vec<Kill>,
    ) -> Result<(), Stop> {
        let mut live = self.system.one_member;
        let [model, mutants] = [MODEL, MUTANT].map(|side| self.system.sides[side].initial);
        let mutants = self.system.store.and(mutants, live)?;
        let mut open = BinaryHeap::new();
        self.positions.push(Position {
            mutants,
            agreeing: model,
            accepting: model,
            before: None,
            steps: 0,
        });
        open.push((Reverse(0), Reverse(0)));
        while let Some((_, Reverse(number))) = open.pop() {
            if live == Bdd::FALSE {
                return Ok(());
            }
            let mutants = self.positions[number].mutants;
            let mutants = self.system.store.and(mutants, live)?;
            if mutants == Bdd::FALSE {
                continue;
            }
            self.positions[number].mutants = mutants;
            live = self.kill_here(number, members, live, found)?;
            let ends = bound.is_some_and(|bound| self.positions[number].steps + 2 > bound);
            if ends || self.positions.len() >= most {
                continue;
            }
            for next in self.expand(number, live, most)? {
                let cost = self.cost(next)?;
                open.push((Reverse(cost), Reverse(next)));
            }
            self.keep(live);
        }
        Ok(())
    }

    /// What comes first: where a mutant is in a state that the model cannot be in, and where the model can be in few.
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
        let differs = store.without(mutants, alike)? != Bdd::FALSE;
        let later = if differs { 0 } else { LATER };
        Ok(2 * self.weight(agreeing) + steps + later)
    }

    /// How many bits it takes to tell the states of a set apart.
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
        for position in &self.positions {
            let by = position.before.map_or(Bdd::TRUE, |(_, by)| by);
            roots.extend([position.mutants, position.agreeing, position.accepting, by]);
        }
        self.system.store.keep(roots);
    }

    /// Records the mutants that show here what the model cannot; those that are left.
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

    /// A member that some valuation is about.
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

    /// That this member is on.
    pub(super) fn selected(&mut self, member: SelectorId) -> Result<Bdd, Stop> {
        let selector = self.system.selectors.iter().find(|s| s.0 == member);
        let Some(&(_, level)) = selector else {
            return Ok(Bdd::TRUE);
        };
        let variable = self.system.store.variable(level);
        self.system.store.and(variable, self.system.one_member)
    }

    /// What one step leads to, for all inputs and outputs.
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
        let shown = self.mutants_show.image(store, mutants)?;
        let selectors: Vec<Level> = self.system.selectors.iter().map(|s| s.1).collect();
        let selectors = store.cube(selectors)?;
        let shown = store.exists(shown, selectors)?;
        let answered = self.shows[0].image(store, agreeing)?;
        let mut left = store.and(shown, answered)?;
        let by = self.goes_by[0].image(store, agreeing)?;
        let accepted_by = self.goes_by[1].image(store, accepting)?;
        let mut found = Vec::new();
        while left != Bdd::FALSE && self.positions.len() < most {
            let class = self.class(left, by, accepted_by)?;
            let store = &mut self.system.store;
            let agreeing = store.and(agreeing, class)?;
            let accepting = store.and(accepting, class)?;
            let mutants = store.and(mutants, class)?;
            let agreeing = self.goes[0].image(store, agreeing)?;
            let accepting = self.goes[1].image(store, accepting)?;
            let mutants = self.mutants_go.image(store, mutants)?;
            left = store.without(left, class)?;
            let agreeing = self.system.present(MODEL, agreeing)?;
            let shown = self.system.shown.clone();
            let shown = self.system.store.cube(shown)?;
            let accepting = self.system.store.exists(accepting, shown)?;
            let accepting = self.system.present(MODEL, accepting)?;
            let mutants = self.system.present(MUTANT, mutants)?;
            let position = Position {
                mutants,
                agreeing,
                accepting,
                before: Some((number, class)),
                steps: steps + 1,
            };
            found.extend(self.add(position)?);
        }
        Ok(found)
    }

    /// Inputs and outputs among those left that all lead the model to the same states.
    fn class(&mut self, left: Bdd, by: Bdd, accepted_by: Bdd) -> Result<Bdd, Stop> {
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

    /// Adds a position, without the mutants' states that are known to be possible beside the same states of the model.
    fn add(&mut self, mut position: Position) -> Result<Option<usize>, Stop> {
        let number = self.positions.len();
        let key = (position.agreeing, position.accepting);
        let known = self.known.entry(key).or_default();
        for &other in known.iter() {
            let other = self.positions[other].mutants;
            position.mutants = self.system.store.without(position.mutants, other)?;
        }
        if position.mutants == Bdd::FALSE {
            return Ok(None);
        }
        known.push(number);
        self.positions.push(position);
        Ok(Some(number))
    }
}
