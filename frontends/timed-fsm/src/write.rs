//! Writes machines and their fault domains as text: `.tfsm`, and the DOT of the authors of \[1\].
//!
//! The text is read as the same machine and the same domain, for every form in which the domain was written.

use std::fmt::Write;

use crate::choices::{Choice, MutationMachine};
use crate::guard::Interval;
use crate::lexer::spelled;
use crate::machine::{Answer, Guarded, Machine, Timeout};
use crate::pieces::{Class, Whole};

/// A name that a format cannot express.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Unwritable {
    /// The kind of named things.
    pub what: &'static str,
    /// The name that cannot be written.
    pub name: String,
}

/// Returns a machine as `.tfsm`, with `faults { … }` unless the domain is `None`.
#[must_use]
pub fn tfsm(machine: &Machine, domain: Option<&MutationMachine>) -> String {
    let names = |names: &[String]| {
        let names: Vec<String> = names.iter().map(|name| spelled(name)).collect();
        names.join(", ")
    };
    let mut text = format!(
        "machine {} {{\n  input {};\n  output {};\n",
        spelled(&machine.name),
        names(&machine.inputs),
        names(&machine.outputs)
    );
    // Writing to a string does not fail.
    if let Some(unit) = &machine.unit {
        let _ = writeln!(text, "  time {}", spelled(unit));
    }
    let names: Vec<&str> = machine.states.iter().map(|s| s.name.as_str()).collect();
    for state in &machine.states {
        let inputs = 0..machine.inputs.len();
        let answers = inputs.flat_map(|input| {
            let all = state.on(input).into_iter();
            let names = &names;
            all.map(move |own| answered((machine, names), (input, own.during), own.answer))
        });
        let timeout = state.timeout.iter();
        let timeout = timeout.map(|timeout| {
            let target = spelled(names[timeout.target]);
            format!("after {} -> {target}", timeout.after)
        });
        let items: Vec<String> = answers.chain(timeout).collect();
        let name = spelled(&state.name);
        let _ = writeln!(text, "  state {name} {{ {} }}", items.join(";  "));
    }
    text += "}\n";
    if let Some(domain) = domain {
        text += &faults(machine, &Whole::of(domain));
    }
    text
}

fn answered(
    (machine, states): (&Machine, &[&str]),
    at: (usize, Interval),
    answer: Answer,
) -> String {
    let output = spelled(&machine.outputs[answer.output]);
    let event = event(machine, at);
    format!("{event} / {output} -> {}", spelled(states[answer.target]))
}

/// Returns the text of an input and, as `in INTERVAL`, of the delays since its state was entered. If it allows all delays, these are left
/// out.
fn event(machine: &Machine, (input, during): (usize, Interval)) -> String {
    let input = spelled(&machine.inputs[input]);
    match during {
        Interval::ALWAYS => input,
        during => format!("{input} in {during}"),
    }
}

/// Returns the text of a timeout: `5 -> s` for length and target, `never` for an infinite timeout. An infinite timeout that is counted once
/// for each target state is `never -> *`.
fn expiring(states: &[&str], choice: &Choice<Timeout>) -> String {
    match choice.does {
        Some(timeout) => format!("{} -> {}", timeout.after, spelled(states[timeout.target])),
        None if choice.ways > 1 => "never -> *".to_owned(),
        None => "never".to_owned(),
    }
}

