//! Deterministic timed machines with timeouts \[1\] (semantics.md §7).

use std::collections::BTreeMap;

use crate::guard::Interval;

/// A machine: states, inputs and outputs are numbers in declaration order, and state 0 is the initial one.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Machine {
    /// The name of the machine.
    pub name: String,
    /// The name of the unit of time.
    pub unit: Option<String>,
    /// The names of the inputs, by number.
    pub inputs: Vec<String>,
    /// The names of the outputs, by number.
    pub outputs: Vec<String>,
    /// The states; at least one.
    pub states: Vec<State>,
}

/// A state.
#[derive(Clone, PartialEq, Eq, Default, Debug)]
pub struct State {
    /// The name of the state.
    pub name: String,
    /// The answers by input. Other inputs have no transition.
    pub answers: BTreeMap<usize, Answer>,
    /// The answers by input with guards, in the order of the text. These inputs are not in `answers`. Delays ascend. Neighbours with the
    /// same answer stay separate, since either may be faulty.
    pub guarded: BTreeMap<usize, Vec<Guarded>>,
    /// The timeout without an input; `None`: the machine stays for ever.
    pub timeout: Option<Timeout>,
}

/// The answer to an input at some delays.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub struct Guarded {
    /// The delays since the state was entered.
    pub during: Interval,
    /// The answer at these delays.
    pub answer: Answer,
}

impl Guarded {
    /// Returns an answer for all delays.
    #[must_use]
    pub fn always(answer: Answer) -> Guarded {
        Guarded {
            during: Interval::ALWAYS,
            answer,
        }
    }

    /// Whether the interval of `next` begins where the interval of this answer ends, and both have the same answer.
    fn goes_on_as(&self, next: &Guarded) -> bool {
        self.answer == next.answer && self.during.until == Some(next.during.from)
    }
}

/// The answer to an input.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub struct Answer {
    /// The number of the output.
    pub output: usize,
    /// The number of the next state.
    pub target: usize,
}

/// The transition without an input.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub struct Timeout {
    /// The delay in units, at least 1.
    pub after: u32,
    /// The number of the next state.
    pub target: usize,
}

/// A single fault.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum Change {
    /// The answer of a state to an input is another one.
    Answer {
        /// The number of the state.
        state: usize,
        /// The number of the input.
        input: usize,
        /// The answer in the mutant.
        answer: Answer,
    },
    /// The timeout of a state is another one, or missing.
    Timeout {
        /// The number of the state.
        state: usize,
        /// The timeout in the mutant; `None` if it is missing.
        timeout: Option<Timeout>,
    },
    /// The answer of a state to an input is another one at some delays.
    Guard {
        /// The number of the state.
        state: usize,
        /// The number of the input.
        input: usize,
        /// The delays with their answers. There is at least one; a shifted guard has two.
        parts: [Option<Part>; 2],
    },
}

/// An alternative answer to an input at some delays.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub struct Part {
    /// The delays since the state was entered.
    pub during: Interval,
    /// The answer; `None`: no transition.
    pub does: Option<Answer>,
}

impl Change {
    /// Returns the number of the changed state.
    #[must_use]
    pub fn state(&self) -> usize {
        match *self {
            Change::Answer { state, .. }
            | Change::Timeout { state, .. }
            | Change::Guard { state, .. } => state,
        }
    }

    /// Returns the largest number of a target state of the change; `None` if it has no target.
    #[must_use]
    pub fn last_target(&self) -> Option<usize> {
        match *self {
            Change::Answer { answer, .. } => Some(answer.target),
            Change::Timeout { timeout, .. } => timeout.map(|timeout| timeout.target),
            Change::Guard { parts, .. } => {
                let answers = parts.iter().flatten().filter_map(|part| part.does);
                answers.map(|answer| answer.target).max()
            }
        }
    }

    /// Returns the answers of the changed machine to the input of the change, in the order of delays; `None` for a changed timeout.
    /// Neighbours with the same answer are merged.
    #[must_use]
    pub fn answers(&self, machine: &Machine) -> Option<Answers> {
        let (state, input, answers) = match *self {
            Change::Answer {
                state,
                input,
                answer,
            } => (state, input, vec![Guarded::always(answer)]),
            Change::Guard {
                state,
                input,
                parts,
            } => {
                let own = machine.states.get(state)?.on(input);
                let parts = parts.iter().flatten();
                let changed = parts.fold(own, |row, part| replaced(&row, part));
                (state, input, joined(changed))
            }
            Change::Timeout { .. } => return None,
        };
        Some(Answers {
            state,
            input,
            answers,
        })
    }

