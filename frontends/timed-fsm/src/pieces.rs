//! Translates machines with guards on delays to machines without them.
//!
//! A state is cut into pieces at every bound of a guard. A piece is left for the next one by a timeout, and an input is given in the piece
//! that contains the clock. So a machine with guards equals a machine with timeouts alone and more states. Only timeouts into first pieces
//! are timeouts of the original machine. An implementation has one transition for each state, input and *class* of delays, which is an
//! interval between two bounds of guards for that input. All pieces of a class make the same choice.

use std::collections::{BTreeMap, BTreeSet};

use crate::choices::{MutationMachine, TooMany};
use crate::count::Count;
use crate::group::{Choice, Group, MAX_TRANSITIONS, add, only, ways};
use crate::guard::{Interval, LONGEST};
use crate::machine::{Answer, Change, Machine, Part, State, Timeout};

pub use crate::piece::{Class, Pieces, Whole};

/// The reason why a machine cannot be cut.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct TooLong {
    /// The state with a timeout that is too long in parts of a unit.
    pub state: usize,
}

/// Returns the number of parts of a unit. Two are needed if some guard includes its last time or excludes its first, since inputs at the
/// bound and after it then differ.
#[must_use]
pub fn scale(machine: &Machine, changes: impl Iterator<Item = Change>) -> u32 {
    let own = machine.states.iter().flat_map(|state| &state.guarded);
    let own = own.flat_map(|(_, all)| all.iter().flat_map(|guarded| guarded.during.bounds()));
    let is_within = |bound: u32| bound % 2 == 1;
    let mut changes = changes;
    let is_changed = |change: Change| match change {
        Change::Guard { parts, .. } => {
            let parts = parts.iter().flatten();
            let mut bounds = parts.flat_map(|part| part.during.bounds());
            bounds.any(is_within)
        }
        Change::Answer { .. } | Change::Timeout { .. } => false,
    };
    let is_fine = own.into_iter().any(is_within) || changes.any(is_changed);
    if is_fine { 2 } else { 1 }
}

/// Returns an equivalent machine without guards. States that are not cut keep their names. Timeouts are in parts of a unit.
///
/// # Errors
/// If timeouts are too long.
pub fn alone(machine: &Machine, scale: u32) -> Result<Machine, TooLong> {
    if !machine.has_guards() && scale == 1 {
        return Ok(machine.clone());
    }
    let whole = Whole::own(machine, &[]);
    let (pieces, _) = whole.cut(machine, scale)?;
    Ok(pieces)
}

impl Whole {
    /// Returns the machine with the alternatives `changes`, each with the number of written transitions that it stands for. `extra` are the
    /// names of additional states.
    ///
    /// # Errors
    /// If there are too many alternatives.
    pub fn new(
        machine: &Machine,
        extra: &[String],
        changes: &[(Change, u64)],
    ) -> Result<Whole, TooMany> {
        let mut whole = Whole::own(machine, extra);
        if changes.len() as u64 > MAX_TRANSITIONS {
            return Err(TooMany);
        }
        whole.divide(changes);
        for (change, ways) in changes {
            match *change {
                Change::Answer {
                    state,
                    input,
                    answer,
                } => {
                    let part = Part {
                        during: Interval::ALWAYS,
                        does: Some(answer),
                    };
                    whole.add(state, input, &part, *ways);
                }
                Change::Guard {
                    state,
                    input,
                    parts,
                } => {
                    let parts = parts.iter().flatten();
                    parts.for_each(|part| whole.add(state, input, part, *ways));
                }
                Change::Timeout { state, timeout } => {
                    add(&mut whole.timeouts[state], timeout, *ways);
                }
            }
        }
        whole.fill();
        Ok(whole)
    }

    /// Returns a domain as it was before it was cut into pieces.
    #[must_use]
    pub fn of(domain: &MutationMachine) -> Whole {
        if let Some(pieces) = &domain.pieces {
            return pieces.whole.clone();
        }
        let always = |group: &Group<Answer>| {
            vec![Class {
                during: Interval::ALWAYS,
                group: group.clone(),
            }]
        };
        let answers = domain.answers.iter();
        Whole {
            states: domain.states.clone(),
            answers: answers
                .map(|groups| groups.iter().map(always).collect())
                .collect(),
            timeouts: domain.timeouts.clone(),
            own_states: domain.own_states,
        }
    }

    /// Returns the machine without alternatives. `extra` are the names of additional states.
    pub(crate) fn own(machine: &Machine, extra: &[String]) -> Whole {
        let names = machine.states.iter().map(|state| state.name.clone());
        let states: Vec<String> = names.chain(extra.iter().cloned()).collect();
        let inputs = 0..machine.inputs.len();
        let answers = (0..states.len()).map(|state| match machine.states.get(state) {
            Some(own) => inputs.clone().map(|input| classes(own, input)).collect(),
            None => vec![vec![nothing(Interval::ALWAYS)]; machine.inputs.len()],
        });
        let timeouts = (0..states.len()).map(|state| match machine.states.get(state) {
            Some(own) => vec![only(own.timeout)],
            None => Vec::new(),
        });
        Whole {
            answers: answers.collect(),
            timeouts: timeouts.collect(),
            own_states: machine.states.len(),
            states,
        }
    }

