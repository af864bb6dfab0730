//! Mutants of cells, as in mcy: a bit of a pin is inverted, stuck, or inverted under the control of another bit.
//!
//! A mutant changes a module, and so all its instances. Pins of clocks have no mutants. A pin that is the only reader of an output of a
//! cell in the same module has none either: they equal those of the driver.

use hyperkill_core::mutant::Operator;
use hyperkill_frontend::mutation::{self, Catalogue, Edit, Rules};
use hyperkill_frontend::{Diagnostic, FrontendOptions, SourceFile};
use rustc_hash::{FxHashMap, FxHashSet};

use crate::flat::Flat;
use crate::netlist::{Bit, Cell, Direction, Library, Pin};
use crate::order::{Order, is_read_at_once, is_source};

/// Whether a mutant changes an input or an output of a cell.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Side {
    /// The mutant changes an input.
    Input,
    /// The mutant changes an output.
    Output,
}

/// The operation on a bit.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Operation {
    /// The bit is inverted.
    Invert,
    /// The bit is stuck at this value.
    Constant(bool),
    /// The bit is inverted if the control has this value.
    ControlledNot(bool),
}

/// The bit that controls a mutant, from the same cell.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Control {
    /// Whether it is an input or an output of the cell.
    pub side: Side,
    /// The index of the pin on that side.
    pub pin: usize,
    /// The index of the bit in the pin.
    pub bit: usize,
    /// The net of the module at this bit.
    pub net: usize,
}

/// A change of a cell.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Change {
    /// The side of the changed bit.
    pub side: Side,
    /// The index of the pin on that side.
    pub pin: usize,
    /// The index of the changed bit in the pin.
    pub bit: usize,
    /// The operation on the changed bit.
    pub operation: Operation,
    /// The control, if there is one.
    pub control: Option<Control>,
}

/// A mutant and its place.
pub type Mutation = mutation::Mutation<Meaning>;

/// The effect of a mutant on a design.
#[derive(Clone, Copy, Debug)]
pub struct Meaning {
    /// The indices of the module and of its cell.
    pub place: (usize, usize),
    /// The change of the cell.
    pub change: Change,
}

type Rule = mutation::Rule<Operation>;

const RULES: Rules<Operation> = Rules {
    usual: &[
        Rule {
            name: "inv",
            summary: "inverts a bit that a cell reads or drives",
            example: "y = a & b ⇒ y = !a & b",
            edits: Operation::Invert,
        },
        Rule {
            name: "const0",
            summary: "makes it 0",
            example: "y = a & b ⇒ y = 0 & b",
            edits: Operation::Constant(false),
        },
        Rule {
            name: "const1",
            summary: "makes it 1",
            example: "y = a & b ⇒ y = 1 & b",
            edits: Operation::Constant(true),
        },
        Rule {
            name: "cnot0",
            summary: "inverts it when another bit of the cell is 0",
            example: "y = a & b ⇒ y = (a xnor b) & b",
            edits: Operation::ControlledNot(false),
        },
        Rule {
            name: "cnot1",
            summary: "inverts it when another bit of the cell is 1",
            example: "y = a & b ⇒ y = (a xor b) & b",
            edits: Operation::ControlledNot(true),
        },
    ],
    on_demand: &[],
};

/// Returns the operators with their summaries and examples, as the catalogue for users shows them.
#[must_use]
pub fn operators() -> Vec<Operator> {
    RULES.operators()
}

/// Writes a change of a cell of a module into the text.
pub type Rewrite<'a> = dyn Fn(usize, &Cell, &Change) -> Edit + 'a;

/// The design that mutants are made from.
#[derive(Clone, Copy, Debug)]
pub struct Design<'a> {
    /// The modules of the design.
    pub library: &'a Library,
    /// The design without hierarchy.
    pub flat: &'a Flat,
    /// The order in which the design's cells are evaluated.
    pub order: &'a Order,
    /// Cells between the clock and registers.
    pub ways: &'a FxHashSet<usize>,
}

