//! Reads a text to a module.

use hyperkill_frontend::{Diagnostic, SourceFile, Span};
use hyperkill_text::Word;

use super::words::lines;
use crate::function::{Cover, Function, Operation};
use crate::netlist::{Cell, Direction, Kind, Library, Port, Register};
use crate::open::Open;

/// The name of the only module, since the text has none.
const MODULE: &str = "circuit";

/// The number of inputs of a table, at most. Each further one doubles its entries.
const WIDEST_TABLE: usize = 16;

/// Reads the file.
///
/// # Errors
/// All errors, in the order of the file.
pub fn read(sources: &[SourceFile]) -> Result<Library, Vec<Diagnostic>> {
    let [source] = sources else {
        let message = "a netlist in the format of ISCAS'89 is one file";
        return Err(vec![Diagnostic::unlocated(message)]);
    };
    let mut reader = Reader {
        open: Open::new(MODULE, Span::new(0, 0), true),
        errors: Vec::new(),
    };
    for line in lines(0, &source.text) {
        reader.line(&line);
    }
    if reader.errors.is_empty() && reader.open.module.ports.is_empty() {
        let message = "there is no `INPUT` and no `OUTPUT`";
        reader.errors.push(Diagnostic::unlocated(message));
    }
    match reader.errors.is_empty() {
        true => Ok(Library {
            modules: vec![reader.open.module],
        }),
        false => Err(reader.errors),
    }
}

struct Reader {
    open: Open,
    errors: Vec<Diagnostic>,
}

impl Reader {
    fn error(&mut self, span: Span, message: impl Into<String>) {
        self.errors.push(Diagnostic::error(span, message));
    }

    fn line(&mut self, words: &[Word<'_>]) {
        let texts: Vec<&str> = words.iter().map(|word| word.text).collect();
        let whole = words[0].span.to(words[words.len() - 1].span);
        match texts[..] {
            [keyword, "(", _, ")"] => match keyword.to_ascii_uppercase().as_str() {
                "INPUT" => self.port(Direction::Input, words[2]),
                "OUTPUT" => self.port(Direction::Output, words[2]),
                _ => self.error(
                    words[0].span,
                    format!("`{keyword}` is neither INPUT nor OUTPUT"),
                ),
            },
            [_, "=", constant] => {
                let value = match constant.to_ascii_lowercase().as_str() {
                    "gnd" => false,
                    "vdd" => true,
                    _ => {
                        let message = format!("`{constant}` is none of the constants gnd and vdd");
                        return self.error(words[2].span, message);
                    }
                };
                self.cell(words[0], &[], whole, cover(vec![], !value));
            }
            [_, "=", gate, "(", .., ")"] => {
                let arguments = self.arguments(&words[4..words.len() - 1], words[2]);
                self.gate(words[0], gate, words[2].span, &arguments, whole);
            }
            [_, "=", table, number, "(", .., ")"] if table.eq_ignore_ascii_case("LUT") => {
                let arguments = self.arguments(&words[5..words.len() - 1], words[2]);
                self.table(words[0], number, words[3].span, &arguments, whole);
            }
            _ => {
                let error = Diagnostic::error(whole, "this line is not a statement of a netlist");
                let help =
                    "lines are INPUT(net), OUTPUT(net), net = GATE(net, …) and net = DFF(net)";
                self.errors.push(error.with_help(help));
            }
        }
    }

    /// Returns the words between parentheses, without the commas. Errors are reported, and wrong words left out.
    fn arguments<'t>(&mut self, words: &[Word<'t>], gate: Word<'t>) -> Vec<Word<'t>> {
        let mut arguments = Vec::new();
        let mut is_due = true;
        for word in words {
            let is_name = !matches!(word.text, "(" | ")" | "," | "=");
            if is_name != is_due || (!is_name && word.text != ",") {
                self.error(word.span, "nets with commas between them are expected here");
                return arguments;
            }
            if is_name {
                arguments.push(*word);
            }
            is_due = !is_name;
        }
        if is_due {
            self.error(gate.span, "a net is missing behind this");
        }
        arguments
    }

