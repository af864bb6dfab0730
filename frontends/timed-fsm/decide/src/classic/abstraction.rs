//! A timed machine as an untimed one, and its tests.

use std::collections::{BTreeMap, BTreeSet, VecDeque};

use hyperkill_core::budget::memory::Charge;
use hyperkill_core::budget::{Budget, Stop};
use hyperkill_timed_fsm::machine::Machine;

use crate::implementation::{Runs, expected};
use crate::product::{Found, compare_from};
use crate::run::Stimulus;

/// The number of inputs in all tests together, at most.
pub(super) const MOST_INPUTS: usize = 2_000_000;

/// The reason why a machine has no classic suite.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Unsuited {
    /// A state has no transition for an input.
    Incomplete(usize, usize),
    /// No test distinguishes these two states.
    Equivalent(usize, usize),
    /// The tests exceed the limit.
    TooMany,
    /// The budget was spent before the suite was complete.
    Stopped(Stop),
}

impl Unsuited {
    /// Returns the reason as a sentence.
    #[must_use]
    pub fn said_of(&self, machine: &Machine) -> String {
        let name = |state: usize| &machine.states[state].name;
        match *self {
            Unsuited::Incomplete(state, input) => {
                let (state, input) = (name(state), &machine.inputs[input]);
                format!(
                    "it needs machines that answer every input, and `{state}` has no answer to `{input}`"
                )
            }
            Unsuited::Equivalent(one, other) => {
                let (one, other) = (name(one), name(other));
                format!(
                    "it needs machines without equivalent states, and no test distinguishes `{one}` from `{other}`"
                )
            }
            Unsuited::TooMany => {
                "it needs tests for every delay, and these are too many".to_owned()
            }
            Unsuited::Stopped(Stop::Memory) => "its tests exceed the memory limit".to_owned(),
            Unsuited::Stopped(Stop::Interrupted) => {
                "the search for its tests was interrupted".to_owned()
            }
            Unsuited::Stopped(_) => "its tests were not found in time".to_owned(),
        }
    }
}

/// The implementations that a suite is complete for: all with a number of states, and timeouts up to a length.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Everything {
    /// The number of states, at least as many as the specification has.
    pub states: usize,
    /// The longest timeout of these implementations.
    pub longest: u32,
}

/// A timed machine as an untimed one: its inputs are pairs of a delay and an input.
pub(super) struct Abstraction<'a> {
    pub(super) machine: &'a Machine,
    /// The inputs: pairs of a delay and an input.
    pub(super) stimuli: Vec<Stimulus>,
    /// The shortest access sequence of each state that inputs reach.
    pub(super) access: BTreeMap<usize, Vec<Stimulus>>,
    /// The characterisation set: inputs that distinguish all states.
    pub(super) all: Vec<Vec<Stimulus>>,
    /// Harmonised state identifiers: for each state inputs that distinguish it from others, the same for both states of a pair.
    pub(super) of_state: BTreeMap<usize, Vec<Vec<Stimulus>>>,
    /// A shortest input sequence that distinguishes two states, in both orders.
    pub(super) shortest: BTreeMap<(usize, usize), Vec<Stimulus>>,
    /// The number of inputs that may follow each state: one more than the number of additional states.
    pub(super) depth: usize,
}

