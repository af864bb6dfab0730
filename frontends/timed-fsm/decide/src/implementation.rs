//! Implementations of a fault domain, without building their machines.

use std::collections::{BTreeMap, BTreeSet};

use hyperkill_timed_fsm::choices::{MutationMachine, Selection};
use hyperkill_timed_fsm::machine::{Answer, Change, Machine, Timeout};

use crate::run::Stimulus;

/// One choice that differs from the selection: the state, the input (or the number of inputs for the timeout), and the index in the group.
pub(crate) type Single = (usize, usize, usize);

/// An implementation: a selection of alternatives, possibly with one other choice.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Implementation<'a> {
    pub(crate) mutation: &'a MutationMachine,
    pub(crate) selection: &'a Selection,
    pub(crate) single: Option<Single>,
}

/// A runnable machine: the specification or an implementation.
pub(crate) trait Runs {
    fn answer(&self, state: usize, input: usize) -> Option<Answer>;
    fn timeout(&self, state: usize) -> Option<Timeout>;

    /// Returns the state after a delay since `state` was entered.
    fn wait(&self, state: usize, delay: u64) -> usize {
        let (mut state, mut left) = (state, delay);
        let mut seen: BTreeMap<usize, u64> = BTreeMap::new();
        let mut looks = true;
        loop {
            let Some(timeout) = self.timeout(state) else {
                return state;
            };
            let after = u64::from(timeout.after);
            if left < after {
                return state;
            }
            if looks && let Some(before) = seen.insert(state, left) {
                // Complete rounds of a cycle lead back here.
                left %= before - left;
                looks = false;
                continue;
            }
            left -= after;
            state = timeout.target;
        }
    }

    /// Returns the state after a test from a state, if the machine gives these outputs; else `None`.
    fn passes(&self, state: usize, test: &[Stimulus], outputs: &[usize]) -> Option<usize> {
        let mut state = state;
        for (&(delay, input), &output) in test.iter().zip(outputs) {
            let answer = self.answer(self.wait(state, delay), input)?;
            if answer.output != output {
                return None;
            }
            state = answer.target;
        }
        Some(state)
    }
}

impl Runs for Machine {
    fn answer(&self, state: usize, input: usize) -> Option<Answer> {
        self.states[state].answers.get(&input).copied()
    }

    fn timeout(&self, state: usize) -> Option<Timeout> {
        self.states[state].timeout
    }
}

/// A machine with a change, evaluated without building the changed machine.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Changed<'a> {
    pub(crate) machine: &'a Machine,
    pub(crate) change: Change,
}

impl Runs for Changed<'_> {
    fn answer(&self, state: usize, input: usize) -> Option<Answer> {
        match self.change {
            Change::Answer {
                state: there,
                input: event,
                answer,
            } if (there, event) == (state, input) => Some(answer),
            _ => Runs::answer(self.machine, state, input),
        }
    }

    fn timeout(&self, state: usize) -> Option<Timeout> {
        match self.change {
            Change::Timeout {
                state: there,
                timeout,
            } if there == state => timeout,
            _ => Runs::timeout(self.machine, state),
        }
    }
}

impl Runs for Implementation<'_> {
    fn answer(&self, state: usize, input: usize) -> Option<Answer> {
        let at = match self.single {
            Some((there, event, at))
                if event == input && there == self.mutation.place(state, input) =>
            {
                at
            }
            _ => self.selection.answers[state][input],
        };
        self.mutation.answers[state][input][at].does
    }

    fn timeout(&self, state: usize) -> Option<Timeout> {
        let inputs = self.mutation.answers[state].len();
        let at = match self.single {
            Some((there, event, at)) if (there, event) == (state, inputs) => at,
            _ => self.selection.timeouts[state],
        };
        self.mutation.timeouts[state][at].does
    }
}

impl Implementation<'_> {
    /// Returns the implementation as a selection.
    pub(crate) fn selection(&self) -> Selection {
        let mut selection = self.selection.clone();
        if let Some((state, event, at)) = self.single {
            if event >= selection.answers[state].len() {
                selection.timeouts[state] = at;
                return selection;
            }
            // Pieces of one class of delays share a choice.
            for (piece, answers) in selection.answers.iter_mut().enumerate() {
                if self.mutation.place(piece, event) == state {
                    answers[event] = at;
                }
            }
        }
        selection
    }
}

/// A place with alternatives: a state, and an input or the number of inputs for the timeout.
pub(crate) type Place = (usize, usize);

/// Returns the places of a machine during a test from a state on. Changes at other places are invisible.
pub(crate) fn visited(machine: &Machine, from: usize, test: &[Stimulus]) -> BTreeSet<Place> {
    let inputs = machine.inputs.len();
    let mut found = BTreeSet::new();
    let mut state = from;
    for &(delay, input) in test {
        let (mut left, mut seen) = (delay, BTreeSet::new());
        while seen.insert(state) {
            found.insert((state, inputs));
            let timeout = machine.states[state].timeout;
            let Some(timeout) = timeout.filter(|timeout| u64::from(timeout.after) <= left) else {
                break;
            };
            left -= u64::from(timeout.after);
            state = timeout.target;
        }
        // The cycle has been passed once, so no new place occurs during the rest of the delay.
        state = machine.wait(state, left);
        found.insert((state, input));
        match Runs::answer(machine, state, input) {
            Some(answer) => state = answer.target,
            None => break,
        }
    }
    found
}

/// Returns all implementations that differ from a selection in one choice.
pub(crate) fn singles(mutation: &MutationMachine) -> Vec<Single> {
    let mut found = Vec::new();
    for state in 0..mutation.own_states {
        let inputs = mutation.answers[state].len();
        for (input, group) in mutation.answers[state].iter().enumerate() {
            if mutation.place(state, input) == state {
                found.extend((1..group.len()).map(|at| (state, input, at)));
            }
        }
        let timeouts = 1..mutation.timeouts[state].len();
        found.extend(timeouts.map(|at| (state, inputs, at)));
    }
    found
}

/// Returns the outputs of a machine on a test and its final state; `None` if an input has no transition.
pub(crate) fn expected(
    machine: &Machine,
    from: usize,
    test: &[Stimulus],
) -> Option<(Vec<usize>, usize)> {
    let mut state = from;
    let mut outputs = Vec::with_capacity(test.len());
    for &(delay, input) in test {
        let answer = Runs::answer(machine, machine.wait(state, delay), input)?;
        outputs.push(answer.output);
        state = answer.target;
    }
    Some((outputs, state))
}
