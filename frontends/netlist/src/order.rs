//! The evaluation order of cells: each bit comes after the bits that it reads.

use hyperkill_frontend::Diagnostic;

use crate::flat::{Driver, Flat};
use crate::netlist::{Bit, Cell, Kind};

/// A unit of evaluation: a bit of a bitwise cell, or all outputs of another one.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Unit {
    /// The index of the cell.
    pub cell: usize,
    /// The index of the bit; `None` for all outputs of the cell.
    pub bit: Option<usize>,
}

/// The order in which the units of a design are evaluated.
#[derive(Clone, Debug)]
pub struct Order {
    /// The units, each after the units that it reads.
    pub units: Vec<Unit>,
    /// For each net the position of its driver in `units`, counted from 1; 0 for ports, nets without driver, and registers without
    /// asynchronous reset.
    pub position: Vec<usize>,
}

/// Whether the outputs of a cell are independent of its inputs in the same step.
#[must_use]
pub fn is_source(cell: &Cell) -> bool {
    match &cell.kind {
        Kind::Register(register) => register.asynchronous.is_none(),
        Kind::AnySequence | Kind::AnyConstant => true,
        Kind::Function(_) | Kind::Assume | Kind::Assert => false,
    }
}

/// Returns the bits of pins (pin, index, bit) that the output bit `bit` of a bitwise cell depends on in the same step. For other cells,
/// these are the bits that all outputs depend on.
#[must_use]
pub fn reads(cell: &Cell, bit: Option<usize>) -> Vec<(usize, usize, Bit)> {
    let mut found = Vec::new();
    for (pin, wires) in cell.inputs.iter().enumerate() {
        if !is_read_at_once(cell, pin) {
            continue;
        }
        // The select of a multiplexer is one bit for all; short operands are extended by their last bit.
        let last = wires.bits.len().saturating_sub(1);
        let indices = match bit {
            Some(bit) => bit.min(last)..(bit.min(last) + 1).min(wires.bits.len()),
            None => 0..wires.bits.len(),
        };
        found.extend(indices.map(|index| (pin, index, wires.bits[index])));
    }
    found
}

/// Whether outputs of a cell depend on this pin in the same step: for registers, only on an asynchronous reset.
#[must_use]
pub fn is_read_at_once(cell: &Cell, pin: usize) -> bool {
    match cell.register() {
        Some(register) => (register.asynchronous.as_ref()).is_some_and(|reset| reset.pin == pin),
        None => true,
    }
}

/// The mark of a unit that is being visited; 0 marks a new one, and other values are positions.
const OPEN: usize = usize::MAX;

/// Returns the order of all cells.
///
/// # Errors
/// If a cell depends on itself without a register in between, with a net of the cycle.
pub fn order(flat: &Flat) -> Result<Order, Vec<Diagnostic>> {
    // Units are numbered cell by cell.
    let mut first = Vec::with_capacity(flat.cells.len() + 1);
    let mut all = Vec::new();
    for (index, found) in flat.cells.iter().enumerate() {
        first.push(all.len());
        let cell = &found.cell;
        if is_source(cell) {
            continue;
        }
        let bits = cell.outputs.first().map_or(0, |pin| pin.bits.len());
        if cell.is_bitwise() {
            all.extend((0..bits).map(|bit| Unit {
                cell: index,
                bit: Some(bit),
            }));
        } else {
            all.push(Unit {
                cell: index,
                bit: None,
            });
        }
    }
    let unit_of = |net: usize| match flat.drivers[net] {
        Driver::Cell(cell, bit) if !is_source(&flat.cells[cell].cell) => {
            let bit = if flat.cells[cell].cell.is_bitwise() {
                bit
            } else {
                0
            };
            Some(first[cell] + bit)
        }
        _ => None,
    };
    let read_by = |unit: usize| -> Vec<usize> {
        let Unit { cell, bit } = all[unit];
        reads(&flat.cells[cell].cell, bit)
            .into_iter()
            .filter_map(|(_, _, wire)| match wire {
                Bit::Net(net) => unit_of(net),
                Bit::Constant(_) | Bit::Unknown => None,
            })
            .collect()
    };
    let mut place = vec![0; all.len()];
    let mut units = Vec::with_capacity(all.len());
    let mut stack: Vec<(usize, Vec<usize>)> = Vec::new();
    for root in 0..all.len() {
        if place[root] != 0 {
            continue;
        }
        place[root] = OPEN;
        stack.push((root, read_by(root)));
        while let Some((unit, waiting)) = stack.last_mut() {
            let unit = *unit;
            match waiting.pop() {
                Some(next) if place[next] == 0 => {
                    place[next] = OPEN;
                    stack.push((next, read_by(next)));
                }
                Some(next) if place[next] == OPEN => {
                    let from = stack.iter().position(|(open, _)| *open == next);
                    let circle = stack[from.unwrap_or(0)..]
                        .iter()
                        .map(|(open, _)| all[*open]);
                    return Err(vec![circular(flat, circle.collect())]);
                }
                Some(_) => {}
                None => {
                    units.push(all[unit]);
                    place[unit] = units.len();
                    stack.pop();
                }
            }
        }
    }
    let position = (0..flat.nets.len()).map(|net| unit_of(net).map_or(0, |unit| place[unit]));
    Ok(Order {
        position: position.collect(),
        units,
    })
}

fn circular(flat: &Flat, circle: Vec<Unit>) -> Diagnostic {
    let name = |unit: &Unit| {
        let cell = &flat.cells[unit.cell].cell;
        let wire = cell
            .outputs
            .first()
            .and_then(|pin| pin.bits.get(unit.bit.unwrap_or(0)));
        match wire {
            Some(Bit::Net(net)) => flat.nets[*net].clone(),
            _ => cell.name.clone(),
        }
    };
    let names: Vec<String> = circle.iter().take(8).map(name).collect();
    let more = if circle.len() > names.len() {
        " ← …"
    } else {
        ""
    };
    let span = flat.cells[circle[0].cell].cell.span;
    Diagnostic::error(
        span,
        format!(
            "these nets depend on themselves without a register between: {}{more}",
            names.join(" ← ")
        ),
    )
}
