//! The syntax of AIGER 1.9, ASCII and binary: parses bytes to the sections of the file.
//!
//! The header's counts are trusted only as far as bytes follow. [`super::read`] checks whether the literals form a circuit.

use super::cursor::Cursor;
use super::error::{AigerError, AigerErrorKind, Section};
use crate::Lit;
use crate::aig::Reset;

/// Largest supported variable, so that its literals fit in 32 bits.
const MAX_VARIABLE: u64 = (u32::MAX as u64 - 1) / 2;

/// Number of inputs accepted beyond one per byte of the file, since binary files do not list inputs.
const UNLISTED_INPUTS: u64 = 1 << 16;

/// A literal and its byte offset.
#[derive(Clone, Copy)]
pub(super) struct Located {
    pub(super) lit: Lit,
    pub(super) at: usize,
}

/// A latch as defined in the file.
pub(super) struct LatchLine {
    pub(super) state: Located,
    pub(super) next: Located,
    pub(super) reset: Reset,
}

/// An and-gate as defined in the file.
#[derive(Clone, Copy)]
pub(super) struct GateLine {
    pub(super) output: Lit,
    pub(super) fan_in: [Lit; 2],
    /// The byte offset of the gate.
    pub(super) at: usize,
}

/// The sections of a file.
#[derive(Default)]
pub(super) struct Sections {
    /// Whether the file is binary: definitions are consecutive and every operand is smaller than its gate, both checked.
    pub(super) is_binary: bool,
    /// `M` of the header.
    pub(super) max_variable: u32,
    pub(super) inputs: Vec<Located>,
    pub(super) latches: Vec<LatchLine>,
    pub(super) outputs: Vec<Located>,
    pub(super) bad: Vec<Located>,
    pub(super) constraints: Vec<Located>,
    pub(super) justice: Vec<Vec<Located>>,
    pub(super) fairness: Vec<Located>,
    pub(super) gates: Vec<GateLine>,
}

#[derive(Default)]
struct Header {
    is_binary: bool,
    maximum: u64,
    inputs: u64,
    latches: u64,
    outputs: u64,
    gates: u64,
    bad: u64,
    constraints: u64,
    justice: u64,
    fairness: u64,
}

/// Reads all sections up to the symbol table.
pub(super) fn sections(cursor: &mut Cursor<'_>) -> Result<Sections, AigerError> {
    let header = header(cursor)?;
    let mut file = Sections {
        is_binary: header.is_binary,
        max_variable: header.maximum as u32,
        ..Sections::default()
    };
    let limit = 2 * header.maximum + 1;

    let mut definitions = Definitions {
        is_binary: header.is_binary,
        limit,
        code: 2,
    };
    cursor.section = Section::Inputs;
    for _ in 0..header.inputs {
        let input = definitions.next(cursor)?;
        if !header.is_binary {
            cursor.newline()?;
        }
        file.inputs.push(input);
    }
    cursor.section = Section::Latches;
    for _ in 0..header.latches {
        let state = definitions.next(cursor)?;
        if !header.is_binary {
            cursor.space()?;
        }
        file.latches.push(latch(cursor, limit, state)?);
    }
    file.outputs = lits(cursor, Section::Outputs, header.outputs, limit)?;
    file.bad = lits(cursor, Section::Bad, header.bad, limit)?;
    file.constraints = lits(cursor, Section::Constraints, header.constraints, limit)?;
    file.justice = justice(cursor, header.justice, limit)?;
    file.fairness = lits(cursor, Section::Fairness, header.fairness, limit)?;
    file.gates = gates(cursor, header.gates, definitions)?;
    Ok(file)
}

/// The variables that inputs, latches and gates define: written in an ASCII file, consecutive in a binary one.
struct Definitions {
    is_binary: bool,
    /// The largest code of a literal.
    limit: u64,
    /// Binary: the code of the next definition.
    code: u32,
}

impl Definitions {
    fn next(&mut self, cursor: &mut Cursor<'_>) -> Result<Located, AigerError> {
        if !self.is_binary {
            return definition(cursor, self.limit);
        }
        let at = cursor.at();
        let lit = Lit::from_code(self.code);
        self.code += 2;
        Ok(Located { lit, at })
    }
}

/// Reads `count` justice properties: the sizes of all, then the literals of each. `limit` is the largest literal.
fn justice(
    cursor: &mut Cursor<'_>,
    count: u64,
    limit: u64,
) -> Result<Vec<Vec<Located>>, AigerError> {
    cursor.section = Section::Justice;
    let mut sizes = Vec::new();
    for _ in 0..count {
        // A property has at least two bytes per literal.
        sizes.push(cursor.number("a justice property's size", cursor.rest().len() as u64)?);
        cursor.newline()?;
    }
    let sizes = sizes.into_iter();
    sizes
        .map(|size| lits(cursor, Section::Justice, size, limit))
        .collect()
}

fn gates(
    cursor: &mut Cursor<'_>,
    count: u64,
    mut definitions: Definitions,
) -> Result<Vec<GateLine>, AigerError> {
    cursor.section = Section::Gates;
    let mut gates = Vec::new();
    gates.reserve_exact(count.min(cursor.rest().len() as u64 / 2) as usize);
    if definitions.is_binary {
        cursor.text_until = cursor.at();
    }
    for _ in 0..count {
        let at = cursor.at();
        let output = definitions.next(cursor)?.lit;
        let fan_in = if definitions.is_binary {
            binary_fan_in(cursor, output)?
        } else {
            cursor.space()?;
            let a = lit(cursor, definitions.limit)?;
            cursor.space()?;
            let b = lit(cursor, definitions.limit)?;
            cursor.newline()?;
            [a.lit, b.lit]
        };
        gates.push(GateLine { output, fan_in, at });
    }
    Ok(gates)
}

