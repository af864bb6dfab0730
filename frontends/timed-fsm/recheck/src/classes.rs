//! Checks that all implementations of a class have the answers of the specification.
//!
//! All choices that a class allows are followed at once, which is an over-approximation of each implementation.

use std::collections::{BTreeMap, BTreeSet};

use hyperkill_core::budget::Budget;
use hyperkill_frontend::decision::Refutation;
use hyperkill_timed_fsm::machine::{Answer, Machine, State, Timeout};
use serde::Deserialize;

use crate::delays;
use crate::said::Domain;

/// A class in a document: the allowed transitions of each place.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct ClassEntry {
    answers: Vec<AnswersEntry>,
    timeouts: Vec<TimeoutsEntry>,
}

/// Output and target of each allowed transition; `null`: no answer.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct AnswersEntry {
    state: String,
    input: String,
    allowed: Vec<Option<(String, String)>>,
}

/// Length and target of each allowed timeout; `null`: none.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct TimeoutsEntry {
    state: String,
    allowed: Vec<Option<(u32, String)>>,
}

/// A class of implementations, with numbers instead of names.
#[derive(Default)]
pub(crate) struct Class {
    pub(crate) answers: BTreeMap<(usize, usize), BTreeSet<Option<Answer>>>,
    pub(crate) timeouts: BTreeMap<usize, BTreeSet<Option<Timeout>>>,
}

fn number(names: &[String], what: &str, name: &str) -> Result<usize, Refutation> {
    match names.iter().position(|known| known == name) {
        Some(number) => Ok(number),
        None => Refutation::wrong(format!("a class names `{name}`, which is no known {what}")),
    }
}

impl Class {
    /// Reads a class with the numbers of a domain.
    ///
    /// # Errors
    /// If names are unknown, or places occur twice.
    pub(crate) fn read(
        (machine, domain): (&Machine, &Domain),
        entry: &ClassEntry,
    ) -> Result<Class, Refutation> {
        let mut class = Class::default();
        let state = |name: &str| number(&domain.states, "state", name);
        for item in &entry.answers {
            let input = number(&machine.inputs, "input", &item.input)?;
            let allowed = item.allowed.iter().map(|allowed| match allowed {
                None => Ok(None),
                Some((output, target)) => Ok(Some(Answer {
                    output: number(&machine.outputs, "output", output)?,
                    target: state(target)?,
                })),
            });
            let allowed = allowed.collect::<Result<_, Refutation>>()?;
            if class
                .answers
                .insert((state(&item.state)?, input), allowed)
                .is_some()
            {
                return Refutation::wrong("a class lists a state and event twice");
            }
        }
        for item in &entry.timeouts {
            let allowed = item.allowed.iter().map(|allowed| match allowed {
                None => Ok(None),
                Some((after, target)) => Ok(Some(Timeout {
                    after: *after,
                    target: state(target)?,
                })),
            });
            let allowed = allowed.collect::<Result<_, Refutation>>()?;
            if class
                .timeouts
                .insert(state(&item.state)?, allowed)
                .is_some()
            {
                return Refutation::wrong("a class lists a state and event twice");
            }
        }
        Ok(class)
    }

    /// Checks that no test distinguishes the implementations of the class from the specification.
    ///
    /// # Errors
    /// If a test may do so, with its observation.
    pub(crate) fn conforms(
        &self,
        (machine, domain): (&Machine, &Domain),
        budget: &Budget,
    ) -> Result<(), Refutation> {
        match self.only_machine(machine, domain) {
            Some(only) => one_conforms(machine, &only, budget),
            None => Walk {
                machine,
                domain,
                class: self,
            }
            .all_conform(budget),
        }
    }