/// Returns all mutants of the modules that the design uses, in the order of the text. `rewrite` returns the edit of a change.
///
/// # Errors
/// If there are too many.
pub fn mutations(
    design: &Design<'_>,
    sources: &[SourceFile],
    options: &FrontendOptions,
    rewrite: &Rewrite<'_>,
) -> Result<Vec<Mutation>, Vec<Diagnostic>> {
    let Design {
        library,
        flat,
        order,
        ways,
    } = *design;
    let mut copies: FxHashMap<(usize, usize), Vec<usize>> = FxHashMap::default();
    for (index, found) in flat.cells.iter().enumerate() {
        if let Some(origin) = found.origin {
            copies.entry(origin).or_default().push(index);
        }
    }
    let rules = RULES.chosen(options);
    let mut catalogue = Catalogue::new(sources);
    for (m, module) in library.modules.iter().enumerate() {
        let used_once = used_once(library, m);
        for (c, cell) in module.cells.iter().enumerate() {
            let Some(copies) = copies.get(&(m, c)).filter(|_| cell.mutable) else {
                continue;
            };
            // A mutant there would change a clock.
            if copies.iter().any(|copy| ways.contains(copy)) {
                continue;
            }
            for change in changes(cell, &used_once, flat, order, copies) {
                let asked = rules.iter().find(|rule| rule.edits == change.operation);
                let Some(rule) = asked else {
                    continue;
                };
                let pin = pin(cell, change.side, change.pin);
                let path = format!("{}/{}.{}[{}]", module.name, cell.name, pin.name, change.bit);
                let edit = rewrite(m, cell, &change);
                let place = (m, c);
                let meaning = Meaning { place, change };
                (catalogue.add(rule.name, &path, edit, meaning, |_, _| ()))
                    .map_err(|error| vec![error])?;
            }
        }
    }
    Ok(catalogue.in_order_found())
}

fn pin(cell: &Cell, side: Side, index: usize) -> &Pin {
    match side {
        Side::Input => &cell.inputs[index],
        Side::Output => &cell.outputs[index],
    }
}

/// Returns for each net of a module whether a cell of the module drives it and exactly one pin reads it.
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
            // An output of the module is counted as if several pins read it.
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

/// Returns the changes of a cell: its pins in their order, outputs last. An input net that is `used_once` has none, since the changes of
/// its driver are the same. `copies` are the places of the cell in `flat`.
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
                // An inverted constant is the other constant; x has no value to change.
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
            for operation in RULES.usual.iter().map(|rule| rule.edits) {
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

/// Returns the control of a mutant at the pin and bit `target`: the next bit of the same pin, or a bit of another input. It closes no
/// combinational cycle in any of the `copies` of the cell, even with all mutants at once. `None` if there is no such bit.
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

/// Whether the readers of the target come after the control in `order`, so that reading the control at `target` closes no combinational
/// cycle.
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
            // Both bits are computed together, and the control is the original value.
            Side::Output if at_once => true,
            _ => controlling < position(own[bit]),
        };
    }
    if is_source(cell) || !is_read_at_once(cell, index) {
        return true;
    }
    let outputs = cell.outputs.first().map_or([].as_slice(), |pin| &pin.bits);
    // Bitwise, except that a select controls all bits, and the last bit of a short operand all bits from there on.
    let last = cell.inputs[index].bits.len().saturating_sub(1);
    let affected = match (cell.is_bitwise(), index) {
        (true, 0 | 1) if bit < last => bit.min(outputs.len())..(bit + 1).min(outputs.len()),
        (true, 0 | 1) => bit.min(outputs.len())..outputs.len(),
        _ => 0..outputs.len(),
    };
    let mut affected = outputs[affected].iter();
    affected.all(|&wire| !matches!(wire, Bit::Net(_)) || controlling < position(wire))
}
