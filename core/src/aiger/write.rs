//! Writes graphs as AIGER 1.9, ASCII and binary.
//!
//! Variables are numbered as binary files require: inputs, latches, gates in topological order. Reading a written file and writing it again
//! gives the same bytes.

use crate::aig::{Node, Reset, Signal};
use crate::{Aig, Lit};

/// Returns the graph as an ASCII file (`aag`).
///
/// A name or comment line cannot contain a line end; in names it is replaced by a space.
#[must_use]
pub fn write_ascii(aig: &Aig) -> Vec<u8> {
    Writer::new(aig).ascii()
}

/// Returns the graph as a binary file (`aig`). Names are treated as in [`write_ascii`].
#[must_use]
pub fn write_binary(aig: &Aig) -> Vec<u8> {
    Writer::new(aig).binary()
}

/// Returns, for each variable of the graph, its literal in a written file, by index. References by these literals are valid for other
/// readers of the file.
#[must_use]
pub fn file_literals(aig: &Aig) -> Vec<Lit> {
    let codes = Writer::new(aig).codes;
    codes.into_iter().map(Lit::from_code).collect()
}

struct Writer<'a> {
    aig: &'a Aig,
    /// The literal code of each node in the file, by variable.
    codes: Vec<u32>,
    bytes: Vec<u8>,
}