fn header(cursor: &mut Cursor<'_>) -> Result<Header, AigerError> {
    let is_binary = match cursor.rest() {
        [b'a', b'a', b'g', ..] => false,
        [b'a', b'i', b'g', ..] => true,
        _ => return Err(cursor.unexpected("`aag` or `aig`")),
    };
    for byte in if is_binary { *b"aig" } else { *b"aag" } {
        cursor.byte(byte, "`aag` or `aig`")?;
    }
    let mut count = |expected: &'static str| {
        cursor.space()?;
        cursor.number(expected, MAX_VARIABLE)
    };
    let mut header = Header {
        is_binary,
        maximum: count("the maximum variable")?,
        inputs: count("the number of inputs")?,
        latches: count("the number of latches")?,
        outputs: count("the number of outputs")?,
        gates: count("the number of and-gates")?,
        ..Header::default()
    };
    let optional = [
        (&mut header.bad, "the number of bad state properties"),
        (&mut header.constraints, "the number of constraints"),
        (&mut header.justice, "the number of justice properties"),
        (&mut header.fairness, "the number of fairness constraints"),
    ];
    for (field, expected) in optional {
        if cursor.peek() == Some(b'\n') {
            break;
        }
        cursor.space()?;
        *field = cursor.number(expected, MAX_VARIABLE)?;
    }
    cursor.newline()?;

    let defined = header.inputs + header.latches + header.gates;
    let fits = if is_binary {
        header.maximum == defined
    } else {
        header.maximum >= defined
    };
    if !fits {
        let kind = AigerErrorKind::Counts {
            maximum: header.maximum,
            inputs: header.inputs,
            latches: header.latches,
            gates: header.gates,
        };
        return Err(cursor.error_at(0, kind));
    }
    let believed = cursor.rest().len() as u64 + UNLISTED_INPUTS;
    if is_binary && header.inputs > believed {
        return Err(cursor.error_at(0, AigerErrorKind::TooLarge { limit: believed }));
    }
    Ok(header)
}

/// Reads the literal of an operand or a root; its code is at most `limit`.
#[inline]
fn lit(cursor: &mut Cursor<'_>, limit: u64) -> Result<Located, AigerError> {
    let at = cursor.at();
    let code = cursor.number("a literal", limit)?;
    Ok(Located {
        lit: Lit::from_code(code as u32),
        at,
    })
}

/// Reads the literal that a line defines; its code is at most `limit`.
///
/// # Errors
/// If it is a constant or negated.
#[inline]
fn definition(cursor: &mut Cursor<'_>, limit: u64) -> Result<Located, AigerError> {
    let defined = lit(cursor, limit)?;
    if defined.lit.is_constant() || defined.lit.is_negated() {
        let literal = defined.lit.code();
        return Err(cursor.error_at(defined.at, AigerErrorKind::NotDefinable { literal }));
    }
    Ok(defined)
}

/// Reads `count` literals, one per line; their codes are at most `limit`.
fn lits(
    cursor: &mut Cursor<'_>,
    section: Section,
    count: u64,
    limit: u64,
) -> Result<Vec<Located>, AigerError> {
    cursor.section = section;
    let mut lits = Vec::new();
    for _ in 0..count {
        lits.push(lit(cursor, limit)?);
        cursor.newline()?;
    }
    Ok(lits)
}

/// Reads the rest of a latch's line: the next-state literal, and the reset, which is 0 if missing. `state` is the literal of the latch.
///
/// # Errors
/// If a literal exceeds `limit`, or the reset is neither a constant nor the latch itself.
fn latch(cursor: &mut Cursor<'_>, limit: u64, state: Located) -> Result<LatchLine, AigerError> {
    let next = lit(cursor, limit)?;
    let mut reset = Reset::Zero;
    if cursor.peek() == Some(b' ') {
        cursor.space()?;
        let value = lit(cursor, limit)?;
        reset = match value.lit.as_constant() {
            Some(value) => Reset::constant(value),
            None if value.lit == state.lit => Reset::Free,
            None => {
                let kind = AigerErrorKind::Reset {
                    latch: state.lit.code(),
                    reset: value.lit.code(),
                };
                return Err(cursor.error_at(value.at, kind));
            }
        };
    }
    cursor.newline()?;
    Ok(LatchLine { state, next, reset })
}

/// Reads both operands of a binary gate: the first as the difference from `output`, the second as the difference from the first.
#[inline]
fn binary_fan_in(cursor: &mut Cursor<'_>, output: Lit) -> Result<[Lit; 2], AigerError> {
    let at = cursor.at();
    let first = cursor.delta()?;
    let second = cursor.delta()?;
    let code = u64::from(output.code());
    let fits = first > 0 && first <= code && second <= code - first;
    if !fits {
        let kind = AigerErrorKind::Delta {
            literal: output.code(),
            delta: if first > 0 && first <= code {
                second
            } else {
                first
            },
        };
        return Err(cursor.error_at(at, kind));
    }
    let a = code - first;
    let b = a - second;
    Ok([Lit::from_code(a as u32), Lit::from_code(b as u32)])
}
