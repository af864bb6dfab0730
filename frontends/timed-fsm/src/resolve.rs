//! Resolves names: a machine from its syntax tree, if it is deterministic.

use std::collections::BTreeMap;

use hyperkill_frontend::{Diagnostic, Severity, did_you_mean};

use crate::guard::Interval;
use crate::machine::{Answer, Guarded, Machine, State, Timeout};
use crate::syntax::{AnswersText, Limit, MachineText, Name, StateText};

/// Names and their numbers.
#[derive(Clone, Debug)]
pub struct Names {
    what: &'static str,
    numbers: BTreeMap<String, usize>,
}

impl Names {
    fn new(what: &'static str, names: &[&Name], errors: &mut Vec<Diagnostic>) -> Names {
        let mut first: BTreeMap<&str, usize> = BTreeMap::new();
        for (index, name) in names.iter().enumerate() {
            match first.get(name.text.as_str()) {
                Some(&there) => {
                    let message = format!("{what} `{}` is declared twice", name.text);
                    let error = Diagnostic::error(name.span, message);
                    errors.push(error.with_label(names[there].span, "first here"));
                }
                None => {
                    first.insert(&name.text, index);
                }
            }
        }
        let owned = first.into_iter().map(|(name, i)| (name.to_owned(), i));
        Names {
            what,
            numbers: owned.collect(),
        }
    }

    /// Adds names, numbered after the existing ones.
    ///
    /// # Errors
    /// If a name exists already.
    pub fn extend(&mut self, names: &[Name]) -> Result<(), Vec<Diagnostic>> {
        let mut errors = Vec::new();
        for name in names {
            let number = self.numbers.len();
            if self.numbers.contains_key(&name.text) {
                let message = format!("{} `{}` is declared twice", self.what, name.text);
                errors.push(Diagnostic::error(name.span, message));
            } else {
                self.numbers.insert(name.text.clone(), number);
            }
        }
        match errors.is_empty() {
            true => Ok(()),
            false => Err(errors),
        }
    }

    /// Returns the number of a name.
    ///
    /// # Errors
    /// If the name is unknown.
    pub fn find(&self, name: &Name) -> Result<usize, Diagnostic> {
        self.numbers.get(&name.text).copied().ok_or_else(|| {
            let message = format!("there is no {} `{}`", self.what, name.text);
            let error = Diagnostic::error(name.span, message);
            match did_you_mean(&name.text, self.numbers.keys().map(String::as_str)) {
                Some(help) => error.with_help(help),
                None => error,
            }
        })
    }
}

/// All names of a machine.
#[derive(Clone, Debug)]
pub struct Scope {
    /// The names of the inputs.
    pub inputs: Names,
    /// The names of the outputs.
    pub outputs: Names,
    /// The names of the states.
    pub states: Names,
}

/// A machine with its names.
#[derive(Clone, Debug)]
pub struct Resolved {
    /// The machine with numbers in place of names.
    pub machine: Machine,
    /// The meaning of its names.
    pub scope: Scope,
    /// Remarks on probable mistakes of the author.
    pub warnings: Vec<Diagnostic>,
}

/// Returns the machine of a text.
///
/// # Errors
/// All errors, in the order of their places.
pub fn resolve(text: &MachineText) -> Result<Resolved, Vec<Diagnostic>> {
    let mut errors = Vec::new();
    let listed = [
        (text.inputs.is_empty(), "input"),
        (text.outputs.is_empty(), "output"),
        (text.states.is_empty(), "state"),
    ];
    for (_, what) in listed.iter().filter(|(is_empty, _)| *is_empty) {
        let message = format!("machine `{}` has no {what}", text.name.text);
        errors.push(Diagnostic::error(text.name.span, message));
    }
    let states: Vec<&Name> = text.states.iter().map(|state| &state.name).collect();
    let scope = Scope {
        inputs: Names::new(
            "input",
            &text.inputs.iter().collect::<Vec<_>>(),
            &mut errors,
        ),
        outputs: Names::new(
            "output",
            &text.outputs.iter().collect::<Vec<_>>(),
            &mut errors,
        ),
        states: Names::new("state", &states, &mut errors),
    };
    let states = text.states.iter().map(|text| {
        let mut state = State {
            name: text.name.text.clone(),
            timeout: timeout(text, &scope, &mut errors),
            ..State::default()
        };
        answers(text, &scope, &mut state, &mut errors);
        state
    });
    let states = states.collect();
    let texts = |names: &[Name]| names.iter().map(|name| name.text.clone()).collect();
    let machine = Machine {
        name: text.name.text.clone(),
        unit: text.unit.as_ref().map(|unit| unit.text.clone()),
        inputs: texts(&text.inputs),
        outputs: texts(&text.outputs),
        states,
    };
    if !errors.is_empty() {
        errors.sort_by_key(|error| error.span);
        return Err(errors);
    }
    let mut warnings = unreachable(text, &machine);
    warnings.extend(never_met(text));
    Ok(Resolved {
        warnings,
        machine,
        scope,
    })
}

