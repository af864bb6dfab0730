//! Reads the documents of proofs, and has them checked.

use hyperkill_core::budget::Budget;
use hyperkill_core::timed::{Automaton, Rules};
use hyperkill_frontend::decision::Refutation;
use hyperkill_timed_certify::constraint::{Constraint, List};
use hyperkill_timed_certify::good::{self as states, Lost, Side};
use hyperkill_timed_certify::relation::{self, Pair, Wrong};
use serde::Deserialize;
use serde_json::Value as Document;

/// A proof that a mutant refines the model (certificates.md).
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Proof {
    kind: String,
    lost: Vec<LostText>,
    pairs: Vec<PairText>,
}

/// A proof that an automaton has a good initial state, or that it has none.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct BadStates {
    kind: String,
    lost: Vec<LostText>,
}

type ConstraintText = (String, String, String, i64);

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct LostText {
    location: usize,
    zones: Vec<Vec<ConstraintText>>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct PairText {
    mutant: usize,
    model: usize,
    zone: Vec<ConstraintText>,
}

/// The largest constant that is taken: sums of many fit 64 bits.
const LARGEST: i64 = 1 << 40;

fn wrong(what: &str) -> Refutation {
    Refutation::Wrong(what.to_owned())
}

/// A proof of a kind.
fn read<'a, P: Deserialize<'a>>(document: &'a Document) -> Result<P, Refutation> {
    let proof = P::deserialize(document);
    proof.map_err(|error| Refutation::Wrong(format!("the proof is malformed: {error}")))
}

/// Names of clocks, by their numbers in constraints.
struct Names(Vec<String>);

impl Names {
    fn of(mutant: &Automaton, model: Option<&Automaton>) -> Names {
        let clocks = |automaton: &Automaton, side: &str| -> Vec<String> {
            let clocks = automaton.clocks.iter();
            clocks.map(|clock| format!("{side}.{clock}")).collect()
        };
        let mut names = vec!["0".to_owned()];
        names.extend(clocks(mutant, "mutant"));
        names.extend(model.into_iter().flat_map(|model| clocks(model, "model")));
        Names(names)
    }

    fn list(&self, texts: &[ConstraintText]) -> Option<List> {
        let number = |name: &str| self.0.iter().position(|known| known == name);
        let constraints = texts.iter().map(|(left, right, sign, most)| {
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
        });
        Some(List(constraints.collect::<Option<_>>()?))
    }

    fn lost(&self, texts: &[LostText]) -> Option<Vec<Lost>> {
        let lost = texts.iter().map(|text| {
            let lists = text.zones.iter().map(|zone| self.list(zone));
            Some(Lost {
                location: text.location,
                states: lists.collect::<Option<_>>()?,
            })
        });
        lost.collect()
    }
}

fn of_states(found: states::Wrong) -> Refutation {
    match found {
        states::Wrong::Stopped(stop) => Refutation::Stopped(stop),
        other => Refutation::Wrong(other.to_string()),
    }
}

const SAYS_NOTHING: &str = "the proof has constraints that say nothing";

/// Whether a document proves that a mutant has no good initial state.
///
/// # Errors
/// Why it does not.
pub(crate) fn inconsistent(
    mutant: &Automaton,
    rules: Rules,
    document: &Document,
    budget: &Budget,
) -> Result<(), Refutation> {
    let proof: BadStates = read(document)?;
    if proof.kind != "timed-inconsistency" {
        return Err(wrong("the proof is of another kind"));
    }
    let lost = Names::of(mutant, None).lost(&proof.lost);
    let lost = lost.ok_or_else(|| wrong(SAYS_NOTHING))?;
    states::inconsistent(mutant, rules.is_pruned, &lost, budget).map_err(of_states)
}

/// Whether a document proves that an automaton has a good initial state.
///
/// # Errors
/// Why it does not.
pub(crate) fn consistent(
    automaton: Automaton,
    rules: Rules,
    document: &Document,
    budget: &Budget,
) -> Result<(), Refutation> {
    let proof: BadStates = read(document)?;
    if proof.kind != "timed-consistency" {
        return Err(wrong("the proof is of another kind"));
    }
    let lost = Names::of(&automaton, None).lost(&proof.lost);
    let lost = lost.ok_or_else(|| wrong(SAYS_NOTHING))?;
    let side = Side::shown(automaton, rules.is_pruned, &lost, budget).map_err(of_states)?;
    match side.is_consistent() {
        true => Ok(()),
        false => Err(wrong("the start is bad")),
    }
}

/// Whether a document proves that a mutant refines the model.
///
/// # Errors
/// Why it does not.
pub(crate) fn check(
    mutant: Automaton,
    model: &Side,
    rules: Rules,
    document: &Document,
    budget: &Budget,
) -> Result<(), Refutation> {
    let proof: Proof = read(document)?;
    if proof.kind != "timed-refinement" {
        return Err(wrong("the proof is of another kind"));
    }
    let names = Names::of(&mutant, Some(&model.automaton));
    let pairs = proof.pairs.iter().map(|pair| {
        Some(Pair {
            mutant: pair.mutant,
            model: pair.model,
            values: names.list(&pair.zone)?,
        })
    });
    let pairs: Option<Vec<Pair>> = pairs.collect();
    let lost = Names::of(&mutant, None).lost(&proof.lost);
    let (pairs, lost) = pairs.zip(lost).ok_or_else(|| wrong(SAYS_NOTHING))?;
    let mutant = Side::shown(mutant, rules.is_pruned, &lost, budget).map_err(of_states)?;
    if !mutant.is_consistent() {
        return Err(wrong("the mutant is inconsistent"));
    }
    relation::check(&mutant, model, rules, &pairs, budget).map_err(|found| match found {
        Wrong::Stopped(stop) => Refutation::Stopped(stop),
        other => Refutation::Wrong(other.to_string()),
    })
}
