//! Writes a mutant as an edit of a JSON text: a constant in place of a bit, or an additional cell after the mutated one.

use hyperkill_frontend::Span;
use hyperkill_frontend::mutation::Edit;
use rustc_hash::FxHashSet;

use crate::mutate::{Change, Operation, Side};
use crate::netlist::{Cell, Pin};

/// Returns a cell name and a net number that a text does not use.
#[must_use]
pub(super) fn fresh(text: &str) -> (String, u64) {
    let mut name = "$hyperkill".to_owned();
    while text.contains(&name) {
        name.push('_');
    }
    // Each separate number may be that of a net.
    let numbers: FxHashSet<u64> = text
        .split(|c: char| !c.is_ascii_digit())
        .filter(|digits| digits.len() <= 15)
        .filter_map(|digits| digits.parse().ok())
        .collect();
    let mut number = 2;
    while numbers.contains(&number) {
        number += 1;
    }
    (name, number)
}

/// Returns the edit of `text` that makes a mutant. `fresh` has an unused name of a cell and an unused number of a net.
#[must_use]
pub(super) fn rewrite(cell: &Cell, change: &Change, text: &str, fresh: &(String, u64)) -> Edit {
    let (name, net) = fresh;
    let pin = |side: Side, pin: usize| -> &Pin {
        match side {
            Side::Input => &cell.inputs[pin],
            Side::Output => &cell.outputs[pin],
        }
    };
    let at = pin(change.side, change.pin).spans[change.bit];
    if let (Operation::Constant(value), Side::Input) = (change.operation, change.side) {
        return Edit {
            span: at,
            replacement: format!("\"{}\"", u8::from(value)),
        };
    }
    let there = at.of(text);
    let (from, to) = match change.side {
        Side::Input => (there.to_owned(), net.to_string()),
        Side::Output => (net.to_string(), there.to_owned()),
    };
    let control = change.control.map(|control| {
        let pin = pin(control.side, control.pin);
        pin.spans[control.bit].of(text)
    });
    let (kind, reads) = match (change.operation, control) {
        // A gate that every tool has, with the constant at both inputs.
        (Operation::Constant(value), _) => {
            let value = u8::from(value);
            (
                "$_AND_",
                format!("\"A\": [ \"{value}\" ], \"B\": [ \"{value}\" ]"),
            )
        }
        (Operation::ControlledNot(when), Some(control)) => (
            if when { "$_XOR_" } else { "$_XNOR_" },
            format!("\"A\": [ {from} ], \"B\": [ {control} ]"),
        ),
        (Operation::Invert | Operation::ControlledNot(_), _) => {
            ("$_NOT_", format!("\"A\": [ {from} ]"))
        }
    };
    let b = if reads.contains("\"B\"") {
        "\"A\": \"input\", \"B\": \"input\""
    } else {
        "\"A\": \"input\""
    };
    let more = format!(
        ",\n        \"{name}\": {{\n          \"hide_name\": 1,\n          \"type\": \"{kind}\",\n          \
        \"parameters\": {{ }},\n          \"attributes\": {{ }},\n          \"port_directions\": {{ {b}, \"Y\": \
        \"output\" }},\n          \"connections\": {{ {reads}, \"Y\": [ {to} ] }}\n        }}"
    );
    let span = Span {
        end: cell.span.end,
        ..at
    };
    let behind = text.get(at.end..cell.span.end).unwrap_or_default();
    Edit {
        span,
        replacement: format!("{net}{behind}{more}"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn fresh_names_and_numbers_are_not_in_the_text() {
        let (name, number) = fresh("{\"$hyperkill\": [ 2, 3, \"5\" ], \"4\": 7}");
        assert_eq!((name.as_str(), number), ("$hyperkill_", 6));
    }
}
