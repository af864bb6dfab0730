//! Action systems by sets of runs: both readings value by value, with the interpreter of `frontends/guarded` and without any circuit.
//!
//! What a mutant does is what its own text means. Parameters are listed, so only systems with short ranges have answers.

use std::cell::RefCell;
use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet, VecDeque};
use std::hash::Hash;

use hyperkill_action_systems::read;
use hyperkill_core::sort::Value;
use hyperkill_frontend::SourceFile;
use hyperkill_guarded::interpret::{Occurrence, State, after, initial, occurrences, steps};
use hyperkill_guarded::model::{Model, check};
use hyperkill_guarded::tree::System;

/// How a system is read.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Reading {
    /// Whether the variables after a step are seen.
    pub states_are_seen: bool,
    /// Whether what cannot be done is refused visibly, by both.
    pub complete: bool,
}

/// What the tester does in a step.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Input {
    /// Nothing.
    Wait,
    /// It offers an event, or gives an input: its label with values.
    Event(String, Vec<Value>),
}

/// An event that happens: its label with values.
type Happening = (String, Vec<Value>);

/// What a step shows.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Debug)]
struct Shown {
    /// An output, or that none comes.
    output: Option<Happening>,
    /// Whether what was offered or given is done.
    done: bool,
    /// The variables afterwards, if they are seen.
    seen: Option<State>,
}

/// A step, and where it leads.
struct Step {
    output: Option<Happening>,
    done: bool,
    next: State,
}

impl Step {
    fn answer(done: bool, next: State) -> Step {
        Step {
            output: None,
            done,
            next,
        }
    }
}

/// The steps of a state with an input: what is shown, and where they lead.
type Steps = Vec<(Shown, usize)>;

/// One side of a comparison.
struct Side<'m> {
    model: &'m Model<'m>,
    reading: Reading,
    is_mutant: bool,
    states: RefCell<Vec<State>>,
    numbers: RefCell<HashMap<State, usize>>,
    known: RefCell<HashMap<(usize, usize), std::rc::Rc<Steps>>>,
}

impl<'m> Side<'m> {
    fn new(model: &'m Model<'m>, reading: Reading, is_mutant: bool) -> Side<'m> {
        let side = Side {
            model,
            reading,
            is_mutant,
            states: RefCell::default(),
            numbers: RefCell::default(),
            known: RefCell::default(),
        };
        side.number(initial(model));
        side
    }

    fn number(&self, state: State) -> usize {
        let mut numbers = self.numbers.borrow_mut();
        let mut states = self.states.borrow_mut();
        *numbers.entry(state).or_insert_with_key(|state| {
            states.push(state.clone());
            states.len() - 1
        })
    }

    /// All steps with an input, which has this number.
    fn steps(&self, state: usize, (number, input): (usize, &Input)) -> std::rc::Rc<Steps> {
        if let Some(known) = self.known.borrow().get(&(state, number)) {
            return std::rc::Rc::clone(known);
        }
        let here = self.states.borrow()[state].clone();
        let found = match self.model.system.inputs {
            None => self.offered(&here, input),
            Some(_) => self.exchanged(&here, input),
        };
        let found: Steps = found
            .into_iter()
            .map(|Step { output, done, next }| {
                let seen = self.reading.states_are_seen.then(|| next.clone());
                let shown = Shown { output, done, seen };
                (shown, self.number(next))
            })
            .collect();
        let found = std::rc::Rc::new(found);
        let mut known = self.known.borrow_mut();
        known.insert((state, number), std::rc::Rc::clone(&found));
        found
    }

    /// The states that an event leads to.
    fn ends(&self, here: &State, label: &str, values: &[Value]) -> BTreeSet<State> {
        let model = self.model;
        let event = (0..model.events.len()).find(|event| model.action(*event).name.text == label);
        let offer = event.map(|event| Occurrence {
            event,
            values: values.to_vec(),
        });
        offer.map_or_else(BTreeSet::new, |offer| after(model, here, &offer))
    }

    fn offered(&self, here: &State, input: &Input) -> Vec<Step> {
        let Input::Event(label, values) = input else {
            return Vec::new();
        };
        let ends = self.ends(here, label, values);
        let refuses = ends.is_empty() || !self.is_mutant && !self.reading.complete;
        let refusal = refuses.then(|| Step::answer(false, here.clone()));
        let done = ends.into_iter().map(|next| Step::answer(true, next));
        done.chain(refusal).collect()
    }

    fn exchanged(&self, here: &State, input: &Input) -> Vec<Step> {
        let Input::Event(label, values) = input else {
            return self.waited(here);
        };
        let ends = self.ends(here, label, values);
        let refuses = ends.is_empty() && self.reading.complete;
        let refusal = refuses.then(|| Step::answer(false, here.clone()));
        let done = ends.into_iter().map(|next| Step::answer(true, next));
        done.chain(refusal).collect()
    }

    fn waited(&self, here: &State) -> Vec<Step> {
        let model = self.model;
        let all = steps(model, here).into_iter();
        let outputs = all.filter(|(o, _)| !model.events[o.event].is_input);
        let outputs = outputs.map(|(output, next)| Step {
            output: Some((model.action(output.event).name.text.clone(), output.values)),
            done: true,
            next,
        });
        let outputs: Vec<Step> = outputs.collect();
        match outputs.is_empty() {
            true => vec![Step {
                output: Some(("quiescent".to_owned(), Vec::new())),
                ..Step::answer(true, here.clone())
            }],
            false => outputs,
        }
    }
}

