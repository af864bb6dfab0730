//! Circuits of machines, evaluated state by state.

use std::collections::BTreeSet;

use hyperkill_core::ConditionalMutant;
use hyperkill_core::bit_blast::bit_blast;
use hyperkill_core::conditional::Port;
use hyperkill_core::product::Variant;
use hyperkill_core::sim::Simulator;
use hyperkill_core::sort::Value;
use hyperkill_core::system::Translation;
use hyperkill_efsm::MachineFrontend;
use hyperkill_frontend::{EventOptions, Frontend, FrontendOptions, NamePredicate, SourceFile};

/// Translates a machine with its mutants; panics with its errors.
pub(crate) fn translated(source: &SourceFile, options: &FrontendOptions) -> Translation {
    MachineFrontend::Efsm
        .translate(std::slice::from_ref(source), options)
        .unwrap_or_else(|errors| panic!("{errors:#?}\n{}", source.text))
}

/// Returns options with which transitions are observed and every operator is applied.
pub(crate) fn everything(complete: bool) -> FrontendOptions {
    FrontendOptions {
        operators: Some(NamePredicate::new(|_| true)),
        events: EventOptions {
            observe: Some("transition".to_owned()),
            complete,
            ..EventOptions::default()
        },
        ..FrontendOptions::default()
    }
}

/// Inputs with values, by name.
pub(crate) type Given<'a> = &'a [(&'a str, Value)];

/// A circuit, evaluated in single steps.
pub(crate) struct Circuit {
    model: ConditionalMutant,
    simulator: Simulator,
    variant: Variant,
}

impl Circuit {
    pub(crate) fn new(translation: &Translation, variant: Variant) -> Circuit {
        let model = bit_blast(&translation.system).expect("a circuit").model;
        Circuit {
            simulator: Simulator::for_variant(&model, variant),
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
        let mut lanes = self.simulator.lanes::<1>();
        let mut shown = BTreeSet::new();
        for first in (0..1_u64 << choices.len()).step_by(64) {
            self.set(&mut lanes, state, given);
            let count = (1 << choices.len()).min(64);
            for (place, bit) in choices.iter().enumerate() {
                let word = (0..count).filter(|lane| (first + lane) >> place & 1 == 1);
                lanes.set_input(*bit, [word.map(|lane| 1 << lane).sum()]);
            }
            lanes.eval();
            for lane in 0..count {
                let bit = |lit| lanes.value(lit)[0] >> lane & 1 == 1;
                let aig = &self.model.aig;
                if !aig.constraints.iter().all(|constraint| bit(constraint.lit)) {
                    continue;
                }
                let value = |port: &Port| {
                    let bits = port.bits.iter().map(|at| bit(aig.outputs[*at].lit));
                    (
                        port.name.clone(),
                        port.sort.decode(&bits.collect::<Vec<_>>()),
                    )
                };
                shown.insert(self.model.outputs.iter().map(value).collect());
            }
        }
        shown
    }

    fn set(
        &self,
        lanes: &mut hyperkill_core::sim::Lanes<'_, 1>,
        state: &[(String, Value)],
        given: Given<'_>,
    ) {
        let all = |on: bool| if on { u64::MAX } else { 0 };
        for port in &self.model.inputs {
            let value = given.iter().find(|(name, _)| *name == port.name);
            let bits = value.and_then(|(_, value)| port.sort.encode(value));
            let bits = bits.unwrap_or_else(|| vec![false; port.bits.len()]);
            for (at, on) in port.bits.iter().zip(bits) {
                lanes.set_input(*at, [all(on)]);
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
            lanes.set_latch(index, [all(bits[bit])]);
        }
        let selected = match self.variant {
            Variant::Mutant(selector) => Some(selector.0),
            _ => None,
        };
        for (index, selector) in self.model.selectors.iter().enumerate() {
            lanes.set_latch(selector.latch, [all(selected == Some(index))]);
        }
    }
}
