//! Settled outcomes of an earlier run, with their evidence.
//!
//! Nothing is believed: what is carried over from here is audited.

use std::collections::BTreeMap;
use std::path::Path;

use hyperkill_audit::outcomes::{Families, Named, outcome};
use hyperkill_core::SelectorId;
use hyperkill_evidence::verdict::Outcome;

use crate::certificates::Circuit;
use crate::documents::JournalEntry;
use crate::model::Loaded;
use crate::resumption::{Evidence, Held, live};

/// The outcomes of mutants that need not be looked at again as long as nothing changes that they depend on: those that are settled and
/// have evidence.
pub(super) fn read(
    dir: &Path,
    loaded: &Loaded,
    entries: &[JournalEntry],
) -> BTreeMap<SelectorId, Outcome> {
    let circuit = Circuit::of(&loaded.model);
    let known = live(&loaded.listing);
    let mut stored = Evidence::of(dir, &circuit.digest);
    let families = Families::default();
    let mut outcomes = BTreeMap::new();
    for entry in entries.iter().filter(|entry| !entry.hurried) {
        let result = &entry.result;
        let mut read = || {
            let selector = *known.get(result.mutant.as_str())?;
            let held = stored.named_by(result)?;
            let held: Vec<Named<'_>> = held.iter().map(Held::named).collect();
            Some((selector, outcome(&circuit, result, &held, &families)?))
        };
        outcomes.extend(read());
    }
    outcomes
}
