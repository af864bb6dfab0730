//! Decides many mutants of one model together.
//!
//! Mutants differ in few places, so common parts are computed once. The good states of a location depend on its invariant, its edges and
//! the good states of their targets. The continuations of a state depend on its location. A state of the search has the set of mutants that
//! reach it, which is split only if their locations differ. The result for each mutant is the one of deciding it alone.

use std::collections::{BTreeSet, VecDeque};
use std::hash::Hash;
use std::rc::Rc;

use hyperkill_core::budget::memory::Charge;
use hyperkill_core::budget::{Budget, Stop};
use hyperkill_core::timed::{Action, Atom, Automaton, Edge, Rules};
use rustc_hash::FxHashMap;

use crate::bound::Bound;
use crate::dbm::Zone;
use crate::fault::{Fault, planted};
use crate::federation::Federation;
use crate::game::{Leaving, Lost, enabled_into, lives_on};
use crate::refine::alphabets_fit;
use crate::search::{Related, largest};
use crate::side::Side;
use crate::view::{Arrow, Ending, Meeting, Move, View, Visit, alphabet, views};
use crate::witness::{self, Trace};

/// The result for a mutant.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Answer {
    /// The mutant has no good initial state.
    Inconsistent,
    /// The mutant refines the model: the model allows all of its behaviour.
    Refines,
    /// The mutant does not refine the model, as the trace with this index in [`Settled::traces`] shows.
    Fails(usize),
    /// The mutant knows inputs that the model does not, or lacks outputs of the model.
    Alphabets,
    /// The mutant must be decided alone: it has too little in common with the other mutants, or these rules do not determine its failure.
    Alone,
}

/// The results for a family of mutants.
pub struct Settled {
    /// The result for each mutant, in the order given.
    pub answers: Vec<Answer>,
    /// Traces that show failures, each with the fewest steps.
    pub traces: Vec<Trace>,
    /// The number of states that were visited.
    pub visits: usize,
    members: Vec<Option<Member>>,
    sets: Table<Vec<Zone>>,
    clocks: usize,
    related: Vec<(usize, usize, Vec<Zone>, Set)>,
}

impl Settled {
    /// Returns the pairs of states that the model and a mutant that refines it reach together.
    #[must_use]
    pub fn related(&self, mutant: usize) -> Vec<Related> {
        let Some(member) = &self.members[mutant] else {
            return Vec::new();
        };
        let reached = self.related.iter().filter(|(.., set)| set.has(mutant));
        let reached = reached.filter_map(|(own, model, zones, _)| {
            let number = *member.numbers.get(*own)?;
            Some(zones.iter().map(move |zone| Related {
                mutant: number.unwrap_or_default(),
                model: *model,
                zone: zone.clone(),
            }))
        });
        reached.flatten().collect()
    }

    /// Returns the bad states of a mutant by rank: those of a rank are bad because of states of smaller ranks.
    #[must_use]
    pub fn lost(&self, mutant: usize) -> Vec<Lost> {
        let Some(member) = &self.members[mutant] else {
            return Vec::new();
        };
        let lost = member.lost.iter().map(|(location, states)| Lost {
            location: member.numbers[*location].unwrap_or_default(),
            states: Federation::of(self.clocks, self.sets.all[*states].iter().cloned()),
        });
        lost.collect()
    }
}

