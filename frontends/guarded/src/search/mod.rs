//! The search of \[4\] for tests of all mutants at once (Figs. 2 to 4, notes 3 to 5), on the interpreter: a source of stimuli.
//!
//! One exploration of the model's states tries all mutants on the way. If a mutant diverges in a state, which is the necessity of \[4,
//! §3\], a second search (`observe`) continues from there to an output that data flow connects with the difference. Both are heuristics:
//! they decide nothing, and a mutant without a path may still have a test. Effort is counted, independent of a clock.
//!
//! Fig. 2 leaves some details open. Here states are concrete and explored breadth first, each once. Parameters with long ranges have values
//! close to the numbers of the text. Values that the diverging step itself assigns are compared one by one, and later definitions count by
//! their locations (`region`), as in \[4\]. A mutant is tried in a few states in which it diverges, until a path kills it in the
//! interpreter too. As to note 3, faulty updates begin with the variables that have other values; no values are searched that would change
//! the outcome of conditions. As to note 4, searches with the same start are made once.

mod counts;
mod flow;
mod observe;
mod region;
mod set;

pub use counts::Counts;
pub use observe::{Order, Style};

use std::collections::{BTreeSet, VecDeque};
use std::rc::Rc;

use rustc_hash::{FxHashMap, FxHashSet};

use hyperkill_core::sort::Value;

use crate::interpret::{Ends, Occurrence, State, idle, initial, likely_occurrences, part};
use crate::lower::{Observed, Reading};
use crate::model::Model;
use crate::mutate::Mutation;
use crate::tree::{Leaving, Refusal};
use flow::{Cell, Flow};
use observe::{Effect, Observation, ObservedStep};
use region::{Region, Regions};
use set::Set;

/// Limits of the search.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Effort {
    /// The order of the search for observations.
    pub style: Style,
    /// The number of steps of the interpreter, in the model or a mutant, at most. In systems with more than 512 variables and ports a step
    /// counts more.
    pub steps: usize,
    /// The number of states in which a diverging mutant is tried.
    pub tries: usize,
    /// The number of values of an event's parameters that are tried.
    pub values: usize,
}

impl Default for Effort {
    fn default() -> Effort {
        Effort {
            style: Style {
                order: Order::Depth,
                cuts: true,
                most: 5_000,
            },
            steps: 50_000,
            tries: 3,
            values: 32,
        }
    }
}

/// A mutant that the search takes for killed.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Claim {
    /// The index of the mutant in the list that is searched.
    pub mutant: usize,
    /// The index of the path in [`Found::paths`] that may kill it.
    pub path: usize,
    /// Whether the interpreter shows a difference on this path.
    pub is_confirmed: bool,
}

/// The result of the search.
#[derive(Clone, PartialEq, Eq, Default, Debug)]
pub struct Found {
    /// Runs of the model, as sequences of events.
    pub paths: Vec<Vec<Occurrence>>,
    /// At most one of each mutant, in the order of the mutants.
    pub claims: Vec<Claim>,
    /// The effort of the search.
    pub counts: Counts,
}

/// Returns runs of the model that may kill these mutants. `None` if the search does not apply: the model has priorities, has no
/// transitions, has an action with a guard of its own, or may refuse every event.
#[must_use]
pub fn search(
    model: &Model<'_>,
    mutations: &[Mutation],
    reading: Reading,
    effort: Effort,
) -> Option<Found> {
    if model.system.refusal == Refusal::AtWill && !reading.complete {
        return None;
    }
    let flow = Flow::new(model, mutations)?;
    let events = 0..model.events.len();
    let offers = events.map(|event| {
        likely_occurrences(model, event)
            .take(effort.values)
            .collect()
    });
    let mut search = PathSearch {
        model,
        mutations,
        reading,
        effort,
        flow: &flow,
        offers: offers.collect(),
        tries: vec![effort.tries; mutations.len()],
        claims: vec![None; mutations.len()],
        reached: Vec::new(),
        regions: Regions::default(),
        known: FxHashMap::default(),
        paths: Vec::new(),
        counts: Counts::default(),
    };
    search.all();
    Some(search.found())
}

/// A state of the model, and its predecessor.
struct Reached {
    state: State,
    location: usize,
    before: Option<(usize, Occurrence)>,
}

/// The start of a search for an observation: the state, the affected variables, the decision, and the locations of both.
type Beginning = (State, Set, (usize, usize, usize));

