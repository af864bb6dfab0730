//! Modules whose inside is not looked at: black boxes, unknown functions, and files that stand in for modules that are missing.

/// What takes the place of a module.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum BoxKind {
    /// Its outputs are choices, new at every step (`--blackbox`).
    Choices {
        /// Whether its inputs are observed, so that a change of what it receives is noticed.
        observed: bool,
    },
    /// Its outputs are one unknown function of its present inputs, the same in model and mutant, which a test chooses (`--function`).
    Function,
}

/// A module whose inside is not looked at.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct BoxOption {
    /// The module.
    pub name: String,
    /// What takes its place.
    pub kind: BoxKind,
}

/// Options about modules whose inside is not looked at.
#[derive(Clone, PartialEq, Eq, Default, Debug)]
pub struct Boxes {
    /// The modules, each once.
    pub modules: Vec<BoxOption>,
    /// How many of the files that a user names are there for missing modules (`--stub`): the last ones. Nothing in them is mutated.
    pub stubs: usize,
}

impl Boxes {
    /// What takes the place of a module; `None`: its own text.
    #[must_use]
    pub fn kind(&self, module: &str) -> Option<BoxKind> {
        let named = self.modules.iter().find(|named| named.name == module);
        named.map(|named| named.kind)
    }
}
