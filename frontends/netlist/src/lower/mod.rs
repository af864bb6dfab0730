//! Flat design to featured transition system: the original and all mutants at once.
//!
//! Registers become state, one variable per bit; the clock disappears. A bit with mutants becomes
//! `ite(selector, mutated, …, original)`. What nothing says (`x`, nets without driver) is a choice at every step.

mod functions;
mod gates;
mod start;
mod values;

use std::collections::BTreeMap;

use hyperkill_core::sort::Sort;
use hyperkill_core::system::{
    Constraint, Init, InputRole, InputVar, Invariant, Output, Place, Selector, StateVar,
    TransitionSystem, Warning, When,
};
use hyperkill_core::term::{TermError, TermId, TermPool};
use hyperkill_frontend::clocked::Timing;
use hyperkill_frontend::roles::{self, Undriven};
use hyperkill_frontend::{Diagnostic, FrontendOptions, Span};
use rustc_hash::FxHashMap;

use crate::flat::{Driver, Flat};
use crate::mutate::Mutation;
use crate::netlist::{Bit, Direction, Kind};
use crate::order::Order;
use crate::timing::Clocking;
use gates::{Gates, Result};
use values::{Planted, Unsaid, Values, World};

/// The state of the system: a variable per bit of registers and of choices that stay.
#[derive(Default)]
struct States {
    /// Cell and bit of each variable.
    of: Vec<(usize, usize)>,
    /// Variable of each cell's first bit.
    first: FxHashMap<usize, usize>,
}

/// Lowers a design with its mutants.
///
/// # Errors
/// If a port is too wide.
pub fn lower(
    flat: &Flat,
    order: &Order,
    clocking: &Clocking,
    mutations: &[Mutation],
    options: &FrontendOptions,
) -> std::result::Result<(TransitionSystem, Vec<String>), Vec<Diagnostic>> {
    let mut wide = Vec::new();
    for port in &flat.ports {
        let sort = sort(port.bits.len());
        if !sort.is_well_formed() {
            let message = format!(
                "`{}` has {} bits, more than a word may have",
                port.name,
                port.bits.len()
            );
            wide.push(Diagnostic::error(port.span, message));
        }
    }
    if !wide.is_empty() {
        return Err(wide);
    }
    let mut lowering = Lowering {
        flat,
        order,
        timing: &clocking.timing,
        options,
        system: TransitionSystem::default(),
        planted: FxHashMap::default(),
        notes: Vec::new(),
    };
    match lowering.all(mutations) {
        Ok(()) => Ok((lowering.system, lowering.notes)),
        Err(error) => Err(vec![Diagnostic::unlocated(error.to_string())]),
    }
}

/// One warning for each observed output with bits that nothing drives.
pub fn undriven(flat: &Flat, options: &FrontendOptions) -> Vec<Warning> {
    let silent = |bit: &Bit| match bit {
        Bit::Constant(_) => false,
        Bit::Unknown => true,
        Bit::Net(net) => matches!(flat.drivers[*net], Driver::Nobody),
    };
    let ports = flat.ports.iter().filter(|port| {
        port.direction != Direction::Input
            && roles::may_be_observed(&port.name, options)
            && port.bits.iter().any(silent)
    });
    ports
        .map(|port| Warning {
            message: format!(
                "nothing drives the output `{}`, or some bits of it: its value is a choice, new at every step",
                port.name
            ),
            file: port.span.file,
            bytes: (port.span.start, port.span.end),
        })
        .collect()
}

/// Where inputs and registers stand, by name.
pub fn places(flat: &Flat) -> BTreeMap<String, Place> {
    let place = |span: Span| Place {
        file: span.file,
        bytes: (span.start, span.end),
    };
    let mut places = BTreeMap::new();
    for (index, found) in flat.cells.iter().enumerate() {
        let cell = &found.cell;
        if matches!(cell.kind, Kind::Register(_) | Kind::AnyConstant) {
            for bit in 0..cell.outputs.first().map_or(0, |pin| pin.bits.len()) {
                let name = bit_name(flat, index, bit);
                places.insert(format!("init:{name}"), place(cell.span));
                places.insert(name, place(cell.span));
            }
        }
    }
    for port in &flat.ports {
        places.insert(port.name.clone(), place(port.span));
    }
    places
}

/// The sort of a port.
fn sort(width: usize) -> Sort {
    match u32::try_from(width) {
        Ok(1) => Sort::Bit,
        Ok(width) => Sort::Word {
            width,
            signed: false,
        },
        // No sort at all, which is noticed.
        Err(_) => Sort::Word {
            width: 0,
            signed: false,
        },
    }
}

