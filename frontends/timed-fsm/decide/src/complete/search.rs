//! The search for complete suites: surviving implementations, and tests that they fail.

use std::collections::BTreeSet;

use hyperkill_core::budget::{Budget, Stop};
use hyperkill_timed_fsm::choices::{MutationMachine, Selection};
use hyperkill_timed_fsm::machine::Machine;

use super::formula::{Formula, Survivor};
use super::outcome::{Class, Name, Options, Outcome, Shown};
use super::{Stimulus, conforming};
use crate::implementation::{Implementation, Place, Runs, Single, expected, visited};
use crate::product::{Found, compare_from};

/// A test of the suite.
#[derive(Clone, Debug)]
pub(crate) struct Test {
    pub(crate) stimuli: Vec<Stimulus>,
    pub(crate) outputs: Vec<usize>,
    /// The state of the specification after the test.
    pub(crate) end: usize,
    /// The node of the formula for the whole test.
    pub(crate) leaf: usize,
}

/// The state of the search on a domain.
pub(crate) struct SuiteSearch<'a> {
    pub(crate) machine: &'a Machine,
    pub(crate) mutation: &'a MutationMachine,
    pub(crate) options: Options,
    pub(crate) longest: usize,
    pub(crate) formula: Formula<'a>,
    pub(crate) tests: Vec<Test>,
    pub(super) classes: Vec<Class>,
    /// Implementations that are known to be nonconforming.
    pub(crate) known: Vec<Selection>,
    /// The names of states, if they have names.
    pub(crate) names: Vec<Name>,
    pub(crate) questions: usize,
}

/// The result of comparing an implementation.
pub(crate) enum Compared {
    Conforms(Vec<(usize, usize)>),
    Differs(Vec<Stimulus>),
}