    /// Splits the classes of delays at all bounds of changes.
    fn divide(&mut self, changes: &[(Change, u64)]) {
        let mut bounds: BTreeMap<(usize, usize), BTreeSet<u32>> = BTreeMap::new();
        for (change, _) in changes {
            if let Change::Guard {
                state,
                input,
                parts,
            } = change
            {
                let parts = parts.iter().flatten();
                let all = bounds.entry((*state, *input)).or_default();
                all.extend(parts.flat_map(|part| part.during.bounds()));
            }
        }
        for ((state, input), bounds) in bounds {
            for bound in bounds {
                let classes = &mut self.answers[state][input];
                let found = classes.iter().position(|class| class.during.holds(bound));
                if let Some(at) = found.filter(|at| classes[*at].during.from < bound) {
                    let mut second = classes[at].clone();
                    second.during.from = bound;
                    classes[at].during.until = Some(bound);
                    classes.insert(at + 1, second);
                }
            }
        }
    }

    fn add(&mut self, state: usize, input: usize, part: &Part, ways: u64) {
        for class in &mut self.answers[state][input] {
            if class.during.common(&part.during).is_some() {
                add(&mut class.group, part.does, ways);
            }
        }
    }

    /// Gives each event without a transition the single choice "no transition". Sorts the alternatives, after the specification's own.
    fn fill(&mut self) {
        let count = self.own_states;
        let own = |state: usize| usize::from(state < count);
        for (state, answers) in self.answers.iter_mut().enumerate() {
            for class in answers.iter_mut().flatten() {
                if class.group.is_empty() {
                    class.group.push(only(None));
                }
                class.group[own(state)..].sort_by_key(|choice| choice.does);
            }
        }
        for (state, group) in self.timeouts.iter_mut().enumerate() {
            if group.is_empty() {
                group.push(only(None));
            }
            group[own(state)..].sort_by_key(|choice| choice.does);
        }
    }

    fn sizes(&self) -> impl Iterator<Item = (usize, u64)> + '_ {
        let answers = self.answers.iter().flatten().flatten();
        let answers = answers.map(|class| (class.group.len(), ways(&class.group)));
        answers.chain(self.timeouts.iter().map(|group| (group.len(), ways(group))))
    }

    /// Returns the number of mutants, without the specification.
    #[must_use]
    pub fn mutants(&self) -> Count {
        let all = self
            .sizes()
            .fold(Count::one(), |count, (_, ways)| count.times(ways));
        match self.states.len() == self.own_states {
            true => all.less_one(),
            false => all,
        }
    }

    /// Returns the number of transitions besides those of the specification, one per class of delays.
    #[must_use]
    pub fn mutated(&self) -> u64 {
        let all: u64 = self.sizes().map(|(_, ways)| ways).sum();
        let own = &self.answers[..self.own_states];
        let said = self.own_states + own.iter().flatten().map(Vec::len).sum::<usize>();
        let extra = self.answers[self.own_states..].iter().flatten().flatten();
        let silent = extra.filter(|class| class.group[0].does.is_none());
        all - (said + silent.count()) as u64
    }

    /// Returns the number of places (a class of delays, or a state for its timeout) with more than one alternative.
    #[must_use]
    pub fn groups(&self) -> usize {
        self.sizes().filter(|(choices, _)| *choices > 1).count()
    }

    /// Returns the specification and all implementations, cut into pieces.
    ///
    /// # Errors
    /// If timeouts are too long in parts of a unit.
    pub fn cut(
        &self,
        machine: &Machine,
        scale: u32,
    ) -> Result<(Machine, MutationMachine), TooLong> {
        for (state, group) in self.timeouts.iter().enumerate() {
            let mut lengths = group.iter().filter_map(|choice| Some(choice.does?.after));
            if scale > 1 && lengths.any(|after| after > LONGEST) {
                return Err(TooLong { state });
            }
        }
        Ok(Cut::new(self, scale).made(machine))
    }
}

/// Returns the classes of delays of an input in a state, each with its transition.
fn classes(state: &State, input: usize) -> Vec<Class> {
    let mut all = Vec::new();
    let mut next = Some(0);
    for guarded in state.on(input) {
        let gap = next.and_then(|next| Interval::new(next, Some(guarded.during.from)));
        all.extend(gap.map(own_nothing));
        all.push(Class {
            during: guarded.during,
            group: vec![only(Some(guarded.answer))],
        });
        next = guarded.during.until;
    }
    all.extend(next.map(|from| own_nothing(Interval { from, until: None })));
    all
}

/// Returns a class of delays without a transition of the specification.
fn own_nothing(during: Interval) -> Class {
    Class {
        during,
        group: vec![only(None)],
    }
}

/// Returns a class of delays without transitions.
fn nothing(during: Interval) -> Class {
    Class {
        during,
        group: Vec::new(),
    }
}

/// The work of cutting states into pieces.
struct Cut<'a> {
    whole: &'a Whole,
    scale: u32,
    begins: Vec<(usize, u32)>,
    /// The first piece of each state.
    first: Vec<usize>,
}

