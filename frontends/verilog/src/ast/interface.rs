//! Interfaces, their views, and ports that stand for instances of them.

use super::{Declarator, Direction, Module, Name};

/// A port that stands for an instance of an interface, or for an array of such.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct InterfacePort {
    /// The interface; `None` for any interface (`interface name`).
    pub interface: Option<Name>,
    /// The view (`modport`) of it, if written.
    pub modport: Option<Name>,
    /// The name of the port, and dimensions.
    pub declarator: Declarator,
}

/// A view of an interface: which of its names are inputs and which are outputs to a module with such a port.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Modport {
    /// The name.
    pub name: Name,
    /// Directions and names of its signals.
    pub signals: Vec<(Direction, Name)>,
}

/// An interface.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Interface {
    /// Name, ports and parts, as of a module.
    pub body: Module,
    /// Its views.
    pub modports: Vec<Modport>,
}
