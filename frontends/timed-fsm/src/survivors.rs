//! A circuit in discrete time whose bad state is a mutant of a fault domain that passes tests and differs from the specification.
//!
//! Latches that never change select the mutant. The tests run one after the other, unit by unit, on the specification and on the mutant.
//! After a failure of the mutant no state is bad. After the last test inputs are free, and a difference is bad.

use std::collections::BTreeMap;

use hyperkill_core::aig::Signal;
use hyperkill_core::{Aig, Lit, Reset};

use crate::choices::{Group, MutationMachine};
use crate::machine::{Answer, Machine, Timeout};

/// The number of steps of all tests, at most.
const MOST_STEPS: u64 = 50_000;

/// An event in a step of the tests.
#[derive(Clone, Copy)]
struct Event {
    /// The input; `None` for a unit without one.
    input: Option<usize>,
    /// Whether both machines restart after the event.
    is_last: bool,
}

/// Returns the circuit whose bad state is reached by a mutant that passes all tests and differs from the machine. Each test is a list of
/// inputs, with the units before each. `None` if the tests have too many steps.
#[must_use]
pub fn circuit(
    machine: &Machine,
    domain: &MutationMachine,
    tests: &[Vec<(u64, usize)>],
) -> Option<Aig> {
    let mut events = Vec::new();
    let mut steps = 0_u64;
    for test in tests {
        for (index, &(delay, input)) in test.iter().enumerate() {
            steps = steps.checked_add(delay)?.checked_add(1)?;
            if steps > MOST_STEPS {
                return None;
            }
            events.extend((0..delay).map(|_| Event {
                input: None,
                is_last: false,
            }));
            events.push(Event {
                input: Some(input),
                is_last: index + 1 == test.len(),
            });
        }
    }
    let mut circuit = Circuit {
        aig: Aig::new(),
        places: BTreeMap::new(),
    };
    circuit.build(machine, domain, &events);
    Some(circuit.aig)
}

/// The alternatives at a place (a state and an event), each with the literal that selects it.
type Chosen<T> = Vec<(Option<T>, Lit)>;

/// The alternatives of a machine: answers by state and input, timeouts by state.
struct Rules {
    answers: Vec<Vec<Chosen<Answer>>>,
    timeouts: Vec<Chosen<Timeout>>,
}

/// A machine that runs in the circuit, with the latches of its state.
struct Running {
    rules: Rules,
    /// One latch for each state.
    state: Vec<Lit>,
    clock: Vec<Lit>,
}

/// The result of a step: the output, and the next state.
struct StepResult {
    /// By output, a literal that is true if the step makes it.
    shown: Vec<Lit>,
    state: Vec<Lit>,
    clock: Vec<Lit>,
}

struct Circuit {
    aig: Aig,
    /// The index of each latch.
    places: BTreeMap<Lit, usize>,
}

impl Circuit {
    fn latch(&mut self, reset: Reset, name: String) -> Lit {
        let place = self.aig.latches().len();
        let latch = self.aig.add_latch(reset, Some(name));
        self.places.insert(latch, place);
        latch
    }

    fn next(&mut self, latch: Lit, next: Lit) {
        if let Some(place) = self.places.get(&latch) {
            self.aig.set_next(*place, next);
        }
    }

    fn word(&mut self, name: &str, most: u64) -> Vec<Lit> {
        let width = u64::BITS - most.leading_zeros();
        let bits = (0..width).map(|bit| self.latch(Reset::Zero, format!("{name}{bit}")));
        bits.collect()
    }

    fn equals(&mut self, bits: &[Lit], value: u64) -> Lit {
        let bits = bits.iter().enumerate();
        let bits: Vec<Lit> = bits
            .map(|(at, bit)| *bit ^ (value >> at & 1 == 0))
            .collect();
        self.aig.and_all(&bits)
    }

    fn one_more(&mut self, bits: &[Lit]) -> Vec<Lit> {
        let mut carry = Lit::TRUE;
        let mut sum = Vec::new();
        for bit in bits {
            sum.push(self.aig.xor(*bit, carry));
            carry = self.aig.and(*bit, carry);
        }
        sum
    }

