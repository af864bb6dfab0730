//! Checks that a mutant passes incomplete tests (certificates.md): it is in the domain and has the listed differences.

use std::collections::BTreeSet;

use hyperkill_core::suite::Step;
use hyperkill_frontend::decision::Refutation;
use hyperkill_frontend::domain::Survivor;
use hyperkill_timed_fsm::machine::{Answer, Machine, State, Timeout};
use serde::Deserialize;

use crate::replay;
use crate::said::Domain;

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Entry {
    kind: String,
    answers: Vec<AnswerEntry>,
    timeouts: Vec<TimeoutEntry>,
}

/// The answer of a mutant in a document: output and target; `null`: no answer.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct AnswerEntry {
    state: String,
    input: String,
    does: Option<(String, String)>,
}

/// The timeout of a mutant in a document: length and target; `null`: none.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct TimeoutEntry {
    state: String,
    does: Option<(u32, String)>,
}

fn number(names: &[String], what: &str, name: &str) -> Result<usize, Refutation> {
    match names.iter().position(|known| known == name) {
        Some(number) => Ok(number),
        None => Refutation::wrong(format!("a mutant names `{name}`, which is no known {what}")),
    }
}

fn is_allowed<T: PartialEq>(group: &[Option<T>], does: Option<T>) -> Result<(), Refutation> {
    match group.contains(&does) {
        true => Ok(()),
        false => Refutation::wrong("a mutant has a fault that is not in the domain"),
    }
}

/// A mutant while it is read, place by place.
struct Mutant<'a> {
    machine: &'a Machine,
    domain: &'a Domain,
    /// The states. Additional ones are empty at first.
    states: Vec<State>,
    /// The places with a listed difference: a state and an input, or its timeout.
    said: BTreeSet<(usize, Option<usize>)>,
    lines: BTreeSet<String>,
}

/// Reads the machine of a mutant that is claimed to survive.
///
/// # Errors
/// If it is not in the domain, or has other differences than those listed.
pub(crate) fn read(
    (machine, domain): (&Machine, &Domain),
    survivor: Survivor<'_>,
) -> Result<Machine, Refutation> {
    let entry = match Entry::deserialize(survivor.mutant) {
        Ok(entry) if entry.kind == "timed-mutant" => entry,
        Ok(entry) => {
            return Refutation::wrong(format!("`{}` is an unknown kind of mutant", entry.kind));
        }
        Err(error) => return Refutation::wrong(format!("the mutant cannot be read: {error}")),
    };
    let more = domain.states.iter().skip(machine.states.len());
    let more = more.map(|name| State {
        name: name.clone(),
        ..State::default()
    });
    let mut mutant = Mutant {
        machine,
        domain,
        states: machine.states.iter().cloned().chain(more).collect(),
        said: BTreeSet::new(),
        lines: BTreeSet::new(),
    };
    entry.answers.iter().try_for_each(|a| mutant.answer(a))?;
    entry.timeouts.iter().try_for_each(|t| mutant.timeout(t))?;
    mutant.finished(survivor.choices)
}