struct Lowering<'a> {
    flat: &'a Flat,
    order: &'a Order,
    timing: &'a Timing<usize>,
    options: &'a FrontendOptions,
    system: TransitionSystem,
    planted: FxHashMap<usize, Vec<Planted>>,
    notes: Vec<String>,
}

/// The world in the steps of a test.
struct Running<'a> {
    ports: FxHashMap<usize, Vec<TermId>>,
    /// For a port that is a clock.
    unread: TermId,
    states: &'a States,
    terms: &'a [TermId],
    flat: &'a Flat,
    options: &'a FrontendOptions,
    inputs: &'a mut Vec<InputVar>,
    choices: FxHashMap<Unsaid, TermId>,
    notes: Vec<String>,
}

impl World for Running<'_> {
    fn port(&mut self, port: usize, bit: usize) -> TermId {
        // The way of a clock ends at registers, where nobody reads its value.
        let bits = self.ports.get(&port);
        bits.map_or(self.unread, |bits| bits[bit])
    }

    fn held(&mut self, cell: usize, bit: usize) -> TermId {
        self.terms[self.states.first[&cell] + bit]
    }

    fn unsaid(&mut self, gates: &mut Gates<'_>, what: Unsaid) -> Result<TermId> {
        if let Some(&known) = self.choices.get(&what) {
            return Ok(known);
        }
        let (name, why) = describe(self.flat, what);
        let decided = roles::undriven(
            &Undriven {
                name: &name,
                marked: None,
                otherwise: InputRole::Choice,
                why,
                inputs_are_all: false,
            },
            self.options,
        );
        let role = decided.role;
        let term = gates.0.input(self.inputs.len(), Sort::Bit);
        let term = gates.0.cast(term, &Sort::Bool)?;
        self.notes.extend(decided.note);
        self.inputs.push(InputVar {
            name,
            sort: Sort::Bit,
            role,
        });
        self.choices.insert(what, term);
        Ok(term)
    }
}

/// What to call a place without a value, and why it has none, unless the source asks for that.
fn describe(flat: &Flat, what: Unsaid) -> (String, Option<&'static str>) {
    match what {
        Unsaid::Net(net) => (flat.nets[net].clone(), Some("nothing drives it")),
        Unsaid::Pin(cell, pin, bit) => {
            let cell = &flat.cells[cell].cell;
            let name = format!("x:{}.{}[{bit}]", cell.name, cell.inputs[pin].name);
            (name, Some("x in the netlist"))
        }
        Unsaid::Port(port, bit) => (
            format!("x:{}[{bit}]", flat.ports[port].name),
            Some("x in the netlist"),
        ),
        Unsaid::Chosen(cell, bit) => (bit_name(flat, cell, bit), None),
    }
}

/// The name of what a cell drives.
fn bit_name(flat: &Flat, cell: usize, bit: usize) -> String {
    let cell = &flat.cells[cell].cell;
    match cell.outputs.first().and_then(|pin| pin.bits.get(bit)) {
        Some(Bit::Net(net)) => flat.nets[*net].clone(),
        _ => format!("{}[{bit}]", cell.name),
    }
}

