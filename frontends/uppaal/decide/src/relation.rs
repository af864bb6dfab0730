//! Proofs that a mutant refines its model: the states that both are in after the same traces, as documents.

use std::collections::BTreeSet;

use hyperkill_core::timed::Automaton;
use hyperkill_timed::bound::Bound;
use hyperkill_timed::dbm::Zone;
use hyperkill_timed::game::Lost;
use hyperkill_timed::refine::{Related, Side};
use serde_json::{Value as Document, json};

/// Returns the document (certificates.md): pairs of locations by number, each with one zone, and the bad states of the mutant.
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
        let zone = constraints(&related.zone);
        (related.mutant, related.model, zone)
    });
    let pairs: BTreeSet<(usize, usize, Vec<Constraint>)> = pairs.collect();
    let pairs = pairs.iter().map(|(mutant, model, zone)| {
        json!({
            "mutant": mutant,
            "model": model,
            "zone": written(zone, &names),
        })
    });
    json!({
        "kind": "timed-refinement",
        "lost": ranks(mutant, lost),
        "pairs": pairs.collect::<Vec<Document>>(),
    })
}

/// Returns the document of the proof that a mutant has no good initial state: its bad states by rank.
pub(crate) fn inconsistent(mutant: &Automaton, lost: &[Lost]) -> Document {
    json!({ "kind": "timed-inconsistency", "lost": ranks(mutant, lost) })
}

/// Returns the document of the proof that an automaton has a good initial state: all bad states; the others are good.
pub(crate) fn consistent(side: &Side) -> Document {
    json!({ "kind": "timed-consistency", "lost": ranks(&side.automaton, &side.lost) })
}

/// Returns the bad states of a mutant as documents, in the order of their ranks.
fn ranks(mutant: &Automaton, lost: &[Lost]) -> Vec<Document> {
    let names: Vec<String> = of_mutant(mutant).collect();
    let lost = lost.iter().map(|lost| {
        let zones: BTreeSet<Vec<Constraint>> =
            lost.states.zones().iter().map(constraints).collect();
        let zones = zones.iter().map(|zone| written(zone, &names));
        json!({ "location": lost.location, "zones": zones.collect::<Vec<_>>() })
    });
    lost.collect()
}

fn of_mutant(automaton: &Automaton) -> impl Iterator<Item = String> {
    let clocks = automaton.clocks.iter();
    std::iter::once("0".to_owned()).chain(clocks.map(|clock| format!("mutant.{clock}")))
}

/// An upper bound of a difference of two clocks, by their numbers. The order of these is the order of the document.
#[derive(PartialEq, Eq, PartialOrd, Ord)]
struct Constraint {
    left: usize,
    right: usize,
    most: i64,
    /// Whether the bound is not strict.
    is_weak: bool,
}

/// Returns all bounds of a zone by the numbers of their clocks, except that clocks are not negative.
fn constraints(zone: &Zone) -> Vec<Constraint> {
    let clocks = zone.clocks() + 1;
    let mut all = Vec::new();
    for left in 0..clocks {
        for right in 0..clocks {
            let bound = zone.bound(left, right);
            let is_said = left != right && !(left == 0 && bound == Bound::ZERO);
            if let Some(most) = bound.constant().filter(|_| is_said) {
                all.push(Constraint {
                    left,
                    right,
                    most,
                    is_weak: !bound.is_strict(),
                });
            }
        }
    }
    all
}

/// Returns constraints as documents with names of clocks: the minuend, the subtrahend, the sign and the bound.
fn written(zone: &[Constraint], names: &[String]) -> Vec<Document> {
    let all = zone.iter().map(|constraint| {
        let sign = if constraint.is_weak { "<=" } else { "<" };
        let [left, right] = [constraint.left, constraint.right].map(|clock| names.get(clock));
        json!([left, right, sign, constraint.most])
    });
    all.collect()
}
