//! The BLIF text of the gate that a mutant inserts ([`crate::insertion`] makes the edit).

use crate::insertion::Nets;
use crate::mutate::Operation::{self, Constant, ControlledNot, Invert};

/// Returns the gate of an operation as a `.names` line with its truth table. Only [`ControlledNot`] reads `control`.
pub(crate) fn gate(operation: Operation, Nets { from, control, to }: Nets<'_>) -> String {
    match operation {
        Constant(false) => format!(".names {to}\n"),
        Constant(true) => format!(".names {to}\n1\n"),
        Invert => format!(".names {from} {to}\n0 1\n"),
        ControlledNot(true) => format!(".names {from} {control} {to}\n10 1\n01 1\n"),
        ControlledNot(false) => format!(".names {from} {control} {to}\n00 1\n11 1\n"),
    }
}
