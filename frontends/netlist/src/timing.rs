//! The clock of a design and its resets: found, asked for, or refused.
//!
//! One input is the clock of all registers, and drives nothing else; if that is asked for, all clocks are taken for one. A reset that
//! registers have at any time is inferred as one that happens before every test; others are asked for by `--reset`.

use hyperkill_core::system::{Init, TransitionSystem};
use hyperkill_core::term::{Term, TermId};
use hyperkill_frontend::hardware::{Clock, Deposit, FreeRegister, Pin, Reset};
use hyperkill_frontend::{Diagnostic, FrontendOptions, Hardware, Span, did_you_mean};
use rustc_hash::{FxHashMap, FxHashSet};

use crate::flat::{Driver, Flat, FlatCell};
use crate::function::Operation;
use crate::netlist::{Bit, Cell, Direction, Kind};

/// When registers change, and what happens before the first step.
#[derive(Clone, Debug, Default)]
pub struct Timing {
    /// The clock, if there is one; several are taken for one.
    pub clocks: Vec<ClockInput>,
    /// A register whose clock is no input, or is read as data too: no bench can tick it.
    pub made: Option<Span>,
    /// Inputs that are active before the first step.
    pub resets: Vec<ResetInput>,
    /// For how many clock steps.
    pub reset_steps: usize,
    /// What was inferred, for people.
    pub notes: Vec<String>,
}

/// A clock.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct ClockInput {
    /// Index of its port.
    pub input: usize,
    /// Whether registers change when it rises.
    pub rising: bool,
}

impl Timing {
    /// Whether a port is a clock, and so no input of the model.
    #[must_use]
    pub fn is_clock(&self, port: usize) -> bool {
        self.clocks.iter().any(|clock| clock.input == port)
    }
}

/// A reset.
#[derive(Clone, Copy, Debug)]
pub struct ResetInput {
    /// Index of its port.
    pub input: usize,
    /// What resets.
    pub active: bool,
}

/// Finds clock and resets.
///
/// # Errors
/// If there are several clocks, a clock that is no input or is read as data, or a reset that is no input of one bit. Clocks of all sorts
/// pass where they are to be one.
pub fn timing(flat: &Flat, options: &FrontendOptions) -> Result<Timing, Vec<Diagnostic>> {
    let mut timing = Timing::default();
    clocks(flat, options, &mut timing).map_err(|error| vec![error])?;
    resets(flat, options, &mut timing).map_err(|error| vec![error])?;
    Ok(timing)
}

/// The nets that registers change by: one, unless all are to be one.
fn clocks(flat: &Flat, options: &FrontendOptions, timing: &mut Timing) -> Result<(), Diagnostic> {
    let mut found: Vec<(usize, bool, Span)> = Vec::new();
    for cell in flat.cells.iter().map(|found| &found.cell) {
        let Some(pin) = cell.register().and_then(|register| register.clock) else {
            continue;
        };
        let Bit::Net(net) = pin.bit else {
            return Err(Diagnostic::error(
                cell.span,
                "the clock of this register never changes",
            ));
        };
        let rising = pin.rising.unwrap_or(true);
        if (found.iter()).any(|&(other, edge, _)| (other, edge) == (net, rising)) {
            continue;
        }
        if let Some(&(first, _, span)) = found.first()
            && !options.one_clock
        {
            let message = if first == net {
                format!("registers change on both edges of `{}`", flat.nets[net])
            } else {
                let (first, second) = (&flat.nets[first], &flat.nets[net]);
                format!("there are two clocks, `{first}` and `{second}`")
            };
            return Err(one_clock(
                Diagnostic::error(cell.span, message).with_label(span, "another register"),
            ));
        }
        found.push((net, rising, cell.span));
    }
    for (net, rising, span) in found {
        match clock_input(flat, net, rising, span) {
            Ok(clock) => timing.clocks.push(clock),
            Err(_) if options.one_clock => timing.made = Some(span),
            Err(error) => return Err(one_clock(error)),
        }
    }
    Ok(())
}

fn one_clock(diagnostic: Diagnostic) -> Diagnostic {
    diagnostic.with_help("with --one-clock every register changes at every step")
}

fn clock_input(
    flat: &Flat,
    net: usize,
    rising: bool,
    span: Span,
) -> Result<ClockInput, Diagnostic> {
    let name = &flat.nets[net];
    let Driver::Port(input, _) = flat.drivers[net] else {
        let message = format!("the clock `{name}` is no input");
        return Err(Diagnostic::error(span, message));
    };
    if flat.ports[input].bits.len() != 1 {
        let message = format!("the clock `{name}` is one bit of a wider input");
        return Err(Diagnostic::error(flat.ports[input].span, message));
    }
    let is_read = |bit: &Bit| *bit == Bit::Net(net);
    for found in &flat.cells {
        let mut pins = found.cell.inputs.iter();
        if pins.any(|pin| pin.bits.iter().any(is_read)) {
            let message = format!("the clock `{name}` is read as data");
            return Err(Diagnostic::error(found.cell.span, message));
        }
    }
    let outputs = flat
        .ports
        .iter()
        .filter(|port| port.direction == Direction::Output);
    for port in outputs {
        if port.bits.iter().any(is_read) {
            let message = format!("the clock `{name}` is an output");
            return Err(Diagnostic::error(port.span, message));
        }
    }
    Ok(ClockInput { input, rising })
}

