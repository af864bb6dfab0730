//! A mutation machine: all implementations of a fault domain. An implementation has exactly one of the alternatives for each state and
//! event.

use std::collections::BTreeMap;

use crate::count::Count;
use crate::group::{MAX_TRANSITIONS, add, only, ways};
use crate::machine::{Answer, Change, Machine, State, Timeout};
use crate::piece::Pieces;

pub use crate::group::{Choice, Group};

/// A mutation machine \[1\]: a machine with alternatives; an implementation has exactly one for each state and event.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct MutationMachine {
    /// The names of states: those of the specification, then others.
    pub states: Vec<String>,
    /// The alternative answers by state and input.
    pub answers: Vec<Vec<Group<Answer>>>,
    /// The alternative timeouts by state.
    pub timeouts: Vec<Group<Timeout>>,
    /// The number of states of the specification.
    pub own_states: usize,
    /// The pieces of states, if answers depend on delays.
    pub pieces: Option<Box<Pieces>>,
}

/// An implementation: the index of its transition in the group of each state and input, and of its timeout in the group of each state.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct Selection {
    /// The answers by state and input.
    pub answers: Vec<Vec<usize>>,
    /// The timeouts by state.
    pub timeouts: Vec<usize>,
}

/// The error that a domain has too many transitions.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct TooMany;

impl MutationMachine {
    /// Returns the machine with the alternatives `changes`, each with the number of written transitions that it stands for. `extra` are the
    /// names of additional states.
    ///
    /// # Errors
    /// If there are too many alternatives.
    pub fn new(
        machine: &Machine,
        extra: &[String],
        changes: impl IntoIterator<Item = (Change, u64)>,
    ) -> Result<MutationMachine, TooMany> {
        let mut mutation = MutationMachine::own(machine, extra);
        let (mut left, mut answers, mut timeouts) =
            (MAX_TRANSITIONS, BTreeMap::new(), BTreeMap::new());
        for (change, ways) in changes {
            left = left.checked_sub(1).ok_or(TooMany)?;
            let known = match change {
                Change::Answer {
                    state,
                    input,
                    answer,
                } => answers.entry((state, input, answer)).or_default(),
                Change::Timeout { state, timeout } => timeouts.entry((state, timeout)).or_default(),
                // Machines with guards are cut into pieces instead.
                Change::Guard { .. } => continue,
            };
            *known = ways.max(*known);
        }
        for ((state, input, answer), ways) in answers {
            add(&mut mutation.answers[state][input], Some(answer), ways);
        }
        for ((state, timeout), ways) in timeouts {
            add(&mut mutation.timeouts[state], timeout, ways);
        }
        mutation.fill();
        Ok(mutation)
    }

    /// Returns the chaos domain with a number of states: every answer of every state, and every timeout up to a length.
    ///
    /// # Errors
    /// If the domain exceeds the limit on transitions.
    pub fn chaos(
        machine: &Machine,
        states: usize,
        longest: u32,
    ) -> Result<MutationMachine, TooMany> {
        let own = machine.states.len();
        let count = states as u64;
        let (inputs, outputs) = (machine.inputs.len(), machine.outputs.len());
        let most = [inputs as u64, outputs as u64, count, count].into_iter();
        let answers = most.fold(1, u64::saturating_mul);
        let timeouts = (u64::from(longest) + 1).saturating_mul(count.saturating_mul(count));
        if answers.saturating_add(timeouts) > MAX_TRANSITIONS {
            return Err(TooMany);
        }
        let taken = |name: &String| machine.states.iter().any(|state| state.name == *name);
        let extra = (1..).map(|number| format!("extra{number}"));
        let extra: Vec<String> = extra
            .filter(|name| !taken(name))
            .take(states - own)
            .collect();
        let mut mutation = MutationMachine::own(machine, &extra);
        for groups in &mut mutation.answers {
            for group in groups {
                for output in 0..outputs {
                    (0..states).for_each(|target| add(group, Some(Answer { output, target }), 1));
                }
            }
        }
        for group in &mut mutation.timeouts {
            for after in 1..=longest {
                (0..states).for_each(|target| add(group, Some(Timeout { after, target }), 1));
            }
            // As in [1], in which an infinite timeout also has a target.
            add(group, None, count);
        }
        mutation.fill();
        Ok(mutation)
    }