/// What is true of a mutant.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Truth {
    /// Steps of the shortest test that kills potentially.
    pub potential: Option<usize>,
    /// Steps of the shortest one that kills definitely.
    pub definite: Option<usize>,
    /// Whether the model accepts inputs that the mutant refuses, and the other way round; `None` if that takes too many positions.
    pub refuses: Option<[bool; 2]>,
}

/// Reads the text of a system.
///
/// # Panics
///
/// If it is none.
#[must_use]
pub fn tree(text: &str) -> System {
    let read = read(&SourceFile::new("m.as", text));
    read.unwrap_or_else(|errors| panic!("{errors:#?}\n{text}"))
        .system
}

/// The positions that searches for a test go on from.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Search {
    /// Those that no earlier one covers.
    Least,
    /// All of them.
    All,
}

/// Compares the text of a mutant with that of the model. `None` if more positions than `most` are met.
///
/// # Panics
///
/// If one of the texts is no system.
#[must_use]
pub fn compare(original: &str, mutant: &str, reading: Reading, most: usize) -> Option<Truth> {
    compare_by(Search::Least, original, mutant, reading, most)
}

/// The same by a search of a kind. All kinds say the same, if they say anything.
///
/// # Panics
///
/// If one of the texts is no system.
#[must_use]
pub fn compare_by(
    search: Search,
    original: &str,
    mutant: &str,
    reading: Reading,
    most: usize,
) -> Option<Truth> {
    let (original, mutant) = (tree(original), tree(mutant));
    let checked = |system| check(system).unwrap_or_else(|errors| panic!("{errors:#?}"));
    let (original, mutant) = (checked(&original), checked(&mutant));
    let inputs = inputs(&original);
    let sides = [
        Side::new(&original, reading, false),
        Side::new(&mutant, reading, true),
    ];
    let comparison = Comparison {
        sides,
        inputs,
        search,
        most,
    };
    let potential = comparison.potential()?;
    Some(Truth {
        potential,
        definite: match (search, potential) {
            // After the inputs of a definite kill, no run of the mutant is one of the model.
            (Search::Least, None) => None,
            _ => comparison.definite()?,
        },
        refuses: comparison.acceptance(),
    })
}

/// All that the tester can do in a step.
fn inputs(model: &Model<'_>) -> Vec<Input> {
    let given = |event: &usize| model.system.inputs.is_none() || model.events[*event].is_input;
    let events = (0..model.events.len()).filter(given);
    let events = events.flat_map(|event| occurrences(model, event));
    let events = events.map(|o| Input::Event(model.action(o.event).name.text.clone(), o.values));
    let waits = model.system.inputs.is_some().then_some(Input::Wait);
    waits.into_iter().chain(events).collect()
}

/// Positions that may be met to compare what is accepted.
const ACCEPTING: usize = 1 << 14;

struct Comparison<'m> {
    sides: [Side<'m>; 2],
    inputs: Vec<Input>,
    search: Search,
    most: usize,
}

/// Where a search for a test stands.
trait Position: Clone + Eq + Hash {
    /// What positions that cover each other have in common.
    type Group: Eq + Hash;

