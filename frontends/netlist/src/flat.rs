//! Flattens the design: instances are expanded, and every net has its only driver.

use hyperkill_frontend::{Diagnostic, Span, did_you_mean};
use rustc_hash::FxHashMap;

use crate::function::{Function, Operation};
use crate::netlist::{Bit, Cell, Direction, Kind, Library, Module, Pin, Port};
use crate::ports::group;

/// The number of pin bits of a flattened design, at most. A larger design would take too long to decide.
const MOST_BITS: usize = 10_000_000;
/// The nesting depth of instances, at most.
const MOST_LEVELS: usize = 200;

/// A design without hierarchy. Bits of its cells refer to its own nets.
#[derive(Clone, Debug, Default)]
pub struct Flat {
    /// The name of the top module.
    pub top: String,
    /// The ports of the top module.
    pub ports: Vec<Port>,
    /// All cells of the design.
    pub cells: Vec<FlatCell>,
    /// The names of all nets, with instance names and dots in front.
    pub nets: Vec<String>,
    /// The driver of each net.
    pub drivers: Vec<Driver>,
}

/// A cell somewhere in the hierarchy.
#[derive(Clone, Debug)]
pub struct FlatCell {
    /// The cell, connected to nets of the flat design.
    pub cell: Cell,
    /// The index of the module, and of the cell there; `None` for a connection between modules.
    pub origin: Option<(usize, usize)>,
}

/// The driver of a net.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Driver {
    /// Nothing drives the net.
    Nobody,
    /// The port with this index, at this bit.
    Port(usize, usize),
    /// This bit of the only output of the cell with this index.
    Cell(usize, usize),
}

/// Expands all instances below the top module: the one with this name, the one that the file marks, or the only one without an instance.
/// `grouped`: ports of one bit that form a word by their names are joined.
///
/// # Errors
/// If there is no such module, modules contain themselves, or nets have two drivers.
pub fn flatten(
    library: &Library,
    top: Option<&str>,
    grouped: bool,
) -> Result<Flat, Vec<Diagnostic>> {
    let by_name: FxHashMap<&str, usize> = (library.modules.iter().enumerate())
        .map(|(index, module)| (module.name.as_str(), index))
        .collect();
    let top = top_module(library, &by_name, top).map_err(|error| vec![error])?;
    let module = &library.modules[top];
    let mut opening = Opening {
        library,
        by_name: &by_name,
        flat: Flat {
            top: module.name.clone(),
            ..Flat::default()
        },
        bits: 0,
        errors: Vec::new(),
    };
    opening.open(top, "", FxHashMap::default(), &mut Vec::new())?;
    let mut flat = opening.flat;
    if grouped {
        flat.ports = group(flat.ports);
    }
    let errors = drive(&mut flat);
    if errors.is_empty() {
        Ok(flat)
    } else {
        Err(errors)
    }
}

fn top_module(
    library: &Library,
    by_name: &FxHashMap<&str, usize>,
    top: Option<&str>,
) -> Result<usize, Diagnostic> {
    if let Some(name) = top {
        let missing = || {
            let near = did_you_mean(name, by_name.keys().copied());
            Diagnostic::option(format!("--top: there is no module `{name}`"), near)
        };
        return by_name.get(name).copied().ok_or_else(missing);
    }
    let modules = &library.modules;
    if let Some(marked) = modules.iter().position(|module| module.is_top) {
        return Ok(marked);
    }
    let mut used = vec![false; modules.len()];
    for instance in modules.iter().flat_map(|module| &module.instances) {
        if let Some(&module) = by_name.get(instance.module.as_str()) {
            used[module] = true;
        }
    }
    let unused: Vec<usize> = (0..modules.len()).filter(|&index| !used[index]).collect();
    match unused.as_slice() {
        [top] => Ok(*top),
        [] => Err(Diagnostic::unlocated("every module is used by another one")
            .with_help("name the top by --top")),
        [first, second, ..] => Err(Diagnostic::error(
            modules[*second].span,
            format!(
                "`{}` and `{}` are used by no other module",
                modules[*first].name, modules[*second].name
            ),
        )
        .with_help("name the top by --top")),
    }
}