    /// Returns the only machine of the class, if the class allows one choice at each of its places.
    fn only_machine(&self, machine: &Machine, domain: &Domain) -> Option<Machine> {
        let only_answers = self.answers.values().all(|allowed| allowed.len() == 1);
        let only_timeouts = self.timeouts.values().all(|allowed| allowed.len() == 1);
        if !only_answers || !only_timeouts {
            return None;
        }
        let states = domain.states.iter().enumerate().map(|(state, name)| {
            let inputs = 0..machine.inputs.len();
            let answers = inputs.filter_map(|input| {
                let allowed = self.answers.get(&(state, input))?;
                Some((input, (*allowed.first()?)?))
            });
            // The class does not restrict its timeout, so its behaviour is unknown.
            let timeout = self.timeouts.get(&state)?.first()?;
            Some(State {
                name: name.clone(),
                answers: answers.collect(),
                timeout: *timeout,
                ..State::default()
            })
        });
        let unknown = |state: Option<State>| state.unwrap_or_default();
        let states: Vec<Option<State>> = states.collect();
        // A state without a timeout in the class must not be entered, so no timeout may lead there.
        let leads_nowhere = |target: usize| states.get(target).is_none_or(Option::is_none);
        let all = states.iter().flatten();
        let targets = all.flat_map(|state| {
            let answers = state.answers.values().map(|answer| answer.target);
            answers.chain(state.timeout.map(|timeout| timeout.target))
        });
        if states.first()?.is_none() || targets.into_iter().any(leads_nowhere) {
            return None;
        }
        Some(Machine {
            states: states.into_iter().map(unknown).collect(),
            ..machine.clone()
        })
    }
}

/// Checks that the machine `only` has the answers of the specification, from each pair of states that both reach.
fn one_conforms(machine: &Machine, only: &Machine, budget: &Budget) -> Result<(), Refutation> {
    let mut due = vec![(0, 0)];
    let mut seen = BTreeSet::new();
    while let Some(pair) = due.pop() {
        if !seen.insert(pair) {
            continue;
        }
        budget.check().map_err(Refutation::Stopped)?;
        for (own, there) in delays::pairs((machine, pair.0), (only, pair.1)) {
            for (input, expected) in &machine.states[own].answers {
                match only.states[there].answers.get(input) {
                    Some(answer) if answer.output == expected.output => {
                        due.push((expected.target, answer.target));
                    }
                    _ => return differs(machine, own, *input),
                }
            }
        }
    }
    Ok(())
}

fn differs<T>(machine: &Machine, own: usize, input: usize) -> Result<T, Refutation> {
    let (state, input) = (&machine.states[own].name, &machine.inputs[input]);
    Refutation::wrong(format!(
        "an implementation of a class does not answer `{input}` like the specification in `{state}`"
    ))
}

/// A position: the state of the specification, the time in it, and the state that an implementation has just entered.
type Entered = (usize, u64, usize);

struct Walk<'a> {
    machine: &'a Machine,
    domain: &'a Domain,
    class: &'a Class,
}

impl Walk<'_> {
    fn all_conform(&self, budget: &Budget) -> Result<(), Refutation> {
        let mut due: Vec<Entered> = vec![(0, 0, 0)];
        let mut seen = BTreeSet::new();
        let mut met = BTreeSet::new();
        while let Some(entered) = due.pop() {
            if !seen.insert(entered) {
                continue;
            }
            budget.check().map_err(Refutation::Stopped)?;
            let (own, clock, there) = entered;
            for timeout in self.timeouts(there) {
                let lasts = timeout.map(|timeout| timeout.after);
                for state in delays::during(self.machine, (own, clock), lasts) {
                    if met.insert((state, there)) {
                        self.inputs(state, there, &mut due)?;
                    }
                }
                if let Some(timeout) = timeout {
                    let until = clock + u64::from(timeout.after);
                    let (state, clock) = delays::after(self.machine, own, until);
                    due.push((state, clock, timeout.target));
                }
            }
        }
        Ok(())
    }

    fn timeouts(&self, state: usize) -> Vec<Option<Timeout>> {
        let group = self.domain.timeouts[state].iter().copied();
        let allowed = self.class.timeouts.get(&state);
        let is_allowed =
            |does: &Option<Timeout>| allowed.is_none_or(|allowed| allowed.contains(does));
        group.filter(is_allowed).collect()
    }

    fn inputs(&self, own: usize, there: usize, due: &mut Vec<Entered>) -> Result<(), Refutation> {
        for (&input, expected) in &self.machine.states[own].answers {
            let allowed = self.class.answers.get(&(there, input));
            for choice in &self.domain.answers[there][input] {
                if allowed.is_some_and(|allowed| !allowed.contains(choice)) {
                    continue;
                }
                match *choice {
                    Some(answer) if answer.output == expected.output => {
                        due.push((expected.target, 0, answer.target));
                    }
                    _ => return differs(self.machine, own, input),
                }
            }
        }
        Ok(())
    }
}
