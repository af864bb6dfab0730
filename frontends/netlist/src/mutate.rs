//! Mutants of cells, as mcy makes them: a bit of a pin is inverted, stuck, or inverted when another bit says so.
//!
//! A mutant is one of a module, and so of all instances of it. Pins of clocks are left alone, and so is a pin that is the only
//! reader of what a cell of the same module drives: that is the same mutant as the one of the driver.

use hyperkill_core::mutant::{Mutant, MutantId, Operator};
use hyperkill_frontend::{Diagnostic, FrontendOptions, LineIndex, SourceFile, Span};
use rustc_hash::{FxHashMap, FxHashSet};

use crate::flat::Flat;
use crate::netlist::{Bit, Cell, Direction, Library, Pin};
use crate::order::{Order, is_read_at_once, is_source};

/// Whether a mutant changes what a cell reads or what it drives.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Side {
    /// What it reads.
    Input,
    /// What it drives.
    Output,
}

/// What happens to a bit.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Operation {
    /// It is inverted.
    Invert,
    /// It is this constant.
    Constant(bool),
    /// It is inverted when the control has this value.
    ControlledNot(bool),
}

/// The bit that controls a mutant: one of the same cell.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Control {
    /// Whether the cell reads or drives it.
    pub side: Side,
    /// Index of the pin on that side.
    pub pin: usize,
    /// The bit.
    pub bit: usize,
    /// The net of the module that is there.
    pub net: usize,
}

/// A change of a cell.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Change {
    /// Which side.
    pub side: Side,
    /// Index of the pin on that side.
    pub pin: usize,
    /// The bit.
    pub bit: usize,
    /// What happens to it.
    pub operation: Operation,
    /// The control, where there is one.
    pub control: Option<Control>,
}

/// A stretch of text and what stands there in a mutant.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Rewritten {
    /// The stretch.
    pub span: Span,
    /// What stands there.
    pub text: String,
}

/// A mutant and where it is.
#[derive(Clone, Debug)]
pub struct Mutation {
    /// As the world sees it.
    pub mutant: Mutant,
    /// Module and cell.
    pub place: (usize, usize),
    /// The change.
    pub change: Change,
}

impl Operation {
    const ALL: [Operation; 5] = [
        Operation::Invert,
        Operation::Constant(false),
        Operation::Constant(true),
        Operation::ControlledNot(false),
        Operation::ControlledNot(true),
    ];

    /// Its name, that of mcy.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Operation::Invert => "inv",
            Operation::Constant(false) => "const0",
            Operation::Constant(true) => "const1",
            Operation::ControlledNot(false) => "cnot0",
            Operation::ControlledNot(true) => "cnot1",
        }
    }
}

/// The catalogue of operators.
#[must_use]
pub fn operators() -> Vec<Operator> {
    let entries = [
        (
            "inv",
            "inverts a bit that a cell reads or drives",
            "y = a & b ⇒ y = !a & b",
        ),
        ("const0", "makes it 0", "y = a & b ⇒ y = 0 & b"),
        ("const1", "makes it 1", "y = a & b ⇒ y = 1 & b"),
        (
            "cnot0",
            "inverts it when another bit of the cell is 0",
            "y = a & b ⇒ y = (a xnor b) & b",
        ),
        (
            "cnot1",
            "inverts it when another bit of the cell is 1",
            "y = a & b ⇒ y = (a xor b) & b",
        ),
    ];
    let operator = |(name, summary, example): (&str, &str, &str)| Operator {
        name: name.to_owned(),
        summary: summary.to_owned(),
        example: example.to_owned(),
    };
    entries.map(operator).to_vec()
}

/// Writes a change into the text: given module, cell and change.
pub type Rewrite<'a> = dyn Fn(usize, &Cell, &Change) -> Rewritten + 'a;

/// Most bytes of text that all mutants may take: where cells are wide, a mutant is a long stretch.
const MOST_TEXT: usize = 1 << 29;
/// Most mutants: each takes two kilobytes from the text to the circuit.
const MOST_MUTANTS: usize = 1_000_000;

