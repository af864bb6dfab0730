//! The division of a circuit: each shard gets the circuit with its own mutants only.

use std::collections::BTreeMap;

use hyperkill_audit::catalogue::Standing;
use hyperkill_audit::certificates::{Circuit, ToWhole};
use hyperkill_audit::model::Loaded;
use hyperkill_checker::carry_over::Contents;
use hyperkill_core::SelectorId;
use hyperkill_core::aiger::{annotate, write_binary};
use hyperkill_core::specialise::part;

use crate::documents::{self, Certificate};
use crate::procedure::{Division, ShardFile, SpoiltCertificate};

/// The division of a circuit.
pub(super) struct CircuitDivision<'a> {
    loaded: &'a Loaded,
    whole: Circuit<'a>,
}

impl<'a> CircuitDivision<'a> {
    pub(super) fn of(loaded: &'a Loaded) -> CircuitDivision<'a> {
        CircuitDivision {
            loaded,
            whole: Circuit::of(&loaded.model),
        }
    }

    /// Returns the selectors of these mutants, ascending, without mutants that are not models.
    fn selectors(&self, mutants: &[usize]) -> Vec<SelectorId> {
        let catalogue = &self.loaded.listing.catalogue;
        let live = mutants
            .iter()
            .filter_map(|&place| match catalogue[place].standing {
                Standing::Live(selector) => Some(selector),
                Standing::Invalid(_) => None,
            });
        let mut selectors: Vec<SelectorId> = live.collect();
        selectors.sort_unstable();
        selectors
    }
}

impl Division for CircuitDivision<'_> {
    fn sizes(&self, mutants: &[usize]) -> Vec<usize> {
        let mut contents = Contents::of(&self.loaded.model);
        let catalogue = &self.loaded.listing.catalogue;
        let sizes = mutants
            .iter()
            .map(|&place| match catalogue[place].standing {
                Standing::Live(selector) => contents.size(selector),
                Standing::Invalid(_) => 0,
            });
        sizes.collect()
    }

    fn file(&self, mutants: &[usize]) -> ShardFile {
        let part = part(&self.loaded.model, &self.selectors(mutants));
        ShardFile {
            extension: "aig",
            bytes: write_binary(&annotate(&part.model)),
            circuit: Some(Circuit::of(&part.model).digest),
        }
    }

    fn translate_certificates(
        &self,
        mutants: &[String],
        circuit: Option<&str>,
        mut certificates: BTreeMap<String, Vec<u8>>,
    ) -> Result<BTreeMap<String, Vec<u8>>, SpoiltCertificate> {
        let selectors = self.loaded.model.selectors.iter();
        let selectors = selectors.zip(self.loaded.model.selector_ids());
        let known: BTreeMap<&str, SelectorId> = selectors
            .map(|(mutant, selector)| (mutant.id.0.as_str(), selector))
            .collect();
        let own = mutants
            .iter()
            .filter_map(|id| known.get(id.as_str()).copied());
        let mut own: Vec<SelectorId> = own.collect();
        own.sort_unstable();
        let part = part(&self.loaded.model, &own);
        let way = ToWhole::new(&part, &self.whole);
        let spoilt = |file: &str, why: String| SpoiltCertificate {
            file: file.to_owned(),
            why,
        };
        if circuit != Some(way.digest()) {
            let why = "the model has another circuit for these mutants".to_owned();
            return Err(spoilt(crate::plan::layout::PLAN, why));
        }
        for (name, bytes) in &mut certificates {
            let read: Certificate =
                serde_json::from_slice(bytes).map_err(|error| spoilt(name, error.to_string()))?;
            // Whether the model is deterministic is proved anew for the complete circuit.
            let moved = way
                .certificate(&read)
                .map_err(|error| spoilt(name, error.to_string()))?;
            let text =
                documents::to_text(&moved).map_err(|error| spoilt(name, error.to_string()))?;
            *bytes = text.into_bytes();
        }
        Ok(certificates)
    }
}