impl<'a> SuiteSearch<'a> {
    pub(crate) fn new(
        machine: &'a Machine,
        mutation: &'a MutationMachine,
        options: Options,
    ) -> SuiteSearch<'a> {
        SuiteSearch {
            machine,
            mutation,
            options,
            longest: options.longest.unwrap_or(machine.states.len() + 1),
            formula: Formula::new(machine, mutation, options.planted),
            tests: Vec::new(),
            classes: Vec::new(),
            known: Vec::new(),
            names: Vec::new(),
            questions: 0,
        }
    }

    pub(crate) fn outcome(self, end: Result<(), Stop>) -> Outcome {
        let leaves: Vec<usize> = self.tests.iter().map(|test| test.leaf).collect();
        let has_names = self.formula.has_names(&leaves);
        Outcome {
            tests: self.tests.into_iter().map(|test| test.stimuli).collect(),
            shown: Shown {
                names: if has_names { self.names } else { Vec::new() },
                classes: self.classes,
                hull: None,
            },
            end,
            questions: self.questions,
        }
    }

    /// Adds a test, up to the first input without a transition of the specification.
    pub(crate) fn add(&mut self, stimuli: &[Stimulus], budget: &Budget) -> Result<(), Stop> {
        budget.check()?;
        let mut stimuli = stimuli.to_vec();
        let (outputs, end) = loop {
            match expected(self.machine, 0, &stimuli) {
                Some(found) => break found,
                None => stimuli.truncate(stimuli.len().saturating_sub(1)),
            }
        };
        if let Some(leaf) = self.formula.add_test(&stimuli, budget)? {
            self.tests.push(Test {
                stimuli,
                outputs,
                end,
                leaf,
            });
        }
        Ok(())
    }

    /// Appends inputs to the test with this index.
    fn append(&mut self, index: usize, more: &[Stimulus], budget: &Budget) -> Result<(), Stop> {
        let mut stimuli = self.tests[index].stimuli.clone();
        stimuli.extend(more);
        self.add(&stimuli, budget)?;
        if let Some(longer) = self.tests.pop() {
            self.tests[index] = longer;
        }
        Ok(())
    }

    /// Compares an implementation with the specification from a pair of states on, by tests of at most `bound` inputs; `None` if the bound
    /// ends the comparison.
    pub(crate) fn difference(
        &self,
        implementation: &Machine,
        from: (usize, usize),
        bound: Option<usize>,
        budget: &Budget,
    ) -> Result<Option<Compared>, Stop> {
        match compare_from((self.machine, implementation), from, bound, budget, None) {
            Found::Difference(test) => {
                let test = test.into_iter();
                let test = test.map(|(delay, input)| Some((u64::try_from(delay).ok()?, input)));
                let test = test.collect::<Option<Vec<Stimulus>>>();
                test.map(|test| Some(Compared::Differs(test)))
                    .ok_or(Stop::Bound)
            }
            Found::Same(pairs) => {
                let met = pairs.into_iter().flat_map(|pair| pair.meets);
                let met = met.map(|meeting| (meeting.model, meeting.mutant));
                Ok(Some(Compared::Conforms(met.collect())))
            }
            Found::Open(_, Stop::Bound) => Ok(None),
            Found::Open(_, stop) => Err(stop),
        }
    }

    /// Returns a nonconforming implementation that passes all tests, with a test that it fails. Conforming ones are excluded.
    pub(crate) fn survivor(
        &mut self,
        budget: &Budget,
    ) -> Result<Option<(Selection, Vec<Stimulus>)>, Stop> {
        let leaves: Vec<usize> = self.tests.iter().map(|test| test.leaf).collect();
        loop {
            self.questions += 1;
            let selection = match self.formula.survivor(&leaves, None, budget) {
                Survivor::None => return Ok(None),
                Survivor::Open(stop) => return Err(stop),
                Survivor::One(selection) => selection,
            };
            let machine = self.mutation.machine(self.machine, &selection);
            match self.difference(&machine, (0, 0), None, budget)? {
                Some(Compared::Differs(test)) => {
                    self.known.push(selection.clone());
                    return Ok(Some((selection, test)));
                }
                Some(Compared::Conforms(met)) => self.leave_out(&selection, &met),
                None => return Err(Stop::Bound),
            }
        }
    }

    fn leave_out(&mut self, selection: &Selection, met: &[(usize, usize)]) {
        let met = met.iter().copied();
        let planted = self.options.planted;
        let class = conforming::class(self.machine, self.mutation, selection, met, planted);
        self.formula.block(&class);
        self.classes.push(class);
    }

    /// Returns the places (a state, and an input or the timeout) of the specification that a test from a state on uses, as places of
    /// implementations.
    pub(crate) fn visited(&self, from: usize, test: &[Stimulus]) -> BTreeSet<Place> {
        let seen = visited(self.machine, from, test);
        if self.mutation.pieces.is_none() {
            return seen;
        }
        let places = seen.into_iter();
        let places = places.map(|(state, event)| (self.mutation.place(state, event), event));
        places.collect()
    }

    pub(crate) fn implementation<'s>(
        &'s self,
        selection: &'s Selection,
        single: Option<Single>,
    ) -> Implementation<'s> {
        Implementation {
            mutation: self.mutation,
            selection,
            single,
        }
    }

    /// Extends a test, or adds one, so that an implementation fails. `shortest` is a test that it fails.
    pub(crate) fn kill(
        &mut self,
        survivor: &Selection,
        shortest: Vec<Stimulus>,
        budget: &Budget,
    ) -> Result<(), Stop> {
        let machine = self.mutation.machine(self.machine, survivor);
        let mut best: Option<(usize, Vec<Stimulus>)> = None;
        for index in 0..self.tests.len() {
            let test = &self.tests[index];
            let fewer = best.as_ref().map_or(usize::MAX, |(_, more)| more.len() - 1);
            let room = self.longest.saturating_sub(test.stimuli.len()).min(fewer);
            let Some(there) = machine.passes(0, &test.stimuli, &test.outputs) else {
                continue;
            };
            if room == 0 {
                continue;
            }
            let more = self.difference(&machine, (test.end, there), Some(room), budget)?;
            if let Some(Compared::Differs(more)) = more {
                best = Some((index, more));
            }
        }
        match best {
            Some((index, more)) => self.append(index, &more, budget),
            None => self.add(&shortest, budget),
        }
    }

    /// Replaces choices of a survivor by the specification's own, as long as it passes `tests` and fails some test. Returns the survivor
    /// and a test that it fails.
    pub(crate) fn simplest(
        &self,
        (mut selection, mut test): (Selection, Vec<Stimulus>),
        tests: &[Vec<Stimulus>],
        budget: &Budget,
    ) -> (Selection, Vec<Stimulus>) {
        let answered = tests.iter().filter_map(|test| {
            let (outputs, _) = expected(self.machine, 0, test)?;
            Some((test, outputs))
        });
        let answered: Vec<_> = answered.collect();
        for state in 0..self.mutation.states.len() {
            for event in 0..=self.machine.inputs.len() {
                let implementation = self.implementation(&selection, Some((state, event, 0)));
                let other = implementation.selection();
                let mut passed = answered.iter();
                let survives = other != selection
                    && passed
                        .all(|(test, outputs)| implementation.passes(0, test, outputs).is_some());
                if !survives {
                    continue;
                }
                let machine = self.mutation.machine(self.machine, &other);
                let found = self.difference(&machine, (0, 0), None, budget);
                if let Ok(Some(Compared::Differs(shortest))) = found {
                    (selection, test) = (other, shortest);
                }
            }
        }
        (selection, test)
    }
}