/// Decides mutants of one model together. Mutants with other clocks than the first one must be decided alone.
///
/// # Errors
/// If the budget ends.
pub fn settle(
    mutants: &[Automaton],
    model: &Side,
    rules: Rules,
    budget: &Budget,
) -> Result<Settled, Stop> {
    let mut family = Family::new(mutants.first(), model, rules);
    let mut members = Vec::new();
    let mut answers = Vec::new();
    for mutant in mutants {
        budget.check()?;
        let mut member = family.member(mutant);
        let answer = match &mut member {
            None => Answer::Alone,
            Some(_) if rules.compares_alphabets && !alphabets_fit(mutant, &model.automaton) => {
                Answer::Alphabets
            }
            Some(member) => {
                family.play(member, budget)?;
                family.look(member, mutant);
                match family.may_start(member) {
                    true => Answer::Refines,
                    false => Answer::Inconsistent,
                }
            }
        };
        members.push(member);
        answers.push(answer);
    }
    let mut search = FamilySearch::new(&family, &members, &answers, mutants, model);
    search.run(budget)?;
    for (number, set) in search.failures.iter().enumerate() {
        for (mutant, answer) in answers.iter_mut().enumerate() {
            if set.has(mutant) {
                *answer = match rules.one_successor_is_enough {
                    true => Answer::Alone,
                    false => Answer::Fails(number),
                };
            }
        }
    }
    Ok(Settled {
        answers,
        visits: search.visits,
        traces: search.traces,
        related: search.related,
        clocks: family.clocks.len(),
        sets: family.sets,
        members,
    })
}

/// A table that numbers values: equal ones have the same number.
struct Table<K> {
    numbers: FxHashMap<K, usize>,
    all: Vec<K>,
}

impl<K: Hash + Eq + Clone> Table<K> {
    fn new() -> Table<K> {
        Table {
            numbers: FxHashMap::default(),
            all: Vec::new(),
        }
    }

    fn number(&mut self, key: K) -> usize {
        if let Some(&number) = self.numbers.get(&key) {
            return number;
        }
        self.numbers.insert(key.clone(), self.all.len());
        self.all.push(key);
        self.all.len() - 1
    }
}

/// A set of mutants.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct Set(Vec<u64>);

impl Set {
    pub(crate) fn none(size: usize) -> Set {
        Set(vec![0; size.div_ceil(64)])
    }

    pub(crate) fn add(&mut self, mutant: usize) {
        self.0[mutant / 64] |= 1 << (mutant % 64);
    }

    pub(crate) fn has(&self, mutant: usize) -> bool {
        self.0[mutant / 64] >> (mutant % 64) & 1 == 1
    }

    pub(crate) fn and(&self, other: &Set) -> Set {
        Set(self.0.iter().zip(&other.0).map(|(a, b)| a & b).collect())
    }

    pub(crate) fn without(&mut self, other: &Set) {
        for (own, other) in self.0.iter_mut().zip(&other.0) {
            *own &= !other;
        }
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.0.iter().all(|part| *part == 0)
    }

    /// Returns the first mutant of the set.
    pub(crate) fn first(&self) -> Option<usize> {
        let (part, bits) = self.0.iter().enumerate().find(|(_, bits)| **bits != 0)?;
        Some(part * 64 + bits.trailing_zeros() as usize)
    }

    /// Returns all mutants of the set, ascending.
    pub(crate) fn all(&self) -> impl Iterator<Item = usize> {
        let parts = self.0.iter().enumerate();
        parts.flat_map(|(part, bits)| {
            let there = (0..64).filter(move |bit| bits >> bit & 1 == 1);
            there.map(move |bit| part * 64 + bit)
        })
    }
}

/// An edge: the numbers of source and target in the family, the action and whether it is an input, the guard, and the updates.
type EdgeKey = (usize, usize, String, bool, Vec<Atom>, Vec<(usize, i64)>);

/// A mutant in the numbers of the family: its lists have an entry for each location of the family.
pub(crate) struct Member {
    /// For each location of the family the mutant's own number; `None` if the mutant lacks it.
    pub(crate) numbers: Vec<Option<usize>>,
    pub(crate) initial: usize,
    places: Vec<Option<usize>>,
    good: Vec<usize>,
    lost: Vec<(usize, usize)>,
    views: Vec<Option<usize>>,
}

/// The contents of a location: its invariant, its edges, and the limits on the tester's waits there.
type Place = (Vec<Atom>, Vec<usize>, Vec<Atom>);

/// The key of a view: a location, its allowed states, the edges with the allowed states of their targets, and all actions of the mutant
/// where that matters.
type ViewKey = (usize, usize, Vec<(usize, usize)>, usize);

