//! The BENCH text of the gate that a mutant inserts ([`crate::insertion`] makes the edit).

use crate::insertion::Nets;
use crate::mutate::Operation::{self, Constant, ControlledNot, Invert};

/// Returns the gate of an operation as a line. Only [`ControlledNot`] reads `control`.
pub(crate) fn gate(operation: Operation, Nets { from, control, to }: Nets<'_>) -> String {
    match operation {
        Constant(false) => format!("{to} = gnd\n"),
        Constant(true) => format!("{to} = vdd\n"),
        Invert => format!("{to} = NOT({from})\n"),
        ControlledNot(true) => format!("{to} = XOR({from}, {control})\n"),
        ControlledNot(false) => format!("{to} = XNOR({from}, {control})\n"),
    }
}
