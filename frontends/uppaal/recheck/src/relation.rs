//! Reads the documents of proofs, and has them checked.

use hyperkill_core::budget::Budget;
use hyperkill_core::timed::Rules;
use hyperkill_frontend::decision::Refutation;
use hyperkill_timed_certify::constraint::{Constraint, List};
use hyperkill_timed_certify::good::Side;
use hyperkill_timed_certify::relation::{self, Pair, Wrong};
use serde::Deserialize;
use serde_json::Value as Document;

/// A proof (certificates.md).
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Proof {
    kind: String,
    pairs: Vec<PairText>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct PairText {
    mutant: usize,
    model: usize,
    zone: Vec<(String, String, String, i64)>,
}

/// The largest constant that is taken: sums of many fit 64 bits.
const LARGEST: i64 = 1 << 40;

/// Whether a document proves that a mutant refines the model.
///
/// # Errors
/// Why it does not.
pub(crate) fn check(
    mutant: &Side,
    model: &Side,
    rules: Rules,
    document: &Document,
    budget: &Budget,
) -> Result<(), Refutation> {
    let wrong = |what: &str| Refutation::Wrong(what.to_owned());
    let proof = Proof::deserialize(document);
    let proof =
        proof.map_err(|error| Refutation::Wrong(format!("the proof is malformed: {error}")))?;
    if proof.kind != "timed-refinement" {
        return Err(wrong("the proof is of another kind"));
    }
    if !mutant.is_consistent() {
        return Err(wrong("the mutant is inconsistent"));
    }
    let names: Vec<String> = std::iter::once("0".to_owned())
        .chain(
            mutant
                .automaton
                .clocks
                .iter()
                .map(|clock| format!("mutant.{clock}")),
        )
        .chain(
            model
                .automaton
                .clocks
                .iter()
                .map(|clock| format!("model.{clock}")),
        )
        .collect();
    let number = |name: &str| names.iter().position(|known| known == name);
    let constraint = |(left, right, sign, most): &(String, String, String, i64)| {
        let is_strict = match sign.as_str() {
            "<" => true,
            "<=" => false,
            _ => return None,
        };
        Some(Constraint {
            left: number(left)?,
            right: number(right)?,
            most: Some(*most).filter(|most| most.abs() <= LARGEST)?,
            is_strict,
        })
    };
    let pairs = proof.pairs.iter().map(|pair| {
        let constraints = pair.zone.iter().map(constraint);
        Some(Pair {
            mutant: pair.mutant,
            model: pair.model,
            values: List(constraints.collect::<Option<_>>()?),
        })
    });
    let pairs: Option<Vec<Pair>> = pairs.collect();
    let pairs = pairs.ok_or_else(|| wrong("the proof has constraints that say nothing"))?;
    relation::check(mutant, model, rules, &pairs, budget).map_err(|found| match found {
        Wrong::Stopped(stop) => Refutation::Stopped(stop),
        other => Refutation::Wrong(other.to_string()),
    })
}