impl<'a> Abstraction<'a> {
    pub(super) fn new(
        machine: &'a Machine,
        domain: Everything,
        budget: &Budget,
    ) -> Result<Abstraction<'a>, Unsuited> {
        let longest = longest_delay(machine, domain, budget)?;
        let inputs = machine.inputs.len();
        let count = usize::try_from(longest)
            .ok()
            .map(|delays| (delays + 1).saturating_mul(inputs));
        if count.is_none_or(|count| count > MOST_INPUTS) {
            return Err(Unsuited::TooMany);
        }
        for (state, own) in machine.states.iter().enumerate() {
            if let Some(input) = (0..inputs).find(|input| !own.answers.contains_key(input)) {
                return Err(Unsuited::Incomplete(state, input));
            }
        }
        let stimuli = (0..=longest).flat_map(|delay| (0..inputs).map(move |input| (delay, input)));
        let stimuli: Vec<Stimulus> = stimuli.collect();
        let access = accesses(machine, &stimuli, budget)?;
        let mut found = Abstraction {
            // An implementation may enter by inputs a state that the specification enters by timeouts only.
            depth: domain.states.saturating_sub(access.len()) + 1,
            machine,
            stimuli,
            all: Vec::new(),
            shortest: BTreeMap::new(),
            of_state: access.keys().map(|state| (*state, Vec::new())).collect(),
            access,
        };
        found.tell_apart(budget)?;
        Ok(found)
    }

    /// Finds for each pair of states an input sequence that distinguishes them, with few different sequences.
    pub(super) fn tell_apart(&mut self, budget: &Budget) -> Result<(), Unsuited> {
        let states: Vec<usize> = self.access.keys().copied().collect();
        for (index, &one) in states.iter().enumerate() {
            for &other in &states[index + 1..] {
                budget.check().map_err(Unsuited::Stopped)?;
                let mut known = self.all.iter();
                let known = known
                    .find(|suffix| self.differ(one, other, suffix))
                    .cloned();
                let shortest = separating(self.machine, (one, other), budget)?;
                let suffix = match known {
                    Some(known) => known,
                    None => {
                        self.all.push(shortest.clone());
                        shortest.clone()
                    }
                };
                self.shortest.insert((one, other), shortest.clone());
                self.shortest.insert((other, one), shortest);
                for state in [one, other] {
                    let own = self.of_state.entry(state).or_default();
                    if !own.contains(&suffix) {
                        own.push(suffix.clone());
                    }
                }
            }
        }
        Ok(())
    }

    pub(super) fn outputs(&self, state: usize, suffix: &[Stimulus]) -> Option<Vec<usize>> {
        expected(self.machine, state, suffix).map(|(outputs, _)| outputs)
    }

    pub(super) fn differ(&self, one: usize, other: usize, suffix: &[Stimulus]) -> bool {
        self.outputs(one, suffix) != self.outputs(other, suffix)
    }

    /// Returns the final state of a test.
    pub(super) fn end(&self, test: &[Stimulus]) -> usize {
        expected(self.machine, 0, test).map_or(0, |(_, state)| state)
    }

    /// Calls `look` for each state and each input sequence of at most [`Self::depth`] inputs after it, the empty one first. The arguments
    /// are the test, and the number of inputs after the access sequence of the state.
    pub(super) fn each(
        &self,
        mut look: impl FnMut(&[Stimulus], usize) -> Result<(), Unsuited>,
    ) -> Result<(), Unsuited> {
        for access in self.access.values() {
            for behind in 0..=self.depth {
                let mut sequences = Sequences::new(&self.stimuli, behind);
                while let Some(sequence) = sequences.next() {
                    look(&[access, sequence].concat(), behind)?;
                }
            }
        }
        Ok(())
    }

    pub(super) fn with_sets<'s>(
        &self,
        tests: &mut Tests<'_>,
        set: impl Fn(bool, usize) -> &'s Vec<Vec<Stimulus>>,
    ) -> Result<(), Unsuited> {
        self.each(|test, behind| {
            tests.add(test)?;
            for suffix in set(behind == self.depth, self.end(test)) {
                tests.add(&[test, suffix].concat())?;
            }
            Ok(())
        })
    }

    /// Adds the tests of method H: two tests that lead to different states are extended by a sequence that distinguishes these states, if
    /// an implementation could confuse them.
    pub(super) fn by_pairs(&self, tests: &mut Tests<'_>) -> Result<(), Unsuited> {
        self.each(|test, _| tests.add(test))?;
        let cover: Vec<&Vec<Stimulus>> = self.access.values().collect();
        for (index, one) in cover.iter().enumerate() {
            for other in &cover[index + 1..] {
                self.separate(tests, one, other)?;
            }
        }
        self.each(|test, behind| {
            if behind == 0 {
                return Ok(());
            }
            for other in &cover {
                self.separate(tests, test, other)?;
            }
            for shorter in 1..behind {
                self.separate(tests, test, &test[..test.len() - shorter])?;
            }
            Ok(())
        })
    }

    /// Extends two tests by a sequence that distinguishes their final states. A sequence that follows both already is extended if that
    /// costs less.
    pub(super) fn separate(
        &self,
        tests: &mut Tests<'_>,
        one: &[Stimulus],
        other: &[Stimulus],
    ) -> Result<(), Unsuited> {
        let ends = (self.end(one), self.end(other));
        if ends.0 == ends.1 {
            return Ok(());
        }
        let mut best: Option<((usize, usize), Vec<Stimulus>)> = None;
        let behind = tests.behind(one).map(|test| &test[one.len()..]);
        for shared in std::iter::once(&[][..]).chain(behind) {
            tests.budget.check().map_err(Unsuited::Stopped)?;
            if !shared.is_empty() && !tests.all.contains(&[other, shared].concat()) {
                continue;
            }
            if self.differ(ends.0, ends.1, shared) {
                return Ok(());
            }
            let after = |state: usize| expected(self.machine, state, shared).map(|(_, end)| end);
            let Some(suffix) = after(ends.0)
                .zip(after(ends.1))
                .and_then(|pair| self.shortest.get(&pair))
            else {
                continue;
            };
            let suffix = [shared, suffix].concat();
            let costs = [one, other].map(|test| tests.cost(&[test, &suffix].concat()));
            let cost = (costs[0].0 + costs[1].0, costs[0].1 + costs[1].1);
            if best.as_ref().is_none_or(|(least, _)| cost < *least) {
                best = Some((cost, suffix));
            }
        }
        let Some((_, suffix)) = best else {
            return Err(Unsuited::Equivalent(ends.0, ends.1));
        };
        tests.add(&[one, &suffix].concat())?;
        tests.add(&[other, &suffix].concat())
    }
}