    fn group(&self) -> Self::Group;

    /// Whether every end of a test that this search is for, and that is found from the other position, is found from this one by the same
    /// inputs. Such a relation is transitive.
    fn covers(&self, other: &Self) -> bool;
}

/// The most positions of a group that a new one is compared with. With thousands, a comparison would cost more than a search from it.
const COMPARED: usize = 64;

/// Positions that were met, first ones first. Those that an earlier one covers are left out: what they lead to is found without them, by
/// no more steps.
struct Frontier<P: Position> {
    search: Search,
    met: HashSet<P>,
    /// At most [`COMPARED`] positions of each group. None of them covers another.
    least: HashMap<P::Group, Vec<P>>,
    open: VecDeque<(usize, P)>,
    most: usize,
}

impl<P: Position> Frontier<P> {
    fn new(start: P, search: Search, most: usize) -> Frontier<P> {
        let mut frontier = Frontier {
            search,
            met: HashSet::new(),
            least: HashMap::new(),
            open: VecDeque::new(),
            most,
        };
        frontier.add(0, start);
        frontier
    }

    /// Adds a position; whether there is room for it.
    fn add(&mut self, steps: usize, position: P) -> bool {
        if self.met.contains(&position) || self.is_covered(&position) {
            return true;
        }
        self.met.insert(position.clone());
        self.open.push_back((steps, position));
        self.met.len() <= self.most
    }

    /// Whether an earlier position covers this one. If none does, it is kept for comparisons with later ones.
    fn is_covered(&mut self, position: &P) -> bool {
        if self.search == Search::All {
            return false;
        }
        let least = self.least.entry(position.group()).or_default();
        if least.iter().any(|earlier| earlier.covers(position)) {
            return true;
        }
        least.retain(|earlier| !position.covers(earlier));
        if least.len() < COMPARED {
            least.push(position.clone());
        }
        false
    }
}

/// Sets of states, or of pairs of states.
type Set<T = usize> = BTreeSet<T>;

/// A state of the mutant, the states of the model that have shown the same, and those after the same inputs.
#[derive(Clone, PartialEq, Eq, Hash)]
struct Run {
    mutant: usize,
    same: Set,
    any: Set,
}

impl Position for Run {
    type Group = usize;

    fn group(&self) -> usize {
        self.mutant
    }

    fn covers(&self, other: &Run) -> bool {
        self.same.is_subset(&other.same) && self.any.is_superset(&other.any)
    }
}

/// States of both that have shown the same, and the states of each after the same inputs.
#[derive(Clone, PartialEq, Eq, Hash)]
struct Runs {
    pairs: Set<(usize, usize)>,
    after: [Set; 2],
}

impl Position for Runs {
    type Group = ();

    fn group(&self) {}

    fn covers(&self, other: &Runs) -> bool {
        let after = self.after.iter().zip(&other.after);
        self.pairs.is_subset(&other.pairs) && after.into_iter().all(|(s, o)| s.is_superset(o))
    }
}

/// The states after the same inputs of the one that accepts them, and of the one that may refuse.
#[derive(Clone, PartialEq, Eq, Hash)]
struct Accepting {
    accepts: Set,
    may_refuse: Set,
}

impl Position for Accepting {
    type Group = ();

    fn group(&self) {}

    fn covers(&self, other: &Accepting) -> bool {
        self.accepts.is_superset(&other.accepts) && self.may_refuse.is_subset(&other.may_refuse)
    }
}

