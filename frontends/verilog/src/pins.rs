//! The pins of a design: ports, clock and resets, and the paths of its registers. Mutants play no part here.

use std::collections::{BTreeMap, BTreeSet};

use hyperkill_frontend::hardware::{Deposit, FreeRegister, Pin};
use hyperkill_frontend::{Diagnostic, FrontendOptions, Hardware};

use crate::ast::{Direction, Source};
use crate::clocks::{Edge, Pins};
use crate::design::{Design, Run, Stop, Var, VarId};
use crate::lexer::Kind;
use crate::lower::Lowered;
use crate::reset::Ternary;
use crate::resolve::Register;

/// Returns the pins, clocks and registers that a test bench drives, of a design lowered without mutants.
///
/// # Errors
/// If no input drives a clock, or if a bench would have to set the first value of a register that makes a clock.
pub fn hardware(
    source: &Source,
    design: &Design,
    pins: &Pins,
    lowered: &Lowered,
    options: &FrontendOptions,
) -> Run<Hardware> {
    let pin = |id: VarId, name: &dyn Fn(&Var) -> String| Pin {
        name: name(design.var(id)),
        width: design.var(id).width as usize,
    };
    let ports = |direction: Direction| {
        let ports = design.ports.iter().copied();
        ports.filter(move |id| design.var(*id).port == Some(direction))
    };
    if let Some(array) = design
        .ports
        .iter()
        .find(|id| design.var(**id).name.contains(['[', '.']))
    {
        let Var { name, place, .. } = design.var(*array);
        if let Some(module) = design.from_boxes.get(array) {
            let message = format!(
                "the clock `{name}` comes from the black box `{module}`: a test bench cannot drive it"
            );
            let help = "export the tests as csv, or take the module behind the box for the top";
            return Err(Stop::Model(Box::new(
                Diagnostic::error(*place, message).with_help(help),
            )));
        }
        let what = match name.contains('.') {
            true => "an interface",
            false => "an array",
        };
        let name = name.split(['[', '.']).next().unwrap_or_default();
        let message = format!("the port `{name}` is {what}: a test bench cannot connect it");
        let help = "export the tests as csv, or give the design a top module with plain vectors";
        let diagnostic = Diagnostic::error(*place, message).with_help(help);
        return Err(Stop::Model(Box::new(diagnostic)));
    }
    if let Some(table) = design.tables.first() {
        let message = format!(
            "the unknown function `{}` is chosen by each test: a test bench cannot set it",
            table.name
        );
        let help = "export the tests as csv, or define the module in a file for --stub";
        let diagnostic = Diagnostic::unlocated(message).with_help(help);
        return Err(Stop::Model(Box::new(diagnostic)));
    }
    no_edge_by_deposit(design, pins, lowered, options)?;
    let plain = |var: &Var| var.name.clone();
    let (mut outputs, mut probes) = (Vec::new(), Vec::new());
    let seen = lowered.observed.iter().copied();
    let outside: BTreeSet<VarId> = ports(Direction::Output).collect();
    for id in ports(Direction::Output).chain(seen.filter(|id| !outside.contains(id))) {
        match outside.contains(&id) {
            true => outputs.push(pin(id, &plain)),
            false => probes.push(pin(id, &plain)),
        }
    }
    let mut hardware = Hardware {
        top: lowered.system.name.clone(),
        parameters: options.hardware.parameters.clone(),
        clocks: (pins.timing.bench_clocks(&pins.facts))
            .map_err(|error| Stop::Model(Box::new(error)))?,
        resets: pins.timing.bench_resets(&pins.facts),
        inputs: ports(Direction::Input)
            .filter(|id| !pins.timing.is_clock(*id))
            .map(|id| pin(id, &plain))
            .collect(),
        outputs,
        probes,
        ..Hardware::default()
    };
    registers(source, design, lowered, options, &mut hardware);
    Ok(hardware)
}