/// The key of a step of the fixpoint: a place and its good states; for each edge all states and the good states of its target.
type StepKey = (usize, usize, Vec<(usize, usize)>);

pub(crate) struct Family {
    clocks: Vec<String>,
    own: usize,
    rules: Rules,
    names: Table<String>,
    edges: Table<EdgeKey>,
    places: Table<Place>,
    invariants: Vec<usize>,
    sets: Table<Vec<Zone>>,
    steps: FxHashMap<StepKey, Option<(usize, usize)>>,
    alphabets: Table<Vec<(String, bool)>>,
    known: Vec<Rc<Vec<Action>>>,
    keys: Table<ViewKey>,
    views: Vec<View>,
    enabled: FxHashMap<(usize, usize), Federation>,
}

impl Family {
    pub(crate) fn new(first: Option<&Automaton>, model: &Side, rules: Rules) -> Family {
        let clocks = first.map_or(Vec::new(), |first| first.clocks.clone());
        Family {
            own: clocks.len() + model.automaton.clocks.len(),
            clocks,
            rules,
            names: Table::new(),
            edges: Table::new(),
            places: Table::new(),
            invariants: Vec::new(),
            sets: Table::new(),
            steps: FxHashMap::default(),
            alphabets: Table::new(),
            known: Vec::new(),
            keys: Table::new(),
            views: Vec::new(),
            enabled: FxHashMap::default(),
        }
    }

    fn set(&self, number: usize) -> Federation {
        Federation::of(self.clocks.len(), self.sets.all[number].iter().cloned())
    }

    fn edge(&self, number: usize) -> Edge {
        let (source, target, name, is_input, guard, updates) = &self.edges.all[number];
        Edge {
            source: *source,
            target: *target,
            action: Action {
                name: name.clone(),
                is_input: *is_input,
            },
            guard: guard.clone(),
            updates: updates.clone(),
        }
    }

    /// Returns a mutant in the family's numbers; `None` if it has other clocks, or two locations of one name.
    pub(crate) fn member(&mut self, mutant: &Automaton) -> Option<Member> {
        if mutant.clocks != self.clocks {
            return None;
        }
        let names = mutant.locations.iter().map(|location| &location.name);
        let global: Vec<usize> = names.map(|name| self.names.number(name.clone())).collect();
        let mut numbers = vec![None; self.names.all.len()];
        for (own, location) in global.iter().enumerate() {
            if numbers[*location].replace(own).is_some() {
                return None;
            }
        }
        let mut leaving: Vec<Vec<usize>> = vec![Vec::new(); mutant.locations.len()];
        for edge in &mutant.edges {
            let action = &edge.action;
            leaving[edge.source].push(self.edges.number((
                global[edge.source],
                global[edge.target],
                action.name.clone(),
                action.is_input,
                edge.guard.clone(),
                edge.updates.clone(),
            )));
        }
        let mut places = vec![None; numbers.len()];
        for ((location, edges), global) in mutant.locations.iter().zip(leaving).zip(&global) {
            let own = numbers[*global].unwrap_or_default();
            let waits = mutant.tester.waits_in(own).to_vec();
            let place = (location.invariant.clone(), edges, waits);
            let place = self.places.number(place);
            if place == self.invariants.len() {
                let clocks = self.clocks.len();
                let zone = Zone::universe(clocks).with_all(mutant.invariant(own), 0);
                let set = self.sets.number(zone.into_iter().collect());
                self.invariants.push(set);
            }
            places[*global] = Some(place);
        }
        Some(Member {
            initial: global[mutant.initial],
            good: places
                .iter()
                .map(|place| place.map_or(0, |place| self.invariants[place]))
                .collect(),
            views: vec![None; numbers.len()],
            numbers,
            places,
            lost: Vec::new(),
        })
    }

