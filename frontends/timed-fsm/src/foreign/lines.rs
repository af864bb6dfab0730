//! Reads machines as lists of transitions, one per line: KISS2, and the numbers of fsmlib.

use hyperkill_frontend::{Diagnostic, Span};
use hyperkill_text::Source;

use super::machine::{Edge, Event, Foreign};

/// The number of inputs that a line of KISS2 stands for, at most.
const MOST_INPUTS: usize = 4096;

/// Returns the words of each non-empty line, with its place.
fn lines(text: &str) -> impl Iterator<Item = (Vec<&str>, Span)> {
    let source = Source { file: 0, text };
    let lines = text.lines().map(move |line| {
        let told = line.split('#').next().unwrap_or_default();
        let words = told.split_whitespace().collect::<Vec<_>>();
        (words, source.span(line.trim_end()))
    });
    lines.filter(|(words, _)| !words.is_empty())
}

/// Reads KISS2: `input state next output`, where `-` in an input is 0 and 1. `.r` names the initial state; by default it is the first.
pub(super) fn kiss(text: &str) -> Result<Foreign, Diagnostic> {
    let mut machine = Foreign::default();
    let mut end = Span::default();
    for (words, span) in lines(text) {
        end = span;
        match words.as_slice() {
            [".r", state] => (*state).clone_into(&mut machine.initial),
            [".e" | ".end"] => break,
            [word, ..] if word.starts_with('.') => {}
            [input, from, to, output] => {
                for input in inputs(input, span)? {
                    machine.edges.push(Edge {
                        from: (*from).to_owned(),
                        event: Event::Input(input, String::new(), (*output).to_owned()),
                        to: (*to).to_owned(),
                        is_mutated: false,
                        span,
                    });
                }
            }
            _ => {
                let message = "a line of KISS2 is an input, a state, the next state and an output";
                return Err(Diagnostic::error(span, message));
            }
        }
    }
    first_is_initial(machine, end)
}

/// Returns all inputs that a pattern with `-` for 0 or 1 stands for.
fn inputs(pattern: &str, span: Span) -> Result<Vec<String>, Diagnostic> {
    let mut found = vec![String::new()];
    for sign in pattern.chars() {
        let signs: &[char] = if sign == '-' { &['0', '1'] } else { &[sign] };
        let longer = found
            .iter()
            .flat_map(|before| signs.iter().map(move |sign| format!("{before}{sign}")));
        found = longer.collect();
        if found.len() > MOST_INPUTS {
            let message = format!("`{pattern}` stands for more than {MOST_INPUTS} inputs");
            return Err(Diagnostic::error(span, message));
        }
    }
    Ok(found)
}

/// Reads fsmlib: `state input output next`, all numbers; the first state is the initial one.
pub(super) fn fsm(text: &str) -> Result<Foreign, Diagnostic> {
    let mut machine = Foreign::default();
    let mut end = Span::default();
    for (words, span) in lines(text) {
        end = span;
        let [from, input, output, to] = words.as_slice() else {
            let message = "a line is a state, an input, an output and the next state";
            return Err(Diagnostic::error(span, message));
        };
        machine.edges.push(Edge {
            from: (*from).to_owned(),
            event: Event::Input((*input).to_owned(), String::new(), (*output).to_owned()),
            to: (*to).to_owned(),
            is_mutated: false,
            span,
        });
    }
    first_is_initial(machine, end)
}

fn first_is_initial(mut machine: Foreign, end: Span) -> Result<Foreign, Diagnostic> {
    if machine.initial.is_empty() {
        match machine.edges.first() {
            Some(edge) => machine.initial.clone_from(&edge.from),
            None => return Err(Diagnostic::error(end, "the machine has no transitions")),
        }
    }
    Ok(machine)
}