impl<'a> Writer<'a> {
    fn new(aig: &'a Aig) -> Writer<'a> {
        let mut codes = vec![0; aig.len()];
        let mut next_gate = 2 * (1 + aig.inputs().len() + aig.latches().len()) as u32;
        let first_latch = 2 * (1 + aig.inputs().len()) as u32;
        for (var, node) in aig.nodes() {
            codes[var.index()] = match node {
                Node::False => 0,
                Node::Input(i) => 2 * (1 + i),
                Node::Latch(i) => first_latch + 2 * i,
                Node::And(..) => {
                    next_gate += 2;
                    next_gate - 2
                }
            };
        }
        Writer {
            aig,
            codes,
            // An approximate size for ASCII gates of mid-sized graphs.
            bytes: Vec::with_capacity(24 * aig.len()),
        }
    }

    fn code(&self, lit: Lit) -> u32 {
        self.codes[lit.var().index()] ^ u32::from(lit.is_negated())
    }

    /// Returns the gates in order: code, then the operands' codes, the greater first.
    fn gates(&self) -> impl Iterator<Item = (u32, u32, u32)> + use<'a, '_> {
        self.aig.nodes().filter_map(|(var, node)| match node {
            Node::And(a, b) => {
                let (a, b) = (self.code(a), self.code(b));
                Some((self.codes[var.index()], a.max(b), a.min(b)))
            }
            _ => None,
        })
    }

    fn ascii(mut self) -> Vec<u8> {
        let aig = self.aig;
        self.header(b"aag");
        for input in aig.inputs() {
            self.number(self.code(input.var.lit()));
            self.bytes.push(b'\n');
        }
        for latch in aig.latches() {
            self.number(self.code(latch.var.lit()));
            self.bytes.push(b' ');
            self.next_and_reset(latch);
        }
        self.properties();
        let mut bytes = std::mem::take(&mut self.bytes);
        for (output, a, b) in self.gates() {
            push_number(&mut bytes, output);
            bytes.push(b' ');
            push_number(&mut bytes, a);
            bytes.push(b' ');
            push_number(&mut bytes, b);
            bytes.push(b'\n');
        }
        self.bytes = bytes;
        self.symbols_and_comments();
        self.bytes
    }

    fn binary(mut self) -> Vec<u8> {
        self.header(b"aig");
        for latch in self.aig.latches() {
            self.next_and_reset(latch);
        }
        self.properties();
        let mut bytes = std::mem::take(&mut self.bytes);
        for (output, a, b) in self.gates() {
            push_delta(&mut bytes, output - a);
            push_delta(&mut bytes, a - b);
        }
        self.bytes = bytes;
        self.symbols_and_comments();
        self.bytes
    }

    fn number(&mut self, number: u32) {
        push_number(&mut self.bytes, number);
    }

    /// Writes the header, without the counts of absent optional sections.
    fn header(&mut self, format: &[u8; 3]) {
        let aig = self.aig;
        let counts = [
            aig.len() - 1,
            aig.inputs().len(),
            aig.latches().len(),
            aig.outputs.len(),
            aig.gate_count(),
            aig.bad.len(),
            aig.constraints.len(),
            aig.justice.len(),
            aig.fairness.len(),
        ];
        let last = counts.iter().rposition(|&count| count > 0).unwrap_or(0);
        self.bytes.extend_from_slice(format);
        for &count in &counts[..=last.max(4)] {
            self.bytes.push(b' ');
            self.number(count as u32);
        }
        self.bytes.push(b'\n');
    }

    fn next_and_reset(&mut self, latch: &crate::aig::Latch) {
        self.number(self.code(latch.next));
        match latch.reset {
            Reset::Zero => {}
            Reset::One => self.bytes.extend_from_slice(b" 1"),
            Reset::Free => {
                self.bytes.push(b' ');
                self.number(self.code(latch.var.lit()));
            }
        }
        self.bytes.push(b'\n');
    }

    /// Writes outputs, bad states, constraints, justice and fairness.
    fn properties(&mut self) {
        let aig = self.aig;
        self.signals(&aig.outputs);
        self.signals(&aig.bad);
        self.signals(&aig.constraints);
        for justice in &aig.justice {
            self.number(justice.lits.len() as u32);
            self.bytes.push(b'\n');
        }
        for &lit in aig.justice.iter().flat_map(|justice| &justice.lits) {
            self.number(self.code(lit));
            self.bytes.push(b'\n');
        }
        self.signals(&aig.fairness);
    }

    fn signals(&mut self, signals: &[Signal]) {
        for signal in signals {
            self.number(self.code(signal.lit));
            self.bytes.push(b'\n');
        }
    }

    fn symbols_and_comments(&mut self) {
        let aig = self.aig;
        self.names(b'i', aig.inputs().iter().map(|input| &input.name));
        self.names(b'l', aig.latches().iter().map(|latch| &latch.name));
        self.names(b'o', aig.outputs.iter().map(|signal| &signal.name));
        self.names(b'b', aig.bad.iter().map(|signal| &signal.name));
        self.names(b'c', aig.constraints.iter().map(|signal| &signal.name));
        self.names(b'j', aig.justice.iter().map(|justice| &justice.name));
        self.names(b'f', aig.fairness.iter().map(|signal| &signal.name));
        if !aig.comments.is_empty() {
            self.bytes.extend_from_slice(b"c\n");
            for line in &aig.comments {
                self.bytes.extend_from_slice(line.as_bytes());
                self.bytes.push(b'\n');
            }
        }
    }

    fn names<'n>(&mut self, letter: u8, names: impl Iterator<Item = &'n Option<String>>) {
        for (index, name) in names.enumerate() {
            if let Some(name) = name {
                self.bytes.push(letter);
                self.number(index as u32);
                self.bytes.push(b' ');
                let in_one_line = |byte| if byte == b'\n' { b' ' } else { byte };
                self.bytes.extend(name.bytes().map(in_one_line));
                self.bytes.push(b'\n');
            }
        }
    }
}

fn push_number(bytes: &mut Vec<u8>, number: u32) {
    // Ten digits hold every u32.
    let mut digits = [0; 10];
    let mut rest = number;
    let mut start = digits.len();
    loop {
        start -= 1;
        digits[start] = b'0' + (rest % 10) as u8;
        rest /= 10;
        if rest == 0 {
            break;
        }
    }
    bytes.extend_from_slice(&digits[start..]);
}

fn push_delta(bytes: &mut Vec<u8>, mut delta: u32) {
    while delta >= 0x80 {
        bytes.push(delta as u8 | 0x80);
        delta >>= 7;
    }
    bytes.push(delta as u8);
}