/// All mutants of the modules that the design uses, in the order of the text.
///
/// # Errors
/// If there are more than anybody can keep.
pub fn mutations(
    library: &Library,
    flat: &Flat,
    order: &Order,
    sources: &[SourceFile],
    options: &FrontendOptions,
    rewrite: &Rewrite<'_>,
) -> Result<Vec<Mutation>, Vec<Diagnostic>> {
    let mut copies: FxHashMap<(usize, usize), Vec<usize>> = FxHashMap::default();
    for (index, found) in flat.cells.iter().enumerate() {
        if let Some(origin) = found.origin {
            copies.entry(origin).or_default().push(index);
        }
    }
    let lines: Vec<LineIndex<'_>> = (sources.iter())
        .map(|source| LineIndex::new(&source.text))
        .collect();
    let mut found = Vec::new();
    let mut ids: FxHashSet<MutantId> = FxHashSet::default();
    let mut bytes = 0;
    for (m, module) in library.modules.iter().enumerate() {
        let used_once = used_once(library, m);
        for (c, cell) in module.cells.iter().enumerate() {
            let Some(copies) = copies.get(&(m, c)).filter(|_| cell.mutable) else {
                continue;
            };
            for change in changes(cell, &used_once, flat, order, copies) {
                let name = change.operation.name();
                if (options.operators.as_ref()).is_some_and(|wanted| !wanted.holds(name)) {
                    continue;
                }
                let rewritten = rewrite(m, cell, &change);
                bytes += rewritten.text.len() + rewritten.span.end - rewritten.span.start;
                if bytes > MOST_TEXT {
                    let message = format!("the mutants take more than {MOST_TEXT} bytes of text");
                    return Err(vec![
                        Diagnostic::error(cell.span, message)
                            .with_help("choose some by --operator"),
                    ]);
                }
                let source = &sources[rewritten.span.file];
                let pin = pin(cell, change.side, change.pin);
                let path = format!("{}/{}.{}[{}]", module.name, cell.name, pin.name, change.bit);
                let original = rewritten.span.of(&source.text).to_owned();
                let id = MutantId::derive(name, &path, &original, &rewritten.text);
                // The same change of the same text in a place of the same name is the same mutant.
                if !ids.insert(id.clone()) {
                    continue;
                }
                if found.len() == MOST_MUTANTS {
                    let message = format!("there are more than {MOST_MUTANTS} mutants up to here");
                    return Err(vec![
                        Diagnostic::error(cell.span, message)
                            .with_help("choose some by --operator"),
                    ]);
                }
                found.push(Mutation {
                    mutant: Mutant {
                        id,
                        operator: name.to_owned(),
                        path,
                        place: lines[rewritten.span.file].place(&source.name, rewritten.span),
                        original,
                        replacement: rewritten.text,
                    },
                    place: (m, c),
                    change,
                });
            }
        }
    }
    Ok(found)
}

fn pin(cell: &Cell, side: Side, index: usize) -> &Pin {
    match side {
        Side::Input => &cell.inputs[index],
        Side::Output => &cell.outputs[index],
    }
}

/// Nets of a module that a cell of it drives and one pin of a cell of it reads, and nothing else.
fn used_once(library: &Library, module: usize) -> Vec<bool> {
    let module = &library.modules[module];
    let mut readers = vec![0usize; module.nets.len()];
    let mut driven = vec![false; module.nets.len()];
    let mut read = |bit: &Bit, times: usize| {
        if let Bit::Net(net) = bit {
            readers[*net] += times;
        }
    };
    for port in &module.ports {
        for bit in &port.bits {
            // What leaves the module is read by more than a pin here.
            read(
                bit,
                if port.direction == Direction::Output {
                    2
                } else {
                    0
                },
            );
        }
    }
    for pin in module.instances.iter().flat_map(|instance| &instance.pins) {
        pin.bits.iter().for_each(|bit| read(bit, 2));
    }
    for cell in &module.cells {
        for pin in &cell.inputs {
            pin.bits.iter().for_each(|bit| read(bit, 1));
        }
        if let Some(clock) = cell.register().and_then(|register| register.clock) {
            read(&clock.bit, 2);
        }
    }
    for cell in module.cells.iter().filter(|cell| cell.mutable) {
        for bit in cell.outputs.iter().flat_map(|pin| &pin.bits) {
            if let Bit::Net(net) = bit {
                driven[*net] = true;
            }
        }
    }
    readers
        .iter()
        .zip(driven)
        .map(|(&readers, driven)| driven && readers == 1)
        .collect()
}

