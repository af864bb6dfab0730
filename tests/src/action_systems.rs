//! Action systems by sets of states: both readings value by value, with the interpreter of `frontends/guarded` and without any circuit.
//!
//! The behaviour of a mutant is the meaning of its own text. Parameters are listed, so only systems with short ranges are feasible.

use std::cell::RefCell;
use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet, VecDeque};
use std::hash::Hash;

use hyperkill_action_systems::read;
use hyperkill_core::sort::Value;
use hyperkill_frontend::SourceFile;
use hyperkill_guarded::interpret::{Occurrence, State, after, initial, occurrences, steps};
use hyperkill_guarded::model::{Model, check};
use hyperkill_guarded::tree::System;

/// The semantics under which a system is read.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Reading {
    /// Whether each step shows the variables after it.
    pub states_are_seen: bool,
    /// Whether both sides answer an impossible event with a visible refusal.
    pub complete: bool,
}

/// An action of the tester in one step.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Input {
    /// The tester waits for an output.
    Wait,
    /// The tester offers an event, or gives an input: its label with values.
    Event(String, Vec<Value>),
}

/// An occurrence of an event: its label and the values of its parameters.
type Happening = (String, Vec<Value>);

/// The observation of one step.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Debug)]
struct Shown {
    /// The output or `quiescent` after waiting; `None` in an answer to an event.
    output: Option<Happening>,
    /// Whether the offered or given event is executed.
    done: bool,
    /// The variables after the step, if the reading shows them.
    seen: Option<State>,
}

/// A step: its output, whether the event is executed, and the next state.
struct EventStep {
    output: Option<Happening>,
    done: bool,
    next: State,
}

impl EventStep {
    fn answer(done: bool, next: State) -> EventStep {
        EventStep {
            output: None,
            done,
            next,
        }
    }
}

/// The steps from a state under one input: each observation, with the index of the next state.
type Steps = Vec<(Shown, usize)>;

/// One side of a comparison: the model or a mutant.
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

    /// Returns all steps from a state under an input, which comes with its index among the inputs. Results are cached.
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
            .map(|EventStep { output, done, next }| {
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

    /// Returns all states that may follow an event; none if it is unknown or impossible.
    fn ends(&self, here: &State, label: &str, values: &[Value]) -> BTreeSet<State> {
        let model = self.model;
        let event = (0..model.events.len()).find(|event| model.action(*event).name.text == label);
        let offer = event.map(|event| Occurrence {
            event,
            values: values.to_vec(),
        });
        offer.map_or_else(BTreeSet::new, |offer| after(model, here, &offer))
    }

    fn offered(&self, here: &State, input: &Input) -> Vec<EventStep> {
        let Input::Event(label, values) = input else {
            return Vec::new();
        };
        let ends = self.ends(here, label, values);
        let refuses = ends.is_empty() || !self.is_mutant && !self.reading.complete;
        let refusal = refuses.then(|| EventStep::answer(false, here.clone()));
        let done = ends.into_iter().map(|next| EventStep::answer(true, next));
        done.chain(refusal).collect()
    }

    fn exchanged(&self, here: &State, input: &Input) -> Vec<EventStep> {
        let Input::Event(label, values) = input else {
            return self.waited(here);
        };
        let ends = self.ends(here, label, values);
        let refuses = ends.is_empty() && self.reading.complete;
        let refusal = refuses.then(|| EventStep::answer(false, here.clone()));
        let done = ends.into_iter().map(|next| EventStep::answer(true, next));
        done.chain(refusal).collect()
    }

    fn waited(&self, here: &State) -> Vec<EventStep> {
        let model = self.model;
        let all = steps(model, here).into_iter();
        let outputs = all.filter(|(o, _)| !model.events[o.event].is_input);
        let outputs = outputs.map(|(output, next)| EventStep {
            output: Some((model.action(output.event).name.text.clone(), output.values)),
            done: true,
            next,
        });
        let outputs: Vec<EventStep> = outputs.collect();
        match outputs.is_empty() {
            true => vec![EventStep {
                output: Some(("quiescent".to_owned(), Vec::new())),
                ..EventStep::answer(true, here.clone())
            }],
            false => outputs,
        }
    }
}

/// The exact results for one mutant.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Truth {
    /// Length of the shortest test that kills potentially; `None` if there is none.
    pub potential: Option<usize>,
    /// Length of the shortest test that kills definitely; `None` if there is none.
    pub definite: Option<usize>,
    /// Whether the mutant refuses inputs that the model accepts, and whether the model refuses inputs that the mutant accepts. `None` if
    /// the comparison did not determine it.
    pub refuses: Option<[bool; 2]>,
}

/// Reads the text of a system.
///
/// # Panics
///
/// If the text is no system.
#[must_use]
pub fn tree(text: &str) -> System {
    let read = read(&SourceFile::new("m.as", text));
    read.unwrap_or_else(|errors| panic!("{errors:#?}\n{text}"))
        .system
}

