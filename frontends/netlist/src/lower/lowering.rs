//! The state of lowering a netlist.

use hyperkill_core::sort::Sort;
use hyperkill_core::system::{
    Constraint, Init, InputRole, InputVar, Invariant, Output, Selector, StateVar, TransitionSystem,
    When,
};
use hyperkill_core::term::{TermError, TermId, TermPool};
use hyperkill_frontend::FrontendOptions;
use hyperkill_frontend::clocked::Timing;
use hyperkill_frontend::roles::{self, Undriven};
use rustc_hash::FxHashMap;

use super::gates::{Gates, Result};
use super::values::{Planted, Unsaid, Values, World};
use crate::flat::Flat;
use crate::mutate::Mutation;
use crate::netlist::{Bit, Direction, Kind};
use crate::order::Order;

/// The state of the system: a variable per bit of registers and of constant choices.
#[derive(Default)]
pub(super) struct States {
    /// Cell and bit of each variable.
    pub(super) of: Vec<(usize, usize)>,
    /// Variable of each cell's first bit.
    pub(super) first: FxHashMap<usize, usize>,
}

pub(super) struct Lowering<'a> {
    pub(super) flat: &'a Flat,
    pub(super) order: &'a Order,
    pub(super) timing: &'a Timing<usize>,
    pub(super) options: &'a FrontendOptions,
    pub(super) system: TransitionSystem,
    pub(super) planted: FxHashMap<usize, Vec<Planted>>,
    pub(super) notes: Vec<String>,
}

/// The environment in the steps of a test.
pub(super) struct Running<'a> {
    pub(super) ports: FxHashMap<usize, Vec<TermId>>,
    /// The value of a port that is a clock.
    pub(super) unread: TermId,
    pub(super) states: &'a States,
    pub(super) terms: &'a [TermId],
    pub(super) flat: &'a Flat,
    pub(super) options: &'a FrontendOptions,
    pub(super) inputs: &'a mut Vec<InputVar>,
    pub(super) choices: FxHashMap<Unsaid, TermId>,
    pub(super) notes: Vec<String>,
}

impl World for Running<'_> {
    fn port(&mut self, port: usize, bit: usize) -> TermId {
        // The path of a clock ends at registers, which do not read its value.
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

/// Returns the name of a place without a defined value, and the reason for that; without a reason if the source asks for such a value.
pub(super) fn describe(flat: &Flat, what: Unsaid) -> (String, Option<&'static str>) {
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

/// Returns the name of a cell's output bit: that of its net, or else of the cell with the index.
pub(super) fn bit_name(flat: &Flat, cell: usize, bit: usize) -> String {
    let cell = &flat.cells[cell].cell;
    match cell.outputs.first().and_then(|pin| pin.bits.get(bit)) {
        Some(Bit::Net(net)) => flat.nets[*net].clone(),
        _ => format!("{}[{bit}]", cell.name),
    }
}

impl Lowering<'_> {
    /// Adds one selector for each mutation, and records it at every copy of its cell. The mutants of a cell are sorted by pin and bit.
    pub(super) fn plant(&mut self, mutations: &[Mutation]) {
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

    pub(super) fn declare_states(&mut self) -> Result<States> {
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

    /// Declares all input ports except clocks as inputs of the system. Returns their bits by port.
    pub(super) fn declare_ports(&mut self) -> Result<FxHashMap<usize, Vec<TermId>>> {
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

    /// Adds outputs, next values, constraints and invariants.
    pub(super) fn steps(
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

/// Returns the `count` state variables, which are bits, as Bool terms.
pub(super) fn states_as_terms(
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

/// Returns the sort of a port with this number of bits.
pub(super) fn sort(width: usize) -> Sort {
    match u32::try_from(width) {
        Ok(1) => Sort::Bit,
        Ok(width) => Sort::Word {
            width,
            signed: false,
        },
        // An invalid sort, which is reported later.
        Err(_) => Sort::Word {
            width: 0,
            signed: false,
        },
    }
}