/// Returns the size of a copy of a module: bits of pins, including those of covers, and a constant for every cell.
fn size(module: &Module) -> usize {
    const CELL: usize = 8;
    let pins = |pins: &[Pin]| pins.iter().map(|pin| pin.bits.len()).sum::<usize>();
    let cells = module.cells.iter().map(|cell| {
        let cover = match &cell.kind {
            Kind::Function(Function {
                operation: Operation::Cover(cover),
                ..
            }) => cover.rows.iter().map(Vec::len).sum(),
            Kind::Function(Function {
                operation: Operation::Table(table),
                ..
            }) => table.len(),
            _ => 0,
        };
        CELL + pins(&cell.inputs) + pins(&cell.outputs) + cover
    });
    let instances = module
        .instances
        .iter()
        .map(|instance| CELL + pins(&instance.pins));
    cells.chain(instances).sum::<usize>() + CELL
}

struct Opening<'a> {
    library: &'a Library,
    by_name: &'a FxHashMap<&'a str, usize>,
    flat: Flat,
    /// The number of pin bits so far.
    bits: usize,
    errors: Vec<Diagnostic>,
}

impl Opening<'_> {
    fn net(&mut self, name: String) -> Bit {
        self.flat.nets.push(name);
        Bit::Net(self.flat.nets.len() - 1)
    }

    /// Adds the cells of the module `index` and of all instances below it. `prefix` stands before its names; `nets` maps its nets that are
    /// connected outside. `path` has the modules that contain it; without one, its ports become those of the design.
    fn open(
        &mut self,
        index: usize,
        prefix: &str,
        mut nets: FxHashMap<usize, Bit>,
        path: &mut Vec<usize>,
    ) -> Result<(), Vec<Diagnostic>> {
        let library = self.library;
        let module = &library.modules[index];
        if path.contains(&index) || path.len() >= MOST_LEVELS {
            let message = format!("`{}` contains itself", module.name);
            return Err(vec![Diagnostic::error(module.span, message)]);
        }
        self.bits += size(module);
        if self.bits > MOST_BITS {
            let message = format!("the design has more than {MOST_BITS} bits of pins");
            return Err(vec![Diagnostic::error(module.span, message)]);
        }
        if path.is_empty() {
            for port in &module.ports {
                let port = Port {
                    bits: self.bits(module, prefix, &mut nets, &port.bits),
                    ..port.clone()
                };
                self.flat.ports.push(port);
            }
        }
        for (number, cell) in module.cells.iter().enumerate() {
            let mut copy = cell.clone();
            copy.name = format!("{prefix}{}", cell.name);
            for pin in copy.inputs.iter_mut().chain(&mut copy.outputs) {
                pin.bits = self.bits(module, prefix, &mut nets, &pin.bits);
            }
            if let Kind::Register(register) = &mut copy.kind
                && let Some(clock) = &mut register.clock
            {
                clock.bit = self.bit(module, prefix, &mut nets, clock.bit);
            }
            self.flat.cells.push(FlatCell {
                cell: copy,
                origin: Some((index, number)),
            });
        }
        path.push(index);
        for instance in &module.instances {
            let Some(&inner) = self.by_name.get(instance.module.as_str()) else {
                let message = format!("there is no module `{}`", instance.module);
                return Err(vec![
                    Diagnostic::error(instance.span, message)
                        .with_help("give the file that holds it as one more MODEL"),
                ]);
            };
            let child = &library.modules[inner];
            let below = format!("{prefix}{}.", instance.name);
            let connected: Vec<Pin> = instance
                .pins
                .iter()
                .map(|pin| Pin {
                    bits: self.bits(module, prefix, &mut nets, &pin.bits),
                    ..pin.clone()
                })
                .collect();
            let inside = self.connect(child, instance.span, &connected, &below);
            if !self.errors.is_empty() {
                return Err(std::mem::take(&mut self.errors));
            }
            self.open(inner, &below, inside, path)?;
        }
        path.pop();
        Ok(())
    }

    fn bits(
        &mut self,
        module: &Module,
        prefix: &str,
        nets: &mut FxHashMap<usize, Bit>,
        bits: &[Bit],
    ) -> Vec<Bit> {
        let bits = bits.iter();
        bits.map(|&bit| self.bit(module, prefix, nets, bit))
            .collect()
    }

    fn bit(
        &mut self,
        module: &Module,
        prefix: &str,
        nets: &mut FxHashMap<usize, Bit>,
        bit: Bit,
    ) -> Bit {
        let Bit::Net(net) = bit else { return bit };
        if let Some(&known) = nets.get(&net) {
            return known;
        }
        let new = self.net(format!("{prefix}{}", module.nets[net]));
        nets.insert(net, new);
        new
    }

    /// Returns the nets of the module `child` for the connections `pins` of an instance. An unconnected input is unknown; an unconnected
    /// output gets a new net below the prefix `below`. Records unknown ports in `errors`. Adds a buffer where an output is an input, a
    /// constant or a repeated net.
    fn connect(
        &mut self,
        child: &Module,
        span: Span,
        pins: &[Pin],
        below: &str,
    ) -> FxHashMap<usize, Bit> {
        let mut inside: FxHashMap<usize, Bit> = FxHashMap::default();
        for pin in pins {
            if !child.ports.iter().any(|port| port.name == pin.name) {
                let message = format!("`{}` has no port `{}`", child.name, pin.name);
                let span = pin.spans.first().copied().unwrap_or(span);
                self.errors.push(Diagnostic::error(span, message));
            }
        }
        // Inputs come first, so that an output that equals an input is driven by it.
        for direction in [Direction::Input, Direction::Output] {
            for port in child
                .ports
                .iter()
                .filter(|port| port.direction == direction)
            {
                let pin = pins.iter().find(|pin| pin.name == port.name);
                for (bit, &inner) in port.bits.iter().enumerate() {
                    let outer = pin.and_then(|pin| pin.bits.get(bit)).copied();
                    match (direction, inner) {
                        (Direction::Input, Bit::Net(net)) => {
                            inside.insert(net, outer.unwrap_or(Bit::Unknown));
                        }
                        (Direction::Input, _) => {}
                        (Direction::Output, Bit::Net(net)) if !inside.contains_key(&net) => {
                            let outer = match outer {
                                Some(outer @ Bit::Net(_)) => outer,
                                _ => self.net(format!("{below}{}", port.name)),
                            };
                            inside.insert(net, outer);
                        }
                        (Direction::Output, inner) => {
                            let from = match inner {
                                Bit::Net(net) => inside[&net],
                                other => other,
                            };
                            if let Some(to @ Bit::Net(_)) = outer {
                                self.join(span, from, to);
                            }
                        }
                    }
                }
            }
        }
        inside
    }

    /// Adds a buffer that drives `to` from `from`. It is no cell of the source and has no mutants.
    fn join(&mut self, span: Span, from: Bit, to: Bit) {
        let pin = |name: &str, bit: Bit| Pin {
            name: name.to_owned(),
            bits: vec![bit],
            spans: vec![span],
        };
        self.flat.cells.push(FlatCell {
            cell: Cell {
                name: String::new(),
                kind: Kind::Function(Function::unsigned(Operation::Buffer)),
                inputs: vec![pin("A", from)],
                outputs: vec![pin("Y", to)],
                span,
                mutable: false,
            },
            origin: None,
        });
    }
}