    /// Computes the good states of a mutant, if the rules ask for them.
    pub(crate) fn play(&mut self, member: &mut Member, budget: &Budget) -> Result<(), Stop> {
        if !self.rules.is_pruned {
            return Ok(());
        }
        let mut into: Vec<Vec<usize>> = vec![Vec::new(); member.places.len()];
        for place in member.places.iter().flatten() {
            for edge in &self.places.all[*place].1 {
                let (source, target, ..) = self.edges.all[*edge];
                into[target].push(source);
            }
        }
        let numbered = |location: usize| Some((member.numbers[location]?, location));
        // In the order of the mutant's own numbers, as when it is decided alone.
        let mut open: BTreeSet<(usize, usize)> =
            (0..member.places.len()).filter_map(numbered).collect();
        while let Some((_, location)) = open.pop_first() {
            budget.check()?;
            let Some((left, lost)) = self.step(member, location) else {
                continue;
            };
            member.good[location] = left;
            member.lost.push((location, lost));
            let sources = into[location].iter();
            open.extend(sources.filter_map(|source| Some((member.numbers[*source]?, *source))));
        }
        Ok(())
    }

    /// Returns the numbers of two sets of states of a location: those that stay good, given the good states so far, and those that are
    /// lost. `None` if none are lost.
    fn step(&mut self, member: &Member, location: usize) -> Option<(usize, usize)> {
        let place = member.places[location]?;
        let edges = &self.places.all[place].1;
        let behind = edges.iter().map(|edge| {
            let target = self.edges.all[*edge].1;
            let all = member.places[target].map_or(0, |place| self.invariants[place]);
            (all, member.good[target])
        });
        let key = (place, member.good[location], behind.collect::<Vec<_>>());
        if let Some(known) = self.steps.get(&key) {
            return *known;
        }
        let good = self.set(member.good[location]);
        let leaving: Vec<(Edge, Federation, Federation)> = edges
            .iter()
            .zip(&key.2)
            .map(|(edge, (all, good))| (self.edge(*edge), self.set(*all), self.set(*good)))
            .collect();
        let leaving = leaving
            .iter()
            .map(|(edge, all, good)| Leaving { edge, all, good });
        let left = lives_on(&good, &self.places.all[place].2, leaving);
        let found = (!left.includes(&good)).then(|| {
            let lost = good.minus(&left);
            (
                self.sets.number(left.zones().to_vec()),
                self.sets.number(lost.zones().to_vec()),
            )
        });
        self.steps.insert(key, found);
        found
    }

    pub(crate) fn may_start(&self, member: &Member) -> bool {
        let start = Zone::zero(self.clocks.len());
        !self
            .set(member.good[member.initial])
            .and_zone(&start)
            .is_empty()
    }

    /// Numbers for each location of a mutant its view, which is the location with its edges and allowed states; equal views are made once.
    fn look(&mut self, member: &mut Member, mutant: &Automaton) {
        let actions = alphabet(mutant);
        let named = actions.iter().map(|a| (a.name.clone(), a.is_input));
        // The alphabet matters only if the rules use it.
        let alphabet = match self.rules.stays_at_unknown_inputs {
            true => self.alphabets.number(named.collect()),
            false => self.alphabets.number(Vec::new()),
        };
        if alphabet == self.known.len() {
            self.known.push(Rc::new(actions));
        }
        for location in 0..member.places.len() {
            let Some(key) = self.key(member, location, alphabet) else {
                continue;
            };
            let (_, allowed, arrows, _) = key.clone();
            let number = self.keys.number(key);
            if number == self.views.len() {
                let arrows = arrows.iter().map(|arrow| self.arrow(*arrow)).collect();
                let allowed = self.set(allowed);
                self.views.push(View {
                    offset: 0,
                    arrows,
                    forbidden: allowed.complement().among(self.own, 0),
                    allowed: allowed.among(self.own, 0),
                    known: Rc::clone(&self.known[alphabet]),
                    // Only the tester's waits with the model are used.
                    until: None,
                    unrefused: Rc::default(),
                });
            }
            member.views[location] = Some(number);
        }
    }

