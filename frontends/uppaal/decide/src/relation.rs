//! Proofs that a mutant refines its model: the states that both are in after the same traces, as documents.

use hyperkill_core::timed::Automaton;
use hyperkill_timed::bound::Bound;
use hyperkill_timed::dbm::Zone;
use hyperkill_timed::game::Lost;
use hyperkill_timed::refine::{Related, Side};
use serde_json::{Value as Document, json};

/// The document (certificates.md): pairs of locations by their numbers, each with one zone, and what is bad of the mutant.
pub(crate) fn document(
    mutant: &Automaton,
    lost: &[Lost],
    model: &Automaton,
    related: &[Related],
) -> Document {
    let names: Vec<String> = of_mutant(mutant)
        .chain((model.clocks).iter().map(|clock| format!("model.{clock}")))
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
        "lost": ranks(mutant, lost),
        "pairs": pairs.collect::<Vec<Document>>(),
    })
}

/// The document of a mutant that has no good initial state.
pub(crate) fn inconsistent(mutant: &Automaton, lost: &[Lost]) -> Document {
    json!({ "kind": "timed-inconsistency", "lost": ranks(mutant, lost) })
}

/// The document of an automaton that has a good initial state: all that is bad, and what is left is good.
pub(crate) fn consistent(side: &Side) -> Document {
    json!({ "kind": "timed-consistency", "lost": ranks(&side.automaton, &side.lost) })
}

/// The bad states of a mutant by rank.
fn ranks(mutant: &Automaton, lost: &[Lost]) -> Vec<Document> {
    let names: Vec<String> = of_mutant(mutant).collect();
    let lost = lost.iter().map(|lost| {
        let zones = lost.states.zones().iter();
        let zones = zones.map(|zone| constraints(zone, &names));
        json!({ "location": lost.location, "zones": zones.collect::<Vec<_>>() })
    });
    lost.collect()
}

fn of_mutant(automaton: &Automaton) -> impl Iterator<Item = String> {
    let clocks = automaton.clocks.iter();
    std::iter::once("0".to_owned()).chain(clocks.map(|clock| format!("mutant.{clock}")))
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