/// All sequences of a number of inputs, as an iterator since they may exceed memory.
pub(super) struct Sequences<'a> {
    pub(super) stimuli: &'a [Stimulus],
    /// By position in the sequence: the index of its input in `stimuli`.
    pub(super) places: Vec<usize>,
    pub(super) now: Vec<Stimulus>,
    pub(super) has_begun: bool,
}

impl<'a> Sequences<'a> {
    pub(super) fn new(stimuli: &'a [Stimulus], length: usize) -> Sequences<'a> {
        Sequences {
            stimuli,
            places: vec![0; length],
            now: Vec::new(),
            has_begun: false,
        }
    }

    /// Returns the next sequence, in the order of the inputs.
    pub(super) fn next(&mut self) -> Option<&[Stimulus]> {
        if self.has_begun {
            // The last index that can be increased is, and those after it start again.
            let last = self.stimuli.len().checked_sub(1)?;
            let at = self.places.iter().rposition(|place| *place < last)?;
            self.places[at] += 1;
            self.places[at + 1..].fill(0);
        } else if self.stimuli.is_empty() && !self.places.is_empty() {
            return None;
        }
        self.has_begun = true;
        let places = self.places.iter();
        self.now = places.map(|place| self.stimuli[*place]).collect();
        Some(&self.now)
    }
}

/// The size of an input of a test, in bytes.
pub(super) const INPUT_SIZE: usize = size_of::<Stimulus>();

/// The estimated size of a test without its inputs, in bytes.
pub(super) const TEST_SIZE: usize = 64;

/// Tests as a set of input sequences, with the number of their inputs.
pub(super) struct Tests<'a> {
    pub(super) all: BTreeSet<Vec<Stimulus>>,
    pub(super) inputs: usize,
    pub(super) budget: &'a Budget,
    pub(super) charge: Charge,
}

impl<'a> Tests<'a> {
    pub(super) fn new(budget: &'a Budget) -> Tests<'a> {
        Tests {
            all: BTreeSet::new(),
            inputs: 0,
            budget,
            charge: Charge::default(),
        }
    }

    /// Checks the limits on time and memory.
    pub(super) fn check(&mut self) -> Result<(), Unsuited> {
        let bytes = self.inputs * INPUT_SIZE + self.all.len() * TEST_SIZE;
        let full = self.charge.hold(self.budget, bytes);
        full.map_or_else(|| self.budget.check(), Err)
            .map_err(Unsuited::Stopped)
    }

    pub(super) fn add(&mut self, test: &[Stimulus]) -> Result<(), Unsuited> {
        self.check()?;
        for length in (1..=test.len()).rev() {
            if !self.all.insert(test[..length].to_vec()) {
                break;
            }
            self.inputs += length;
        }
        match self.inputs > MOST_INPUTS {
            true => Err(Unsuited::TooMany),
            false => Ok(()),
        }
    }

    /// Returns the cost of adding a test: whether it is a new test (1) and no extension of another one (0), and the number of additional
    /// inputs.
    pub(super) fn cost(&self, test: &[Stimulus]) -> (usize, usize) {
        let known = (0..=test.len()).rev();
        let mut known = known.filter(|length| *length == 0 || self.all.contains(&test[..*length]));
        let known = known.next().unwrap_or(0);
        match test.len() - known {
            0 => (0, 0),
            more if known > 0 && self.behind(&test[..known]).next().is_none() => (0, more),
            _ => (1, test.len()),
        }
    }

    /// Returns the sequences of this set that begin with `test` and are longer.
    pub(super) fn behind<'s>(
        &'s self,
        test: &'s [Stimulus],
    ) -> impl Iterator<Item = &'s Vec<Stimulus>> {
        let from = self.all.range(test.to_vec()..);
        let begun = from.take_while(|other| other.starts_with(test));
        begun.filter(|other| other.len() > test.len())
    }

    /// Returns the sequences that are no proper prefix of another one.
    pub(super) fn longest(self) -> Result<Vec<Vec<Stimulus>>, Unsuited> {
        self.budget.check().map_err(Unsuited::Stopped)?;
        let mut longest: Vec<Vec<Stimulus>> = Vec::new();
        for test in self.all {
            match longest.last_mut() {
                Some(last) if test.starts_with(last) => *last = test,
                _ => longest.push(test),
            }
        }
        Ok(longest)
    }
}

