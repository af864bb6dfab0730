//! Machines as graphs in DOT: those of the tool of \[1\] (`a / x [3]`, `4 [3]`, `∞ [6]`, dashed where mutated), and Mealy machines without
//! time, as learners write them (`a/x`). The initial state is where an edge from `__start0` leads to.

use hyperkill_frontend::{Diagnostic, Span};

use super::{Edge, Event, Foreign};

/// What the node before the initial state is called.
pub(crate) const START: &str = "__start0";

pub(super) fn read(text: &str) -> Result<Foreign, Diagnostic> {
    let mut machine = Foreign::default();
    let mut at = 0;
    for line in text.split_inclusive('\n') {
        let span = Span::new(at, at + line.trim_end().len());
        at += line.len();
        let Some((ends, attributes)) = edge(line) else {
            continue;
        };
        let (from, to) = ends;
        if from == START {
            machine.initial = to;
            continue;
        }
        let label = attribute(attributes, "label").unwrap_or_default();
        machine.edges.push(Edge {
            event: event(&label, span)?,
            is_mutated: attribute(attributes, "style").is_some_and(|style| style == "dashed"),
            from,
            to,
            span,
        });
    }
    if machine.initial.is_empty() {
        let message = "no edge from `__start0` says which state is the initial one";
        return Err(Diagnostic::error(Span::new(0, 0), message));
    }
    Ok(machine)
}

/// The ends of the edge on a line, and its attributes.
fn edge(line: &str) -> Option<((String, String), &str)> {
    let line = line.trim();
    if line.starts_with("//") || line.starts_with('#') {
        return None;
    }
    let (from, rest) = node(line)?;
    let (to, attributes) = node(rest.strip_prefix("->")?)?;
    (!from.is_empty() && !to.is_empty()).then_some(((from, to), attributes))
}

/// The name of a node at the beginning of a text, without quotes, and what stands behind it.
fn node(text: &str) -> Option<(String, &str)> {
    let text = text.trim_start();
    let (name, rest) = match text.strip_prefix('"') {
        Some(quoted) => quoted.split_once('"')?,
        None => {
            let ends = ["->", "[", ";"].map(|sign| text.find(sign).unwrap_or(text.len()));
            text.split_at(ends.into_iter().min().unwrap_or(text.len()))
        }
    };
    Some((name.trim().to_owned(), rest.trim_start()))
}

/// The value of an attribute, without quotes.
fn attribute(attributes: &str, name: &str) -> Option<String> {
    let mut from = 0;
    loop {
        let found = from + attributes.get(from..)?.find(name)?;
        let rest = attributes[found + name.len()..].trim_start();
        if let Some(value) = rest.strip_prefix('=') {
            let value = value.trim_start();
            if let Some(markup) = value.strip_prefix('<') {
                return Some(plain(markup));
            }
            return Some(match value.strip_prefix('"') {
                Some(quoted) => quoted.split('"').next().unwrap_or_default().to_owned(),
                None => {
                    let end = value.find([',', ';', ']', ' ']).unwrap_or(value.len());
                    value[..end].to_owned()
                }
            });
        }
        from = found + name.len();
    }
}

/// The text of a label in HTML, up to its end; learners of before wrote inputs and outputs on two lines.
fn plain(markup: &str) -> String {
    let mut text = String::new();
    let mut tag: Option<String> = None;
    for character in markup.chars() {
        match (character, &mut tag) {
            ('<', None) => tag = Some(String::new()),
            // Of the label itself, outside all tags.
            ('>', None) => break,
            ('>', Some(name)) => {
                if name.trim_end_matches('/').trim() == "br" {
                    text.push_str(" / ");
                }
                tag = None;
            }
            (character, Some(name)) => name.push(character),
            (character, None) => text.push(character),
        }
    }
    let entities = [
        ("&lt;", "<"),
        ("&gt;", ">"),
        ("&quot;", "\""),
        ("&amp;", "&"),
    ];
    let plain = |text: String, (entity, sign): (&str, &str)| text.replace(entity, sign);
    entities.into_iter().fold(text, plain)
}

fn event(label: &str, span: Span) -> Result<Event, Diagnostic> {
    let label = label.trim();
    // A number in brackets names the transition.
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

/// An input, and ` in [2,5)` behind it.
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