/// Checks that no first value is an edge in a simulator. A bench that sets a register which makes a clock changes it from x to 1, or from x
/// to 0.
///
/// # Errors
/// If a bench would have to set a register that makes a clock.
fn no_edge_by_deposit(
    design: &Design,
    pins: &Pins,
    lowered: &Lowered,
    options: &FrontendOptions,
) -> Run<()> {
    for clock in &design.clocks {
        let Some(Edge::Derived(source)) = pins.edge(design, clock.signal, clock.rising) else {
            continue;
        };
        for (register, start) in lowered.registers.iter().zip(&lowered.starts) {
            let bits = register.low..register.low + register.width;
            if register.word != source.word || !bits.contains(&source.bit) {
                continue;
            }
            let bit = (source.bit - register.low) as usize;
            let is_free = start.first[bit].original == Ternary::Unknown;
            let is_set = options.hardware.zero_init && !start.written[bit] && !source.active;
            if is_free || is_set {
                let name = design.word_name(source.word);
                let message = format!(
                    "the register `{name}` makes a clock and has no first value: a test bench that sets it makes an edge"
                );
                let help = "give it an initial value, or name its reset by --reset";
                let diagnostic = Diagnostic::error(clock.place, message).with_help(help);
                return Err(Stop::Model(Box::new(diagnostic)));
            }
        }
    }
    Ok(())
}

/// Adds to `hardware` the registers that start with any value, and the registers with a first value from an option only.
fn registers(
    source: &Source,
    design: &Design,
    lowered: &Lowered,
    options: &FrontendOptions,
    hardware: &mut Hardware,
) {
    let names = Names::of(source, design);
    let all = lowered.registers.iter().zip(&lowered.starts);
    for ((register, start), state) in all.zip(&lowered.system.states[lowered.of_clocks..]) {
        let unknown: Vec<bool> = start
            .first
            .iter()
            .map(|family| family.original == Ternary::Unknown)
            .collect();
        for (low, width) in runs(&unknown) {
            match names.path(design, register, low, width) {
                Some(path) => hardware.free.push(FreeRegister {
                    path,
                    state: state.name.clone(),
                    low,
                    width,
                }),
                None => hardware.unnamed.push(state.name.clone()),
            }
        }
        if options.hardware.zero_init {
            let silent: Vec<bool> = start.written.iter().map(|written| !written).collect();
            for (low, width) in runs(&silent) {
                match names.path(design, register, low, width) {
                    Some(path) => hardware.deposits.push(Deposit {
                        path,
                        bits: vec![false; width],
                    }),
                    None => hardware.unnamed.push(state.name.clone()),
                }
            }
        }
    }
}

/// Returns the start and the length of each run of `true`.
fn runs(bits: &[bool]) -> Vec<(usize, usize)> {
    let mut found: Vec<(usize, usize)> = Vec::new();
    for (i, _) in bits.iter().enumerate().filter(|(_, bit)| **bit) {
        match found.last_mut() {
            Some((low, width)) if *low + *width == i => *width += 1,
            _ => found.push((i, 1)),
        }
    }
    found
}

/// Names that a test bench can write.
struct Names<'a> {
    /// Plain identifiers that the user wrote: unnamed blocks have generated names.
    written: BTreeSet<&'a str>,
    /// Number of variables, by path.
    count: BTreeMap<&'a str, usize>,
}

impl<'a> Names<'a> {
    fn of(source: &'a Source, design: &'a Design) -> Names<'a> {
        let words = source.tokens.iter().filter(|t| t.kind == Kind::Word);
        let mut count = BTreeMap::new();
        for var in &design.vars {
            *count.entry(var.name.as_str()).or_default() += 1;
        }
        Names {
            written: words.map(|token| &*token.text).collect(),
            count,
        }
    }

    /// Returns the path of `width` bits of a register from `low` up. `None` if the register cannot be named from outside.
    fn path(
        &self,
        design: &Design,
        register: &Register,
        low: usize,
        width: usize,
    ) -> Option<String> {
        let (id, element, _) = design.elements[register.word.0];
        let var = design.var(id);
        let is_step = |step: &str| {
            let name = step.split('[').next().unwrap_or_default();
            self.written.contains(name)
        };
        if self.count.get(var.name.as_str()) != Some(&1) || !var.name.split('.').all(is_step) {
            return None;
        }
        let mut path = var.name.clone();
        for index in var.indices(element) {
            path.push_str(&format!("[{index}]"));
        }
        let first = i64::from(register.low) + i64::try_from(low).ok()?;
        let last = first + i64::try_from(width).ok()? - 1;
        let at = |bit: i64| match var.left >= var.right {
            true => var.right + bit,
            false => var.right - bit,
        };
        if width == var.width as usize {
            return Some(path);
        }
        path.push_str(&match width {
            1 => format!("[{}]", at(first)),
            _ => format!("[{}:{}]", at(last), at(first)),
        });
        Some(path)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rows_of_bits_are_found() {
        assert_eq!(runs(&[true, true, false, true]), vec![(0, 2), (3, 1)]);
        assert_eq!(runs(&[false]), vec![]);
    }
}
