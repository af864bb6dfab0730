//! Checks that tests are complete for a domain of faults (certificates.md).
//!
//! Every class is checked to conform. Then clauses say that an implementation of no class passes all tests, written down test by test,
//! moment by moment and choice by choice, and a solver that found nothing of this says that there is none.

use std::collections::BTreeMap;

use hyperkill_core::budget::Budget;
use hyperkill_core::suite::Step;
use hyperkill_frontend::decision::Refutation;
use hyperkill_sat::{Answer, Lit, Solver};
use hyperkill_sat_batsat::Batsat;
use hyperkill_timed_fsm::choices::MutationMachine;
use hyperkill_timed_fsm::machine::Machine;
use serde::Deserialize;
use serde_json::Value as Document;

use crate::classes::{Class, ClassEntry};
use crate::replay;

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Proof {
    kind: String,
    classes: Vec<ClassEntry>,
}

fn wrong<T>(what: impl Into<String>) -> Result<T, Refutation> {
    Err(Refutation::Wrong(what.into()))
}

/// Checks a proof, and says how many classes conform by it.
///
/// # Errors
/// Why it shows nothing.
pub(crate) fn check(
    model: (&Machine, &MutationMachine),
    tests: &[Vec<Step>],
    document: &Document,
    budget: &Budget,
) -> Result<usize, Refutation> {
    let proof = match Proof::deserialize(document) {
        Ok(proof) if proof.kind == "timed-complete" => proof,
        Ok(proof) => return wrong(format!("`{}` is no kind of proof", proof.kind)),
        Err(error) => return wrong(format!("the proof cannot be read: {error}")),
    };
    let mut formula = Formula::new(model);
    for entry in &proof.classes {
        let class = Class::read(model, entry)?;
        class.conforms(model, budget)?;
        formula.leave(&class);
    }
    for test in tests {
        formula.passes(test, budget)?;
    }
    match formula.solver.solve(&[], None, budget) {
        Answer::Impossible => Ok(proof.classes.len()),
        Answer::Possible => wrong("an implementation of no class passes all tests"),
        Answer::Undecided(stop) => Err(Refutation::Stopped(stop)),
    }
}

/// What is said of one implementation.
struct Formula<'a> {
    machine: &'a Machine,
    domain: &'a MutationMachine,
    solver: Batsat,
    answers: Vec<Vec<Vec<Lit>>>,
    timeouts: Vec<Vec<Lit>>,
}

impl<'a> Formula<'a> {
    fn new((machine, domain): (&'a Machine, &'a MutationMachine)) -> Formula<'a> {
        let mut solver = Batsat::new();
        let answers = domain.answers.iter().map(|groups| {
            let groups = groups.iter().map(|group| choice(&mut solver, group.len()));
            groups.collect::<Vec<_>>()
        });
        let answers = answers.collect();
        let timeouts = domain.timeouts.iter();
        let timeouts = timeouts.map(|group| choice(&mut solver, group.len()));
        Formula {
            timeouts: timeouts.collect(),
            machine,
            domain,
            answers,
            solver,
        }
    }

    /// The implementation is not of a class.
    fn leave(&mut self, class: &Class) {
        let mut clause = Vec::new();
        for (&(state, input), allowed) in &class.answers {
            let group = &self.domain.answers[state][input];
            let outside = group.iter().zip(&self.answers[state][input]);
            let outside = outside.filter(|(choice, _)| !allowed.contains(&choice.does));
            clause.extend(outside.map(|(_, selector)| *selector));
        }
        for (&state, allowed) in &class.timeouts {
            let outside = self.domain.timeouts[state]
                .iter()
                .zip(&self.timeouts[state]);
            let outside = outside.filter(|(choice, _)| !allowed.contains(&choice.does));
            clause.extend(outside.map(|(_, selector)| *selector));
        }
        if clause.is_empty() {
            // The class is all there is.
            let any = self.solver.new_lit();
            self.solver.add_clause(&[any]);
            self.solver.add_clause(&[!any]);
            return;
        }
        self.solver.add_clause(&clause);
    }

    /// The implementation passes a test.
    fn passes(&mut self, test: &[Step], budget: &Budget) -> Result<(), Refutation> {
        let shown = replay::replay(self.machine, test).map_err(Refutation::Wrong)?;
        let stimuli = replay::stimuli(self.machine, test).map_err(Refutation::Wrong)?;
        let start = self.solver.new_lit();
        self.solver.add_clause(&[start]);
        let mut states = BTreeMap::from([(0, start)]);
        for ((delay, input), expected) in stimuli.into_iter().zip(shown.outputs) {
            let waiting = self.wait(&states, delay, budget)?;
            states = self.answer(&waiting, input, expected);
        }
        Ok(())
    }

    /// Where it is after a delay.
    fn wait(
        &mut self,
        states: &BTreeMap<usize, Lit>,
        delay: u64,
        budget: &Budget,
    ) -> Result<BTreeMap<usize, Lit>, Refutation> {
        let mut entered: BTreeMap<(u64, usize), Lit> = BTreeMap::new();
        entered.extend(states.iter().map(|(state, lit)| ((0, *state), *lit)));
        let mut waiting: BTreeMap<usize, Lit> = BTreeMap::new();
        while let Some(((time, state), here)) = entered.pop_first() {
            budget.check().map_err(Refutation::Stopped)?;
            let group = self.domain.timeouts[state].iter().enumerate();
            for (index, choice) in group {
                let selector = self.timeouts[state][index];
                let expires = choice
                    .does
                    .map(|timeout| (time + u64::from(timeout.after), timeout));
                let solver = &mut self.solver;
                let next = match expires.filter(|(then, _)| *then <= delay) {
                    Some((then, timeout)) => *entered
                        .entry((then, timeout.target))
                        .or_insert_with(|| solver.new_lit()),
                    None => *waiting.entry(state).or_insert_with(|| solver.new_lit()),
                };
                solver.add_clause(&[!here, !selector, next]);
            }
        }
        Ok(waiting)
    }

    /// Where it is after an input that is answered as expected.
    fn answer(
        &mut self,
        states: &BTreeMap<usize, Lit>,
        input: usize,
        expected: usize,
    ) -> BTreeMap<usize, Lit> {
        let mut next: BTreeMap<usize, Lit> = BTreeMap::new();
        for (&state, &here) in states {
            let group = self.domain.answers[state][input].iter().enumerate();
            for (index, choice) in group {
                let selector = self.answers[state][input][index];
                let solver = &mut self.solver;
                match choice.does.filter(|answer| answer.output == expected) {
                    Some(answer) => {
                        let target = next.entry(answer.target);
                        let target = *target.or_insert_with(|| solver.new_lit());
                        solver.add_clause(&[!here, !selector, target]);
                    }
                    None => solver.add_clause(&[!here, !selector]),
                }
            }
        }
        next
    }
}

/// Selectors of which exactly one holds: each is a number in binary.
fn choice(solver: &mut Batsat, choices: usize) -> Vec<Lit> {
    let selectors: Vec<Lit> = (0..choices).map(|_| solver.new_lit()).collect();
    solver.add_clause(&selectors);
    let bits = usize::BITS - choices.saturating_sub(1).leading_zeros();
    for bit in 0..bits {
        let digit = solver.new_lit();
        for (index, selector) in selectors.iter().enumerate() {
            let is_set = index >> bit & 1 == 1;
            solver.add_clause(&[!*selector, if is_set { digit } else { !digit }]);
        }
    }
    selectors
}
