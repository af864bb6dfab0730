//! Reads BLIF texts to modules.

use hyperkill_frontend::{Diagnostic, SourceFile, Span};
use hyperkill_text::Word;

use super::lines::lines;
use crate::function::{Cover, Function, Operation};
use crate::netlist::{Cell, ClockPin, Direction, Instance, Kind, Library, Pin, Port, Register};
use crate::open::Open;

/// Attributes without effect on the circuit, including those of yosys.
const PASSED_OVER: [&str; 21] = [
    ".area",
    ".attr",
    ".clock",
    ".clock_event",
    ".cname",
    ".cycle",
    ".default_input_arrival",
    ".default_input_drive",
    ".default_max_input_load",
    ".default_output_load",
    ".default_output_required",
    ".delay",
    ".input_arrival",
    ".input_drive",
    ".max_input_load",
    ".output_load",
    ".output_required",
    ".param",
    ".wire",
    ".wire_load_slope",
    ".wd",
];

/// Reads all files as one library.
///
/// # Errors
/// All errors, in the order of the files.
pub fn read(sources: &[SourceFile]) -> Result<Library, Vec<Diagnostic>> {
    let mut library = Library::default();
    let mut errors = Vec::new();
    for (file, source) in sources.iter().enumerate() {
        let mut reader = Reader {
            library: &mut library,
            errors: &mut errors,
            module: None,
            cover: None,
        };
        for line in lines(file, &source.text) {
            reader.line(&line);
        }
        reader.end_module();
    }
    if errors.is_empty() && library.modules.is_empty() {
        errors.push(Diagnostic::unlocated("there is no `.model`"));
    }
    if errors.is_empty() {
        Ok(library)
    } else {
        Err(errors)
    }
}

/// A gate with a cover that is being read.
struct OpenCover {
    cell: Cell,
    cover: Cover,
    /// Whether a line has set the output value of the cover.
    has_value: bool,
}

struct Reader<'a> {
    library: &'a mut Library,
    errors: &'a mut Vec<Diagnostic>,
    module: Option<Open>,
    cover: Option<OpenCover>,
}

