//! Names to numbers: a machine of its syntax tree, if it is one and deterministic.

use std::collections::BTreeMap;

use hyperkill_frontend::{Diagnostic, Severity, did_you_mean};

use crate::machine::{Answer, Machine, State, Timeout};
use crate::syntax::{Limit, MachineText, Name, StateText};

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

    /// More names, with the numbers behind those that there are.
    ///
    /// # Errors
    /// Names that there are already.
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

    /// The number of a name.
    ///
    /// # Errors
    /// If there is no such name.
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
    /// Inputs.
    pub inputs: Names,
    /// Outputs.
    pub outputs: Names,
    /// States.
    pub states: Names,
}

/// A machine with its names.
#[derive(Clone, Debug)]
pub struct Resolved {
    /// The machine.
    pub machine: Machine,
    /// What its names mean.
    pub scope: Scope,
    /// What its author may not have meant.
    pub warnings: Vec<Diagnostic>,
}

/// The machine of a text.
///
/// # Errors
/// All that keeps it from being one, in the order of places.
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
    let states = text.states.iter().map(|state| State {
        name: state.name.text.clone(),
        answers: answers(state, &scope, &mut errors),
        timeout: timeout(state, &scope, &mut errors),
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
    Ok(Resolved {
        warnings: unreachable(text, &machine),
        machine,
        scope,
    })
}

fn answers(
    state: &StateText,
    scope: &Scope,
    errors: &mut Vec<Diagnostic>,
) -> BTreeMap<usize, Answer> {
    let mut found: BTreeMap<usize, (Answer, &Name)> = BTreeMap::new();
    for item in &state.answers {
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
        let answer = Answer {
            output: *output,
            target: *target,
        };
        for (input, name) in inputs {
            if let Some((_, first)) = found.get(&input) {
                let message = format!(
                    "state `{}` has two transitions on `{}`, so the machine is not deterministic",
                    state.name.text, name.text
                );
                let error = Diagnostic::error(name.span, message);
                errors.push(error.with_label(first.span, "first here"));
            } else {
                found.insert(input, (answer, name));
            }
        }
    }
    let answers = found
        .into_iter()
        .map(|(input, (answer, _))| (input, answer));
    answers.collect()
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