    fn word_if(&mut self, when: Lit, then: &[Lit], other: &[Lit]) -> Vec<Lit> {
        let both = then.iter().zip(other);
        both.map(|(then, other)| self.aig.ite(when, *then, *other))
            .collect()
    }

    /// Returns a literal for each choice. Exactly one holds: the choice is a number in latches that keep their value. Numbers that are too
    /// large select the first choice.
    fn choice(&mut self, name: &str, choices: usize) -> Vec<Lit> {
        let width = usize::BITS - choices.saturating_sub(1).leading_zeros();
        let bits: Vec<Lit> = (0..width)
            .map(|bit| self.latch(Reset::Free, format!("{name} {bit}")))
            .collect();
        for bit in &bits {
            self.next(*bit, *bit);
        }
        let others: Vec<Lit> = (1..choices)
            .map(|at| self.equals(&bits, at as u64))
            .collect();
        let first = !self.aig.or_all(&others);
        std::iter::once(first).chain(others).collect()
    }

    fn specification(machine: &Machine) -> Rules {
        let states = machine.states.iter();
        let answers = states.clone().map(|state| {
            let inputs = 0..machine.inputs.len();
            let all = inputs.map(|input| vec![(state.answers.get(&input).copied(), Lit::TRUE)]);
            all.collect()
        });
        Rules {
            answers: answers.collect(),
            timeouts: states
                .map(|state| vec![(state.timeout, Lit::TRUE)])
                .collect(),
        }
    }

    fn mutant(&mut self, machine: &Machine, domain: &MutationMachine) -> Rules {
        let chosen = |does: Vec<Option<Answer>>, lits: &[Lit]| -> Chosen<Answer> {
            does.into_iter().zip(lits.iter().copied()).collect()
        };
        let does = |group: &Group<Answer>| group.iter().map(|choice| choice.does).collect();
        let mut selectors: Vec<Vec<Vec<Lit>>> = Vec::new();
        let mut answers = Vec::new();
        for (state, name) in domain.states.iter().enumerate() {
            let mut own: Vec<Vec<Lit>> = Vec::new();
            for (input, group) in domain.answers[state].iter().enumerate() {
                let known = selectors.get(domain.place(state, input));
                let known = known.map(|known| known[input].clone());
                own.push(known.unwrap_or_else(|| {
                    let name = format!("{name}.{}", machine.inputs[input]);
                    self.choice(&name, group.len())
                }));
            }
            let groups = domain.answers[state].iter().zip(&own);
            answers.push(
                groups
                    .map(|(group, lits)| chosen(does(group), lits))
                    .collect(),
            );
            selectors.push(own);
        }
        let mut timeouts = Vec::new();
        for (name, group) in domain.states.iter().zip(&domain.timeouts) {
            let lits = self.choice(&format!("{name}.after"), group.len());
            let does = group.iter().map(|choice| choice.does);
            timeouts.push(does.zip(lits).collect());
        }
        Rules { answers, timeouts }
    }

    fn running(&mut self, name: &str, rules: Rules) -> Running {
        let states = 0..rules.answers.len();
        let lengths = rules.timeouts.iter().flatten();
        let lengths = lengths.filter_map(|(does, _)| Some(u64::from((*does)?.after)));
        let longest = lengths.max().unwrap_or(0);
        Running {
            state: states
                .map(|state| self.latch(Reset::constant(state == 0), format!("{name} {state}")))
                .collect(),
            clock: self.word(&format!("{name} clock "), longest),
            rules,
        }
    }