impl Reader<'_> {
    fn error(&mut self, span: Span, message: impl Into<String>) {
        self.errors.push(Diagnostic::error(span, message));
    }

    fn line(&mut self, words: &[Word<'_>]) {
        let [first, rest @ ..] = words else { return };
        if !first.text.starts_with('.') {
            return self.row(words);
        }
        self.end_cover();
        match first.text {
            ".model" => return self.model(*first, rest),
            ".end" => return self.end_module(),
            ".search" => {
                self.errors.push(
                    Diagnostic::error(first.span, "`.search` names another file")
                        .with_help("give that file as one more MODEL"),
                );
                return;
            }
            _ => {}
        }
        let span = words.iter().fold(first.span, |all, word| all.to(word.span));
        let Some(open) = &mut self.module else {
            return self.error(
                first.span,
                format!("`{}` is outside a `.model`", first.text),
            );
        };
        match first.text {
            ".inputs" | ".outputs" => {
                let direction = match first.text {
                    ".inputs" => Direction::Input,
                    _ => Direction::Output,
                };
                for word in rest {
                    let bit = open.net(word.text);
                    open.module.ports.push(Port {
                        name: word.text.to_owned(),
                        direction,
                        bits: vec![bit],
                        span: word.span,
                    });
                }
            }
            ".names" => self.names(first.span, span, rest),
            ".conn" => match rest {
                [from, to] => self.connect(span, from, to),
                _ => self.error(span, "`.conn` has two nets"),
            },
            ".latch" => self.latch(span, rest),
            ".subckt" => self.subcircuit(span, rest),
            ".gate" | ".mlatch" => {
                let message = format!(
                    "`{}` needs a library of gates, which BLIF does not hold",
                    first.text
                );
                self.errors.push(Diagnostic::error(first.span, message).with_help(
                    "let the program that mapped the circuit write it as `.names` and `.latch`: ABC does with \
                    `read_library LIB; read_blif FILE; unmap; write_blif FILE`",
                ));
            }
            name if PASSED_OVER.contains(&name) => {}
            name => self.error(first.span, format!("`{name}` is not supported")),
        }
    }

    fn model(&mut self, first: Word<'_>, rest: &[Word<'_>]) {
        self.end_module();
        let name = rest.first().map_or("", |word| word.text);
        if let Some(before) = self.library.modules.iter().find(|m| m.name == name) {
            let error = Diagnostic::error(first.span, format!("there are two models `{name}`"));
            self.errors.push(error.with_label(before.span, "the first"));
        }
        let span = rest.iter().fold(first.span, |all, word| all.to(word.span));
        // The first model is the top.
        let is_top = self.library.modules.is_empty();
        self.module = Some(Open::new(name, span, is_top));
    }

    fn end_module(&mut self) {
        self.end_cover();
        if let Some(open) = self.module.take() {
            self.library.modules.push(open.module);
        }
    }

    fn end_cover(&mut self) {
        if let (Some(open), Some(module)) = (self.cover.take(), &mut self.module) {
            let mut cell = open.cell;
            cell.kind = Kind::Function(Function::unsigned(Operation::Cover(open.cover)));
            module.module.cells.push(cell);
        }
    }

    fn names(&mut self, first: Span, span: Span, rest: &[Word<'_>]) {
        let (Some(open), [inputs @ .., output]) = (&mut self.module, rest) else {
            return self.error(first, "`.names` without an output");
        };
        let cell = Cell {
            name: output.text.to_owned(),
            // The function is replaced when its rows are read.
            kind: Kind::Function(Function::unsigned(Operation::Buffer)),
            inputs: vec![open.pin("in", inputs)],
            outputs: vec![open.pin("out", std::slice::from_ref(output))],
            span,
            mutable: true,
        };
        self.cover = Some(OpenCover {
            cell,
            // A cover without rows is constantly 0.
            cover: Cover {
                rows: Vec::new(),
                value: true,
            },
            has_value: false,
        });
    }

    /// Reads a line of a cover (a truth table below `.names`).
    fn row(&mut self, words: &[Word<'_>]) {
        let span = words[0].span.to(words[words.len() - 1].span);
        let Some(open) = &mut self.cover else {
            return self.error(span, "a line of a cover without `.names`");
        };
        let inputs = open.cell.inputs[0].bits.len();
        let (products, value) = match (words, inputs) {
            ([value], 0) => ("", value.text),
            ([products, value], _) => (products.text, value.text),
            _ => return self.error(span, "a line of a cover is its inputs and its output"),
        };
        let value = match value {
            "1" => true,
            "0" => false,
            _ => return self.error(span, "the output of a cover is 0 or 1"),
        };
        if open.has_value && open.cover.value != value {
            return self.error(
                span,
                "a cover says when its output is 1 or when it is 0, not both",
            );
        }
        if products.chars().count() != inputs {
            let message = format!("{inputs} inputs need as many characters");
            return self.error(span, message);
        }
        let row = products.chars().map(|c| match c {
            '0' => Some(Some(false)),
            '1' => Some(Some(true)),
            '-' => Some(None),
            _ => None,
        });
        let Some(row) = row.collect::<Option<Vec<_>>>() else {
            return self.error(span, "inputs of a cover are 0, 1 or -");
        };
        open.cover.rows.push(row);
        open.cover.value = value;
        open.has_value = true;
        open.cell.span.end = span.end;
    }

    fn connect(&mut self, span: Span, from: &Word<'_>, to: &Word<'_>) {
        if let Some(open) = &mut self.module {
            let cell = Cell {
                name: to.text.to_owned(),
                kind: Kind::Function(Function::unsigned(Operation::Buffer)),
                inputs: vec![open.pin("in", std::slice::from_ref(from))],
                outputs: vec![open.pin("out", std::slice::from_ref(to))],
                span,
                mutable: true,
            };
            open.module.cells.push(cell);
        }
    }

    fn latch(&mut self, span: Span, rest: &[Word<'_>]) {
        let (from, to, clock, init) = match rest {
            [from, to] => (from, to, None, None),
            [from, to, init] => (from, to, None, Some(init)),
            [from, to, kind, control] => (from, to, Some((kind, control)), None),
            [from, to, kind, control, init] => (from, to, Some((kind, control)), Some(init)),
            _ => {
                let message = "`.latch` has an input, an output, then perhaps a type with its control, then perhaps an initial value";
                return self.error(span, message);
            }
        };
        let rising = match clock.map(|(kind, _)| kind.text) {
            None => None,
            Some("re") => Some(true),
            Some("fe") => Some(false),
            Some("ah" | "al" | "as") => {
                let message =
                    "only latches that change on the edge of a clock (`re`, `fe`) are supported";
                return self.error(span, message);
            }
            Some(kind) => {
                let message =
                    format!("there is no type of latch `{kind}`, only re, fe, ah, al and as");
                return self.error(span, message);
            }
        };
        let init = match init.map(|word| word.text) {
            None | Some("2" | "3") => None,
            Some("0") => Some(false),
            Some("1") => Some(true),
            Some(_) => {
                return self.error(span, "an initial value is 0, 1, 2 (any) or 3 (unknown)");
            }
        };
        let Some(open) = &mut self.module else { return };
        let clock = clock.filter(|(_, control)| control.text != "NIL");
        let clock = clock.map(|(_, control)| ClockPin {
            bit: open.net(control.text),
            rising,
        });
        let cell = Cell {
            name: to.text.to_owned(),
            kind: Kind::Register(Register {
                clock,
                init: vec![init],
                ..Register::default()
            }),
            inputs: vec![open.pin("in", std::slice::from_ref(from))],
            outputs: vec![open.pin("out", std::slice::from_ref(to))],
            span,
            mutable: true,
        };
        open.module.cells.push(cell);
    }

    fn subcircuit(&mut self, span: Span, rest: &[Word<'_>]) {
        let [module, connections @ ..] = rest else {
            return self.error(span, "`.subckt` without a model");
        };
        let mut pins = Vec::new();
        for word in connections {
            let Some((formal, actual)) = word.text.split_once('=') else {
                return self.error(word.span, "a connection is `formal=actual`");
            };
            let Some(open) = &mut self.module else { return };
            pins.push(Pin {
                name: formal.to_owned(),
                bits: vec![open.net(actual)],
                spans: vec![word.span],
            });
        }
        if let Some(open) = &mut self.module {
            let number = open.module.instances.len();
            open.module.instances.push(Instance {
                name: format!("{}#{number}", module.text),
                module: module.text.to_owned(),
                pins,
                span,
            });
        }
    }
}