/// Finds the driver of each net. Returns the errors.
fn drive(flat: &mut Flat) -> Vec<Diagnostic> {
    let mut errors = Vec::new();
    let mut drivers = vec![Driver::Nobody; flat.nets.len()];
    let mut claim = |net: usize, driver: Driver, span: Span, errors: &mut Vec<Diagnostic>| {
        if drivers[net] == Driver::Nobody {
            drivers[net] = driver;
        } else {
            let message = format!("`{}` has two drivers", flat.nets[net]);
            errors.push(Diagnostic::error(span, message));
        }
    };
    for (index, port) in flat.ports.iter().enumerate() {
        for (bit, wire) in port.bits.iter().enumerate() {
            if let (Direction::Input, Bit::Net(net)) = (port.direction, wire) {
                claim(*net, Driver::Port(index, bit), port.span, &mut errors);
            }
        }
    }
    for (index, FlatCell { cell, .. }) in flat.cells.iter().enumerate() {
        for pin in &cell.outputs {
            for (bit, wire) in pin.bits.iter().enumerate() {
                let span = pin.spans.get(bit).copied().unwrap_or(cell.span);
                match wire {
                    Bit::Net(net) => claim(*net, Driver::Cell(index, bit), span, &mut errors),
                    Bit::Constant(_) => {
                        let message = "an output of a cell is connected to a constant";
                        errors.push(Diagnostic::error(span, message));
                    }
                    // An unconnected bit.
                    Bit::Unknown => {}
                }
            }
        }
    }
    flat.drivers = drivers;
    errors
}