    /// Returns a number for each location of a mutant. Two mutants with the same number have the same states and edges in that location.
    pub(crate) fn classes(&mut self, member: &Member) -> Vec<Option<usize>> {
        let locations = 0..member.places.len();
        let classes = locations.map(|location| {
            let key = self.key(member, location, 0)?;
            Some(self.keys.number(key))
        });
        classes.collect()
    }

    /// Returns the key of the view that a mutant has of a location; `None` if the mutant lacks the location. Mutants with equal keys behave
    /// alike there.
    fn key(&self, member: &Member, location: usize, alphabet: usize) -> Option<ViewKey> {
        let place = (*member.places.get(location)?)?;
        let edges = self.places.all[place].1.iter();
        let arrows = edges.map(|edge| (*edge, member.good[self.edges.all[*edge].1]));
        Some((location, member.good[location], arrows.collect(), alphabet))
    }

    fn arrow(&mut self, (edge, target): (usize, usize)) -> Arrow {
        let written = self.edge(edge);
        if !self.enabled.contains_key(&(edge, target)) {
            let enabled = enabled_into(&written, &self.set(target)).among(self.own, 0);
            self.enabled.insert((edge, target), enabled);
        }
        Arrow {
            enabled: self.enabled[&(edge, target)].clone(),
            edge: written,
        }
    }
}

/// A state right after a step, and the set of mutants that reach it.
struct Node {
    at: (usize, usize),
    entry: Zone,
    set: Set,
    /// The index of the predecessor, its view, and the step; `None` for the initial state.
    from: Option<(usize, usize, Move)>,
}

struct FamilySearch<'a> {
    family: &'a Family,
    model: Vec<View>,
    /// For each location the views that mutants have of it, each with its mutants.
    classes: Vec<Vec<(usize, Set)>>,
    alive: Set,
    largest: Vec<i64>,
    nodes: Vec<Node>,
    passed: FxHashMap<(usize, usize), Vec<usize>>,
    waiting: VecDeque<usize>,
    visits: usize,
    related: Vec<(usize, usize, Vec<Zone>, Set)>,
    failures: Vec<Set>,
    traces: Vec<Trace>,
}