fn resets(flat: &Flat, options: &FrontendOptions, timing: &mut Timing) -> Result<(), Diagnostic> {
    // In the order of the ports: false, true or both.
    let mut inferred: FxHashMap<usize, Vec<bool>> = FxHashMap::default();
    let cells = flat.cells.iter();
    for found in cells.filter(|_| !options.infer_no_resets) {
        if let Some((input, active)) = reset_input(flat, &found.cell) {
            let levels = inferred.entry(input).or_default();
            if !levels.contains(&active) {
                levels.push(active);
            }
        }
    }
    let mut steps = 0;
    for asked in &options.resets {
        let mut ports = flat.ports.iter().enumerate();
        let found = ports.find(|(index, port)| {
            let is_input = port.direction == Direction::Input && !timing.is_clock(*index);
            port.name == asked.name && is_input
        });
        let Some((input, port)) = found else {
            let message = format!("--reset {}: there is no such input", asked.name);
            let inputs = flat.ports.iter().enumerate().filter(|(index, port)| {
                port.direction == Direction::Input && !timing.is_clock(*index)
            });
            let near = did_you_mean(&asked.name, inputs.map(|(_, port)| port.name.as_str()));
            return Err(Diagnostic::option(message, near));
        };
        if port.bits.len() != 1 {
            let message = format!("--reset {}: a reset has one bit", asked.name);
            return Err(Diagnostic::option(message, None));
        }
        let seen = inferred.remove(&input);
        let seen = seen.and_then(|levels| levels.first().copied());
        let active = asked.active.or(seen).unwrap_or(true);
        timing.resets.push(ResetInput { input, active });
        steps = steps.max(asked.steps.unwrap_or(1));
    }
    let mut inferred: Vec<(usize, Vec<bool>)> = inferred.into_iter().collect();
    inferred.sort_unstable();
    for (input, levels) in inferred {
        let name = &flat.ports[input].name;
        let [active] = levels[..] else {
            let note = format!("{name}: no reset (0 resets some registers and 1 others)");
            timing.notes.push(note);
            continue;
        };
        let level = u8::from(active);
        let note = format!("{name}: reset (registers are reset when it is {level}, at any time)");
        timing.notes.push(note);
        timing.resets.push(ResetInput { input, active });
        steps = steps.max(1);
    }
    timing.reset_steps = steps;
    Ok(())
}

/// The input that resets a register at any time, and its level.
fn reset_input(flat: &Flat, cell: &Cell) -> Option<(usize, bool)> {
    let reset = cell.register()?.asynchronous.as_ref()?;
    let mut active = reset.active;
    let mut wire = cell.inputs[reset.pin].bits[0];
    // Each inverter is another net, so that no circle is possible; longer chains are nobody's.
    for _ in 0..4 {
        let Bit::Net(net) = wire else { return None };
        match flat.drivers[net] {
            Driver::Port(input, _) => {
                return (flat.ports[input].bits.len() == 1).then_some((input, active));
            }
            Driver::Cell(driver, 0) => {
                let driver = &flat.cells[driver].cell;
                let Kind::Function(function) = &driver.kind else {
                    return None;
                };
                match function.operation {
                    Operation::Not | Operation::LogicNot => active = !active,
                    Operation::Buffer => {}
                    _ => return None,
                }
                let [pin] = driver.inputs.as_slice() else {
                    return None;
                };
                let [bit] = pin.bits.as_slice() else {
                    return None;
                };
                wire = *bit;
            }
            _ => return None,
        }
    }
    None
}

/// The design seen from outside.
///
/// # Errors
/// If no bench can tick its clocks.
pub fn hardware(
    flat: &Flat,
    timing: &Timing,
    options: &FrontendOptions,
) -> Result<Hardware, Diagnostic> {
    if let Some(span) = timing.made {
        let message =
            "a bench cannot tick the clock of this register, which is no input or is read as data";
        return Err(Diagnostic::error(span, message));
    }
    for (index, clock) in timing.clocks.iter().enumerate() {
        if timing.clocks[..index]
            .iter()
            .any(|other| other.input == clock.input)
        {
            let name = &flat.ports[clock.input].name;
            let message = format!("a bench cannot make both edges of the clock `{name}` one step");
            return Err(Diagnostic::unlocated(message));
        }
    }
    let name = |input: usize| flat.ports[input].name.clone();
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
        clocks: (timing.clocks.iter())
            .map(|clock| Clock {
                port: name(clock.input),
                rising: clock.rising,
            })
            .collect(),
        resets: (timing.resets.iter())
            .map(|reset| Reset {
                port: name(reset.input),
                active: reset.active,
                steps: timing.reset_steps,
            })
            .collect(),
        inputs: pins(Direction::Input),
        outputs: pins(Direction::Output),
        deposits: match options.zero_init {
            true => deposits(flat),
            false => Vec::new(),
        },
        ..Hardware::default()
    })
}

/// Registers that only the option gives an initial value, by the names that the source has for them.
fn deposits(flat: &Flat) -> Vec<Deposit> {
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
                    bits: vec![false],
                });
            }
        }
    }
    found
}

/// Notes the registers that start a run with any value in `system`, which is the design without mutants: each bit is a variable.
/// Below instances a net has several names, and the netlist does not say which of them is the register's; a bench that sets another
/// one does not compile.
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

/// Whether this names a register below an instance in plain Verilog.
fn is_path(name: &str) -> bool {
    name.split('.').all(|part| {
        let mut pieces = part.split('[');
        let name = pieces.next().unwrap_or_default();
        let plain = |c: u8| c.is_ascii_alphanumeric() || c == b'_';
        let indices = pieces.all(|index| {
            let digits = index.strip_suffix(']');
            digits.is_some_and(|digits| {
                !digits.is_empty() && digits.bytes().all(|b| b.is_ascii_digit())
            })
        });
        let begins = name.bytes().next().is_some_and(|b| !b.is_ascii_digit());
        begins && name.bytes().all(plain) && indices
    })
}