impl Comparison<'_> {
    fn numbered(&self) -> impl Iterator<Item = (usize, &Input)> {
        self.inputs.iter().enumerate()
    }

    /// Whether some step comes after every input, so that nothing has to be remembered to know what is accepted.
    fn accepts_everything(&self) -> bool {
        let side = &self.sides[0];
        side.model.system.inputs.is_none() || side.reading.complete
    }

    /// All states after an input, whatever is shown.
    fn image(&self, side: usize, set: &Set, input: (usize, &Input)) -> Set {
        self.image_of(side, set, input, |_| true)
    }

    /// All states after an input by steps of a kind.
    fn image_of(
        &self,
        side: usize,
        set: &Set,
        input: (usize, &Input),
        kind: impl Fn(&Shown) -> bool,
    ) -> Set {
        let mut image = Set::new();
        for state in set {
            let steps = self.sides[side].steps(*state, input);
            let steps = steps.iter().filter(|(shown, _)| kind(shown));
            image.extend(steps.map(|(_, next)| *next));
        }
        image
    }

    /// φ2: a run of the mutant that none of the model with the same inputs shows.
    fn potential(&self) -> Option<Option<usize>> {
        let start = Run {
            mutant: 0,
            same: Set::from([0]),
            any: Set::from([0]),
        };
        let mut frontier = Frontier::new(start, self.search, self.most);
        while let Some((steps, Run { mutant, same, any })) = frontier.open.pop_front() {
            for input in self.numbered() {
                let any = match self.accepts_everything() {
                    true => any.clone(),
                    false => self.image(0, &any, input),
                };
                if any.is_empty() {
                    continue;
                }
                for (shown, next) in self.sides[1].steps(mutant, input).iter() {
                    let same = self.image_of(0, &same, input, |theirs| theirs == shown);
                    if same.is_empty() {
                        return Some(Some(steps + 1));
                    }
                    let position = Run {
                        mutant: *next,
                        same,
                        any: any.clone(),
                    };
                    if !frontier.add(steps + 1, position) {
                        return None;
                    }
                }
            }
        }
        Some(None)
    }

    /// φ3: inputs that both accept, after which no run of the model has shown what a run of the mutant has.
    fn definite(&self) -> Option<Option<usize>> {
        let start = Runs {
            pairs: BTreeSet::from([(0, 0)]),
            after: [Set::from([0]), Set::from([0])],
        };
        let mut frontier = Frontier::new(start, self.search, self.most);
        while let Some((steps, Runs { pairs, after })) = frontier.open.pop_front() {
            for input in self.numbered() {
                let after = match self.accepts_everything() {
                    true => after.clone(),
                    false => [0, 1].map(|side| self.image(side, &after[side], input)),
                };
                if after.iter().any(BTreeSet::is_empty) {
                    continue;
                }
                let pairs = self.both(&pairs, input);
                if pairs.is_empty() {
                    return Some(Some(steps + 1));
                }
                if !frontier.add(steps + 1, Runs { pairs, after }) {
                    return None;
                }
            }
        }
        Some(None)
    }

    /// The pairs of states that pairs lead to where both show the same.
    fn both(&self, pairs: &Set<(usize, usize)>, input: (usize, &Input)) -> Set<(usize, usize)> {
        let mut left = Set::new();
        for (original, mutant) in pairs {
            let theirs = self.sides[1].steps(*mutant, input);
            let mut by_shown: BTreeMap<&Shown, Set> = BTreeMap::new();
            for (shown, next) in theirs.iter() {
                by_shown.entry(shown).or_default().insert(*next);
            }
            for (shown, next) in self.sides[0].steps(*original, input).iter() {
                let mutants = by_shown.get(shown).into_iter().flatten();
                left.extend(mutants.map(|mutant| (*next, *mutant)));
            }
        }
        left
    }

    /// Whether the mutant refuses what the model accepts, and the other way round. Under refinement accepting is doing.
    fn acceptance(&self) -> Option<[bool; 2]> {
        Some([self.is_refused_by(1)?, self.is_refused_by(0)?])
    }

    /// Whether a side refuses what the other one accepts, after inputs that both accept.
    fn is_refused_by(&self, side: usize) -> Option<bool> {
        let doing = self.inputs.iter().all(|input| *input != Input::Wait)
            && !self.sides[0].reading.complete;
        let start = Accepting {
            accepts: Set::from([0]),
            may_refuse: Set::from([0]),
        };
        let mut frontier = Frontier::new(start, self.search, ACCEPTING);
        while let Some((
            steps,
            Accepting {
                accepts,
                may_refuse,
            },
        )) = frontier.open.pop_front()
        {
            for input in self.numbered() {
                let after =
                    |side, set| self.image_of(side, set, input, |shown| shown.done || !doing);
                let position = Accepting {
                    accepts: after(1 - side, &accepts),
                    may_refuse: after(side, &may_refuse),
                };
                match (position.accepts.is_empty(), position.may_refuse.is_empty()) {
                    (true, _) => {}
                    (false, true) => return Some(true),
                    (false, false) if frontier.add(steps + 1, position) => {}
                    (false, false) => return None,
                }
            }
        }
        Some(false)
    }
}