    fn port(&mut self, direction: Direction, word: Word<'_>) {
        let bit = self.open.net(word.text);
        self.open.module.ports.push(Port {
            name: word.text.to_owned(),
            direction,
            bits: vec![bit],
            span: word.span,
        });
    }

    fn gate(&mut self, to: Word<'_>, name: &str, at: Span, from: &[Word<'_>], whole: Span) {
        use Operation::{Buffer, Not, ReduceXnor, ReduceXor};
        let row = |value: bool| vec![vec![Some(value); from.len()]];
        let function = |operation| Kind::Function(Function::unsigned(operation));
        let (kind, inputs) = match name.to_ascii_uppercase().as_str() {
            "AND" => (cover(row(true), true), None),
            "NAND" => (cover(row(true), false), None),
            "OR" => (cover(row(false), false), None),
            "NOR" => (cover(row(false), true), None),
            "XOR" => (function(ReduceXor), None),
            "XNOR" => (function(ReduceXnor), None),
            "NOT" | "INV" => (function(Not), Some(1)),
            "BUF" | "BUFF" => (function(Buffer), Some(1)),
            "DFF" => (register(), Some(1)),
            _ => {
                let error = Diagnostic::error(at, format!("there is no gate `{name}`"));
                let help = "gates are AND, NAND, OR, NOR, XOR, XNOR, NOT, BUFF, DFF and LUT";
                self.errors.push(error.with_help(help));
                return;
            }
        };
        if let Some(inputs) = inputs.filter(|&inputs| inputs != from.len()) {
            let message = format!("`{name}` has {inputs} input, not {}", from.len());
            return self.error(at, message);
        }
        self.cell(to, from, whole, kind);
    }

    /// Adds a cell for a table that drives `to` from `from`. `number` has its entries in hexadecimal: bit i is the value for the inputs
    /// with number i, the first input lowest. `at` and `whole` are the places of the number and of the line.
    fn table(&mut self, to: Word<'_>, number: &str, at: Span, from: &[Word<'_>], whole: Span) {
        if from.len() > WIDEST_TABLE {
            let message = format!("a table of more than {WIDEST_TABLE} inputs is not supported");
            return self.error(at, message);
        }
        let entries = 1_usize << from.len();
        let digits = number
            .strip_prefix("0x")
            .or_else(|| number.strip_prefix("0X"));
        let digits = digits.filter(|digits| !digits.is_empty());
        let digits: Option<Vec<u32>> =
            digits.and_then(|digits| digits.chars().rev().map(|c| c.to_digit(16)).collect());
        let Some(digits) = digits else {
            return self.error(at, "the entries of a table are a number like 0x8");
        };
        let bit = |entry: usize| {
            digits
                .get(entry / 4)
                .is_some_and(|d| d >> (entry % 4) & 1 == 1)
        };
        if (entries..4 * digits.len()).any(bit) {
            let message =
                format!("the number has more bits than the {entries} entries of the table");
            return self.error(at, message);
        }
        let table = Operation::Table((0..entries).map(bit).collect());
        self.cell(to, from, whole, Kind::Function(Function::unsigned(table)));
    }

    fn cell(&mut self, to: Word<'_>, from: &[Word<'_>], span: Span, kind: Kind) {
        let cell = Cell {
            name: to.text.to_owned(),
            kind,
            inputs: vec![self.open.pin("in", from)],
            outputs: vec![self.open.pin("out", &[to])],
            span,
            mutable: true,
        };
        self.open.module.cells.push(cell);
    }
}

fn cover(rows: Vec<Vec<Option<bool>>>, value: bool) -> Kind {
    let cover = Cover { rows, value };
    Kind::Function(Function::unsigned(Operation::Cover(cover)))
}

/// Returns a flip-flop of the only clock, with any initial value.
fn register() -> Kind {
    Kind::Register(Register {
        init: vec![None],
        ..Register::default()
    })
}
