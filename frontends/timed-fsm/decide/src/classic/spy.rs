//! The method SPY (Simão, Petrenko, Yevtushenko): facts shown about one test hold for all tests that lead to the same state.
//!
//! The inputs after a transition show its target. Then all prefixes with shown transitions only lead to one state in every implementation
//! that passes. Inputs that must follow this state may follow any of these prefixes.

use std::collections::{BTreeMap, BTreeSet};

use hyperkill_core::budget::Budget;
use hyperkill_core::budget::memory::Charge;

use super::abstraction::{Abstraction, MOST_INPUTS, Sequences, Unsuited};
use crate::implementation::{Runs, expected};
use crate::run::Stimulus;

/// A prefix of tests, as a node of the tree of all tests.
struct Beginning {
    next: BTreeMap<Stimulus, usize>,
    /// The state of the specification.
    state: usize,
    inputs: usize,
    /// Whether the prefix is known to lead to the common state of its state's prefixes.
    is_alike: bool,
}

/// The size of a prefix in bytes, with its entry in the prefix before.
const BEGINNING_SIZE: usize = 2 * size_of::<Beginning>();

/// Tests, and the facts that they show.
pub(super) struct Spy<'s, 'a> {
    of: &'s Abstraction<'a>,
    beginnings: Vec<Beginning>,
    /// Transitions with the correct target in every implementation that passes: a state, and the input.
    shown: BTreeSet<(usize, Stimulus)>,
    /// For each state, prefixes that are known to lead to one common state of an implementation.
    alike: BTreeMap<usize, Vec<usize>>,
    inputs: usize,
    budget: &'s Budget,
    charge: Charge,
}

impl<'s, 'a> Spy<'s, 'a> {
    /// Returns complete tests.
    ///
    /// # Errors
    /// If they exceed the limit, or the budget is spent.
    pub(super) fn tests(
        of: &'s Abstraction<'a>,
        budget: &'s Budget,
    ) -> Result<Vec<Vec<Stimulus>>, Unsuited> {
        let start = Beginning {
            next: BTreeMap::new(),
            state: 0,
            inputs: 0,
            is_alike: true,
        };
        let mut spy = Spy {
            of,
            beginnings: vec![start],
            shown: BTreeSet::new(),
            alike: BTreeMap::from([(0, vec![0])]),
            inputs: 0,
            budget,
            charge: Charge::default(),
        };
        spy.begin()?;
        let mut states: Vec<usize> = of.access.keys().copied().collect();
        states.sort_by_key(|state| of.access[state].len());
        for state in states {
            for &stimulus in &of.stimuli {
                if !spy.shown.contains(&(state, stimulus)) {
                    spy.show(state, stimulus)?;
                }
            }
        }
        spy.longest()
    }

    /// Checks the limits on time and memory.
    fn check(&mut self) -> Result<(), Unsuited> {
        let bytes = self.beginnings.len() * BEGINNING_SIZE;
        let full = self.charge.hold(self.budget, bytes);
        full.map_or_else(|| self.budget.check(), Err)
            .map_err(Unsuited::Stopped)
    }

    /// Adds tests that reach all states and distinguish them.
    fn begin(&mut self) -> Result<(), Unsuited> {
        let of = self.of;
        for access in of.access.values() {
            let mut at = 0;
            for stimulus in access {
                // The first prefix that leads to a state is the reference for others.
                let state = self.beginnings[at].state;
                at = self.go_on(at, &[*stimulus])?;
                self.is_shown(state, *stimulus);
            }
        }
        for (state, access) in &of.access {
            for suffix in &of.of_state[state] {
                self.go_on(0, &[access, suffix.as_slice()].concat())?;
            }
        }
        Ok(())
    }

    /// Extends the transition of a state on an input by the sequences that identify its target: all sequences up to the number of
    /// additional states, each followed by inputs that distinguish its end state.
    fn show(&mut self, state: usize, stimulus: Stimulus) -> Result<(), Unsuited> {
        let Some((_, target)) = expected(self.of.machine, state, &[stimulus]) else {
            return Ok(());
        };
        let of = self.of;
        for length in 0..of.depth {
            let mut sequences = Sequences::new(&of.stimuli, length);
            while let Some(between) = sequences.next() {
                let end = expected(of.machine, target, between).map_or(0, |(_, end)| end);
                let nothing = [Vec::new()];
                let suffixes = match of.of_state[&end].as_slice() {
                    [] => &nothing[..],
                    suffixes => suffixes,
                };
                for suffix in suffixes {
                    let behind = [between, suffix].concat();
                    self.follow(state, &[&[stimulus], behind.as_slice()].concat())?;
                    self.follow(target, &behind)?;
                }
            }
        }
        self.is_shown(state, stimulus);
        Ok(())
    }