    /// Adds a step of a machine with at most one of these inputs. Returns its output and its next state.
    fn step(&mut self, running: &Running, inputs: &[Lit], outputs: usize) -> StepResult {
        let any = self.aig.or_all(inputs);
        let mut shown: Vec<Vec<Lit>> = vec![Vec::new(); outputs];
        let mut entered: Vec<Vec<Lit>> = vec![Vec::new(); running.state.len()];
        let (mut stays, mut waits) = (Vec::new(), Vec::new());
        for (state, &here) in running.state.iter().enumerate() {
            for (input, &given) in inputs.iter().enumerate() {
                let given = self.aig.and(here, given);
                for &(does, chosen) in &running.rules.answers[state][input] {
                    let taken = self.aig.and(given, chosen);
                    match does {
                        Some(answer) => {
                            shown[answer.output].push(taken);
                            entered[answer.target].push(taken);
                        }
                        // The mutant is not examined any more.
                        None => stays.push((state, taken)),
                    }
                }
            }
            let waiting = self.aig.and(here, !any);
            for &(does, chosen) in &running.rules.timeouts[state] {
                let taken = self.aig.and(waiting, chosen);
                let Some(timeout) = does else {
                    stays.push((state, taken));
                    continue;
                };
                let is_over = self.equals(&running.clock, u64::from(timeout.after) - 1);
                let expires = self.aig.and(taken, is_over);
                let goes_on = self.aig.and(taken, !is_over);
                entered[timeout.target].push(expires);
                stays.push((state, goes_on));
                waits.push(goes_on);
            }
        }
        for (state, lit) in stays {
            entered[state].push(lit);
        }
        let counts = self.aig.or_all(&waits);
        let later = self.one_more(&running.clock);
        let zero = vec![Lit::FALSE; later.len()];
        StepResult {
            shown: shown.iter().map(|lits| self.aig.or_all(lits)).collect(),
            state: entered.iter().map(|lits| self.aig.or_all(lits)).collect(),
            clock: self.word_if(counts, &later, &zero),
        }
    }

    fn build(&mut self, machine: &Machine, domain: &MutationMachine, events: &[Event]) {
        let rules = self.mutant(machine, domain);
        let mutant = self.running("mutant", rules);
        let own = self.running("specification", Circuit::specification(machine));
        let failed = self.latch(Reset::Zero, "failed".to_owned());
        let at = self.word("step ", events.len() as u64);
        let is_free = self.equals(&at, events.len() as u64);
        let width = usize::BITS - machine.inputs.len().leading_zeros();
        let free: Vec<Lit> = (0..width)
            .map(|bit| self.aig.add_input(Some(format!("input {bit}"))))
            .collect();
        let mut given: Vec<Vec<Lit>> = Vec::new();
        for input in 0..machine.inputs.len() {
            let is_input = self.equals(&free, input as u64);
            given.push(vec![self.aig.and(is_free, is_input)]);
        }
        let mut ends = Vec::new();
        for (place, event) in events.iter().enumerate() {
            let now = self.equals(&at, place as u64);
            if let Some(input) = event.input {
                given[input].push(now);
            }
            if event.is_last {
                ends.push(now);
            }
        }
        let inputs: Vec<Lit> = given.iter().map(|lits| self.aig.or_all(lits)).collect();
        let ends = self.aig.or_all(&ends);
        let outputs = machine.outputs.len();
        let expected = self.step(&own, &inputs, outputs);
        let found = self.step(&mutant, &inputs, outputs);
        let is_given = self.aig.or_all(&inputs);
        let is_answered = self.aig.or_all(&expected.shown);
        let both = expected.shown.iter().zip(&found.shown);
        let alike: Vec<Lit> = both.map(|(one, two)| self.aig.iff(*one, *two)).collect();
        let is_alike = self.aig.and_all(&alike);
        let differs = self.aig.and(is_answered, !is_alike);
        // An input without a transition of the specification is never given.
        let is_silent = self.aig.and(is_given, !is_answered);
        let fails = self.aig.or_all(&[failed, differs, is_silent]);
        self.next(failed, fails);
        let later = self.one_more(&at);
        let stepped = self.word_if(is_free, &at, &later);
        for (bit, next) in at.iter().zip(stepped) {
            self.next(*bit, next);
        }
        for (running, step) in [(own, expected), (mutant, found)] {
            for (state, (latch, next)) in running.state.iter().zip(step.state).enumerate() {
                let first = if state == 0 { Lit::TRUE } else { Lit::FALSE };
                let next = self.aig.ite(ends, first, next);
                self.next(*latch, next);
            }
            for (latch, next) in running.clock.iter().zip(step.clock) {
                let next = self.aig.and(!ends, next);
                self.next(*latch, next);
            }
        }
        let survives = self.aig.and(is_free, !failed);
        let lit = self.aig.and(survives, differs);
        let name = Some("a mutant survives the tests and differs".to_owned());
        self.aig.bad.push(Signal { lit, name });
    }
}
