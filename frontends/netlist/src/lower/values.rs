//! The values of all nets in one step, given those of ports, registers and undriven places.

use hyperkill_core::term::TermId;
use rustc_hash::FxHashMap;

use super::functions;
use super::gates::{Gates, Result};
use crate::flat::{Driver, Flat};
use crate::mutate::{Change, Operation, Side};
use crate::netlist::{Bit, Cell, Kind, Register};
use crate::order::{Order, is_source};

/// A mutant of a cell behind its selector.
#[derive(Clone, Copy, Debug)]
pub(super) struct Planted {
    pub(super) selector: TermId,
    pub(super) change: Change,
}

/// A place without a defined value.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub(super) enum Unsaid {
    /// A net that nothing drives.
    Net(usize),
    /// An input bit of a cell: cell, pin, bit.
    Pin(usize, usize, usize),
    /// A bit of an output port.
    Port(usize, usize),
    /// A cell with a choice at every step, and its bit.
    Chosen(usize, usize),
}

/// The values from outside the combinational logic.
pub(super) trait World {
    /// Returns a bit of an input port.
    fn port(&mut self, port: usize, bit: usize) -> TermId;
    /// Returns the value of a bit of a register, or of a choice that keeps its value.
    fn held(&mut self, cell: usize, bit: usize) -> TermId;
    /// Returns a term for a place without a defined value.
    fn unsaid(&mut self, gates: &mut Gates<'_>, what: Unsaid) -> Result<TermId>;
}

/// The values of all nets in a step.
pub(super) struct Values<'a, W> {
    pub(super) flat: &'a Flat,
    /// The mutants of each cell, by its index.
    pub(super) planted: &'a FxHashMap<usize, Vec<Planted>>,
    pub(super) gates: Gates<'a>,
    pub(super) world: W,
    nets: Vec<Option<TermId>>,
}

