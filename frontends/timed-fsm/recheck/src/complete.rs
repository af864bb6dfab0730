//! Checks that tests are complete for a fault domain (certificates.md).
//!
//! Every class is checked to conform. Then clauses say that an implementation of no class passes all tests: test by test, time by time and
//! choice by choice. A solver that had no part in the search shows that they are unsatisfiable.

use std::collections::{BTreeMap, BTreeSet};

use hyperkill_core::budget::Budget;
use hyperkill_core::suite::Step;
use hyperkill_frontend::decision::Refutation;
use hyperkill_sat::{Answer, Lit, Solver};
use hyperkill_sat_batsat::Batsat;
use hyperkill_timed_fsm::machine::Machine;
use serde::Deserialize;
use serde_json::Value as Document;

use crate::classes::{Class, ClassEntry};
use crate::dimacs::Clauses;
use crate::hull;
use crate::names::{self, Answered, NameEntry};
use crate::replay;
use crate::said::Domain;

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Proof {
    kind: String,
    classes: Vec<ClassEntry>,
    /// Whether the proof is about the hull of the domain.
    #[serde(default)]
    hull: bool,
    #[serde(default)]
    names: Vec<NameEntry>,
}

/// Checks a proof. Returns the number of classes that conform according to it.
///
/// # Errors
/// If it proves nothing, with the reason.
pub(crate) fn check(
    (machine, domain): (&Machine, &Domain),
    tests: &[Vec<Step>],
    document: &Document,
    budget: &Budget,
) -> Result<usize, Refutation> {
    let proof = Proof::read(document)?;
    let hull = proof.hull(domain, budget)?;
    // The hull contains all mutants of the domain.
    let model = (machine, hull.as_ref().unwrap_or(domain));
    let mut formula = Formula::new(model.1, Batsat::new());
    proof.ask(&mut formula, model, tests, budget)?;
    match formula.solver.solve(&[], None, budget) {
        Answer::Impossible => Ok(proof.classes.len()),
        Answer::Possible => {
            Refutation::wrong("an implementation outside the listed classes passes all tests")
        }
        Answer::Undecided(stop) => Err(Refutation::Stopped(stop)),
    }
}

/// Returns the query for the solver as text. All other parts of the proof are checked.
///
/// # Errors
/// If it proves nothing, with the reason.
pub(crate) fn question(
    (machine, domain): (&Machine, &Domain),
    tests: &[Vec<Step>],
    document: &Document,
    budget: &Budget,
) -> Result<String, Refutation> {
    let proof = Proof::read(document)?;
    let hull = proof.hull(domain, budget)?;
    let model = (machine, hull.as_ref().unwrap_or(domain));
    let mut formula = Formula::new(model.1, Clauses::default());
    proof.ask(&mut formula, model, tests, budget)?;
    Ok(formula.solver.problem(&formula.remarks(machine)))
}

impl Proof {
    fn read(document: &Document) -> Result<Proof, Refutation> {
        match Proof::deserialize(document) {
            Ok(proof) if proof.kind == "timed-complete" => Ok(proof),
            Ok(proof) => Refutation::wrong(format!("`{}` is an unknown kind of proof", proof.kind)),
            Err(error) => Refutation::wrong(format!("the proof cannot be read: {error}")),
        }
    }

    fn hull(&self, domain: &Domain, budget: &Budget) -> Result<Option<Domain>, Refutation> {
        if domain.pieces.is_some() && (self.hull || !self.names.is_empty()) {
            return Refutation::wrong(
                "a machine with guards allows no renaming of states, and the proof uses one",
            );
        }
        match self.hull {
            true => hull::of(domain, budget).map(Some),
            false => Ok(None),
        }
    }

    /// Encodes that an implementation of none of the classes passes all tests. Checks first that the classes conform.
    fn ask<S: Solver>(
        &self,
        formula: &mut Formula<'_, S>,
        model: (&Machine, &Domain),
        tests: &[Vec<Step>],
        budget: &Budget,
    ) -> Result<(), Refutation> {
        for entry in &self.classes {
            let class = Class::read(model, entry)?;
            class.conforms(model, budget)?;
            formula.leave(&class);
        }
        let scale = model.1.scale();
        let answered = tests.iter().map(|test| {
            let shown = replay::replay(model.0, test, scale).map_err(Refutation::Wrong)?;
            let stimuli = replay::stimuli(model.0, test, scale).map_err(Refutation::Wrong)?;
            Ok((stimuli, shown.outputs))
        });
        let answered = answered.collect::<Result<Vec<Answered>, Refutation>>()?;
        let names = names::check(model, &self.names, &answered)?;
        for test in &answered {
            formula.passes(test, &names, budget)?;
        }
        formula.tell_apart(budget)
    }
}