    fn own(machine: &Machine, extra: &[String]) -> MutationMachine {
        let names = machine.states.iter().map(|state| state.name.clone());
        let states: Vec<String> = names.chain(extra.iter().cloned()).collect();
        let inputs = machine.inputs.len();
        let answers = (0..states.len()).map(|state| match machine.states.get(state) {
            Some(own) => (0..inputs)
                .map(|input| vec![only(own.answers.get(&input).copied())])
                .collect(),
            None => vec![Vec::new(); inputs],
        });
        let timeouts = (0..states.len()).map(|state| match machine.states.get(state) {
            Some(own) => vec![only(own.timeout)],
            None => Vec::new(),
        });
        MutationMachine {
            answers: answers.collect(),
            timeouts: timeouts.collect(),
            own_states: machine.states.len(),
            states,
            pieces: None,
        }
    }

    /// Gives each event without a transition the single choice "no transition".
    fn fill(&mut self) {
        for group in self.answers.iter_mut().flatten() {
            if group.is_empty() {
                group.push(only(None));
            }
        }
        for group in &mut self.timeouts {
            if group.is_empty() {
                group.push(only(None));
            }
        }
    }

    fn sizes(&self) -> impl Iterator<Item = (usize, u64)> + '_ {
        let answers = self.answers.iter().flatten();
        let answers = answers.map(|group| (group.len(), ways(group)));
        answers.chain(self.timeouts.iter().map(|group| (group.len(), ways(group))))
    }

    /// Returns the number of mutants, without the specification.
    #[must_use]
    pub fn mutants(&self) -> Count {
        if let Some(pieces) = &self.pieces {
            return pieces.whole.mutants();
        }
        let all = self
            .sizes()
            .fold(Count::one(), |count, (_, ways)| count.times(ways));
        match self.states.len() == self.own_states {
            true => all.less_one(),
            false => all,
        }
    }

    /// Returns the number of transitions besides those of the specification.
    #[must_use]
    pub fn mutated(&self) -> u64 {
        if let Some(pieces) = &self.pieces {
            return pieces.whole.mutated();
        }
        let all: u64 = self.sizes().map(|(_, ways)| ways).sum();
        // The first alternative of a group is the specification's, or none if no transition is written.
        let events = self.answers.first().map_or(0, Vec::len) + 1;
        let said = self.own_states * events;
        let extra = &self.answers[self.own_states..];
        let silent = extra
            .iter()
            .flatten()
            .filter(|group| group[0].does.is_none());
        all - (said + silent.count()) as u64
    }

    /// Returns the changes that alone give a different machine.
    pub fn single_changes<'a>(&'a self, machine: &'a Machine) -> impl Iterator<Item = Change> + 'a {
        let own = 0..self.own_states;
        let changes = own.flat_map(|state| {
            let answers = self.answers[state].iter().enumerate();
            let answers = answers.flat_map(move |(input, group)| {
                let others = group.iter().skip(1).filter_map(|choice| choice.does);
                others.map(move |answer| Change::Answer {
                    state,
                    input,
                    answer,
                })
            });
            let timeouts = self.timeouts[state].iter().skip(1);
            answers.chain(timeouts.map(move |choice| Change::Timeout {
                state,
                timeout: choice.does,
            }))
        });
        let count = machine.states.len();
        changes.filter(move |change| change.last_target().is_none_or(|target| target < count))
    }

    /// Returns the number of places (a state and an event) with more than one alternative.
    #[must_use]
    pub fn groups(&self) -> usize {
        if let Some(pieces) = &self.pieces {
            return pieces.whole.groups();
        }
        self.sizes().filter(|(choices, _)| *choices > 1).count()
    }

    /// Returns the state whose choice determines the answer to an input: pieces of one class share a choice.
    #[must_use]
    pub fn place(&self, state: usize, input: usize) -> usize {
        let pieces = self.pieces.as_ref();
        let places = pieces.and_then(|pieces| pieces.places[state].get(input));
        places.copied().unwrap_or(state)
    }

    /// Returns the implementation with the first alternative everywhere: the transitions of the specification in its own states.
    #[must_use]
    pub fn first(&self) -> Selection {
        Selection {
            answers: self
                .answers
                .iter()
                .map(|groups| vec![0; groups.len()])
                .collect(),
            timeouts: vec![0; self.timeouts.len()],
        }
    }

    /// Returns the machine of an implementation, which has inputs and outputs of the specification.
    #[must_use]
    pub fn machine(&self, specification: &Machine, selection: &Selection) -> Machine {
        let states = self.states.iter().enumerate().map(|(state, name)| {
            let groups = self.answers[state].iter().zip(&selection.answers[state]);
            let answers = groups.enumerate();
            let answers =
                answers.filter_map(|(input, (group, &at))| Some((input, group[at].does?)));
            State {
                name: name.clone(),
                answers: answers.collect(),
                timeout: self.timeouts[state][selection.timeouts[state]].does,
                ..State::default()
            }
        });
        Machine {
            states: states.collect(),
            ..specification.clone()
        }
    }
}