impl Mutant<'_> {
    fn state(&self, name: &str) -> Result<usize, Refutation> {
        number(&self.domain.states, "state", name)
    }

    fn say(&mut self, state: usize, on: Option<usize>) -> Result<(), Refutation> {
        match self.said.insert((state, on)) {
            true => Ok(()),
            false => Refutation::wrong("a mutant has two entries for one state and event"),
        }
    }

    /// Adds a line for users: the text of the specification, if it has the state, and the text of the mutant.
    fn line(&mut self, state: usize, on: &str, (own, does): (String, String)) {
        let name = &self.domain.states[state];
        let is_own = state < self.machine.states.len();
        self.lines.insert(match is_own {
            true => format!("{name}: {on} {own} ⇒ {on} {does}"),
            false => format!("{name}: {on} {does}"),
        });
    }

    fn answer(&mut self, entry: &AnswerEntry) -> Result<(), Refutation> {
        let state = self.state(&entry.state)?;
        let input = number(&self.machine.inputs, "input", &entry.input)?;
        let does = match &entry.does {
            None => None,
            Some((output, target)) => Some(Answer {
                output: number(&self.machine.outputs, "output", output)?,
                target: self.state(target)?,
            }),
        };
        is_allowed(&self.domain.answers[state][input], does)?;
        self.say(state, Some(input))?;
        let spelled = |answer: Option<Answer>| match answer {
            None => "nothing".to_owned(),
            Some(answer) => {
                let output = &self.machine.outputs[answer.output];
                format!("{output} -> {}", self.domain.states[answer.target])
            }
        };
        let own = self.states[state].answers.get(&input).copied();
        let both = (spelled(own), spelled(does));
        self.line(state, &format!("{} /", entry.input), both);
        let answers = &mut self.states[state].answers;
        match does {
            Some(answer) => answers.insert(input, answer),
            None => answers.remove(&input),
        };
        Ok(())
    }

    fn timeout(&mut self, entry: &TimeoutEntry) -> Result<(), Refutation> {
        let state = self.state(&entry.state)?;
        let does = match &entry.does {
            None => None,
            Some((after, target)) => Some(Timeout {
                after: *after,
                target: self.state(target)?,
            }),
        };
        is_allowed(&self.domain.timeouts[state], does)?;
        self.say(state, None)?;
        let spelled = |timeout: Option<Timeout>| match timeout {
            None => "never".to_owned(),
            Some(timeout) => {
                format!(
                    "{} -> {}",
                    timeout.after, self.domain.states[timeout.target]
                )
            }
        };
        let both = (spelled(self.states[state].timeout), spelled(does));
        self.line(state, "after", both);
        self.states[state].timeout = does;
        Ok(())
    }

    /// Returns the machine, if every place of its own has an entry and the lines for users agree.
    fn finished(self, choices: &[String]) -> Result<Machine, Refutation> {
        let events = 0..self.machine.inputs.len();
        for state in self.machine.states.len()..self.states.len() {
            let mut events = events.clone().map(Some).chain([None]);
            if !events.all(|on| self.said.contains(&(state, on))) {
                return Refutation::wrong("a mutant lacks an entry for an event in an added state");
            }
        }
        if self.lines.len() != choices.len() || !choices.iter().all(|l| self.lines.contains(l)) {
            return Refutation::wrong("the described changes of a mutant are not its changes");
        }
        for (state, own) in self.states.iter().enumerate() {
            let mut inputs = events.clone();
            let is_one = inputs.all(|input| {
                let place = self.domain.place(state, input);
                self.states[place].answers.get(&input) == own.answers.get(&input)
            });
            if !is_one {
                return Refutation::wrong(
                    "a mutant answers an input in two ways for one class of delays",
                );
            }
        }
        Ok(Machine {
            states: self.states,
            ..self.machine.clone()
        })
    }
}

/// Checks that a mutant fails a test, with the answers that the test lists. A unit of the test is `parts` units of the machine.
///
/// # Errors
/// If it does not.
pub(crate) fn fails(mutant: &Machine, test: &[Step], parts: u32) -> Result<(), Refutation> {
    let run = test.iter().map(|step| Step {
        outputs: step.mutant_outputs.clone().unwrap_or_default(),
        ..step.clone()
    });
    let run: Vec<Step> = run.collect();
    let shown = replay::replay(mutant, &run, parts).map_err(Refutation::Wrong)?;
    let said = replay::said(mutant, &run).map_err(Refutation::Wrong)?;
    let length = shown.outputs.len() + usize::from(shown.is_silent);
    if said != shown.outputs || run.len() != length {
        return Refutation::wrong("a mutant's outputs differ from those in its test");
    }
    match test
        .iter()
        .zip(&run)
        .all(|(own, of)| own.outputs == of.outputs)
    {
        true => Refutation::wrong("a mutant passes the test that should kill it"),
        false => Ok(()),
    }
}
