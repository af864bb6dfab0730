//! A module under construction from a text of words.

use hyperkill_frontend::Span;
use hyperkill_text::Word;
use rustc_hash::FxHashMap;

use crate::netlist::{Bit, Module, Pin};

/// A module with its nets by name.
pub(crate) struct Open {
    pub(crate) module: Module,
    nets: FxHashMap<String, usize>,
}

impl Open {
    /// Returns a module under construction, without contents.
    pub(crate) fn new(name: &str, span: Span, is_top: bool) -> Open {
        Open {
            module: Module {
                name: name.to_owned(),
                span,
                is_top,
                ports: Vec::new(),
                cells: Vec::new(),
                instances: Vec::new(),
                nets: Vec::new(),
            },
            nets: FxHashMap::default(),
        }
    }

    /// Returns the net with this name, which is created if it does not exist.
    pub(crate) fn net(&mut self, name: &str) -> Bit {
        if let Some(&net) = self.nets.get(name) {
            return Bit::Net(net);
        }
        let net = self.module.nets.len();
        self.module.nets.push(name.to_owned());
        self.nets.insert(name.to_owned(), net);
        Bit::Net(net)
    }

    /// Returns a pin that is connected to the nets with these names.
    pub(crate) fn pin(&mut self, name: &str, words: &[Word<'_>]) -> Pin {
        Pin {
            name: name.to_owned(),
            bits: words.iter().map(|word| self.net(word.text)).collect(),
            spans: words.iter().map(|word| word.span).collect(),
        }
    }
}