fn faults(machine: &Machine, domain: &Whole) -> String {
    let names: Vec<&str> = domain.states.iter().map(String::as_str).collect();
    let mut text = String::from("faults {\n");
    for (state, name) in domain.states.iter().enumerate() {
        let is_own = state < domain.own_states;
        let name = spelled(name);
        let (mut items, mut beside) = (Vec::new(), Vec::new());
        for (input, class) in by_input(&domain.answers[state]) {
            if !is_own && is_silent_beside(class) {
                let input = spelled(&machine.inputs[input]);
                beside.push(format!("{name}.{input} in {}: never", class.during));
            }
            let others = class.group.iter().skip(usize::from(is_own));
            let others = others.filter(|choice| choice.does.is_some() || is_own);
            items.extend(others.map(|choice| {
                let at = (input, class.during);
                let item = match choice.does {
                    Some(answer) => answered((machine, &names), at, answer),
                    None => {
                        let input = spelled(&machine.inputs[input]);
                        format!("{input} in {}: never", class.during)
                    }
                };
                if is_own {
                    format!("{name}.{item}")
                } else {
                    item
                }
            }));
        }
        let group = domain.timeouts[state].iter().enumerate();
        let others = group.filter(|(at, choice)| match is_own {
            true => *at > 0 || choice.ways > 1,
            // A state without transitions has no timeout.
            false => choice.does.is_some() || domain.timeouts[state].len() > 1 || choice.ways > 1,
        });
        items.extend(others.map(|(_, choice)| {
            let item = expiring(&names, choice);
            match is_own {
                true => format!("{name}.after: {item}"),
                false => format!("after {item}"),
            }
        }));
        if !is_own {
            let _ = writeln!(text, "  state {name} {{ {} }}", items.join(";  "));
            items = beside;
        }
        for item in items {
            let _ = writeln!(text, "  {item};");
        }
    }
    text + "}\n"
}

/// Whether a class has both no transition and another alternative, in a state of implementations only.
fn is_silent_beside(class: &Class) -> bool {
    class.group.len() > 1 && class.group.iter().any(|choice| choice.does.is_none())
}

fn by_input(answers: &[Vec<Class>]) -> impl Iterator<Item = (usize, &Class)> {
    let answers = answers.iter().enumerate();
    answers.flat_map(|(input, classes)| classes.iter().map(move |class| (input, class)))
}

/// Returns a machine as a graph, with dashed edges for alternatives unless the domain is `None`. A machine without finite timeouts has no
/// timeout edges.
///
/// # Errors
/// If the label of an edge cannot contain a name.
pub fn dot(machine: &Machine, domain: Option<&MutationMachine>) -> Result<String, Unwritable> {
    let domain = domain.map_or_else(|| Whole::own(machine, &[]), Whole::of);
    let named = [("input", &machine.inputs), ("output", &machine.outputs)];
    for (what, names) in named {
        if let Some(name) = names.iter().find(|name| !fits(name)) {
            let name = name.clone();
            return Err(Unwritable { what, name });
        }
    }
    let starts = |name: &&String| name.as_str() == crate::foreign::START || name.trim() != **name;
    // An edge of the graph has a target.
    let mut classes = domain.answers[..domain.own_states]
        .iter()
        .flat_map(|a| by_input(a));
    let extra = domain.answers[domain.own_states..]
        .iter()
        .flat_map(|a| by_input(a));
    let mut extra = extra.filter(|(_, class)| is_silent_beside(class));
    let silent = classes.find(|(_, class)| class.group.iter().skip(1).any(|c| c.does.is_none()));
    let silent = silent.or_else(|| extra.next());
    if let Some((input, _)) = silent {
        let name = machine.inputs[input].clone();
        let what = "that a mutant does not answer input";
        return Err(Unwritable { what, name });
    }
    if let Some(name) = domain.states.iter().find(starts) {
        let name = name.clone();
        return Err(Unwritable {
            what: "state",
            name,
        });
    }
    let mut graph = Graph {
        states: &domain.states,
        text: String::new(),
        edges: 0,
    };
    graph.all(machine, &domain);
    Ok(format!(
        "digraph \"{}\" {{\n__start0 [label=\"\" shape=\"none\"];\n__start0 -> \"{}\" [label=\"\"];\n{}}}\n",
        machine.name, domain.states[0], graph.text
    ))
}