/// Returns for each state that inputs reach a shortest access sequence.
pub(super) fn accesses(
    machine: &Machine,
    stimuli: &[Stimulus],
    budget: &Budget,
) -> Result<BTreeMap<usize, Vec<Stimulus>>, Unsuited> {
    let mut found = BTreeMap::from([(0, Vec::new())]);
    let mut due = VecDeque::from([0]);
    while let Some(state) = due.pop_front() {
        for &(delay, input) in stimuli {
            budget.check().map_err(Unsuited::Stopped)?;
            let there = machine.wait(state, delay);
            let Some(answer) = Runs::answer(machine, there, input) else {
                continue;
            };
            if !found.contains_key(&answer.target) {
                let mut access: Vec<Stimulus> = found[&state].clone();
                access.push((delay, input));
                found.insert(answer.target, access);
                due.push_back(answer.target);
            }
        }
    }
    Ok(found)
}

pub(super) fn separating(
    machine: &Machine,
    (one, other): (usize, usize),
    budget: &Budget,
) -> Result<Vec<Stimulus>, Unsuited> {
    match compare_from((machine, machine), (one, other), None, budget, None) {
        Found::Difference(test) => {
            let test = test.into_iter();
            let test = test.map(|(delay, input)| Some((u64::try_from(delay).ok()?, input)));
            test.collect::<Option<_>>().ok_or(Unsuited::TooMany)
        }
        Found::Same(_) => Err(Unsuited::Equivalent(one, other)),
        Found::Open(_, stop) => Err(Unsuited::Stopped(stop)),
    }
}

/// Returns the longest delay that is needed in tests: after it, two chains of timeouts are in their cycles, and all their relative
/// positions have occurred.
pub(super) fn longest_delay(
    machine: &Machine,
    domain: Everything,
    budget: &Budget,
) -> Result<u64, Unsuited> {
    let most = (domain.states as u64).saturating_mul(u64::from(domain.longest));
    // There are as many tests as delays.
    if most > MOST_INPUTS as u64 {
        return Err(Unsuited::TooMany);
    }
    let mut longest = 0;
    for start in 0..machine.states.len() {
        budget.check().map_err(Unsuited::Stopped)?;
        let (before, period) = lasso(machine, start);
        // Without a cycle the state does not change any more.
        let mut together = 0;
        for other in 1..=most.max(1) {
            let round = lcm(period.max(1), other).ok_or(Unsuited::TooMany)?;
            together = round.max(together);
        }
        let reached = before.max(most).checked_add(together);
        longest = longest.max(reached.ok_or(Unsuited::TooMany)?);
    }
    let has_time = most > 0 || machine.states.iter().any(|state| state.timeout.is_some());
    Ok(if has_time { longest } else { 0 })
}

/// Returns the time until a machine enters a cycle of timeouts, and the length of the cycle; 0 if there is none.
pub(super) fn lasso(machine: &Machine, start: usize) -> (u64, u64) {
    let mut entered: BTreeMap<usize, u64> = BTreeMap::new();
    let (mut state, mut now) = (start, 0);
    loop {
        if let Some(before) = entered.insert(state, now) {
            return (before, now - before);
        }
        let Some(timeout) = machine.states[state].timeout else {
            return (now, 0);
        };
        now += u64::from(timeout.after);
        state = timeout.target;
    }
}

pub(super) fn lcm(one: u64, other: u64) -> Option<u64> {
    let (mut a, mut b) = (one, other);
    while b > 0 {
        (a, b) = (b, a % b);
    }
    (one / a).checked_mul(other)
}
