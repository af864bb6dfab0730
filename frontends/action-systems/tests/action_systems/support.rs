//! Circuits of action systems, evaluated state by state.

use std::collections::BTreeSet;
use std::fs;
use std::path::Path;

use hyperkill_action_systems::ActionSystemFrontend;
use hyperkill_core::ConditionalMutant;
use hyperkill_core::bit_blast::bit_blast;
use hyperkill_core::conditional::Port;
use hyperkill_core::product::Variant;
use hyperkill_core::sim::{Lanes, Simulator, words};
use hyperkill_core::sort::Value;
use hyperkill_core::system::Translation;
use hyperkill_frontend::{EventOptions, Frontend, FrontendOptions, NamePredicate, SourceFile};

/// Reads a model of the repository, by its path below `tests/models/action-system`.
pub(crate) fn model(path: &str) -> SourceFile {
    let file = Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("../../tests/models/action-system")
        .join(path);
    let text = fs::read_to_string(&file).unwrap_or_else(|e| panic!("{}: {e}", file.display()));
    SourceFile::new(path, text)
}

/// Translates a model with its mutants; panics with its errors.
pub(crate) fn translated(source: &SourceFile, options: &FrontendOptions) -> Translation {
    ActionSystemFrontend
        .translate(std::slice::from_ref(source), options)
        .unwrap_or_else(|errors| panic!("{errors:#?}\n{}", source.text))
}

/// Returns options with which states are observed and every operator is applied.
pub(crate) fn everything(complete: bool) -> FrontendOptions {
    FrontendOptions {
        operators: Some(NamePredicate::new(|_| true)),
        events: EventOptions {
            observe: Some("state".to_owned()),
            complete,
            ..EventOptions::default()
        },
        ..FrontendOptions::default()
    }
}

/// Inputs with values, by name.
pub(crate) type Given<'a> = &'a [(&'a str, Value)];

/// Bit-blasts a translated system with all of its mutants.
pub(crate) fn blasted(translation: &Translation) -> ConditionalMutant {
    bit_blast(&translation.system).expect("a circuit").model
}

/// A variant (the original or a mutant) of a circuit, evaluated in single steps.
pub(crate) struct Circuit<'c> {
    model: &'c ConditionalMutant,
    simulator: Simulator,
    variant: Variant,
}

/// The number of 64-bit words that hold the lanes of a signal.
const WORDS: usize = 4;
/// The number of steps that are evaluated together.
const LANES: u64 = 64 * WORDS as u64;

impl Circuit<'_> {
    pub(crate) fn new(model: &ConditionalMutant, variant: Variant) -> Circuit<'_> {
        Circuit {
            simulator: Simulator::for_variant(model, variant),
            model,
            variant,
        }
    }

    /// Returns the possible outputs of one step from a state with these inputs: one list for each result of the choices. Steps that break a
    /// constraint are left out.
    pub(crate) fn shown(
        &self,
        state: &[(String, Value)],
        given: Given<'_>,
    ) -> BTreeSet<Vec<(String, Value)>> {
        let choices: Vec<usize> = self.model.choice_bits().collect();
        assert!(choices.len() < 20, "{} bits of choices", choices.len());
        let mut lanes = self.simulator.lanes::<WORDS>();
        let aig = &self.model.aig;
        assert!(aig.outputs.len() <= 64, "outputs in a word");
        // Most choices make no difference: steps are decoded once.
        let mut found: BTreeSet<u64> = BTreeSet::new();
        for first in (0..1_u64 << choices.len()).step_by(LANES as usize) {
            self.set(&mut lanes, state, given);
            let count = (1 << choices.len()).min(LANES) as usize;
            for (place, bit) in choices.iter().enumerate() {
                lanes.set_input(*bit, words::number_bit(first as usize, place));
            }
            lanes.eval();
            let constraints = aig.constraints.iter().map(|constraint| constraint.lit);
            let alive = lanes.holding(words::range(0..count), constraints);
            let outputs = aig.outputs.iter().map(|output| lanes.value(output.lit));
            let outputs: Vec<[u64; WORDS]> = outputs.collect();
            found.extend(words::lanes_of(&alive).map(|lane| {
                let bits = outputs.iter().enumerate();
                bits.fold(0, |all, (place, word)| {
                    all | u64::from(words::is_set(word, lane)) << place
                })
            }));
        }
        let decoded = found.into_iter().map(|outputs| {
            let value = |port: &Port| {
                let bits = port.bits.iter().map(|at| outputs >> at & 1 == 1);
                (
                    port.name.clone(),
                    port.sort.decode(&bits.collect::<Vec<_>>()),
                )
            };
            self.model.outputs.iter().map(value).collect()
        });
        decoded.collect()
    }

    fn set(&self, lanes: &mut Lanes<'_, WORDS>, state: &[(String, Value)], given: Given<'_>) {
        let all = words::everywhere::<WORDS>;
        for port in &self.model.inputs {
            let value = given.iter().find(|(name, _)| *name == port.name);
            let bits = value.and_then(|(_, value)| port.sort.encode(value));
            let bits = bits.unwrap_or_else(|| vec![false; port.bits.len()]);
            for (at, on) in port.bits.iter().zip(bits) {
                lanes.set_input(*at, all(on));
            }
        }
        let outputs = &self.model.outputs;
        for (index, latch) in self.model.aig.latches().iter().enumerate() {
            let name = latch.name.as_deref().unwrap_or_default();
            let (name, bit) = match name.strip_suffix(']').and_then(|n| n.split_once('[')) {
                Some((name, bit)) => (name, bit.parse().expect("a bit")),
                None => (name, 0),
            };
            let Some((_, value)) = state.iter().find(|(variable, _)| variable == name) else {
                continue;
            };
            let port = outputs
                .iter()
                .find(|port| port.name == name)
                .expect("states are seen");
            let bits = port.sort.encode(value).expect("a value of the variable");
            lanes.set_latch(index, all(bits[bit]));
        }
        let selected = match self.variant {
            Variant::Mutant(selector) => Some(selector.0),
            _ => None,
        };
        for (index, selector) in self.model.selectors.iter().enumerate() {
            lanes.set_latch(selector.latch, all(selected == Some(index)));
        }
    }
}
