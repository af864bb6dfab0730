//! The pins of a cell, as its type requires them.

use hyperkill_frontend::{Diagnostic, Span};

use crate::netlist::{Cell, Kind, Pin};

/// Connections that are removed by name.
pub(super) struct Pins {
    pins: Vec<Pin>,
    kind: String,
    span: Span,
}

impl Pins {
    /// Returns the pins of a cell with this type and place.
    pub(super) fn new(kind: &str, pins: Vec<Pin>, span: Span) -> Pins {
        Pins {
            pins,
            kind: kind.to_owned(),
            span,
        }
    }

    /// Removes a required pin, and returns it.
    pub(super) fn take(&mut self, name: &str) -> Result<Pin, Diagnostic> {
        match self.pins.iter().position(|pin| pin.name == name) {
            Some(at) => Ok(self.pins.swap_remove(at)),
            None => Err(Diagnostic::error(
                self.span,
                format!("this `{}` has no pin {name}", self.kind),
            )),
        }
    }

    /// Returns the type of the cell.
    pub(super) fn kind(&self) -> &str {
        &self.kind
    }

    /// Returns the place of the cell.
    pub(super) fn span(&self) -> Span {
        self.span
    }
}

/// Returns a cell without a name.
pub(super) fn plain(kind: Kind, inputs: Vec<Pin>, outputs: Vec<Pin>, span: Span) -> Cell {
    // Assumptions and assertions are no part of the design.
    let mutable = matches!(kind, Kind::Function(_) | Kind::Register(_));
    Cell {
        name: String::new(),
        kind,
        inputs,
        outputs,
        span,
        mutable,
    }
}
