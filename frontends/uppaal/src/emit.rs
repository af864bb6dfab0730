//! Mutants as files for other tools: the process under test with all that it knows in `IO`, as Ecdar wants it said.

use hyperkill_core::timed::Automaton;
use hyperkill_frontend::{Diagnostic, FrontendOptions};

use crate::document;
use crate::model::{Typed, read_automaton, typed};
use crate::process::under_test;
use crate::syntax::Node;
use crate::unfold::TAU;

/// Returns the text with an `IO` line of the process under test that has all its inputs and outputs. Elements of arrays cannot be named in
/// such a line: a text that has some and no line stays without one.
///
/// # Errors
/// If it is no model.
pub(crate) fn with_io(source: &str, options: &FrontendOptions) -> Result<String, Vec<Diagnostic>> {
    let automaton = read_automaton(source, options)?;
    let Typed { nta, model, facts } = typed(source)?;
    let process = under_test(&model, &facts, options.processes.sut.as_deref());
    let process = process.map_err(|error| vec![error])?;
    let known = process.io.map_or(&[][..], Vec::as_slice);
    // An `IO` line must name all actions.
    let directions = [true, false].into_iter();
    let mut actions = directions.flat_map(|is_input| automaton.actions(is_input));
    // An edge that data never allow has a label all the same.
    let mut labels = process.template.edges.iter();
    let labels = labels.any(|edge| {
        let mut channel = edge.sync.iter().map(|sync| &sync.channel.node);
        channel.any(|node| !matches!(node, Node::Name(_)))
    });
    if known.is_empty() && (labels || actions.any(|name| name.contains('['))) {
        return Ok(source.to_owned());
    }
    let all = named(&automaton);
    let missing = all.iter().filter(|(name, is_input)| {
        let mut known = known.iter();
        !known.any(|(own, input)| own.text == *name && input == is_input)
    });
    let missing: Vec<String> = missing
        .map(|(name, is_input)| format!("{name}{}", if *is_input { '?' } else { '!' }))
        .collect();
    if missing.is_empty() {
        return Ok(source.to_owned());
    }
    let (at, text) = match known.last() {
        Some((last, _)) => {
            let behind = source.get(last.span.end..).unwrap_or("");
            let sign = behind.find(['?', '!']).map_or(0, |sign| sign + 1);
            (last.span.end + sign, format!(", {}", missing.join(", ")))
        }
        None => {
            let length = nta.system.plain.len();
            let name = &process.name;
            let line = format!("\nIO {name} {{ {} }}", missing.join(", "));
            (nta.system.span(length, length).start, line)
        }
    };
    let (before, after) = source.split_at_checked(at).unwrap_or((source, ""));
    let text = [before, &text, after].concat();
    // The written text must be readable.
    document::read(&text)?;
    Ok(text)
}

/// Returns the actions of an automaton that an `IO` line can name, each with whether it is an input.
fn named(automaton: &Automaton) -> Vec<(String, bool)> {
    let of = |is_input: bool| {
        let actions = automaton.actions(is_input).into_iter();
        let actions = actions.filter(|name| *name != TAU && !name.contains('['));
        actions.map(move |name| (name.to_owned(), is_input))
    };
    of(true).chain(of(false)).collect()
}