impl<'a, W: World> Values<'a, W> {
    /// Evaluates all nets in `order`, with the mutants `planted` in cells. `world` has the values of ports, registers and choices.
    pub(super) fn new(
        flat: &'a Flat,
        order: &Order,
        planted: &'a FxHashMap<usize, Vec<Planted>>,
        gates: Gates<'a>,
        world: W,
    ) -> Result<Values<'a, W>> {
        let mut values = Values {
            flat,
            planted,
            gates,
            world,
            nets: vec![None; flat.nets.len()],
        };
        for (index, found) in flat.cells.iter().enumerate() {
            if is_source(&found.cell) {
                let raw = values.source(index, &found.cell)?;
                values.drive_all(index, &found.cell, &raw)?;
            }
        }
        for unit in &order.units {
            let cell = &flat.cells[unit.cell].cell;
            match (unit.bit, &cell.kind) {
                (Some(bit), Kind::Function(function)) => {
                    let signs = [function.a_signed, function.b_signed];
                    let mut operands = [values.gates.constant(false); 3];
                    for (pin, operand) in operands.iter_mut().enumerate().take(cell.inputs.len()) {
                        *operand = values.operand(unit.cell, cell, pin, bit, signs)?;
                    }
                    let raw = functions::bit(&mut values.gates, &function.operation, operands)?;
                    values.drive(unit.cell, cell, bit, raw, &[])?;
                }
                (None, Kind::Function(function)) => {
                    let inputs = (0..cell.inputs.len()).map(|pin| values.pin(unit.cell, cell, pin));
                    let inputs = inputs.collect::<Result<Vec<_>>>()?;
                    let width = cell.outputs.first().map_or(0, |pin| pin.bits.len());
                    let raw = functions::word(&mut values.gates, function, &inputs, width)?;
                    values.drive_all(unit.cell, cell, &raw)?;
                }
                (None, Kind::Register(register)) => {
                    let raw = values.reset_at_any_time(unit.cell, cell, register)?;
                    values.drive_all(unit.cell, cell, &raw)?;
                }
                // Such a cell drives nothing.
                _ => {}
            }
        }
        Ok(values)
    }

    /// Returns the operand at `pin` that a bitwise function reads for its output bit `bit`. Beyond a short operand it is the sign or 0
    /// (`signs`); the select is the same for all bits.
    fn operand(
        &mut self,
        index: usize,
        cell: &Cell,
        pin: usize,
        bit: usize,
        signs: [bool; 2],
    ) -> Result<TermId> {
        let last = cell.inputs[pin].bits.len().checked_sub(1);
        match (pin, last) {
            // The select.
            (2, Some(_)) => self.input(index, cell, pin, 0),
            (_, Some(last)) if bit <= last => self.input(index, cell, pin, bit),
            (0 | 1, Some(last)) if signs[pin] => self.input(index, cell, pin, last),
            _ => Ok(self.gates.constant(false)),
        }
    }

    /// Returns the output of a register or a choice.
    fn source(&mut self, index: usize, cell: &Cell) -> Result<Vec<TermId>> {
        let width = cell.outputs.first().map_or(0, |pin| pin.bits.len());
        (0..width)
            .map(|bit| match cell.kind {
                Kind::AnySequence => {
                    let what = Unsaid::Chosen(index, bit);
                    self.world.unsaid(&mut self.gates, what)
                }
                _ => Ok(self.world.held(index, bit)),
            })
            .collect()
    }

    fn reset_at_any_time(
        &mut self,
        index: usize,
        cell: &Cell,
        register: &Register,
    ) -> Result<Vec<TermId>> {
        let held = self.source(index, cell)?;
        let Some(reset) = &register.asynchronous else {
            return Ok(held);
        };
        let resets = self.level(index, cell, reset.pin, reset.active)?;
        held.iter()
            .zip(&reset.value)
            .map(|(&held, &value)| {
                let value = self.gates.constant(value);
                self.gates.mux(resets, value, held)
            })
            .collect()
    }

    /// Returns the condition that a pin of one bit has this value.
    fn level(&mut self, index: usize, cell: &Cell, pin: usize, value: bool) -> Result<TermId> {
        let bit = self.input(index, cell, pin, 0)?;
        if value { Ok(bit) } else { self.gates.not(bit) }
    }

    /// Returns the value of a register in the next step.
    pub(super) fn next(&mut self, index: usize, register: &Register) -> Result<Vec<TermId>> {
        let cell = &self.flat.cells[index].cell;
        let held = self.source(index, cell)?;
        let mut next = self.pin(index, cell, 0)?;
        let enabled = match register.enable {
            Some((pin, value)) => Some(self.level(index, cell, pin, value)?),
            None => None,
        };
        if let (Some(enabled), false) = (enabled, register.enable_first) {
            next = self.gates.each_mux(enabled, &next, &held)?;
        }
        for (reset, comes_first) in [
            (&register.synchronous, register.enable_first),
            (&register.asynchronous, false),
        ] {
            if let Some(reset) = reset {
                let resets = self.level(index, cell, reset.pin, reset.active)?;
                let value = reset.value.iter().map(|&value| self.gates.constant(value));
                let value: Vec<TermId> = value.collect();
                next = self.gates.each_mux(resets, &value, &next)?;
            }
            if let (Some(enabled), true) = (enabled, comes_first) {
                next = self.gates.each_mux(enabled, &next, &held)?;
            }
        }
        Ok(next)
    }

    /// Returns the value at a pin of a cell.
    pub(super) fn pin(&mut self, index: usize, cell: &Cell, pin: usize) -> Result<Vec<TermId>> {
        let bits = 0..cell.inputs[pin].bits.len();
        bits.map(|bit| self.input(index, cell, pin, bit)).collect()
    }

    /// Returns the value that the cell `index` reads at a bit of a pin, changed by the mutants there.
    fn input(&mut self, index: usize, cell: &Cell, pin: usize, bit: usize) -> Result<TermId> {
        let wire = cell.inputs[pin].bits[bit];
        let raw = self.wire(wire, Unsaid::Pin(index, pin, bit))?;
        self.mutated(index, cell, (Side::Input, pin, bit), raw, &[])
    }

    /// Returns the value of a bit. `unsaid` is the place if the bit has no defined value.
    pub(super) fn wire(&mut self, wire: Bit, unsaid: Unsaid) -> Result<TermId> {
        match wire {
            Bit::Constant(value) => Ok(self.gates.constant(value)),
            Bit::Unknown => self.world.unsaid(&mut self.gates, unsaid),
            Bit::Net(net) => {
                if let Some(known) = self.nets[net] {
                    return Ok(known);
                }
                let value = match self.flat.drivers[net] {
                    Driver::Port(port, bit) => self.world.port(port, bit),
                    // Outputs of cells are evaluated before they are read, so this net has no value.
                    Driver::Nobody | Driver::Cell(..) => {
                        self.world.unsaid(&mut self.gates, Unsaid::Net(net))?
                    }
                };
                self.nets[net] = Some(value);
                Ok(value)
            }
        }
    }

    fn drive_all(&mut self, index: usize, cell: &Cell, raw: &[TermId]) -> Result<()> {
        for (bit, &value) in raw.iter().enumerate() {
            self.drive(index, cell, bit, value, raw)?;
        }
        Ok(())
    }

    /// Sets the net at an output bit to `raw`, changed by the mutants there. `at_once` has all output bits that the cell computes together,
    /// before mutants; empty for a bitwise function.
    fn drive(
        &mut self,
        index: usize,
        cell: &Cell,
        bit: usize,
        raw: TermId,
        at_once: &[TermId],
    ) -> Result<()> {
        let value = self.mutated(index, cell, (Side::Output, 0, bit), raw, at_once)?;
        if let Some(Bit::Net(net)) = cell.outputs.first().and_then(|pin| pin.bits.get(bit)) {
            self.nets[*net] = Some(value);
        }
        Ok(())
    }

    fn mutated(
        &mut self,
        index: usize,
        cell: &Cell,
        place: (Side, usize, usize),
        raw: TermId,
        at_once: &[TermId],
    ) -> Result<TermId> {
        let planted = self.planted.get(&index).map_or(&[][..], Vec::as_slice);
        let here = planted.partition_point(|planted| planted.place() < place);
        let mut value = raw;
        for planted in &planted[here..] {
            if planted.place() != place {
                break;
            }
            let change = &planted.change;
            let mutant = match change.operation {
                Operation::Invert => self.gates.not(raw)?,
                Operation::Constant(value) => self.gates.constant(value),
                Operation::ControlledNot(when) => {
                    let control = self.control(cell, change, at_once)?;
                    let differ = self.gates.xor(raw, control)?;
                    if when {
                        differ
                    } else {
                        self.gates.not(differ)?
                    }
                }
            };
            value = self.gates.mux(planted.selector, mutant, value)?;
        }
        Ok(value)
    }

    fn control(&mut self, cell: &Cell, change: &Change, at_once: &[TermId]) -> Result<TermId> {
        // A change that needs a control has one.
        let Some(control) = change.control else {
            return Ok(self.gates.constant(true));
        };
        match control.side {
            Side::Output if !at_once.is_empty() => Ok(at_once[control.bit]),
            Side::Output => self.wire(cell.outputs[control.pin].bits[control.bit], Unsaid::Net(0)),
            Side::Input => self.wire(cell.inputs[control.pin].bits[control.bit], Unsaid::Net(0)),
        }
    }
}

impl Planted {
    /// Returns the sort key for mutants of a cell: side, pin and bit.
    pub(super) fn place(&self) -> (Side, usize, usize) {
        (self.change.side, self.change.pin, self.change.bit)
    }
}
