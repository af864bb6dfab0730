//! Deterministic timed machines with timeouts \[1\] (semantics.md §7).

use std::collections::BTreeMap;

/// A machine: states, inputs and outputs are numbers in declaration order, and state 0 is the initial one.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Machine {
    /// Its name.
    pub name: String,
    /// What a unit of time is called.
    pub unit: Option<String>,
    /// Names of inputs.
    pub inputs: Vec<String>,
    /// Names of outputs.
    pub outputs: Vec<String>,
    /// At least one.
    pub states: Vec<State>,
}

/// A state.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct State {
    /// Its name.
    pub name: String,
    /// What happens on which input; nothing is said about others.
    pub answers: BTreeMap<usize, Answer>,
    /// What happens if no input comes; `None`: nothing, ever.
    pub timeout: Option<Timeout>,
}

/// What happens on an input.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub struct Answer {
    /// What is seen.
    pub output: usize,
    /// The next state.
    pub target: usize,
}

/// What happens without one.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub struct Timeout {
    /// After so many units; at least 1.
    pub after: u32,
    /// The next state.
    pub target: usize,
}

/// A single fault.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum Change {
    /// Another answer.
    Answer {
        /// Where.
        state: usize,
        /// To what.
        input: usize,
        /// The answer.
        answer: Answer,
    },
    /// Another timeout, or none.
    Timeout {
        /// Where.
        state: usize,
        /// The timeout.
        timeout: Option<Timeout>,
    },
}

impl Change {
    /// Where it is, and where it leads to.
    #[must_use]
    pub fn ends(&self) -> (usize, Option<usize>) {
        match *self {
            Change::Answer { state, answer, .. } => (state, Some(answer.target)),
            Change::Timeout { state, timeout } => (state, timeout.map(|timeout| timeout.target)),
        }
    }

    /// Whether it is what the machine does anyway.
    #[must_use]
    pub fn is_none(&self, machine: &Machine) -> bool {
        match *self {
            Change::Answer {
                state,
                input,
                answer,
            } => machine.states[state].answers.get(&input) == Some(&answer),
            Change::Timeout { state, timeout } => machine.states[state].timeout == timeout,
        }
    }
}

impl Machine {
    /// The machine with a fault.
    #[must_use]
    pub fn with(&self, change: &Change) -> Machine {
        let mut machine = self.clone();
        match *change {
            Change::Answer {
                state,
                input,
                answer,
            } => {
                machine.states[state].answers.insert(input, answer);
            }
            Change::Timeout { state, timeout } => machine.states[state].timeout = timeout,
        }
        machine
    }

    /// Whether each state can be reached at all.
    #[must_use]
    pub fn reachable(&self) -> Vec<bool> {
        let mut reached = vec![false; self.states.len()];
        let mut due = vec![0];
        while let Some(index) = due.pop() {
            if !std::mem::replace(&mut reached[index], true) {
                let state = &self.states[index];
                due.extend(state.answers.values().map(|answer| answer.target));
                due.extend(state.timeout.map(|timeout| timeout.target));
            }
        }
        reached
    }
}