/// The changes of a cell: its pins in their order, outputs last.
fn changes(
    cell: &Cell,
    used_once: &[bool],
    flat: &Flat,
    order: &Order,
    copies: &[usize],
) -> Vec<Change> {
    let inputs = (0..cell.inputs.len()).map(|pin| (Side::Input, pin));
    let outputs = (0..cell.outputs.len()).map(|pin| (Side::Output, pin));
    let mut found = Vec::new();
    for (side, index) in inputs.chain(outputs) {
        for (bit, &wire) in pin(cell, side, index).bits.iter().enumerate() {
            let net = match wire {
                Bit::Net(net) => net,
                // A constant inverted is the other constant; x has no value that could be wrong.
                Bit::Constant(value) if side == Side::Input => {
                    found.push(Change {
                        side,
                        pin: index,
                        bit,
                        operation: Operation::Constant(!value),
                        control: None,
                    });
                    continue;
                }
                Bit::Constant(_) | Bit::Unknown => continue,
            };
            if side == Side::Input && used_once[net] {
                continue;
            }
            let control = control(cell, (side, index, bit), flat, order, copies);
            for operation in Operation::ALL {
                let needs_control = matches!(operation, Operation::ControlledNot(_));
                if needs_control && control.is_none() {
                    continue;
                }
                found.push(Change {
                    side,
                    pin: index,
                    bit,
                    operation,
                    control: control.filter(|_| needs_control),
                });
            }
        }
    }
    found
}

/// The bit that controls a mutant of a bit: the next one of the same pin, else of another input, that closes no circle in any
/// instance, even if all mutants were there at once.
fn control(
    cell: &Cell,
    target: (Side, usize, usize),
    flat: &Flat,
    order: &Order,
    copies: &[usize],
) -> Option<Control> {
    let (side, index, bit) = target;
    let own = &pin(cell, side, index).bits;
    let width = own.len();
    let same = (1..width).map(|step| (side, index, (bit + step) % width));
    let others = (0..cell.inputs.len())
        .filter(|&other| (Side::Input, other) != (side, index))
        .flat_map(|other| {
            let bits = cell.inputs[other].bits.len();
            (0..bits).map(move |bit| (Side::Input, other, bit))
        });
    let mut candidates = same.chain(others).filter_map(|(side, index, bit)| {
        match pin(cell, side, index).bits[bit] {
            Bit::Net(net) if Bit::Net(net) != own[target.2] => Some(Control {
                side,
                pin: index,
                bit,
                net,
            }),
            _ => None,
        }
    });
    candidates.find(|control| {
        let mut copies = copies.iter();
        copies.all(|&copy| is_safe(&flat.cells[copy].cell, target, *control, order))
    })
}

/// Whether what the target is read by comes after the control.
fn is_safe(cell: &Cell, target: (Side, usize, usize), control: Control, order: &Order) -> bool {
    let position = |wire: Bit| match wire {
        Bit::Net(net) => order.position[net],
        Bit::Constant(_) | Bit::Unknown => 0,
    };
    let (side, index, bit) = target;
    let controlling = position(pin(cell, control.side, control.pin).bits[control.bit]);
    if side == Side::Output {
        let own = &cell.outputs[index].bits;
        let at_once = is_source(cell) || !cell.is_bitwise();
        return match control.side {
            // Both are made at once, and the control is what it was before any mutant.
            Side::Output if at_once => true,
            _ => controlling < position(own[bit]),
        };
    }
    if is_source(cell) || !is_read_at_once(cell, index) {
        return true;
    }
    let outputs = cell.outputs.first().map_or([].as_slice(), |pin| &pin.bits);
    // Bit by bit, but a select is for all, and the last bit of a short operand for all from there on.
    let last = cell.inputs[index].bits.len().saturating_sub(1);
    let affected = match (cell.is_bitwise(), index) {
        (true, 0 | 1) if bit < last => bit.min(outputs.len())..(bit + 1).min(outputs.len()),
        (true, 0 | 1) => bit.min(outputs.len())..outputs.len(),
        _ => 0..outputs.len(),
    };
    let mut affected = outputs[affected].iter();
    affected.all(|&wire| !matches!(wire, Bit::Net(_)) || controlling < position(wire))
}
