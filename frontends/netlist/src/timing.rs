//! The facts of a netlist about its clocks and resets: pins of registers, traced back to ports. Their evaluation is common to all hardware
//! languages ([`hyperkill_frontend::clocked`]).

use hyperkill_core::system::{Init, TransitionSystem};
use hyperkill_core::term::{Term, TermId};
use hyperkill_frontend::clocked::{
    ClockUse, Facts, Input, Link, Origin, Read, ResetUse, Timing, infer, origin, power_up,
};
use hyperkill_frontend::hardware::{Deposit, FreeRegister, Pin};
use hyperkill_frontend::{Diagnostic, FrontendOptions, Hardware};
use rustc_hash::{FxHashMap, FxHashSet};

use crate::flat::{Driver, Flat, FlatCell};
use crate::function::{Cover, Operation};
use crate::netlist::{Bit, Direction, Kind};

/// Clocks and resets of a netlist. An input has the index of its port.
#[derive(Clone, Debug)]
pub struct Clocking {
    /// The facts about the uses of inputs that clocks and resets are inferred from.
    pub facts: Facts<usize>,
    /// The clocks and resets that are inferred from the facts.
    pub timing: Timing<usize>,
    /// Cells between a clock and registers: they are no logic, and have no mutants.
    pub ways: FxHashSet<usize>,
}

/// Infers clocks and resets.
///
/// # Errors
/// If they are not supported, with their places.
pub fn clocking(flat: &Flat, options: &FrontendOptions) -> Result<Clocking, Vec<Diagnostic>> {
    let mut ways = Ways::default();
    let (mut clocks, mut resets) = (Vec::new(), Vec::new());
    let (mut seen, mut seen_resets) = (FxHashSet::default(), FxHashSet::default());
    for cell in flat.cells.iter().map(|found| &found.cell) {
        let Some(register) = cell.register() else {
            continue;
        };
        // Each signal once, since there are many registers.
        if let Some(pin) = register.clock
            && seen.insert((pin.bit, pin.rising))
        {
            clocks.push(ClockUse {
                origin: ways.follow(flat, pin.bit),
                name: match pin.bit {
                    Bit::Net(net) => Some(flat.nets[net].clone()),
                    Bit::Constant(_) | Bit::Unknown => None,
                },
                rising: pin.rising.unwrap_or(true),
                place: cell.span,
            });
        }
        let reset = register.asynchronous.as_ref();
        let reset = reset.map(|reset| (cell.inputs[reset.pin].bits[0], reset.active));
        if let Some((bit, active)) = reset
            && seen_resets.insert((bit, active))
        {
            resets.push(ResetUse {
                origin: origin(bit, |bit| link(flat, bit).0),
                active,
                place: cell.span,
            });
        }
    }
    let reads = ways.reads(flat);
    let ports = flat.ports.iter().enumerate();
    let inputs = ports.filter(|(_, port)| port.direction == Direction::Input);
    let inputs = inputs.map(|(id, port)| Input {
        id,
        name: port.name.clone(),
        width: port.bits.len(),
        read: reads.get(&id).copied(),
    });
    let facts = Facts {
        inputs: inputs.collect(),
        clocks,
        resets,
    };
    let timing = infer(&facts, options).map_err(|error| vec![error])?;
    let of_clocks = ways.cells.into_iter();
    let of_clocks = of_clocks.filter(|(_, input)| timing.is_clock(*input));
    Ok(Clocking {
        facts,
        ways: of_clocks.map(|(cell, _)| cell).collect(),
        timing,
    })
}

/// Nets and cells between inputs and the clock pins of registers, with the inputs.
#[derive(Default)]
struct Ways {
    nets: FxHashMap<usize, usize>,
    cells: FxHashMap<usize, usize>,
}

impl Ways {
    /// Returns the origin of a clock. Records the nets and cells on the path to it.
    fn follow(&mut self, flat: &Flat, bit: Bit) -> Origin<usize> {
        let (mut nets, mut cells) = (Vec::new(), Vec::new());
        let found = origin(bit, |bit| {
            if let Bit::Net(net) = bit {
                nets.push(net);
            }
            let (link, cell) = link(flat, bit);
            cells.extend(cell);
            link
        });
        if let Origin::Input { id, .. } = found {
            self.nets.extend(nets.into_iter().map(|net| (net, id)));
            self.cells.extend(cells.into_iter().map(|cell| (cell, id)));
        }
        found
    }

    /// Returns for each input that is the origin of a clock a place where it is read as a value, if there is one.
    fn reads(&self, flat: &Flat) -> FxHashMap<usize, Read> {
        let mut found = FxHashMap::default();
        let input = |bit: &Bit| match bit {
            Bit::Net(net) => self.nets.get(net).copied(),
            Bit::Constant(_) | Bit::Unknown => None,
        };
        for (index, FlatCell { cell, .. }) in flat.cells.iter().enumerate() {
            if self.cells.contains_key(&index) {
                continue;
            }
            let bits = cell.inputs.iter().flat_map(|pin| &pin.bits);
            for input in bits.filter_map(input) {
                found.entry(input).or_insert(Read {
                    place: cell.span,
                    is_output: false,
                });
            }
        }
        let ports = flat.ports.iter();
        for port in ports.filter(|port| port.direction == Direction::Output) {
            for input in port.bits.iter().filter_map(input) {
                found.entry(input).or_insert(Read {
                    place: port.span,
                    is_output: true,
                });
            }
        }
        found
    }
}

