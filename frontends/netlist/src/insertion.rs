//! Writes a mutant as an edit of a text with one gate per line: an additional gate before the mutated one.

use hyperkill_core::system::Translation;
use hyperkill_frontend::mutation::Edit;
use hyperkill_frontend::{Diagnostic, FrontendOptions, SourceFile, Span};

use crate::design::Design;
use crate::mutate::{Change, Operation, Side};
use crate::netlist::Cell;

/// The nets of an inserted gate.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Nets<'a> {
    /// The net that the gate reads.
    pub(crate) from: &'a str,
    /// The net that controls the inversion; empty if the operation has none.
    pub(crate) control: &'a str,
    /// The net that the gate drives.
    pub(crate) to: &'a str,
}

/// Writes the gate of an operation in a language, with the end of its line.
pub(crate) type Gate = fn(Operation, Nets<'_>) -> String;

/// Returns the design with its mutants. `gate` writes the inserted gates.
pub(crate) fn translate(
    design: Design<'_>,
    sources: &[SourceFile],
    options: &FrontendOptions,
    gate: Gate,
) -> Result<Translation, Vec<Diagnostic>> {
    let library = design.library;
    let fresh: Vec<String> = (sources.iter()).map(|source| fresh(&source.text)).collect();
    design.translate(sources, options, |module, cell, change| {
        let file = cell.span.file;
        let nets = &library.modules[module].nets;
        insert(
            nets,
            cell,
            change,
            (&sources[file].text, &fresh[file]),
            gate,
        )
    })
}

/// Returns a net name that `text` does not contain.
fn fresh(text: &str) -> String {
    let mut name = "hyperkill_mutant".to_owned();
    while text.contains(&name) {
        name.push('_');
    }
    name
}

/// Returns the edit that makes a mutant in `text`: a gate, written by `gate`, at the pin's net. `nets` are the names of the module's nets,
/// `fresh` is an unused one.
fn insert(
    nets: &[String],
    cell: &Cell,
    change: &Change,
    (text, fresh): (&str, &str),
    gate: Gate,
) -> Edit {
    let pin = match change.side {
        Side::Input => &cell.inputs[change.pin],
        Side::Output => &cell.outputs[change.pin],
    };
    let at = pin.spans[change.bit];
    let name = at.of(text);
    // The new gate reads the old net and drives a fresh one, or the reverse if the old net is driven there.
    let (from, to) = match change.side {
        Side::Input => (name, fresh),
        Side::Output => (fresh, name),
    };
    let control = change.control.map(|control| nets[control.net].as_str());
    let control = control.unwrap_or_default();
    let gate = gate(change.operation, Nets { from, control, to });
    let start = cell.span.start;
    let before = text.get(start..at.start).unwrap_or_default();
    Edit {
        span: Span { start, ..at },
        replacement: format!("{gate}{before}{fresh}"),
    }
}