    /// Whether the change has no effect on the machine.
    #[must_use]
    pub fn is_none(&self, machine: &Machine) -> bool {
        match (self, self.answers(machine)) {
            (Change::Timeout { state, timeout }, _) => machine.states[*state].timeout == *timeout,
            (_, Some(changed)) => {
                machine.states[changed.state].joined(changed.input) == changed.answers
            }
            (_, None) => false,
        }
    }
}

/// The answers of a state to an input, in the order of delays.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub struct Answers {
    /// The number of the state.
    pub state: usize,
    /// The number of the input.
    pub input: usize,
    /// The answers with their delays. Neighbours with the same answer are merged.
    pub answers: Vec<Guarded>,
}

impl State {
    /// Returns the answers to an input, in the order of delays.
    #[must_use]
    pub fn on(&self, input: usize) -> Vec<Guarded> {
        let always = self.answers.get(&input).map(|&own| Guarded::always(own));
        let guarded = self.guarded.get(&input).cloned().unwrap_or_default();
        always.into_iter().chain(guarded).collect()
    }

    /// Returns the answers to an input, in the order of delays. Neighbours with the same answer are merged, so two states answer an input
    /// alike at every delay iff these lists are equal.
    #[must_use]
    pub fn joined(&self, input: usize) -> Vec<Guarded> {
        joined(self.on(input))
    }

    /// Sets the answers to an input. Their delays are disjoint.
    pub fn set(&mut self, input: usize, mut all: Vec<Guarded>) {
        all.sort_unstable();
        self.answers.remove(&input);
        self.guarded.remove(&input);
        match all.as_slice() {
            [] => {}
            [only] if only.during == Interval::ALWAYS => {
                self.answers.insert(input, only.answer);
            }
            _ => {
                self.guarded.insert(input, all);
            }
        }
    }

    /// Sets the answer to an input at the delays of `part`.
    fn replace(&mut self, input: usize, part: &Part) {
        let all = replaced(&self.on(input), part);
        self.set(input, all);
    }
}

/// Returns the answers `row` with the alternative `part` at its delays. Guards that touch these delays are extended if they have the same
/// answer.
fn replaced(row: &[Guarded], part: &Part) -> Vec<Guarded> {
    let rest = row.iter().flat_map(|own| {
        let rest = own.during.without(&part.during).into_iter().flatten();
        rest.map(|during| Guarded { during, ..*own })
    });
    let mut rest: Vec<Guarded> = rest.collect();
    let Some(answer) = part.does else {
        return rest;
    };
    let mut new = Guarded {
        during: part.during,
        answer,
    };
    rest.retain(|other| {
        if other.goes_on_as(&new) {
            new.during.from = other.during.from;
            return false;
        }
        if new.goes_on_as(other) {
            new.during.until = other.during.until;
            return false;
        }
        true
    });
    rest.push(new);
    rest.sort_unstable();
    rest
}

/// Returns the answers with neighbours merged that have the same answer.
fn joined(row: Vec<Guarded>) -> Vec<Guarded> {
    let mut joined: Vec<Guarded> = Vec::new();
    for next in row {
        match joined.last_mut() {
            Some(last) if last.goes_on_as(&next) => last.during.until = next.during.until,
            _ => joined.push(next),
        }
    }
    joined
}

impl Machine {
    /// Returns the machine with this change.
    #[must_use]
    pub fn with(&self, change: &Change) -> Machine {
        let mut machine = self.clone();
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
                machine.states[state].replace(input, &part);
            }
            Change::Timeout { state, timeout } => machine.states[state].timeout = timeout,
            Change::Guard {
                state,
                input,
                parts,
            } => {
                let parts = parts.iter().flatten();
                parts.for_each(|part| machine.states[state].replace(input, part));
            }
        }
        machine
    }

    /// Returns for each state whether it is reachable from the initial one.
    #[must_use]
    pub fn reachable(&self) -> Vec<bool> {
        let mut reached = vec![false; self.states.len()];
        let mut due = vec![0];
        while let Some(index) = due.pop() {
            if !std::mem::replace(&mut reached[index], true) {
                let state = &self.states[index];
                let guarded = state.guarded.values().flatten();
                due.extend(guarded.map(|guarded| guarded.answer.target));
                due.extend(state.answers.values().map(|answer| answer.target));
                due.extend(state.timeout.map(|timeout| timeout.target));
            }
        }
        reached
    }

    /// Whether some answer depends on delays.
    #[must_use]
    pub fn has_guards(&self) -> bool {
        self.states.iter().any(|state| !state.guarded.is_empty())
    }
}