/// A transition of a text: its guard and answer, and the name of its input.
type Said<'a> = (Guarded, &'a Name);

/// Adds the transitions on inputs to a state.
fn answers(text: &StateText, scope: &Scope, state: &mut State, errors: &mut Vec<Diagnostic>) {
    let mut found: BTreeMap<usize, Vec<Said>> = BTreeMap::new();
    for item in &text.answers {
        let output = scope.outputs.find(&item.output);
        let target = scope.states.find(&item.target);
        let mut inputs = Vec::new();
        for name in &item.inputs {
            match scope.inputs.find(name) {
                Ok(input) => inputs.push((input, name)),
                Err(error) => errors.push(error),
            }
        }
        let (Ok(output), Ok(target)) = (&output, &target) else {
            errors.extend(output.err());
            errors.extend(target.err());
            continue;
        };
        let guarded = Guarded {
            during: item.guard.map_or(Interval::ALWAYS, |guard| guard.during),
            answer: Answer {
                output: *output,
                target: *target,
            },
        };
        for (input, name) in inputs {
            let known = found.entry(input).or_default();
            let said = known.iter();
            let first = said.filter(|(other, _)| other.during.common(&guarded.during).is_some());
            match first.map(|(_, first)| first).next() {
                Some(first) => errors.push(twice(text, item, name, first)),
                None => known.push((guarded, name)),
            }
        }
    }
    for (input, said) in found {
        state.set(
            input,
            said.into_iter().map(|(guarded, _)| guarded).collect(),
        );
    }
}

fn twice(state: &StateText, item: &AnswersText, name: &Name, first: &Name) -> Diagnostic {
    let (state, input) = (&state.name.text, &name.text);
    let (span, what) = match item.guard {
        Some(guard) => (guard.span, "some delays in two guards of"),
        None => (name.span, "two transitions on"),
    };
    let message =
        format!("state `{state}` has {what} `{input}`, so the machine is not deterministic");
    Diagnostic::error(span, message).with_label(first.span, "first here")
}

fn timeout(state: &StateText, scope: &Scope, errors: &mut Vec<Diagnostic>) -> Option<Timeout> {
    for second in state.timeouts.iter().skip(1) {
        let message = format!("state `{}` has a second timeout", state.name.text);
        let error = Diagnostic::error(second.span, message);
        errors.push(error.with_label(state.timeouts[0].span, "first here"));
    }
    let text = state.timeouts.first()?;
    let target = match scope.states.find(text.target.as_ref()?) {
        Ok(target) => target,
        Err(error) => {
            errors.push(error);
            return None;
        }
    };
    match text.limit.limit {
        Limit::After(after) => Some(Timeout { after, target }),
        Limit::Never => None,
    }
}

fn unreachable(text: &MachineText, machine: &Machine) -> Vec<Diagnostic> {
    let reached = machine.reachable();
    let unreached = text
        .states
        .iter()
        .zip(reached)
        .filter(|(_, reached)| !reached);
    let warnings = unreached.map(|(state, _)| {
        let message = format!("nothing leads to state `{}`", state.name.text);
        Diagnostic {
            severity: Severity::Warning,
            ..Diagnostic::error(state.name.span, message)
        }
    });
    warnings.collect()
}

/// Warns of guards that begin after the timeout.
fn never_met(text: &MachineText) -> Vec<Diagnostic> {
    let mut warnings = Vec::new();
    for state in &text.states {
        let limit = state.timeouts.first().map(|timeout| timeout.limit.limit);
        let Some(Limit::After(after)) = limit else {
            continue;
        };
        let guards = state.answers.iter().filter_map(|item| item.guard);
        let late = guards.filter(|guard| u64::from(guard.during.from) >= 2 * u64::from(after));
        warnings.extend(late.map(|guard| {
            let message = format!(
                "state `{}` is left before this guard begins",
                state.name.text
            );
            Diagnostic {
                severity: Severity::Warning,
                ..Diagnostic::error(guard.span, message)
            }
        }));
    }
    warnings
}