struct PathSearch<'s> {
    model: &'s Model<'s>,
    mutations: &'s [Mutation],
    reading: Reading,
    effort: Effort,
    flow: &'s Flow,
    /// The occurrences of each event that are tried.
    offers: Vec<Vec<Occurrence>>,
    /// The number of tries left for each mutant.
    tries: Vec<usize>,
    claims: Vec<Option<Claim>>,
    reached: Vec<Reached>,
    regions: Regions,
    /// Searches for observations, with their paths.
    known: FxHashMap<Beginning, Option<Vec<Occurrence>>>,
    paths: Vec<Vec<Occurrence>>,
    counts: Counts,
}

impl PathSearch<'_> {
    /// Explores the states of the model (Fig. 2) and tries the mutants in each of them.
    fn all(&mut self) {
        let first = self.variables(&initial(self.model));
        let mut seen = FxHashSet::from_iter([first.clone()]);
        self.reached.push(Reached {
            location: self.flow.location(self.model, &first),
            state: first,
            before: None,
        });
        let mut postponed = VecDeque::from([0]);
        let mut useful = self.useful();
        let mut last = self.live();
        while let Some(at) = postponed.pop_front() {
            if self.is_over() {
                break;
            }
            // The useful locations are computed again after every eighth mutant.
            if self.live() * 8 < last * 7 {
                useful = self.useful();
                last = self.live();
            }
            let location = self.reached[at].location;
            if last == 0 || !useful.contains(location) {
                continue;
            }
            self.counts.reached += 1;
            let flow = self.flow;
            for cell in &flow.cells[location] {
                for next in self.cell(at, cell) {
                    let is_new = seen.insert(next.state.clone());
                    if is_new {
                        postponed.push_back(self.reached.len());
                        self.reached.push(next);
                    }
                }
            }
        }
    }

    fn is_over(&self) -> bool {
        // A step costs more in machines with many variables, and visited edges of the graph count too.
        let each = 1 + self.model.cells() / 512;
        self.counts.steps * each + self.regions.work / 16 > self.effort.steps
    }

    fn live(&self) -> usize {
        self.tries.iter().filter(|tries| **tries > 0).count()
    }

    /// Returns the locations from which a location with mutants that are still tried is reachable.
    fn useful(&self) -> Set {
        let flow = self.flow;
        let mut before: Vec<Vec<usize>> = vec![Vec::new(); flow.next.len()];
        for (location, next) in flow.next.iter().enumerate() {
            for to in next {
                before[*to].push(location);
            }
        }
        let mut useful = Set::empty(flow.next.len());
        let has_mutants = |cell: &Cell| cell.mutants.iter().any(|mutant| self.tries[*mutant] > 0);
        let mut open: Vec<usize> = (0..flow.next.len())
            .filter(|location| flow.cells[*location].iter().any(has_mutants))
            .collect();
        while let Some(location) = open.pop() {
            if useful.insert(location) {
                open.extend(&before[location]);
            }
        }
        useful
    }

    /// Tries all mutants of the commands `cell` in the reached state with index `at`. Returns the successors in the model.
    fn cell(&mut self, at: usize, cell: &Cell) -> Vec<Reached> {
        let (state, location) = (self.reached[at].state.clone(), self.reached[at].location);
        let mut found = Vec::new();
        for index in 0..self.offers[cell.event].len() {
            if self.is_over() {
                break;
            }
            let offer = self.offers[cell.event][index].clone();
            let Some(ends) = self.ends(cell, &offer, &state, None) else {
                continue;
            };
            if ends.is_empty() && self.is_never_offered() {
                continue;
            }
            for mutant in &cell.mutants {
                if self.tries[*mutant] > 0 {
                    self.try_on(*mutant, (at, location), cell, &offer, &ends);
                }
            }
            let next = ends.iter().map(|next| self.variables(next));
            found.extend(next.map(|next| Reached {
                location: self.flow.location(self.model, &next),
                state: next,
                before: Some((at, offer.clone())),
            }));
        }
        found
    }

    /// Whether the model is never offered a disabled action.
    fn is_never_offered(&self) -> bool {
        !self.reading.complete && self.model.system.refusal != Refusal::Ignored
    }

    /// Returns the states after an event, in the model or in a mutant. Empty if the event is disabled; `None` if all paths leave ranges and
    /// end the run.
    fn ends(
        &mut self,
        cell: &Cell,
        offer: &Occurrence,
        state: &State,
        mutant: Option<usize>,
    ) -> Option<BTreeSet<State>> {
        self.counts.steps += 1;
        let change = mutant.map(|mutant| {
            let meaning = &self.mutations[mutant].meaning;
            (meaning.site, meaning.change)
        });
        let Ends { states, leaves } = part(self.model, cell.part, &offer.values, state, change);
        let ends_runs = self.model.system.leaving == Leaving::EndsRuns;
        let is_beyond = ends_runs && leaves && states.is_empty();
        (!is_beyond).then_some(states)
    }

    /// Searches for a path that kills a mutant, if its states after an event differ from those of the model, `ends`. `at` and `location`
    /// are the state before the event.
    fn try_on(
        &mut self,
        mutant: usize,
        (at, location): (usize, usize),
        cell: &Cell,
        offer: &Occurrence,
        ends: &BTreeSet<State>,
    ) {
        let state = self.reached[at].state.clone();
        let Some(others) = self.ends(cell, offer, &state, Some(mutant)) else {
            return;
        };
        if others == *ends {
            return;
        }
        if self.shown(&state, ends) != self.shown(&state, &others) {
            self.claim(mutant, self.path(at, offer, &[]));
            return;
        }
        // If the model has a choice, the first end represents all.
        let end = |ends: &BTreeSet<State>| match ends.first() {
            Some(end) => end.clone(),
            None => state.clone(),
        };
        let (ours, theirs) = (end(ends), end(&others));
        let arrow = (!ends.is_empty()).then(|| self.arrow(&ours)).flatten();
        match self.observation(location, &ours, &theirs, arrow) {
            Some(way) => self.claim(mutant, self.path(at, offer, &way)),
            None => self.tries[mutant] -= 1,
        }
    }

    /// Returns the events of a path from a state after the divergence of a mutant to an output that shows it; `None` if none is found.
    /// `ours` and `theirs` are the states of model and mutant, `decision` is the location before.
    fn observation(
        &mut self,
        decision: usize,
        ours: &State,
        theirs: &State,
        arrow: Option<String>,
    ) -> Option<Vec<Occurrence>> {
        let (model, flow) = (self.model, self.flow);
        let [location, other] = [ours, theirs].map(|state| flow.location(model, state));
        let mut affected = Set::empty(flow.variables);
        for variable in 0..flow.variables {
            if Some(variable) != model.system.location && ours[variable] != theirs[variable] {
                affected.insert(variable);
            }
        }
        let region = match location == other {
            true => Rc::new(Region {
                inside: Set::empty(flow.next.len()),
                defined: Vec::new(),
            }),
            false => self.regions.between(flow, decision, location, other),
        };
        for variable in &region.defined {
            affected.insert(*variable);
        }
        if affected.is_empty() && location == other {
            return None;
        }
        let state = self.variables(ours);
        let beginning = (state.clone(), affected.clone(), (decision, location, other));
        if let Some(known) = self.known.get(&beginning) {
            return known.clone();
        }
        let effect = Effect {
            state,
            location,
            affected,
            region,
            arrow,
            decision,
        };
        let observation = Observation::new(flow, self.effort.style, effect);
        let (way, counts) = observation.run(|state, location| self.steps(state, location));
        self.counts.taken += counts.taken;
        self.counts.visited += counts.visited;
        self.counts.resumed += counts.resumed;
        self.known.insert(beginning, way.clone());
        way
    }

    /// Returns all steps of the model from a state, one for each transition and next state.
    fn steps(&mut self, state: &State, location: usize) -> Vec<ObservedStep> {
        let (mut steps, mut seen) = (Vec::new(), BTreeSet::new());
        let flow = self.flow;
        for cell in &flow.cells[location] {
            for index in 0..self.offers[cell.event].len() {
                if self.is_over() {
                    return Vec::new();
                }
                let offer = self.offers[cell.event][index].clone();
                let ends = self.ends(cell, &offer, state, None).unwrap_or_default();
                for end in ends {
                    let (state, arrow) = (self.variables(&end), self.arrow(&end));
                    if let Some(arrow) = arrow
                        && seen.insert((arrow.clone(), state.clone()))
                    {
                        steps.push(ObservedStep {
                            location: flow.location(self.model, &state),
                            offer: offer.clone(),
                            arrow,
                            state,
                        });
                    }
                }
            }
        }
        steps
    }

    /// Returns the name of the transition that led to a state; `None` if none did.
    fn arrow(&self, state: &State) -> Option<String> {
        match &state[self.model.transition()?] {
            Value::Symbol(name) if self.flow.arrows.contains_key(name) => Some(name.clone()),
            _ => None,
        }
    }

    /// Returns the part of a state with the variables, without the ports.
    fn variables(&self, state: &State) -> State {
        state.first(self.flow.variables)
    }

    /// Returns the observations of a step from `state` to each state of `ends`; of the refusal if there are none.
    fn shown(&self, state: &State, ends: &BTreeSet<State>) -> BTreeSet<Vec<Value>> {
        let observed = self.reading.observed;
        let is_seen = |cell: usize| match cell < self.flow.variables {
            true => observed != Observed::Outputs,
            false => Some(cell) != self.model.transition() || observed == Observed::Transition,
        };
        let refuses = self.reading.complete || self.model.system.refusal != Refusal::Ignored;
        let seen = |end: &State, is_done: bool| {
            let cells = end.iter().enumerate().filter(|(cell, _)| is_seen(*cell));
            let mut values: Vec<Value> = cells.map(|(_, value)| value.clone()).collect();
            values.extend(refuses.then(|| Value::bool(is_done)));
            values
        };
        match ends.is_empty() {
            true => BTreeSet::from([seen(&idle(self.model, state), false)]),
            false => ends.iter().map(|end| seen(end, true)).collect(),
        }
    }

    /// Returns the path of events that leads to a reached state, followed by `offer` and the events of `way`.
    fn path(&self, at: usize, offer: &Occurrence, way: &[Occurrence]) -> Vec<Occurrence> {
        let mut path = vec![offer.clone()];
        let mut before = &self.reached[at].before;
        while let Some((at, offer)) = before {
            path.push(offer.clone());
            before = &self.reached[*at].before;
        }
        path.reverse();
        path.extend_from_slice(way);
        path
    }

    /// Records a path that may kill a mutant. The mutant is tried again, up to a limit, until a path kills it.
    fn claim(&mut self, mutant: usize, path: Vec<Occurrence>) {
        let is_confirmed = self.kills(mutant, &path);
        self.tries[mutant] = match is_confirmed {
            true => 0,
            false => self.tries[mutant] - 1,
        };
        if is_confirmed || self.claims[mutant].is_none() {
            self.claims[mutant] = Some(Claim {
                mutant,
                path: self.paths.len(),
                is_confirmed,
            });
            self.paths.push(path);
        }
    }

    /// Whether a path distinguishes a mutant from the model by their observations. If one of them has a choice, the path may distinguish
    /// them.
    fn kills(&mut self, mutant: usize, path: &[Occurrence]) -> bool {
        let first = self.variables(&initial(self.model));
        let (mut ours, mut theirs) = (BTreeSet::from([first.clone()]), BTreeSet::from([first]));
        for offer in path {
            let Some(model) = self.after(&ours, offer, None) else {
                return false;
            };
            let Some(changed) = self.after(&theirs, offer, Some(mutant)) else {
                return false;
            };
            if model.0 != changed.0 {
                return true;
            }
            (ours, theirs) = (model.1, changed.1);
        }
        false
    }

    /// Returns the observations after an event, and the next states; `None` if all runs end.
    fn after(
        &mut self,
        states: &BTreeSet<State>,
        offer: &Occurrence,
        mutant: Option<usize>,
    ) -> Option<(BTreeSet<Vec<Value>>, BTreeSet<State>)> {
        let (mut shown, mut after) = (BTreeSet::new(), BTreeSet::new());
        let flow = self.flow;
        for state in states {
            let cells = &flow.cells[flow.location(self.model, state)];
            let ends = match cells.iter().find(|cell| cell.event == offer.event) {
                Some(cell) => self.ends(cell, offer, state, mutant),
                None => Some(BTreeSet::new()),
            };
            let Some(ends) = ends else {
                continue;
            };
            shown.extend(self.shown(state, &ends));
            match ends.is_empty() {
                true => drop(after.insert(state.clone())),
                false => after.extend(ends.iter().map(|end| self.variables(end))),
            }
        }
        (!after.is_empty()).then_some((shown, after))
    }

    fn found(self) -> Found {
        let mut claims: Vec<Claim> = self.claims.into_iter().flatten().collect();
        let mut number: FxHashMap<Vec<Occurrence>, usize> = FxHashMap::default();
        let mut paths = Vec::new();
        for claim in &mut claims {
            let path = &self.paths[claim.path];
            claim.path = *number.entry(path.clone()).or_insert_with(|| {
                paths.push(path.clone());
                paths.len() - 1
            });
        }
        Found {
            paths,
            claims,
            counts: self.counts,
        }
    }
}
