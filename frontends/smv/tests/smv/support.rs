//! Models run through the whole way, translation and circuit, for tests that look at behaviour.

use hyperkill_core::bit_blast::{Blasted, bit_blast};
use hyperkill_core::conditional::Port;
use hyperkill_core::mutant::Mutant;
use hyperkill_core::product::Variant;
use hyperkill_core::sort::{Sort, Value};
use hyperkill_core::system::Translation;
use hyperkill_core::trace::{Stimulus, decode, replay};
use hyperkill_frontend::{Diagnostic, Frontend, FrontendOptions, SourceFile};
use hyperkill_smv::SmvFrontend;

/// Translates a text that may be refused.
pub(crate) fn translate(
    text: &str,
    options: &FrontendOptions,
) -> Result<Translation, Vec<Diagnostic>> {
    SmvFrontend.translate(&[SourceFile::new("model.smv", text)], options)
}

/// The text of a model of this repository.
pub(crate) fn model(name: &str) -> String {
    let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/../../tests/models/smv");
    std::fs::read_to_string(format!("{folder}/{name}/model.smv")).unwrap()
}

/// A translated model and its circuit.
pub(crate) struct Machine {
    pub(crate) translation: Translation,
    pub(crate) blasted: Blasted,
}

impl Machine {
    pub(crate) fn new(text: &str) -> Machine {
        let translation = translate(text, &FrontendOptions::default()).unwrap();
        let blasted = bit_blast(&translation.system).unwrap();
        Machine {
            translation,
            blasted,
        }
    }

    /// The mutant that some replacement makes, and its variant.
    pub(crate) fn mutant(&self, path: &str, replacement: &str) -> (&Mutant, Variant) {
        let mut live = 0;
        for (mutant, rejected) in &self.translation.catalogue {
            if mutant.path == path && mutant.replacement == replacement {
                assert_eq!(*rejected, None);
                return (mutant, Variant::Mutant(live));
            }
            live += usize::from(rejected.is_none());
        }
        panic!("no mutant at {path} with `{replacement}`");
    }

    /// The outputs, one line per step, under inputs given as `name=value`, choices too; what is not given has code 0.
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
            initial: vec![false; model.aig.latches().len()],
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
