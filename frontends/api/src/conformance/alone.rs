//! Checks that a mutant behind its selector is equivalent to its plain source: both are simulated together.
//!
//! Inputs and registers with any initial value are matched by their names. If the two read different ones, they are not compared, since a
//! language may name the choices of mutants differently.

use std::collections::{BTreeMap, BTreeSet};

use hyperkill_core::bit_blast::{Blasted, bit_blast};
use hyperkill_core::product::Variant;
use hyperkill_core::sim::Simulator;
use hyperkill_core::specialise::keep_mutants;
use hyperkill_core::system::Translation;
use hyperkill_core::{Aig, ConditionalMutant, Reset, SelectorId, Var};

use super::findings::{Findings, Model};
use super::random::Random;
use crate::mutation::apply;

/// The number of steps of a run.
const STEPS: usize = 24;

pub(super) fn check(
    model: &Model<'_>,
    translation: &Translation,
    sample: usize,
    found: &mut Findings,
) {
    let blasted = match bit_blast(&translation.system) {
        Ok(blasted) => blasted.model,
        Err(error) => return found.must(false, || format!("the system is no circuit: {error}")),
    };
    let asked = match bit_blast(&translation.checks) {
        Ok(asked) => asked,
        Err(error) => return found.must(false, || format!("the checks are no circuit: {error}")),
    };
    let count = blasted.selectors.len();
    let distance = count.div_ceil(sample.max(1)).max(1);
    let options = model.only(&[]);
    for selector in (0..count).step_by(distance) {
        let id = &blasted.selectors[selector].id;
        let mutant = translation.catalogue.iter().find(|(m, _)| m.id == *id);
        let Some((mutant, file)) = mutant.and_then(|(m, _)| Some((m, model.file_of(m)?))) else {
            continue;
        };
        let mut sources = model.sources.to_vec();
        let Ok(text) = apply(&sources[file].text, mutant) else {
            continue;
        };
        sources[file].text = text;
        let plain = match model.frontend.translate(&sources, &options) {
            Ok(plain) => plain.system,
            // Only a solver detects that a mutant has a value outside its type, so it may still have a selector.
            Err(_) if !translation.checks.obligations.is_empty() => {
                found.seen.incomparable += 1;
                continue;
            }
            Err(errors) => {
                found.must(false, || {
                    format!("the plain source of {id} is refused: {errors:?}")
                });
                continue;
            }
        };
        let plain = match bit_blast(&plain) {
            Ok(plain) => plain.model,
            Err(error) => {
                found.must(false, || {
                    format!("the plain source of {id} is no circuit: {error}")
                });
                continue;
            }
        };
        // The value that stands for one outside its type is not specified.
        if is_invalid(&asked, SelectorId(selector)) {
            found.seen.incomparable += 1;
            continue;
        }
        let behind = keep_mutants(&blasted, &[SelectorId(selector)]);
        match agree(&behind, &plain) {
            Some(Ok(())) => found.seen.alone += 1,
            Some(Err(what)) => {
                found.must(false, || format!("{id} is not its plain source: {what}"))
            }
            None => found.seen.incomparable += 1,
        }
    }
}

/// Whether some random values of inputs and latches break an obligation of the mutant with this selector.
fn is_invalid(asked: &Blasted, selector: SelectorId) -> bool {
    let aig = &asked.model.aig;
    let simulator = Simulator::compile(aig, asked.obligations.iter().copied());
    let mut lanes = simulator.lanes::<4>();
    let mut random = Random(0);
    let mut values = || [random.next(), random.next(), random.next(), random.next()];
    for _ in 0..64 {
        for input in 0..aig.inputs().len() {
            lanes.set_input(input, values());
        }
        for latch in 0..aig.latches().len() {
            lanes.set_latch(latch, values());
        }
        for (index, at) in asked.model.selectors.iter().enumerate() {
            let on = if index == selector.0 { u64::MAX } else { 0 };
            lanes.set_latch(at.latch, [on; 4]);
        }
        lanes.eval();
        let mut obligations = asked.obligations.iter();
        if obligations
            .any(|lit| lit.as_constant() != Some(true) && lanes.value(*lit) != [u64::MAX; 4])
        {
            return true;
        }
    }
    false
}

