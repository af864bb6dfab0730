//! A mutant as a change of a BLIF text: one more gate before the one that is mutated.

use hyperkill_frontend::Span;
use hyperkill_frontend::mutation::Edit;

use crate::mutate::{Change, Side};
use crate::netlist::{Cell, Library};

/// A name of a net that `text` does not have.
#[must_use]
pub(crate) fn fresh(text: &str) -> String {
    let mut name = "hyperkill_mutant".to_owned();
    while text.contains(&name) {
        name.push('_');
    }
    name
}

/// The change of the text that makes a mutant. `fresh` is no name in it.
#[must_use]
pub fn rewrite(
    library: &Library,
    module: usize,
    cell: &Cell,
    change: &Change,
    text: &str,
    fresh: &str,
) -> Edit {
    let pin = match change.side {
        Side::Input => &cell.inputs[change.pin],
        Side::Output => &cell.outputs[change.pin],
    };
    let at = pin.spans[change.bit];
    let name = at.of(text);
    // The new gate reads what was there, unless what was there is what it drives.
    let (from, to) = match change.side {
        Side::Input => (name, fresh),
        Side::Output => (fresh, name),
    };
    let control = change.control.map(|control| {
        let net = control.net;
        library.modules[module].nets[net].as_str()
    });
    let gate = gate(change, from, control.unwrap_or_default(), to);
    let span = Span {
        start: cell.span.start,
        ..at
    };
    let before = text.get(cell.span.start..at.start).unwrap_or_default();
    Edit {
        span,
        replacement: format!("{gate}{before}{fresh}"),
    }
}

fn gate(change: &Change, from: &str, control: &str, to: &str) -> String {
    use crate::mutate::Operation::{Constant, ControlledNot, Invert};
    match change.operation {
        Constant(false) => format!(".names {to}\n"),
        Constant(true) => format!(".names {to}\n1\n"),
        Invert => format!(".names {from} {to}\n0 1\n"),
        ControlledNot(true) => format!(".names {from} {control} {to}\n10 1\n01 1\n"),
        ControlledNot(false) => format!(".names {from} {control} {to}\n00 1\n11 1\n"),
    }
}