impl Lowering<'_> {
    fn all(&mut self, mutations: &[Mutation]) -> Result<()> {
        self.plant(mutations);
        let states = self.declare_states()?;
        let terms: Vec<TermId> = states_as_terms(&mut self.system, states.of.len())?;
        let ports = self.declare_ports()?;
        let mut terms_pool = std::mem::take(&mut self.system.terms);
        let result = self.steps(&mut terms_pool, &states, &terms, ports);
        self.system.terms = terms_pool;
        result?;
        start::initial_values(self, &states)
    }

    /// Selectors, and mutants by cell.
    fn plant(&mut self, mutations: &[Mutation]) {
        let mut copies: FxHashMap<(usize, usize), Vec<usize>> = FxHashMap::default();
        for (index, found) in self.flat.cells.iter().enumerate() {
            if let Some(origin) = found.origin {
                copies.entry(origin).or_default().push(index);
            }
        }
        for mutation in mutations {
            let selector = self.system.terms.selector(self.system.selectors.len());
            self.system.selectors.push(Selector {
                id: mutation.mutant.id.clone(),
            });
            for &cell in copies.get(&mutation.meaning.place).into_iter().flatten() {
                self.planted.entry(cell).or_default().push(Planted {
                    selector,
                    change: mutation.meaning.change,
                });
            }
        }
        for planted in self.planted.values_mut() {
            planted.sort_by_key(Planted::place);
        }
    }

    fn declare_states(&mut self) -> Result<States> {
        let mut states = States::default();
        let pending = self.system.terms.bool(false);
        for (index, found) in self.flat.cells.iter().enumerate() {
            if !matches!(found.cell.kind, Kind::Register(_) | Kind::AnyConstant) {
                continue;
            }
            states.first.insert(index, states.of.len());
            for bit in 0..found.cell.outputs.first().map_or(0, |pin| pin.bits.len()) {
                states.of.push((index, bit));
                self.system.states.push(StateVar {
                    name: bit_name(self.flat, index, bit),
                    sort: Sort::Bit,
                    init: Init::Free,
                    next: pending,
                });
            }
        }
        Ok(states)
    }

    /// Input ports but the clock, as lists of bits.
    fn declare_ports(&mut self) -> Result<FxHashMap<usize, Vec<TermId>>> {
        let mut ports = FxHashMap::default();
        for (index, port) in self.flat.ports.iter().enumerate() {
            let is_clock = self.timing.is_clock(index);
            if port.direction == Direction::Output || is_clock || port.bits.is_empty() {
                continue;
            }
            let decided = roles::undriven(
                &Undriven {
                    name: &port.name,
                    marked: None,
                    otherwise: InputRole::Test,
                    why: None,
                    inputs_are_all: false,
                },
                self.options,
            );
            self.notes.extend(decided.note);
            let role = decided.role;
            let sort = sort(port.bits.len());
            let term = self
                .system
                .terms
                .input(self.system.inputs.len(), sort.clone());
            self.system.inputs.push(InputVar {
                name: port.name.clone(),
                sort,
                role,
            });
            let bits = Gates(&mut self.system.terms).bits(term)?;
            ports.insert(index, bits);
        }
        Ok(ports)
    }

    /// Outputs, next values, constraints and invariants.
    fn steps(
        &mut self,
        pool: &mut TermPool,
        states: &States,
        terms: &[TermId],
        ports: FxHashMap<usize, Vec<TermId>>,
    ) -> Result<()> {
        let mut inputs = std::mem::take(&mut self.system.inputs);
        let world = Running {
            ports,
            unread: pool.bool(false),
            states,
            terms,
            flat: self.flat,
            options: self.options,
            inputs: &mut inputs,
            choices: FxHashMap::default(),
            notes: Vec::new(),
        };
        let mut values = Values::new(self.flat, self.order, &self.planted, Gates(pool), world)?;
        for (index, port) in self.flat.ports.iter().enumerate() {
            let is_seen = roles::may_be_observed(&port.name, self.options);
            if port.direction == Direction::Input || port.bits.is_empty() || !is_seen {
                continue;
            }
            let bits = port.bits.iter().enumerate();
            let bits = bits.map(|(bit, &wire)| values.wire(wire, Unsaid::Port(index, bit)));
            let bits = bits.collect::<Result<Vec<TermId>>>()?;
            self.system.outputs.push(Output {
                name: port.name.clone(),
                term: values.gates.word(&bits)?,
            });
        }
        for (index, found) in self.flat.cells.iter().enumerate() {
            let cell = &found.cell;
            match &cell.kind {
                Kind::Register(register) => {
                    let first = states.first[&index];
                    for (bit, term) in values.next(index, register)?.into_iter().enumerate() {
                        let term = values.gates.0.cast(term, &Sort::Bit)?;
                        self.system.states[first + bit].next = term;
                    }
                }
                Kind::AnyConstant => {
                    let first = states.first[&index];
                    for bit in 0..cell.outputs[0].bits.len() {
                        let term = values.gates.0.cast(terms[first + bit], &Sort::Bit)?;
                        self.system.states[first + bit].next = term;
                    }
                }
                Kind::Assume | Kind::Assert => {
                    let (a, enable) = (values.pin(index, cell, 0)?, values.pin(index, cell, 1)?);
                    let (a, enable) = (values.gates.all(&a)?, values.gates.all(&enable)?);
                    let off = values.gates.not(enable)?;
                    let term = values.gates.or(a, off)?;
                    if matches!(cell.kind, Kind::Assume) {
                        self.system.constraints.push(Constraint {
                            name: Some(cell.name.clone()),
                            term,
                            when: When::Always,
                            span: Some((cell.span.start, cell.span.end)),
                        });
                    } else {
                        self.system.invariants.push(Invariant {
                            name: cell.name.clone(),
                            term,
                        });
                    }
                }
                Kind::Function(_) | Kind::AnySequence => {}
            }
        }
        self.notes.append(&mut values.world.notes);
        drop(values);
        self.system.inputs = inputs;
        Ok(())
    }
}

/// The state variables as Bool terms.
fn states_as_terms(
    system: &mut TransitionSystem,
    count: usize,
) -> std::result::Result<Vec<TermId>, TermError> {
    (0..count)
        .map(|index| {
            let bit = system.terms.state(index, Sort::Bit);
            system.terms.cast(bit, &Sort::Bool)
        })
        .collect()
}
