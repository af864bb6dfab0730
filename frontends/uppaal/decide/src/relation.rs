//! Proofs that a mutant refines its model: the states that both are in after the same traces, as documents.

use hyperkill_core::timed::Automaton;
use hyperkill_timed::bound::Bound;
use hyperkill_timed::dbm::Zone;
use hyperkill_timed::refine::Related;
use serde_json::{Value as Document, json};

/// The document (certificates.md): pairs of locations by their numbers, each with one zone.
pub(crate) fn document(mutant: &Automaton, model: &Automaton, related: &[Related]) -> Document {
    let names: Vec<String> = std::iter::once("0".to_owned())
        .chain(mutant.clocks.iter().map(|clock| format!("mutant.{clock}")))
        .chain(model.clocks.iter().map(|clock| format!("model.{clock}")))
        .collect();
    let pairs = related.iter().map(|related| {
        json!({
            "mutant": related.mutant,
            "model": related.model,
            "zone": constraints(&related.zone, &names),
        })
    });
    json!({
        "kind": "timed-refinement",
        "pairs": pairs.collect::<Vec<Document>>(),
    })
}

/// All bounds that do not go without saying: what comes before, what is taken from it, and the bound.
fn constraints(zone: &Zone, names: &[String]) -> Vec<Document> {
    let mut all = Vec::new();
    for (i, left) in names.iter().enumerate() {
        for (j, right) in names.iter().enumerate() {
            let bound = zone.bound(i, j);
            let is_said = i != j && !(i == 0 && bound == Bound::ZERO);
            if let Some(constant) = bound.constant().filter(|_| is_said) {
                let sign = if bound.is_strict() { "<" } else { "<=" };
                all.push(json!([left, right, sign, constant]));
            }
        }
    }
    all
}