/// Whether a label can contain a name beside `/`.
fn fits(name: &str) -> bool {
    let has_guard = [" in [", " in ("].iter().any(|guard| name.contains(guard));
    !name.contains('/')
        && !has_guard
        && name.trim() == name
        && !["∞", "inf", "infinity"].contains(&name)
}

struct Graph<'a> {
    states: &'a [String],
    text: String,
    edges: usize,
}

impl Graph<'_> {
    fn edge(&mut self, (from, to): (usize, usize), is_own: bool, label: &str) {
        self.edges += 1;
        let style = if is_own { "" } else { "style=\"dashed\" " };
        let (from, to) = (&self.states[from], &self.states[to]);
        // Writing to a string does not fail.
        let _ = writeln!(
            self.text,
            "\"{from}\" -> \"{to}\" [{style}label=\"{label} [{}]\"];",
            self.edges
        );
    }

    fn all(&mut self, machine: &Machine, domain: &Whole) {
        let mut timeouts = domain.timeouts.iter().flatten();
        let has_time = timeouts.any(|choice| choice.does.is_some() || choice.ways > 1);
        // The machine comes first, since the first edges determine the order of its states.
        for is_own in [true, false] {
            for state in 0..domain.states.len() {
                let is_there = |at: usize| (at == 0 && state < domain.own_states) == is_own;
                if is_own {
                    self.own_answers(machine, state);
                } else {
                    self.other_answers(machine, domain, state);
                }
                let choices = domain.timeouts[state].iter().enumerate();
                for (at, choice) in choices.filter(|_| has_time) {
                    self.timeout(state, choice, is_there(at).then_some(is_own));
                    if at == 0 && state < domain.own_states && !is_own && choice.ways > 1 {
                        self.nevers(state);
                    }
                }
            }
        }
    }

    /// Writes the answers of the machine, guard by guard.
    fn own_answers(&mut self, machine: &Machine, state: usize) {
        let Some(own) = machine.states.get(state) else {
            return;
        };
        for input in 0..machine.inputs.len() {
            for guarded in own.on(input) {
                self.answer(machine, (state, input), guarded, true);
            }
        }
    }

    /// Writes the alternatives of implementations, by class of delays.
    fn other_answers(&mut self, machine: &Machine, domain: &Whole, state: usize) {
        let own = usize::from(state < domain.own_states);
        for (input, class) in by_input(&domain.answers[state]) {
            for answer in class.group.iter().skip(own).filter_map(|c| c.does) {
                let guarded = Guarded {
                    during: class.during,
                    answer,
                };
                self.answer(machine, (state, input), guarded, false);
            }
        }
    }

    fn answer(
        &mut self,
        machine: &Machine,
        (state, input): (usize, usize),
        Guarded { during, answer }: Guarded,
        is_own: bool,
    ) {
        let output = &machine.outputs[answer.output];
        let mut event = machine.inputs[input].clone();
        if during != Interval::ALWAYS {
            // Writing to a string does not fail.
            let _ = write!(event, " in {during}");
        }
        let label = format!("{event} / {output}");
        self.edge((state, answer.target), is_own, &label);
    }

    fn timeout(&mut self, state: usize, choice: &Choice<Timeout>, is_own: Option<bool>) {
        match (choice.does, is_own) {
            (_, None) => {}
            (Some(timeout), Some(is_own)) => {
                self.edge((state, timeout.target), is_own, &timeout.after.to_string());
            }
            (None, Some(true)) => self.edge((state, state), true, "∞"),
            (None, Some(false)) => {
                self.edge((state, state), false, "∞");
                if choice.ways > 1 {
                    self.nevers(state);
                }
            }
        }
    }

    /// Writes an edge for an infinite timeout to each other state, since the domain counts one transition for each.
    fn nevers(&mut self, state: usize) {
        for target in (0..self.states.len()).filter(|target| *target != state) {
            self.edge((state, target), false, "∞");
        }
    }
}