impl<'a> FamilySearch<'a> {
    fn new(
        family: &'a Family,
        members: &[Option<Member>],
        answers: &[Answer],
        mutants: &[Automaton],
        model: &Side,
    ) -> FamilySearch<'a> {
        let size = members.len();
        let own = family.clocks.len();
        let mut classes: Vec<Vec<(usize, Set)>> = vec![Vec::new(); family.names.all.len()];
        let mut alive = Set::none(size);
        let mut starts: FxHashMap<usize, Set> = FxHashMap::default();
        let mut taking_part = Vec::new();
        for (number, (member, answer)) in members.iter().zip(answers).enumerate() {
            let (Some(member), Answer::Refines) = (member, answer) else {
                continue;
            };
            alive.add(number);
            taking_part.push(&mutants[number]);
            let start = starts.entry(member.initial);
            start.or_insert_with(|| Set::none(size)).add(number);
            for (location, view) in member.views.iter().enumerate() {
                let Some(view) = view else { continue };
                let classes = &mut classes[location];
                let at = classes.iter().position(|(known, _)| known == view);
                let at = at.unwrap_or_else(|| {
                    classes.push((*view, Set::none(size)));
                    classes.len() - 1
                });
                classes[at].1.add(number);
            }
        }
        let mut search = FamilySearch {
            model: views(model, family.own, own),
            largest: largest(taking_part, &model.automaton),
            family,
            classes,
            alive,
            nodes: Vec::new(),
            passed: FxHashMap::default(),
            waiting: VecDeque::new(),
            visits: 0,
            related: Vec::new(),
            failures: Vec::new(),
            traces: Vec::new(),
        };
        let mut starts: Vec<(usize, Set)> = starts.into_iter().collect();
        starts.sort_unstable_by_key(|(location, _)| *location);
        for (location, set) in starts {
            let at = (location, model.automaton.initial);
            search.reach(at, Zone::zero(family.own), set, None);
        }
        search
    }

    fn reach(
        &mut self,
        at: (usize, usize),
        entry: Zone,
        mut set: Set,
        from: Option<(usize, usize, Move)>,
    ) {
        let entry = entry.extrapolated(&self.largest);
        let passed = self.passed.entry(at).or_default();
        for &node in passed.iter() {
            let known = &self.nodes[node];
            if known.entry.includes(&entry) {
                match planted(Fault::MutantsLostWithZones) {
                    true => return,
                    false => set.without(&known.set),
                }
            }
        }
        if set.is_empty() {
            return;
        }
        passed.push(self.nodes.len());
        self.waiting.push_back(self.nodes.len());
        self.nodes.push(Node {
            at,
            entry,
            set,
            from,
        });
    }

    fn run(&mut self, budget: &Budget) -> Result<(), Stop> {
        let mut charge = Charge::default();
        let size = self.family.own + 1;
        let held = size * size * size_of::<Bound>() + self.alive.0.len() * size_of::<u64>();
        while let Some(node) = self.waiting.pop_front() {
            budget.check()?;
            let nodes = self.nodes.len() + self.related.len();
            if let Some(stop) = charge.hold(budget, nodes * (held + size_of::<Node>())) {
                return Err(stop);
            }
            let set = self.nodes[node].set.and(&self.alive);
            let classes = self.classes[self.nodes[node].at.0].clone();
            for (view, class) in classes {
                let mut set = set.and(&class);
                if planted(Fault::MutantsNotSplit) {
                    set = self.nodes[node].set.and(&self.alive);
                }
                if !set.is_empty() {
                    self.visit(node, view, set)?;
                }
                if planted(Fault::MutantsNotSplit) {
                    break;
                }
            }
        }
        // Mutants that fail elsewhere need no relation.
        for (.., set) in &mut self.related {
            *set = set.and(&self.alive);
        }
        self.related.retain(|(.., set)| !set.is_empty());
        Ok(())
    }

    fn visit(&mut self, node: usize, view: usize, set: Set) -> Result<(), Stop> {
        self.visits += 1;
        let (own, other) = self.nodes[node].at;
        let meeting = self.meeting(view, other);
        match meeting.visit(&self.nodes[node].entry) {
            Visit::Ends(ending) => self.fail(node, view, set, &ending),
            Visit::Goes(here, next) => {
                let next: Vec<_> = (next.into_iter())
                    .map(|(taken, entry)| {
                        let own = meeting.own.target(taken.mutant).unwrap_or(own);
                        let other = meeting.model.target(taken.model).unwrap_or(other);
                        ((own, other), entry, taken)
                    })
                    .collect();
                for (at, entry, taken) in next {
                    self.reach(at, entry, set.clone(), Some((node, view, taken)));
                }
                self.related.push((own, other, here.zones().to_vec(), set));
                Ok(())
            }
        }
    }

    fn meeting(&self, view: usize, model: usize) -> Meeting<'_> {
        Meeting {
            own: &self.family.views[view],
            model: &self.model[model],
            rules: self.family.rules,
        }
    }

    /// Records the trace of a failure for all mutants in `set`: they have the same locations all along the path.
    fn fail(&mut self, node: usize, view: usize, set: Set, ending: &Ending) -> Result<(), Stop> {
        let mut path = Vec::new();
        let mut at = Some((node, view, None));
        while let Some((node, view, taken)) = at {
            path.push((self.meeting(view, self.nodes[node].at.1), taken));
            let from = self.nodes[node].from;
            at = from.map(|(node, view, taken)| (node, view, Some(taken)));
        }
        path.reverse();
        let trace = witness::trace(&path, self.family.own, ending).ok_or(Stop::Engines)?;
        self.alive.without(&set);
        self.failures.push(set);
        self.traces.push(trace);
        Ok(())
    }
}
