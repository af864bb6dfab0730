//! Builds a graph from the sections of a file: every literal is defined once, none is undefined, and there are no cycles.

use rustc_hash::FxHashMap;

use super::cursor::Cursor;
use super::error::{AigerError, AigerErrorKind, Section};
use super::parse::{self, GateLine, Located, Sections};
use super::symbols;
use crate::aig::{Justice, Signal};
use crate::{Aig, Lit, Var};

/// Reads an AIGER 1.9 file, ASCII or binary as its first bytes indicate.
///
/// Gates are built by [`Aig::and`]: duplicates are merged and constants folded, so gate numbers may differ from the file's. Use
/// [`read_verbatim`] to keep them. The gates of an ASCII file may have any order.
///
/// # Errors
/// If the file is malformed or truncated, or its graph is no circuit. The error has a location.
pub fn read(bytes: &[u8]) -> Result<Aig, AigerError> {
    read_with(bytes, Aig::and)
}

/// Reads like [`read`], but every gate of the file becomes a gate of the graph, in the file's order if that is topological.
///
/// # Errors
/// If [`read`] fails.
pub fn read_verbatim(bytes: &[u8]) -> Result<Aig, AigerError> {
    read_with(bytes, Aig::and_verbatim)
}

fn read_with(bytes: &[u8], gate: fn(&mut Aig, Lit, Lit) -> Lit) -> Result<Aig, AigerError> {
    let mut cursor = Cursor::new(bytes);
    let file = parse::sections(&mut cursor)?;
    let mut aig = Aig::new();
    let mut map = define(&cursor, &file, &mut aig)?;
    aig.reserve(file.gates.len());
    if file.is_binary {
        for line in &file.gates {
            // Operands are smaller than the gate and definitions consecutive, so all operands are known.
            let [a, b] = line.fan_in.map(|lit| map.known(lit));
            let lit = gate(&mut aig, a, b);
            map.set(line.output.var(), lit);
        }
    } else {
        add_gates_in_any_order(&cursor, &file, &mut aig, &mut map, gate)?;
    }
    connect(&mut cursor, &file, &mut aig, &map)?;
    symbols::symbols_and_comments(&mut cursor, &mut aig)?;
    Ok(aig)
}

/// The definition of a variable of the file.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Definition {
    Missing,
    /// The gate with this index in the file, not added yet.
    Gate(u32),
    /// The gate is being added; its operands come first.
    Open(u32),
    Known(Lit),
}

/// The definition of each variable of the file. The dense table is sized by the length of the file, not by its header or a single large
/// literal; greater variables are in the sparse one.
struct Definitions {
    dense: Vec<Definition>,
    sparse: FxHashMap<Var, Definition>,
}

impl Definitions {
    fn new(max_variable: u32, file_length: usize) -> Definitions {
        let dense = (max_variable as usize + 1).min(file_length + (1 << 16));
        let mut definitions = Definitions {
            dense: vec![Definition::Missing; dense],
            sparse: FxHashMap::default(),
        };
        definitions.set(Var::CONST, Lit::FALSE);
        definitions
    }

    #[inline]
    fn get(&self, var: Var) -> Definition {
        match self.dense.get(var.index()) {
            Some(&definition) => definition,
            None => self
                .sparse
                .get(&var)
                .copied()
                .unwrap_or(Definition::Missing),
        }
    }

    #[inline]
    fn put(&mut self, var: Var, definition: Definition) {
        match self.dense.get_mut(var.index()) {
            Some(slot) => *slot = definition,
            None => {
                self.sparse.insert(var, definition);
            }
        }
    }

    #[inline]
    fn set(&mut self, var: Var, lit: Lit) {
        self.put(var, Definition::Known(lit));
    }

    /// Returns the graph's literal for a literal of the file; false if its variable has none yet.
    #[inline]
    fn known(&self, lit: Lit) -> Lit {
        match self.get(lit.var()) {
            Definition::Known(image) => image ^ lit.is_negated(),
            _ => Lit::FALSE,
        }
    }
}