/// Compares the first mutant of `behind` with `plain`, a circuit of its own, on random runs. `Some(Err)` says at which step they differ.
/// `None` if their outputs and constraints depend on different inputs or initial values.
fn agree(behind: &ConditionalMutant, plain: &ConditionalMutant) -> Option<Result<(), String>> {
    let behind = Circuit::new(behind, Variant::Mutant(SelectorId(0)));
    let plain = Circuit::new(plain, Variant::Original);
    if behind.free != plain.free {
        return None;
    }
    let seed = 0;
    for run in 0..8 {
        let mut random = Random(seed + run);
        let (mut a, mut b) = (behind.simulator.lanes::<1>(), plain.simulator.lanes::<1>());
        let latches: BTreeMap<&str, u64> = (behind.free.iter())
            .map(|name| (name.as_str(), random.next()))
            .collect();
        let start = |circuit: &Circuit<'_>, latch: usize| {
            let name = circuit.aig.latches()[latch].name.as_deref();
            [name
                .and_then(|name| latches.get(name))
                .copied()
                .unwrap_or(0)]
        };
        a.reset(|latch| start(&behind, latch));
        b.reset(|latch| start(&plain, latch));
        // The runs whose constraints have held so far.
        let (mut alive_a, mut alive_b) = (u64::MAX, u64::MAX);
        for step in 0..STEPS {
            let values: BTreeMap<&str, u64> = (behind.free.iter())
                .map(|name| (name.as_str(), random.next()))
                .collect();
            for (circuit, lanes) in [(&behind, &mut a), (&plain, &mut b)] {
                for (at, input) in circuit.aig.inputs().iter().enumerate() {
                    let value = input.name.as_deref().and_then(|name| values.get(name));
                    lanes.set_input(at, [value.copied().unwrap_or(0)]);
                }
                lanes.eval();
            }
            for constraint in &behind.aig.constraints {
                alive_a &= a.value(constraint.lit)[0];
            }
            for constraint in &plain.aig.constraints {
                alive_b &= b.value(constraint.lit)[0];
            }
            if alive_a != alive_b {
                return Some(Err(format!("seed {seed}: one has no step {step}")));
            }
            let shown = |circuit: &Circuit<'_>, lanes: &hyperkill_core::sim::Lanes<'_, 1>| {
                let outputs = circuit.aig.outputs.iter();
                let outputs = outputs.map(|output| {
                    let value = lanes.value(output.lit)[0] & alive_a;
                    (output.name.clone(), value)
                });
                outputs.collect::<Vec<_>>()
            };
            if shown(&behind, &a) != shown(&plain, &b) {
                return Some(Err(format!("seed {seed}: outputs differ in step {step}")));
            }
            a.step();
            b.step();
        }
    }
    Some(Ok(()))
}

/// A circuit with its simulator, and the names of the signals that random runs set.
struct Circuit<'a> {
    aig: &'a Aig,
    simulator: Simulator,
    /// The names of inputs, and of registers with any initial value, that outputs and constraints depend on.
    free: BTreeSet<String>,
}

impl<'a> Circuit<'a> {
    fn new(model: &'a ConditionalMutant, variant: Variant) -> Circuit<'a> {
        let aig = &model.aig;
        let simulator = Simulator::for_variant(model, variant);
        let selectors = model.selector_of_latch();
        let is_read = |var: Var| simulator.contains(var.lit());
        let inputs = aig.inputs().iter().filter(|input| is_read(input.var));
        let inputs = inputs.map(|input| input.name.clone().unwrap_or_default());
        let latches = aig.latches().iter().enumerate();
        let latches = latches.filter(|(at, latch)| {
            latch.reset == Reset::Free && selectors[*at].is_none() && is_read(latch.var)
        });
        let latches = latches.map(|(_, latch)| latch.name.clone().unwrap_or_default());
        let free = inputs.chain(latches).collect();
        Circuit {
            aig,
            simulator,
            free,
        }
    }
}
