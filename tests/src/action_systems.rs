//! Action systems by sets of runs: both readings value by value, with the interpreter of `frontends/guarded` and without any circuit.
//!
//! What a mutant does is what its own text means. Parameters are listed, so only systems with short ranges have answers.

use std::cell::RefCell;
use std::collections::{BTreeMap, BTreeSet, HashMap, VecDeque};

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

/// Compares the text of a mutant with that of the model. `None` if more positions than `most` are met.
///
/// # Panics
///
/// If one of the texts is no system.
#[must_use]
pub fn compare(original: &str, mutant: &str, reading: Reading, most: usize) -> Option<Truth> {
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
        most,
    };
    Some(Truth {
        potential: comparison.potential()?,
        definite: comparison.definite()?,
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

struct Comparison<'m> {
    sides: [Side<'m>; 2],
    inputs: Vec<Input>,
    most: usize,
}

/// Positions that were met, first ones first.
struct Frontier<P> {
    seen: BTreeSet<P>,
    open: VecDeque<(usize, P)>,
    most: usize,
}

impl<P: Ord + Clone> Frontier<P> {
    fn new(start: P, most: usize) -> Frontier<P> {
        Frontier {
            seen: BTreeSet::from([start.clone()]),
            open: VecDeque::from([(0, start)]),
            most,
        }
    }

    /// Adds a position; whether there is room for it.
    fn add(&mut self, steps: usize, position: P) -> bool {
        if self.seen.insert(position.clone()) {
            self.open.push_back((steps, position));
        }
        self.seen.len() <= self.most
    }
}

type Set = BTreeSet<usize>;

/// Positions that may be met to compare what is accepted.
const ACCEPTING: usize = 1 << 14;

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
        let steps = set
            .iter()
            .map(|state| self.sides[side].steps(*state, input));
        steps
            .flat_map(|steps| steps.iter().map(|(_, next)| *next).collect::<Vec<_>>())
            .collect()
    }

    /// φ2: a run of the mutant, the states of the model that have shown the same, and those after the same inputs.
    fn potential(&self) -> Option<Option<usize>> {
        let start = Set::from([0]);
        let mut frontier = Frontier::new((0, start.clone(), start), self.most);
        while let Some((steps, (mutant, same, any))) = frontier.open.pop_front() {
            for input in self.numbered() {
                let accepted = match self.accepts_everything() {
                    true => any.clone(),
                    false => self.image(0, &any, input),
                };
                if accepted.is_empty() {
                    continue;
                }
                for (shown, next) in self.sides[1].steps(mutant, input).iter() {
                    let mut left = Set::new();
                    for state in &same {
                        let steps = self.sides[0].steps(*state, input);
                        left.extend(
                            steps
                                .iter()
                                .filter(|(s, _)| s == shown)
                                .map(|(_, next)| *next),
                        );
                    }
                    if left.is_empty() {
                        return Some(Some(steps + 1));
                    }
                    if !frontier.add(steps + 1, (*next, left, accepted.clone())) {
                        return None;
                    }
                }
            }
        }
        Some(None)
    }

    /// φ3: pairs of runs that have shown the same, and the states of both after the same inputs.
    fn definite(&self) -> Option<Option<usize>> {
        let start = Set::from([0]);
        let pairs = BTreeSet::from([(0, 0)]);
        let mut frontier = Frontier::new((pairs, [start.clone(), start]), self.most);
        while let Some((steps, (pairs, [any, all]))) = frontier.open.pop_front() {
            for input in self.numbered() {
                let after = match self.accepts_everything() {
                    true => [any.clone(), all.clone()],
                    false => [self.image(0, &any, input), self.image(1, &all, input)],
                };
                if after.iter().any(BTreeSet::is_empty) {
                    continue;
                }
                let mut left = BTreeSet::new();
                for (original, mutant) in &pairs {
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
                if left.is_empty() {
                    return Some(Some(steps + 1));
                }
                if !frontier.add(steps + 1, (left, after)) {
                    return None;
                }
            }
        }
        Some(None)
    }

    /// Whether the mutant refuses what the model accepts, and the other way round. Under refinement accepting is doing.
    fn acceptance(&self) -> Option<[bool; 2]> {
        let doing = self.inputs.iter().all(|input| *input != Input::Wait)
            && !self.sides[0].reading.complete;
        let start = Set::from([0]);
        let mut frontier = Frontier::new([start.clone(), start], ACCEPTING);
        let mut refuses = [false, false];
        while let Some((steps, sets)) = frontier.open.pop_front() {
            for input in self.numbered() {
                let mut after = [Set::new(), Set::new()];
                for (side, set) in sets.iter().enumerate() {
                    for state in set {
                        let steps = self.sides[side].steps(*state, input);
                        let accepting = steps.iter().filter(|(shown, _)| shown.done || !doing);
                        after[side].extend(accepting.map(|(_, next)| *next));
                    }
                }
                match [after[0].is_empty(), after[1].is_empty()] {
                    [false, true] => refuses[0] = true,
                    [true, false] => refuses[1] = true,
                    [true, true] => {}
                    [false, false] if frontier.add(steps + 1, after) => {}
                    [false, false] => return None,
                }
            }
        }
        Some(refuses)
    }
}