impl<'a> Cut<'a> {
    fn new(whole: &'a Whole, scale: u32) -> Cut<'a> {
        let mut cut = Cut {
            whole,
            scale,
            begins: Vec::new(),
            first: Vec::new(),
        };
        for state in 0..whole.states.len() {
            cut.first.push(cut.begins.len());
            let classes = whole.answers[state].iter().flatten();
            let bounds: BTreeSet<u32> = classes.map(|class| cut.parts(class.during.from)).collect();
            let timeouts = whole.timeouts[state].iter();
            let lengths = timeouts.map(|choice| choice.does.map(|timeout| timeout.after * scale));
            // An infinite timeout (`None`) is the longest, but the least option.
            let longest = lengths.map(|length| length.unwrap_or(u32::MAX)).max();
            let met = bounds
                .into_iter()
                .filter(|b| longest.is_none_or(|longest| *b < longest));
            let begins: BTreeSet<u32> = met.chain([0]).collect();
            cut.begins
                .extend(begins.into_iter().map(|begin| (state, begin)));
        }
        cut
    }

    /// Converts a moment (half a unit) to parts of a unit.
    fn parts(&self, moment: u32) -> u32 {
        if self.scale == 1 { moment / 2 } else { moment }
    }

    fn end(&self, piece: usize) -> Option<u32> {
        let next = self.begins.get(piece + 1)?;
        (next.0 == self.begins[piece].0).then_some(next.1)
    }

    fn class(&self, piece: usize, input: usize) -> &'a Class {
        let (state, begin) = self.begins[piece];
        let classes = &self.whole.answers[state][input];
        let begun = classes.iter().rev();
        let mut begun = begun.filter(|class| self.parts(class.during.from) <= begin);
        begun.next().unwrap_or(&classes[0])
    }

    fn answers(&self, piece: usize, input: usize) -> Group<Answer> {
        let group = self.class(piece, input).group.iter();
        let group = group.map(|choice| Choice {
            does: choice.does.map(|answer| Answer {
                target: self.first[answer.target],
                ..answer
            }),
            ways: 1,
        });
        group.collect()
    }

    fn place(&self, piece: usize, input: usize) -> usize {
        let state = self.begins[piece].0;
        let from = self.parts(self.class(piece, input).during.from);
        let pieces = self.first[state]..=piece;
        pieces
            .into_iter()
            .find(|p| self.begins[*p].1 >= from)
            .unwrap_or(piece)
    }

    fn timeouts(&self, piece: usize) -> Group<Timeout> {
        let (state, begin) = self.begins[piece];
        let end = self.end(piece);
        let mut group = Vec::new();
        for choice in &self.whole.timeouts[state] {
            let length = choice.does.map(|timeout| timeout.after * self.scale);
            if length.is_some_and(|length| length <= begin) {
                continue;
            }
            let ends_here = |length: u32| end.is_none_or(|end| length <= end);
            let does = match (choice.does, length) {
                (Some(timeout), Some(length)) if ends_here(length) => Some(Timeout {
                    after: length - begin,
                    target: self.first[timeout.target],
                }),
                _ => end.map(|end| Timeout {
                    after: end - begin,
                    target: piece + 1,
                }),
            };
            add(&mut group, does, 1);
        }
        group
    }

    fn made(self, machine: &Machine) -> (Machine, MutationMachine) {
        let pieces = 0..self.begins.len();
        let inputs = 0..machine.inputs.len();
        let last = self.whole.own_states;
        let own_states = self.begins.iter().filter(|(state, _)| *state < last);
        let mutation = MutationMachine {
            states: self.names(),
            answers: pieces
                .clone()
                .map(|piece| {
                    inputs
                        .clone()
                        .map(|input| self.answers(piece, input))
                        .collect()
                })
                .collect(),
            timeouts: pieces.clone().map(|piece| self.timeouts(piece)).collect(),
            own_states: own_states.count(),
            pieces: Some(Box::new(Pieces {
                scale: self.scale,
                places: pieces
                    .map(|piece| {
                        inputs
                            .clone()
                            .map(|input| self.place(piece, input))
                            .collect()
                    })
                    .collect(),
                begins: self.begins,
                whole: self.whole.clone(),
            })),
        };
        let mut specification = mutation.machine(machine, &mutation.first());
        specification.states.truncate(mutation.own_states);
        (specification, mutation)
    }

    /// Returns the names of pieces: `S from 2`, or `S behind 2` if 2 is excluded. The first piece has the name of its state.
    fn names(&self) -> Vec<String> {
        let states: BTreeSet<&str> = self.whole.states.iter().map(String::as_str).collect();
        let names = self.begins.iter().map(|(state, begin)| {
            let own = &self.whole.states[*state];
            if *begin == 0 {
                return own.clone();
            }
            let (units, rest) = (begin / self.scale, begin % self.scale);
            let word = if rest == 0 { "from" } else { "behind" };
            let mut name = format!("{own} {word} {units}");
            while states.contains(name.as_str()) {
                name.push('\'');
            }
            name
        });
        names.collect()
    }
}