/// Returns the link from a bit towards a port, and the cell of this link. The cell is `None` if the link ends at a port, a constant, or a
/// cell that is no buffer or inverter of one bit.
fn link(flat: &Flat, bit: Bit) -> (Link<usize, Bit>, Option<usize>) {
    let Bit::Net(net) = bit else {
        return (Link::Constant, None);
    };
    match flat.drivers[net] {
        Driver::Port(port, _) if flat.ports[port].bits.len() == 1 => (Link::Input(port), None),
        Driver::Port(port, _) => (Link::Bit(port), None),
        Driver::Cell(index, 0) => match of_one_bit(flat, index) {
            Some(link) => (link, Some(index)),
            None => (Link::Other, None),
        },
        Driver::Cell(..) | Driver::Nobody => (Link::Other, None),
    }
}

/// Returns the link through a buffer or an inverter of one bit; `None` for other cells.
fn of_one_bit(flat: &Flat, index: usize) -> Option<Link<usize, Bit>> {
    let cell = &flat.cells[index].cell;
    let Kind::Function(function) = &cell.kind else {
        return None;
    };
    let ([input], [output]) = (cell.inputs.as_slice(), cell.outputs.as_slice()) else {
        return None;
    };
    let ([bit], [_]) = (input.bits.as_slice(), output.bits.as_slice()) else {
        return None;
    };
    let inverts = match &function.operation {
        Operation::Buffer => false,
        Operation::Not | Operation::LogicNot => true,
        Operation::Table(entries) => match entries[..] {
            [false, true] => false,
            [true, false] => true,
            _ => return None,
        },
        Operation::Cover(Cover { rows, value }) => match rows.as_slice() {
            [row] => match row[..] {
                [Some(one)] => one != *value,
                _ => return None,
            },
            _ => return None,
        },
        _ => return None,
    };
    Some(match inverts {
        true => Link::Inverse(*bit),
        false => Link::Same(*bit),
    })
}

/// Returns the interface of the design.
///
/// # Errors
/// If no bench can drive its clocks.
pub fn hardware(
    flat: &Flat,
    clocking: &Clocking,
    options: &FrontendOptions,
) -> Result<Hardware, Diagnostic> {
    let Clocking { facts, timing, .. } = clocking;
    let pins = |direction: Direction| {
        let ports = flat.ports.iter().enumerate();
        let ports = ports.filter(|(index, port)| {
            let is_seen = port.direction == direction && !timing.is_clock(*index);
            is_seen && !port.bits.is_empty()
        });
        let pins = ports.map(|(_, port)| Pin {
            name: port.name.clone(),
            width: port.bits.len(),
        });
        pins.collect()
    };
    Ok(Hardware {
        top: flat.top.clone(),
        clocks: timing.bench_clocks(facts)?,
        resets: timing.bench_resets(facts),
        inputs: pins(Direction::Input),
        outputs: pins(Direction::Output),
        deposits: match power_up(options) {
            Some(value) => deposits(flat, value),
            None => Vec::new(),
        },
        ..Hardware::default()
    })
}

/// Returns the registers without an initial value in the source, each with the initial bit `value`.
fn deposits(flat: &Flat, value: bool) -> Vec<Deposit> {
    let mut found = Vec::new();
    let mut seen = FxHashSet::default();
    for FlatCell { cell, .. } in &flat.cells {
        let Some(register) = cell.register() else {
            continue;
        };
        for (bit, init) in cell.outputs[0].bits.iter().zip(&register.init) {
            if let (Bit::Net(net), None) = (bit, init)
                && is_path(&flat.nets[*net])
                && seen.insert(*net)
            {
                found.push(Deposit {
                    path: flat.nets[*net].clone(),
                    bits: vec![value],
                });
            }
        }
    }
    found
}

/// Adds to `hardware` the registers with any initial value in `system`, which is the design without mutants; each bit is a variable. Below
/// instances a net has several names, and the netlist does not identify the register's name. A bench that sets another one does not
/// compile, so such registers are listed as unnamed.
pub fn note_free_registers(flat: &Flat, system: &TransitionSystem, hardware: &mut Hardware) {
    let mut states = system.states.iter();
    let has_instances = flat
        .nets
        .iter()
        .any(|name| name.contains('.') && is_path(name));
    for FlatCell { cell, .. } in &flat.cells {
        let (Kind::Register(_) | Kind::AnyConstant) = &cell.kind else {
            continue;
        };
        let bits = cell.outputs.first().map_or(0, |pin| pin.bits.len());
        for state in states.by_ref().take(bits) {
            let is_known = match state.init {
                Init::Free => false,
                Init::Term(term) => is_constant(system, term),
            };
            if is_known || matches!(cell.kind, Kind::AnyConstant) {
                continue;
            }
            match is_path(&state.name) && !has_instances {
                true => hardware.free.push(FreeRegister {
                    path: state.name.clone(),
                    state: state.name.clone(),
                    low: 0,
                    width: 1,
                }),
                false => hardware.unnamed.push(state.name.clone()),
            }
        }
    }
}

fn is_constant(system: &TransitionSystem, term: TermId) -> bool {
    match system.terms.term(term) {
        Term::Constant(_) => true,
        Term::Cast(inner) => is_constant(system, *inner),
        _ => false,
    }
}

/// Whether the name is a hierarchical register name in plain Verilog.
fn is_path(name: &str) -> bool {
    name.split('.').all(|part| {
        let mut pieces = part.split('[');
        let name = pieces.next().unwrap_or_default();
        let plain = |c: u8| c.is_ascii_alphanumeric() || c == b'_';
        let indices = pieces.all(|index| {
            let digits = index.strip_suffix(']');
            digits.is_some_and(hyperkill_text::is_number)
        });
        let begins = name.bytes().next().is_some_and(|b| !b.is_ascii_digit());
        begins && name.bytes().all(plain) && indices
    })
}