    /// Extends one of the prefixes that are known to lead to the same state as `state` by inputs. Extensions without a new test are
    /// preferred, then those that cost fewest additional inputs.
    ///
    /// # Errors
    /// If a limit is exceeded.
    fn follow(&mut self, state: usize, stimuli: &[Stimulus]) -> Result<(), Unsuited> {
        self.check()?;
        let mut best = None;
        for &at in &self.alike[&state] {
            self.budget.check().map_err(Unsuited::Stopped)?;
            let (mut there, mut taken) = (at, 0);
            while let Some(next) = stimuli
                .get(taken)
                .and_then(|stimulus| self.beginnings[there].next.get(stimulus))
            {
                there = *next;
                taken += 1;
            }
            let is_new_test = taken < stimuli.len() && !self.beginnings[there].next.is_empty();
            let left = stimuli.len() - taken;
            let cost = match (left, is_new_test) {
                (0, _) => 0,
                (_, true) => self.beginnings[there].inputs + left,
                (_, false) => left,
            };
            let place = (is_new_test, cost, at);
            if best.is_none_or(|best| place < best) {
                best = Some(place);
            }
        }
        if let Some((_, _, at)) = best {
            self.go_on(at, stimuli)?;
        }
        Ok(())
    }

    fn go_on(&mut self, at: usize, stimuli: &[Stimulus]) -> Result<usize, Unsuited> {
        let mut at = at;
        for &stimulus in stimuli {
            if let Some(&known) = self.beginnings[at].next.get(&stimulus) {
                at = known;
                continue;
            }
            let (before, inputs) = (self.beginnings[at].state, self.beginnings[at].inputs + 1);
            let there = self.of.machine.wait(before, stimulus.0);
            let answer = Runs::answer(self.of.machine, there, stimulus.1);
            let state = answer.map_or(before, |answer| answer.target);
            let new = self.beginnings.len();
            self.beginnings.push(Beginning {
                next: BTreeMap::new(),
                state,
                inputs,
                is_alike: false,
            });
            self.inputs += inputs;
            if self.inputs > MOST_INPUTS {
                return Err(Unsuited::TooMany);
            }
            self.beginnings[at].next.insert(stimulus, new);
            if self.beginnings[at].is_alike && self.shown.contains(&(before, stimulus)) {
                self.alike.entry(state).or_default().push(new);
                self.beginnings[new].is_alike = true;
            }
            at = new;
        }
        Ok(at)
    }

    /// Records that a transition has the correct target, and so also which further prefixes lead to a common state.
    fn is_shown(&mut self, state: usize, stimulus: Stimulus) {
        if !self.shown.insert((state, stimulus)) {
            return;
        }
        let from = self.alike.get(&state).into_iter().flatten();
        let next = from.filter_map(|at| self.beginnings[*at].next.get(&stimulus));
        let mut due: Vec<usize> = next.copied().collect();
        while let Some(at) = due.pop() {
            let state = self.beginnings[at].state;
            if std::mem::replace(&mut self.beginnings[at].is_alike, true) {
                continue;
            }
            self.alike.entry(state).or_default().push(at);
            let next = self.beginnings[at].next.iter();
            let next = next.filter(|(stimulus, _)| self.shown.contains(&(state, **stimulus)));
            due.extend(next.map(|(_, next)| *next));
        }
    }

    /// Returns the tests that are no proper prefix of another one.
    fn longest(&self) -> Result<Vec<Vec<Stimulus>>, Unsuited> {
        let mut found = Vec::new();
        let mut due: Vec<(usize, Vec<Stimulus>)> = vec![(0, Vec::new())];
        while let Some((at, test)) = due.pop() {
            self.budget.check().map_err(Unsuited::Stopped)?;
            let next = &self.beginnings[at].next;
            if next.is_empty() && !test.is_empty() {
                found.push(test);
                continue;
            }
            for (stimulus, next) in next {
                let mut longer = test.clone();
                longer.push(*stimulus);
                due.push((*next, longer));
            }
        }
        found.sort();
        Ok(found)
    }
}