/// Selects the positions from which a search for a test continues.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Search {
    /// Positions that no earlier position covers.
    Least,
    /// All positions.
    All,
}

/// Compares the text of a mutant with the text of the model. Returns `None` if a search meets more than `most` positions.
///
/// # Panics
///
/// If one of the texts is no system.
#[must_use]
pub fn compare(original: &str, mutant: &str, reading: Reading, most: usize) -> Option<Truth> {
    compare_by(Search::Least, original, mutant, reading, most)
}

/// Compares as [`compare`] does, with the given kind of search. All kinds return the same result, if they return one.
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
            // A definite kill is also a potential kill, so there is none.
            (Search::Least, None) => None,
            _ => comparison.definite()?,
        },
        refuses: comparison.acceptance(),
    })
}

/// Returns all inputs that the tester can give in a step: events with all their values and, if the system declares inputs, waiting.
fn inputs(model: &Model<'_>) -> Vec<Input> {
    let given = |event: &usize| model.system.inputs.is_none() || model.events[*event].is_input;
    let events = (0..model.events.len()).filter(given);
    let events = events.flat_map(|event| occurrences(model, event));
    let events = events.map(|o| Input::Event(model.action(o.event).name.text.clone(), o.values));
    let waits = model.system.inputs.is_some().then_some(Input::Wait);
    waits.into_iter().chain(events).collect()
}

/// The largest number of positions that the comparison of acceptance visits.
const ACCEPTING: usize = 1 << 14;

struct Comparison<'m> {
    sides: [Side<'m>; 2],
    inputs: Vec<Input>,
    search: Search,
    most: usize,
}

/// A position of a search for a test.
trait Position: Clone + Eq + Hash {
    /// The key that positions must share to cover each other.
    type Group: Eq + Hash;

    fn group(&self) -> Self::Group;

    /// Whether every input sequence that completes a test from the other position also completes one from this position. The relation is
    /// transitive.
    fn covers(&self, other: &Self) -> bool;
}

/// The largest number of positions per group that a new position is compared with. With thousands, a comparison would cost more than a
/// search from the position.
const COMPARED: usize = 64;

/// The frontier of a breadth-first search, earliest positions first. A position that an earlier one covers is left out: its kills are found
/// without it, in no more steps.
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

    /// Adds a position that is reached after `steps` steps, unless it is known or covered. Returns whether the search is within its limit.
    fn add(&mut self, steps: usize, position: P) -> bool {
        if self.met.contains(&position) || self.is_covered(&position) {
            return true;
        }
        self.met.insert(position.clone());
        self.open.push_back((steps, position));
        self.met.len() <= self.most
    }

    /// Returns whether an earlier position covers this one. If not, keeps this position for comparisons with later ones.
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

/// A set of states or, with another `T`, of pairs of states.
type Set<T = usize> = BTreeSet<T>;

/// A position of the search for a potential kill: a state of the mutant after a run (`mutant`), the model states with the same observations
/// (`same`), and the model states after the same inputs (`any`).
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

/// A position of the search for a definite kill: the pairs of states with equal observations so far, and the states of each side after the
/// same inputs.
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

/// A position of the search for a refusal: the states, after the same inputs, of the side that accepts the inputs and of the side that may
/// refuse them.
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

    /// Whether every input is accepted in every state, so that searches need not track acceptance.
    fn accepts_everything(&self) -> bool {
        let side = &self.sides[0];
        side.model.system.inputs.is_none() || side.reading.complete
    }

    /// Returns all states after an input, under any observation. `side` is 0 for the model and 1 for the mutant.
    fn image(&self, side: usize, set: &Set, input: (usize, &Input)) -> Set {
        self.image_of(side, set, input, |_| true)
    }

    /// Returns all states after an input by steps whose observation satisfies `kind`.
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

    /// φ2: returns the length of a shortest run of the mutant that no run of the model with the same inputs matches. The outer `None` means
    /// that the limit is exceeded.
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

    /// φ3: returns the length of a shortest input sequence that both sides accept and after which no two runs agree. The outer `None` means
    /// that the limit is exceeded.
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

    /// Returns the pairs of states that follow these pairs under an input, by steps with equal observations.
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

    /// Returns whether the mutant refuses inputs that the model accepts, and whether the model refuses inputs that the mutant accepts.
    /// `None` if the limit is exceeded. Under refinement, a side accepts an event if it executes it.
    fn acceptance(&self) -> Option<[bool; 2]> {
        Some([self.is_refused_by(1)?, self.is_refused_by(0)?])
    }

    /// Whether `side` (0 is the model) refuses an input that the other side accepts, after inputs that both accept. `None` if the limit is
    /// exceeded.
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
