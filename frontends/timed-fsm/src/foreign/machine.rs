//! Translates a machine of another format to `.tfsm` text.

use std::collections::BTreeMap;
use std::fmt::Write;

use hyperkill_frontend::{Diagnostic, Span};

use crate::lexer::spelled;

/// The event of a transition.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub(super) enum Event {
    /// An input, its guard (` in [2,5)`, or empty for all delays), and its output.
    Input(String, String, String),
    /// A number of units without an input.
    After(u32),
    /// An infinite timeout.
    Never,
}

/// A transition.
#[derive(Clone, Debug)]
pub(super) struct Edge {
    pub(super) from: String,
    pub(super) event: Event,
    pub(super) to: String,
    /// Whether only implementations may have it.
    pub(super) is_mutated: bool,
    pub(super) span: Span,
}

/// A machine in another format: its initial state and its transitions, without an order of the states.
#[derive(Clone, Default, Debug)]
pub(super) struct Foreign {
    pub(super) initial: String,
    pub(super) edges: Vec<Edge>,
}

/// Returns the values in the order of their first occurrence, each once.
pub(super) fn distinct<'a>(all: impl Iterator<Item = &'a str>) -> Vec<&'a str> {
    let mut found: Vec<&str> = Vec::new();
    let mut seen = std::collections::BTreeSet::new();
    for name in all {
        if seen.insert(name) {
            found.push(name);
        }
    }
    found
}

impl Foreign {
    pub(super) fn states(&self) -> Vec<&str> {
        let ends = self.edges.iter().flat_map(|edge| [&edge.from, &edge.to]);
        let own = std::iter::once(&self.initial).chain(ends);
        distinct(own.map(String::as_str))
    }

    /// Checks that a machine has one transition for each state and input, and one timeout per state.
    pub(super) fn is_deterministic(&self) -> Result<(), Vec<Diagnostic>> {
        /// A state with an input and its guard, or with its timeout.
        type Place<'a> = (&'a str, Option<(&'a str, &'a str)>);
        let mut first: BTreeMap<Place<'_>, Span> = BTreeMap::new();
        let mut errors = Vec::new();
        for edge in self.edges.iter().filter(|edge| !edge.is_mutated) {
            let (on, what) = match &edge.event {
                Event::Input(input, when, _) => (
                    Some((input.as_str(), when.as_str())),
                    format!("transition on `{input}{when}`"),
                ),
                Event::After(_) | Event::Never => (None, "timeout".to_owned()),
            };
            if let Some(there) = first.insert((&edge.from, on), edge.span) {
                let message = format!("state `{}` has a second {what}", edge.from);
                let error = Diagnostic::error(edge.span, message);
                errors.push(error.with_label(there, "first here"));
            }
        }
        // In a file with timeouts, every state has one, possibly infinite.
        let has_time = first.keys().any(|(_, on)| on.is_none());
        for state in self.states().into_iter().filter(|s| !self.is_extra(s)) {
            if has_time && !first.contains_key(&(state, None)) {
                let mut edges = self.edges.iter();
                let there = edges.find(|edge| edge.from == state || edge.to == state);
                let message = format!("state `{state}` has no timeout, though others have");
                let span = there.map_or(Span::new(0, 0), |edge| edge.span);
                let error = Diagnostic::error(span, message);
                errors.push(error.with_help("`∞` is one that never expires"));
            }
        }
        match errors.is_empty() {
            true => Ok(()),
            false => Err(errors),
        }
    }

    pub(super) fn text(&self, name: &str) -> Result<String, Vec<Diagnostic>> {
        self.is_deterministic()?;
        let states = self.states();
        let symbols = |output: bool| {
            let symbols = self.edges.iter().filter_map(|edge| match &edge.event {
                Event::Input(_, _, symbol) if output => Some(symbol.as_str()),
                Event::Input(symbol, _, _) => Some(symbol.as_str()),
                Event::After(_) | Event::Never => None,
            });
            let names = distinct(symbols).into_iter().map(spelled);
            names.collect::<Vec<_>>().join(", ")
        };
        let mut text = format!("machine {} {{\n", spelled(name));
        for (word, names) in [("input", symbols(false)), ("output", symbols(true))] {
            if !names.is_empty() {
                text += &format!("  {word} {names};\n");
            }
        }
        for state in states.iter().filter(|state| !self.is_extra(state)) {
            let own = self.edges.iter();
            let own = own.filter(|edge| !edge.is_mutated && edge.from == *state);
            let own: Vec<String> = own.map(|edge| edge.item(" ")).collect();
            // Writing to a string does not fail.
            let _ = writeln!(text, "  state {} {{ {} }}", spelled(state), own.join(";  "));
        }
        text += "}\n";
        text += &self.faults(&states);
        Ok(text)
    }

    /// Whether only implementations have a state: no transition of the specification enters or leaves it.
    pub(super) fn is_extra(&self, state: &str) -> bool {
        let mut own = self.edges.iter().filter(|edge| !edge.is_mutated);
        state != self.initial && !own.any(|edge| edge.from == state || edge.to == state)
    }

    pub(super) fn faults(&self, states: &[&str]) -> String {
        let mutated: Vec<&Edge> = self.edges.iter().filter(|edge| edge.is_mutated).collect();
        if mutated.is_empty() {
            return String::new();
        }
        let mut text = String::from("faults {\n");
        for state in states {
            let never = |edge: &&Edge| edge.from == *state && edge.event == Event::Never;
            let nevers = self.edges.iter().filter(never).count();
            // Equal transitions are counted as they are written.
            let to_all = nevers == states.len() && nevers > 1;
            let is_extra = self.is_extra(state);
            let between = if is_extra { " " } else { ": " };
            let edges = mutated.iter().filter(|edge| edge.from == *state);
            let edges = edges.filter(|edge| !to_all || edge.event != Event::Never);
            let mut items: Vec<String> = edges.map(|edge| edge.item(between)).collect();
            if to_all && mutated.iter().any(never) {
                items.push(format!("after{between}never -> *"));
            }
            let name = spelled(state);
            // Writing to a string does not fail.
            let _ = match is_extra {
                true => writeln!(text, "  state {name} {{ {} }}", items.join(";  ")),
                false => (items.iter()).try_for_each(|item| writeln!(text, "  {name}.{item};")),
            };
        }
        text + "}\n"
    }
}

impl Edge {
    /// Returns the transition as text of a machine. `between` is put between `after` and the length of a timeout.
    pub(super) fn item(&self, between: &str) -> String {
        let to = spelled(&self.to);
        match &self.event {
            Event::Input(input, when, output) => {
                format!("{}{when} / {} -> {to}", spelled(input), spelled(output))
            }
            Event::After(units) => format!("after{between}{units} -> {to}"),
            Event::Never => format!("after{between}never -> {to}"),
        }
    }
}
