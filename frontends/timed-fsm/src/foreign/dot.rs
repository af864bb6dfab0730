//! Reads machines as graphs in DOT: those of the tool of \[1\] (`a / x [3]`, `4 [3]`, `∞ [6]`, dashed if mutated), and Mealy machines
//! without time, as learners write them (`a/x`). The edge from `__start0` leads to the initial state.

use hyperkill_frontend::{Diagnostic, Span};
use hyperkill_text::{Source, dot};

use super::machine::{Edge, Event, Foreign};

/// The name of the node before the initial state.
pub(crate) const START: &str = "__start0";

pub(super) fn read(text: &str) -> Result<Foreign, Diagnostic> {
    let mut machine = Foreign::default();
    let source = Source { file: 0, text };
    for line in text.lines() {
        let span = source.span(line.trim_end());
        let Some(((from, to), attributes)) = dot::edge(line) else {
            continue;
        };
        if from == START {
            to.clone_into(&mut machine.initial);
            continue;
        }
        let label = dot::attribute(attributes, "label").unwrap_or_default();
        machine.edges.push(Edge {
            event: event(&label, span)?,
            is_mutated: dot::attribute(attributes, "style").is_some_and(|style| style == "dashed"),
            from: from.to_owned(),
            to: to.to_owned(),
            span,
        });
    }
    if machine.initial.is_empty() {
        let message = "no edge from `__start0` says which state is the initial one";
        return Err(Diagnostic::error(Span::new(0, 0), message));
    }
    Ok(machine)
}

fn event(label: &str, span: Span) -> Result<Event, Diagnostic> {
    let label = label.trim();
    // A number in brackets is the name of the transition.
    let named = label.rsplit_once('[').filter(|(_, id)| {
        let id = id.trim_end().strip_suffix(']');
        id.is_some_and(|id| id.bytes().all(|byte| byte.is_ascii_digit()))
    });
    let label = named.map_or(label, |(label, _)| label).trim();
    let parts: Vec<&str> = label.split('/').map(str::trim).collect();
    match parts.as_slice() {
        ["∞" | "inf" | "infinity"] => Ok(Event::Never),
        [units] => match units.parse() {
            Ok(units) if units > 0 => Ok(Event::After(units)),
            _ => {
                let message = format!("`{label}` is neither `INPUT / OUTPUT` nor a timeout");
                Err(Diagnostic::error(span, message))
            }
        },
        [input, output] if !input.is_empty() && !output.is_empty() => {
            let (input, when) = when(input);
            Ok(Event::Input(
                input.to_owned(),
                when.to_owned(),
                (*output).to_owned(),
            ))
        }
        [_, _] => {
            let message = format!("`{label}` lacks an input or an output");
            Err(Diagnostic::error(span, message))
        }
        _ => {
            let message =
                format!("`{label}` has several `/`: where the output begins is not known");
            Err(Diagnostic::error(span, message))
        }
    }
}

/// Splits the label of an input into the input and the guard ` in [2,5)` after it, which may be empty.
fn when(input: &str) -> (&str, &str) {
    let all = (input, "");
    let Some(at) = input.rfind(" in ").filter(|at| *at > 0) else {
        return all;
    };
    let (input, when) = input.split_at(at);
    let inside = when[4..].trim().strip_prefix(['[', '(']);
    let inside = inside.and_then(|inside| inside.strip_suffix([']', ')']));
    let bounds = inside.and_then(|inside| inside.split_once(','));
    let is_number = |text: &str| text.trim().bytes().all(|byte| byte.is_ascii_digit());
    match bounds {
        Some((from, until)) if is_number(from) && (is_number(until) || until.trim() == "never") => {
            (input.trim_end(), when)
        }
        _ => all,
    }
}
