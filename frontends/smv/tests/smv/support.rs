//! Models run through translation and circuit, for tests of behaviour.

use hyperkill_core::SelectorId;
use hyperkill_core::aig::Cone;
use hyperkill_core::bit_blast::{Blasted, bit_blast};
use hyperkill_core::conditional::Port;
use hyperkill_core::mutant::Mutant;
use hyperkill_core::product::Variant;
use hyperkill_core::sim::Simulator;
use hyperkill_core::sort::{Sort, Value};
use hyperkill_core::system::Translation;
use hyperkill_core::trace::{Stimulus, decode, replay};
use hyperkill_frontend::{Diagnostic, Frontend, FrontendOptions, SourceFile};
use hyperkill_smv::SmvFrontend;

/// Translates a text; its errors are returned.
pub(crate) fn translate(
    text: &str,
    options: &FrontendOptions,
) -> Result<Translation, Vec<Diagnostic>> {
    SmvFrontend.translate(&[SourceFile::new("model.smv", text)], options)
}

/// Returns the text of a model of this repository.
pub(crate) fn model(name: &str) -> String {
    let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/../../tests/models/smv");
    std::fs::read_to_string(format!("{folder}/{name}/model.smv")).unwrap()
}

/// A translated model and its circuit.
pub(crate) struct Machine {
    pub(crate) translation: Translation,
    pub(crate) blasted: Blasted,
    /// The circuit of the obligations on the original and its mutants.
    pub(crate) checks: Blasted,
}

impl Machine {
    pub(crate) fn new(text: &str) -> Machine {
        Machine::with_options(text, &FrontendOptions::default()).unwrap()
    }

    pub(crate) fn with_options(
        text: &str,
        options: &FrontendOptions,
    ) -> Result<Machine, Vec<Diagnostic>> {
        let translation = translate(text, options)?;
        let blasted = bit_blast(&translation.system).unwrap();
        let checks = bit_blast(&translation.checks).unwrap();
        Ok(Machine {
            translation,
            blasted,
            checks,
        })
    }

    /// Returns the mutant with this path and this replacement, and its variant; panics if there is none.
    pub(crate) fn mutant(&self, path: &str, replacement: &str) -> (&Mutant, Variant) {
        let mut live = 0;
        for (mutant, rejected) in &self.translation.catalogue {
            if mutant.path == path && mutant.replacement == replacement {
                assert_eq!(*rejected, None);
                return (mutant, Variant::Mutant(SelectorId(live)));
            }
            live += usize::from(rejected.is_none());
        }
        panic!("no mutant at {path} with `{replacement}`");
    }

    /// Returns the outputs, one line per step. Inputs and choices are given as `name=value`; those that are missing have code 0.
    pub(crate) fn run(&self, variant: Variant, steps: &[&str]) -> Vec<String> {
        let model = &self.blasted.model;
        let ports: Vec<&Port> = model.inputs.iter().chain(&model.choices).collect();
        let steps = steps.iter().map(|step| {
            let mut bits = vec![false; model.aig.inputs().len()];
            for setting in step.split_whitespace() {
                let (name, value) = setting.split_once('=').unwrap();
                let port = ports.iter().find(|p| p.name == name).unwrap();
                let code = port.sort.encode(&value_of(&port.sort, value)).unwrap();
                for (bit, value) in port.bits.iter().zip(code) {
                    bits[*bit] = value;
                }
            }
            bits
        });
        let stimulus = Stimulus {
            initial: vec![false; model.aig.latches().len()].into(),
            steps: steps.collect(),
        };
        let trace = replay(model, variant, &stimulus).unwrap();
        let line = |bits: &Vec<bool>| {
            let values = decode(&model.outputs, bits);
            let words: Vec<String> = values.iter().map(|(n, v)| format!("{n}={v}")).collect();
            words.join(" ")
        };
        trace.outputs.iter().map(line).collect()
    }
}

fn value_of(sort: &Sort, text: &str) -> Value {
    match sort {
        Sort::Range { .. } => Value::Int(text.parse().unwrap()),
        _ => Value::Symbol(text.to_owned()),
    }
}

/// Returns for each variant the index of the first obligation that it breaks for some valuation of what obligations read; `None` if there
/// is none.
pub(crate) fn broken_obligations(machine: &Machine, variants: &[Variant]) -> Vec<Option<usize>> {
    let model = &machine.checks.model;
    let selectors = model.selector_of_latch();
    let mut broken = vec![None; variants.len()];
    for (index, &obligation) in machine.checks.obligations.iter().enumerate() {
        let cone = Cone::combinational(&model.aig, [obligation]);
        let inputs = model.aig.inputs().iter().enumerate();
        let inputs = inputs.filter(|(_, input)| cone.contains(input.var));
        let inputs: Vec<usize> = inputs.map(|(i, _)| i).collect();
        let latches = model.aig.latches().iter().enumerate();
        let latches =
            latches.filter(|(i, latch)| selectors[*i].is_none() && cone.contains(latch.var));
        let latches: Vec<usize> = latches.map(|(i, _)| i).collect();
        let bits = inputs.len() + latches.len();
        assert!(bits <= 20, "too many bits to try all values of: {bits}");
        let simulator = Simulator::compile(&model.aig, [obligation]);
        for (chunk, variants) in variants.chunks(512).enumerate() {
            let mut lanes = simulator.lanes::<8>();
            lanes.select(model, variants);
            for code in 0..1u32 << bits {
                let (low, high) = (code, code >> inputs.len());
                for (i, input) in inputs.iter().enumerate() {
                    lanes.set_input_everywhere(*input, low >> i & 1 == 1);
                }
                for (i, latch) in latches.iter().enumerate() {
                    lanes.set_latch(*latch, [u64::from(high >> i & 1).wrapping_neg(); 8]);
                }
                lanes.eval();
                let holds = lanes.value(obligation);
                for lane in 0..variants.len() {
                    if holds[lane / 64] >> (lane % 64) & 1 == 0 {
                        broken[512 * chunk + lane].get_or_insert(index);
                    }
                }
            }
        }
    }
    broken
}
