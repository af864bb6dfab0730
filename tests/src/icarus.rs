//! Modules beside Icarus Verilog: step by step, each bit that Icarus knows must be the same here.

use std::collections::HashMap;

use hyperkill_core::Aig;
use hyperkill_core::sim::Simulator;

use crate::peers::Icarus;
use crate::random_verilog::{BenchStep, Module};
use crate::verilog::ours;

/// Returns the bits of all outputs, under three valuations of the choices: by step, by output, and least significant bit first. Each word
/// has one bit per valuation.
fn simulated(module: &Module, aig: &Aig, stimulus: &[BenchStep]) -> Vec<Vec<Vec<u64>>> {
    let outputs: HashMap<&str, usize> = (aig.outputs.iter().enumerate())
        .map(|(i, output)| (output.name.as_deref().unwrap_or_default(), i))
        .collect();
    let inputs: HashMap<&str, usize> = (aig.inputs().iter().enumerate())
        .map(|(i, input)| (input.name.as_deref().unwrap_or_default(), i))
        .collect();
    let bit_name = |name: &str, width: usize, bit: usize| match width {
        1 => name.to_owned(),
        _ => format!("{name}[{bit}]"),
    };
    let roots = aig.outputs.iter().map(|output| output.lit);
    let nexts = aig.latches().iter().map(|latch| latch.next);
    let simulator = Simulator::compile(aig, roots.chain(nexts));
    let mut lanes = simulator.lanes::<1>();
    lanes.reset(|_| [0]);
    let mut seen = Vec::new();
    for (round, step) in stimulus.iter().enumerate() {
        for (i, _) in aig.inputs().iter().enumerate() {
            // Valuations of the choices: all 0, all 1, and a mixture.
            let mixed = u64::from((i * 7 + round * 3) % 5 < 2);
            lanes.set_input(i, [0b010 | mixed << 2]);
        }
        for (input, bits) in module.inputs.iter().zip(step) {
            for (bit, &value) in bits.iter().enumerate() {
                if let Some(&i) = inputs.get(bit_name(&input.name, bits.len(), bit).as_str()) {
                    lanes.set_input_everywhere(i, value);
                }
            }
        }
        lanes.eval();
        let values = module.outputs.iter().map(|output| {
            (0..output.width())
                .map(|bit| {
                    let name = bit_name(&output.name, output.width(), bit);
                    let at = outputs
                        .get(name.as_str())
                        .unwrap_or_else(|| panic!("{name}"));
                    lanes.value(aig.outputs[*at].lit)[0] & 0b111
                })
                .collect()
        });
        seen.push(values.collect());
        lanes.step();
    }
    seen
}

/// Returns the bits of all outputs as this front end reads `text`, under random inputs of the module: by step, by output, and least
/// significant bit first. Each word has a bit for each of three valuations of the choices.
///
/// # Panics
/// If the text is refused here.
#[must_use]
pub fn outputs(module: &Module, text: &str, steps: usize) -> Vec<Vec<Vec<u64>>> {
    simulated(module, &ours(text), &module.stimulus(7, steps))
}

/// The result of a comparison.
#[derive(Clone, Default, Debug)]
pub struct Compared {
    /// The number of bits that Icarus knew.
    pub known: usize,
    /// The number of bits that Icarus knew and that are open here, so that some choices give each value.
    pub open: usize,
    /// Descriptions of the differences.
    pub wrong: Vec<String>,
}

/// Compares modules in one run of Icarus.
///
/// # Panics
/// If Icarus cannot run the modules, or one of them is refused here.
#[must_use]
pub fn compare(icarus: &Icarus, modules: &[Module], steps: usize) -> Compared {
    let stimuli: Vec<Vec<BenchStep>> = modules.iter().map(|m| m.stimulus(7, steps)).collect();
    let mut text = String::new();
    for (module, stimulus) in modules.iter().zip(&stimuli) {
        text += &module.text;
        text += &module.bench(stimulus);
    }
    let answer = icarus
        .run_text(&text)
        .unwrap_or_else(|error| panic!("{error}"));
    let mut lines: HashMap<&str, Vec<Vec<&str>>> = HashMap::new();
    for line in answer.lines() {
        let mut words = line.split(' ');
        let name = words.next().unwrap_or_default();
        lines.entry(name).or_default().push(words.collect());
    }
    let mut compared = Compared::default();
    for (module, stimulus) in modules.iter().zip(&stimuli) {
        let theirs = &lines[module.name.as_str()];
        assert_eq!(theirs.len(), steps, "{}", module.name);
        let ours = simulated(module, &ours(&module.text), stimulus);
        'module: for (step, (ours, theirs)) in ours.iter().zip(theirs).enumerate() {
            for ((output, ours), theirs) in module.outputs.iter().zip(ours).zip(theirs) {
                for (bit, (ours, theirs)) in ours.iter().zip(theirs.chars().rev()).enumerate() {
                    let expected = match theirs {
                        '0' => 0,
                        '1' => 0b111,
                        _ => continue,
                    };
                    compared.known += 1;
                    if *ours != 0 && *ours != 0b111 {
                        compared.open += 1;
                    } else if *ours != expected {
                        compared.wrong.push(format!(
                            "{}: {}[{bit}] is {theirs} for Icarus in step {step}, {ours:03b} here; inputs {:?}\n{}",
                            module.name, output.name, stimulus[step], module.text
                        ));
                        break 'module;
                    }
                }
            }
        }
    }
    compared
}
