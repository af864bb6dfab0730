//! Lowers a flat design to a featured transition system: the original and all mutants at once.
//!
//! Registers become state, with one variable per bit; the clock is not an input. A bit with mutants becomes
//! `ite(selector, mutated, …, original)`. A place without a defined value (`x`, a net without driver) is a choice at every step.

mod functions;
mod gates;
mod lowering;
mod start;
mod values;

use std::collections::BTreeMap;

use hyperkill_core::system::{Place, TransitionSystem, Warning};
use hyperkill_core::term::TermId;
use hyperkill_frontend::roles::{self};
use hyperkill_frontend::{Diagnostic, FrontendOptions, Span};
use rustc_hash::FxHashMap;

use crate::flat::{Driver, Flat};
use crate::mutate::Mutation;
use crate::netlist::{Bit, Direction, Kind};
use crate::order::Order;
use crate::timing::Clocking;
use gates::Result;
use lowering::{Lowering, bit_name, sort, states_as_terms};

/// Lowers a design with its mutants. Returns the system, and remarks on values that the source leaves open.
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
    match all(&mut lowering, mutations) {
        Ok(()) => Ok((lowering.system, lowering.notes)),
        Err(error) => Err(vec![Diagnostic::unlocated(error.to_string())]),
    }
}

/// Returns one warning for each observed output with undriven bits.
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

/// Returns the places of inputs and registers, by name.
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

/// Lowers the complete system, with selectors for its mutants.
fn all(lowering: &mut Lowering<'_>, mutations: &[Mutation]) -> Result<()> {
    lowering.plant(mutations);
    let states = lowering.declare_states()?;
    let terms: Vec<TermId> = states_as_terms(&mut lowering.system, states.of.len())?;
    let ports = lowering.declare_ports()?;
    let mut terms_pool = std::mem::take(&mut lowering.system.terms);
    let result = lowering.steps(&mut terms_pool, &states, &terms, ports);
    lowering.system.terms = terms_pool;
    result?;
    start::initial_values(lowering, &states)
}