/// The formula about one implementation of the domain.
struct Formula<'a, S> {
    domain: &'a Domain,
    solver: S,
    answers: Vec<Vec<Vec<Lit>>>,
    timeouts: Vec<Vec<Lit>>,
    /// For each state, input and expected output: a literal that the answer is another one.
    wrong: BTreeMap<(usize, usize, usize), Lit>,
    /// Prefixes of tests; the first is empty.
    prefixes: Vec<Prefix>,
}

/// A prefix of a test.
struct Prefix {
    /// The states that the implementation may be in after it, each with its literal.
    states: BTreeMap<usize, Lit>,
    /// The output that the test expects for its last input.
    output: usize,
    /// The prefixes that are one input longer, by delay and input.
    next: BTreeMap<(u64, usize), usize>,
}

/// The number of prefixes up to which all pairs of them are compared.
const MOST_COMPARED: usize = 1_000;

impl<'a, S: Solver> Formula<'a, S> {
    fn new(domain: &'a Domain, mut solver: S) -> Formula<'a, S> {
        let mut answers: Vec<Vec<Vec<Lit>>> = Vec::new();
        for (state, groups) in domain.answers.iter().enumerate() {
            let selectors = groups.iter().enumerate().map(|(input, group)| {
                // Pieces of one class of delays share a choice.
                let place = domain.place(state, input);
                let known = answers.get(place).map(|known| known[input].clone());
                known.unwrap_or_else(|| choice(&mut solver, group.len()))
            });
            let selectors = selectors.collect();
            answers.push(selectors);
        }
        let timeouts = domain.timeouts.iter();
        let timeouts = timeouts.map(|group| choice(&mut solver, group.len()));
        let timeouts = timeouts.collect();
        let start = solver.new_lit();
        solver.add_clause(&[start]);
        Formula {
            timeouts,
            domain,
            answers,
            wrong: BTreeMap::new(),
            prefixes: vec![Prefix {
                states: BTreeMap::from([(0, start)]),
                output: 0,
                next: BTreeMap::new(),
            }],
            solver,
        }
    }

    /// Returns the meaning of each selector as a DIMACS comment, such as `7 is off: press / light -> on`. A selector is the variable that
    /// chooses this transition or timeout.
    fn remarks(&self, machine: &Machine) -> Vec<String> {
        let domain = self.domain;
        let mut remarks = Vec::new();
        for (state, name) in domain.states.iter().enumerate() {
            for (input, group) in domain.answers[state].iter().enumerate() {
                if domain.place(state, input) != state {
                    continue;
                }
                let selectors = &self.answers[state][input];
                remarks.extend(group.iter().zip(selectors).map(|(choice, selector)| {
                    let does = choice.map_or("nothing".to_owned(), |answer| {
                        let target = &domain.states[answer.target];
                        format!("{} -> {target}", machine.outputs[answer.output])
                    });
                    let input = &machine.inputs[input];
                    format!("{} is {name}: {input} / {does}", selector.to_ipasir())
                }));
            }
            let selectors = domain.timeouts[state].iter().zip(&self.timeouts[state]);
            remarks.extend(selectors.map(|(choice, selector)| {
                let does = choice.map_or("never".to_owned(), |timeout| {
                    format!("{} -> {}", timeout.after, domain.states[timeout.target])
                });
                format!("{} is {name}: after {does}", selector.to_ipasir())
            }));
        }
        remarks
    }

    /// Adds the clause that the implementation is not of a class.
    fn leave(&mut self, class: &Class) {
        let mut clause = Vec::new();
        for (&(state, input), allowed) in &class.answers {
            let group = &self.domain.answers[state][input];
            let outside = group.iter().zip(&self.answers[state][input]);
            let outside = outside.filter(|(choice, _)| !allowed.contains(choice));
            clause.extend(outside.map(|(_, selector)| *selector));
        }
        for (&state, allowed) in &class.timeouts {
            let outside = self.domain.timeouts[state]
                .iter()
                .zip(&self.timeouts[state]);
            let outside = outside.filter(|(choice, _)| !allowed.contains(choice));
            clause.extend(outside.map(|(_, selector)| *selector));
        }
        if clause.is_empty() {
            // The class contains all implementations.
            let any = self.solver.new_lit();
            self.solver.add_clause(&[any]);
            self.solver.add_clause(&[!any]);
            return;
        }
        self.solver.add_clause(&clause);
    }

    /// Adds that the implementation passes a test. Common prefixes are encoded once.
    fn passes(
        &mut self,
        (stimuli, outputs): &Answered,
        names: &BTreeMap<Vec<(u64, usize)>, usize>,
        budget: &Budget,
    ) -> Result<(), Refutation> {
        let mut before = 0;
        for (index, (&(delay, input), &expected)) in stimuli.iter().zip(outputs).enumerate() {
            if let Some(&known) = self.prefixes[before].next.get(&(delay, input)) {
                before = known;
                continue;
            }
            let states = self.prefixes[before].states.clone();
            let waiting = self.wait(&states, delay, budget)?;
            self.one_of(&waiting);
            let states = self.answer(&waiting, input, expected);
            self.one_of(&states);
            if let Some(name) = names.get(&stimuli[..=index]) {
                let others = states.iter().filter(|(state, _)| *state != name);
                for (_, literal) in others {
                    self.solver.add_clause(&[!*literal]);
                }
            }
            let behind = self.prefixes.len();
            self.prefixes.push(Prefix {
                states,
                output: expected,
                next: BTreeMap::new(),
            });
            self.prefixes[before].next.insert((delay, input), behind);
            before = behind;
        }
        Ok(())
    }

    /// Adds that the implementation is in exactly one of these states: it passes, and is deterministic.
    fn one_of(&mut self, states: &BTreeMap<usize, Lit>) {
        let literals: Vec<Lit> = states.values().copied().collect();
        if literals.is_empty() {
            // There is no implementation without a state.
            let any = self.solver.new_lit();
            self.solver.add_clause(&[any]);
            self.solver.add_clause(&[!any]);
            return;
        }
        self.solver.add_clause(&literals);
        for (index, one) in literals.iter().enumerate() {
            for other in &literals[index + 1..] {
                self.solver.add_clause(&[!*one, !*other]);
            }
        }
    }

    /// Adds that prefixes lead to different states if the same inputs with different outputs follow them.
    fn tell_apart(&mut self, budget: &Budget) -> Result<(), Refutation> {
        if self.prefixes.len() > MOST_COMPARED {
            return Ok(());
        }
        let mut apart: BTreeSet<(usize, usize)> = BTreeSet::new();
        // Longer prefixes were added later.
        for one in (0..self.prefixes.len()).rev() {
            budget.check().map_err(Refutation::Stopped)?;
            for other in (one + 1..self.prefixes.len()).rev() {
                let (first, second) = (&self.prefixes[one], &self.prefixes[other]);
                let mut both = first.next.iter().filter_map(|(stimulus, behind)| {
                    second.next.get(stimulus).map(|there| (*behind, *there))
                });
                let differ = both.any(|(a, b)| {
                    self.prefixes[a].output != self.prefixes[b].output
                        || apart.contains(&(a.min(b), a.max(b)))
                });
                if differ {
                    apart.insert((one, other));
                }
            }
        }
        for (one, other) in apart {
            for (state, here) in &self.prefixes[one].states {
                if let Some(there) = self.prefixes[other].states.get(state) {
                    self.solver.add_clause(&[!*here, !*there]);
                }
            }
        }
        Ok(())
    }

    /// Returns the states that the implementation may be in a delay after it was in one of `states`, each with its literal.
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
                let expires = choice.map(|timeout| (time + u64::from(timeout.after), timeout));
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

    /// Adds that the answer to an input in one of `states` is the expected one. Returns the states after it, each with its literal.
    fn answer(
        &mut self,
        states: &BTreeMap<usize, Lit>,
        input: usize,
        expected: usize,
    ) -> BTreeMap<usize, Lit> {
        let mut next: BTreeMap<usize, Lit> = BTreeMap::new();
        for (&state, &here) in states {
            let wrong = self.wrong(state, input, expected);
            self.solver.add_clause(&[!here, !wrong]);
            let group = self.domain.answers[state][input].iter().enumerate();
            for (index, choice) in group {
                let selector = self.answers[state][input][index];
                let solver = &mut self.solver;
                if let Some(answer) = choice.filter(|answer| answer.output == expected) {
                    let target = next.entry(answer.target);
                    let target = *target.or_insert_with(|| solver.new_lit());
                    solver.add_clause(&[!here, !selector, target]);
                }
            }
        }
        next
    }

    /// Returns the literal that the answer to an input in a state is not the expected output.
    fn wrong(&mut self, state: usize, input: usize, expected: usize) -> Lit {
        if let Some(known) = self.wrong.get(&(state, input, expected)) {
            return *known;
        }
        let literal = self.solver.new_lit();
        let group = self.domain.answers[state][input].iter();
        for (choice, selector) in group.zip(&self.answers[state][input]) {
            if choice.is_none_or(|answer| answer.output != expected) {
                self.solver.add_clause(&[!*selector, literal]);
            }
        }
        self.wrong.insert((state, input, expected), literal);
        literal
    }
}

/// Returns a selector for each choice. Exactly one selector holds, by a binary encoding.
fn choice(solver: &mut impl Solver, choices: usize) -> Vec<Lit> {
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