/// Adds inputs and latches to `aig`, and returns the definitions of all variables. Gates are recorded and not yet added.
///
/// # Errors
/// If a variable is defined twice.
fn define(cursor: &Cursor<'_>, file: &Sections, aig: &mut Aig) -> Result<Definitions, AigerError> {
    let mut map = Definitions::new(file.max_variable, cursor.length());
    let twice = |section: Section, defined: Located| {
        let kind = AigerErrorKind::DefinedTwice {
            literal: defined.lit.code(),
        };
        Err(cursor.error_in(section, defined.at, kind))
    };
    for &input in &file.inputs {
        if map.get(input.lit.var()) != Definition::Missing {
            return twice(Section::Inputs, input);
        }
        map.set(input.lit.var(), aig.add_input(None));
    }
    for latch in &file.latches {
        if map.get(latch.state.lit.var()) != Definition::Missing {
            return twice(Section::Latches, latch.state);
        }
        map.set(latch.state.lit.var(), aig.add_latch(latch.reset, None));
    }
    for (i, gate) in file.gates.iter().enumerate() {
        if !file.is_binary && map.get(gate.output.var()) != Definition::Missing {
            let (lit, at) = (gate.output, gate.at);
            return twice(Section::Gates, Located { lit, at });
        }
        map.put(gate.output.var(), Definition::Gate(i as u32));
    }
    Ok(map)
}

/// Adds gates in the file's order, operands that come later in the file first. `gate` adds the gate of two operands.
///
/// # Errors
/// If a gate reads an undefined variable, or gates form a cycle.
fn add_gates_in_any_order(
    cursor: &Cursor<'_>,
    file: &Sections,
    aig: &mut Aig,
    map: &mut Definitions,
    gate: fn(&mut Aig, Lit, Lit) -> Lit,
) -> Result<(), AigerError> {
    let mut path: Vec<u32> = Vec::new();
    for root in 0..file.gates.len() as u32 {
        path.push(root);
        while let Some(&index) = path.last() {
            let line: GateLine = file.gates[index as usize];
            let output = line.output.var();
            if matches!(map.get(output), Definition::Known(_)) {
                path.pop();
                continue;
            }
            map.put(output, Definition::Open(index));
            let mut is_ready = true;
            for lit in line.fan_in {
                match map.get(lit.var()) {
                    Definition::Known(_) => {}
                    Definition::Gate(operand) => {
                        path.push(operand);
                        is_ready = false;
                        break;
                    }
                    Definition::Open(operand) => {
                        return Err(cycle(cursor, file, &path, operand));
                    }
                    Definition::Missing => {
                        let kind = AigerErrorKind::Undefined {
                            literal: lit.code(),
                        };
                        return Err(cursor.error_in(Section::Gates, line.at, kind));
                    }
                }
            }
            if is_ready {
                let [a, b] = line.fan_in.map(|lit| map.known(lit));
                let lit = gate(aig, a, b);
                map.set(output, lit);
                path.pop();
            }
        }
    }
    Ok(())
}

fn cycle(cursor: &Cursor<'_>, file: &Sections, path: &[u32], back_to: u32) -> AigerError {
    let on_cycle = path.iter().skip_while(|&&index| index != back_to);
    let kind = AigerErrorKind::Cycle {
        literals: on_cycle
            .map(|&index| file.gates[index as usize].output.code())
            .collect(),
    };
    cursor.error_in(Section::Gates, file.gates[back_to as usize].at, kind)
}

/// Sets next-state functions, outputs and properties.
///
/// # Errors
/// If one of them reads an undefined variable.
fn connect(
    cursor: &mut Cursor<'_>,
    file: &Sections,
    aig: &mut Aig,
    map: &Definitions,
) -> Result<(), AigerError> {
    let image = |section: Section, used: Located| match map.get(used.lit.var()) {
        Definition::Known(lit) => Ok(lit ^ used.lit.is_negated()),
        _ => {
            let kind = AigerErrorKind::Undefined {
                literal: used.lit.code(),
            };
            Err(cursor.error_in(section, used.at, kind))
        }
    };
    for (i, latch) in file.latches.iter().enumerate() {
        aig.set_next(i, image(Section::Latches, latch.next)?);
    }
    let signals = |section: Section, lits: &[Located]| {
        let signal = |&used: &Located| {
            let lit = image(section, used)?;
            Ok(Signal { lit, name: None })
        };
        lits.iter().map(signal).collect::<Result<Vec<_>, _>>()
    };
    aig.outputs = signals(Section::Outputs, &file.outputs)?;
    aig.bad = signals(Section::Bad, &file.bad)?;
    aig.constraints = signals(Section::Constraints, &file.constraints)?;
    aig.fairness = signals(Section::Fairness, &file.fairness)?;
    for lits in &file.justice {
        let lits = lits.iter().map(|&used| image(Section::Justice, used));
        aig.justice.push(Justice {
            lits: lits.collect::<Result<_, _>>()?,
            name: None,
        });
    }
    Ok(())
}
