//! A module under construction: its random generator, and the names that can be read and assigned.

use std::fmt::Write as _;

use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;

use super::{Module, Name};

pub(super) struct Draft {
    pub(super) rng: ChaCha8Rng,
    pub(super) inputs: Vec<Name>,
    /// Whether expressions must not produce unknown values.
    pub(super) known: bool,
    /// Whether numbers are written with their widths.
    pub(super) sized: bool,
    /// Names that expressions may read.
    pub(super) readable: Vec<Name>,
    /// Names that blocking assignments may write.
    pub(super) blocking: Vec<Name>,
    /// Names that non-blocking assignments may write.
    pub(super) waiting: Vec<Name>,
    pub(super) functions: Vec<String>,
    /// The number N in the loop variable `kN` of the current block.
    pub(super) counter: usize,
    /// Number of named blocks so far.
    pub(super) named: usize,
    /// Whether a memory `m` of four words may be read, and whether it may be written.
    pub(super) memory: (bool, bool),
}

impl Draft {
    pub(super) fn new(seed: u64, known: bool) -> Draft {
        let mut draft = Draft {
            rng: ChaCha8Rng::seed_from_u64(seed),
            inputs: Vec::new(),
            known,
            sized: false,
            readable: Vec::new(),
            blocking: Vec::new(),
            waiting: Vec::new(),
            functions: Vec::new(),
            counter: 0,
            named: 0,
            memory: (false, false),
        };
        for i in 0..6 {
            let input = draft.variable(format!("i{i}"));
            draft.inputs.push(input);
        }
        draft.readable.clone_from(&draft.inputs);
        draft
    }

    /// Returns a declaration of a vector with ascending or descending bounds, in some cases below 0.
    pub(super) fn variable(&mut self, name: String) -> Name {
        let last = [0, 0, 1, 2, 3, 4, 7, 8, 15][self.rng.random_range(0..9)];
        let from = if self.rng.random_bool(0.3) {
            self.rng.random_range(-3..5)
        } else {
            0
        };
        let (low, high) = (from, from + last);
        let up = self.rng.random_bool(0.3);
        Name {
            name,
            left: if up { low } else { high },
            right: if up { high } else { low },
            signed: self.rng.random_bool(0.4),
        }
    }

    pub(super) fn module(
        &self,
        name: String,
        outputs: Vec<Name>,
        clocked: bool,
        body: &str,
    ) -> Module {
        let inputs = self.inputs.iter().map(|name| name.declared("input"));
        let mut ports: Vec<String> = inputs.collect();
        ports.extend(outputs.iter().map(|name| name.declared("output")));
        if clocked {
            ports.push("input clk".to_owned());
        }
        let text = format!("module {name}({});\n{body}endmodule\n", ports.join(", "));
        Module {
            name,
            text,
            inputs: self.inputs.clone(),
            outputs,
            clocked,
        }
    }

    /// Returns the text of `count` functions; expressions may call them.
    pub(super) fn functions(&mut self, count: usize) -> String {
        let mut text = String::new();
        for i in 0..count {
            let arguments: Vec<Name> = (0..2).map(|a| self.variable(format!("a{a}"))).collect();
            let outside = std::mem::replace(&mut self.readable, arguments.clone());
            let result = Name {
                name: format!("f{i}"),
                ..self.variable(String::new())
            };
            let declared: String = arguments
                .iter()
                .map(|a| a.declared("input") + "; ")
                .collect();
            let (value, condition, other) = self.all_known(|draft| {
                (
                    draft.expression(2),
                    draft.expression(1),
                    draft.expression(2),
                )
            });
            let name = &result.name;
            writeln!(
                text,
                "{}; {declared}begin {name} = {value}; if ({condition}) {name} = {other}; end endfunction",
                result.declared("function")
            )
            .expect("memory");
            self.readable = outside;
            self.functions.push(result.name);
        }
        text
    }

    /// Calls `make` while expressions must not produce unknown values. Returns its result.
    pub(super) fn all_known<T>(&mut self, make: impl FnOnce(&mut Draft) -> T) -> T {
        let before = std::mem::replace(&mut self.known, true);
        let made = make(self);
        self.known = before;
        made
    }

    pub(super) fn pick(&mut self) -> Name {
        let at = self.rng.random_range(0..self.readable.len());
        self.readable[at].clone()
    }
}
