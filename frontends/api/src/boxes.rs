//! Modules whose contents are ignored: black boxes, unknown functions, and files with substitutes for missing modules.

/// The replacement of a module.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum BoxKind {
    /// The outputs of the module are choices, new at every step (`--blackbox`).
    Choices {
        /// Whether the inputs of the module are observed, so that a changed input kills a mutant.
        observed: bool,
    },
    /// Its outputs are one unknown function of its present inputs, the same in model and mutant, which a test chooses (`--function`).
    Function,
}

/// A module whose contents are ignored.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct BoxOption {
    /// The name of the module.
    pub name: String,
    /// The replacement of its contents.
    pub kind: BoxKind,
}

/// Options about modules whose contents are ignored.
#[derive(Clone, PartialEq, Eq, Default, Debug)]
pub struct Boxes {
    /// The ignored modules, each once.
    pub modules: Vec<BoxOption>,
    /// The number of files with substitutes for modules (`--stub`), the last ones of the user's files. They are not mutated.
    pub stubs: usize,
}

impl Boxes {
    /// Returns the replacement of a module; `None` if the module keeps its own text.
    #[must_use]
    pub fn kind(&self, module: &str) -> Option<BoxKind> {
        let named = self.modules.iter().find(|named| named.name == module);
        named.map(|named| named.kind)
    }
}
