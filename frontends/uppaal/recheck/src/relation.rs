//! Reads the documents of proofs, and has them checked.

use hyperkill_core::budget::Budget;
use hyperkill_core::timed::{Automaton, Rules};
use hyperkill_frontend::decision::Refutation;
use hyperkill_timed_certify::constraint::{Constraint, List};
use hyperkill_timed_certify::good::{self as states, Lost, Side};
use hyperkill_timed_certify::relation::{self, Pair, Wrong};
use serde::Deserialize;
use serde_json::Value as Document;

use crate::open::OpenText;

/// A proof that a mutant refines the model (certificates.md).
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Proof {
    kind: String,
    lost: Vec<LostText>,
    pairs: Vec<PairText>,
    #[serde(default)]
    open: Option<OpenText>,
}

/// A proof that the initial state of an automaton is good, or that it is bad (semantics.md §8): the list of all bad states.
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

/// The largest constant that is accepted: sums of many such constants fit 64 bits.
const LARGEST: i64 = 1 << 40;

fn wrong(what: &str) -> Refutation {
    Refutation::Wrong(what.to_owned())
}

/// Reads a document as a proof of the form `P`.
fn read<'a, P: Deserialize<'a>>(document: &'a Document) -> Result<P, Refutation> {
    let proof = P::deserialize(document);
    proof.map_err(|error| Refutation::Wrong(format!("the proof is malformed: {error}")))
}

/// Names of clocks, by their indices; constraints refer to clocks by these names.
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

    /// Returns the constraints of a document. Each difference of two clocks occurs at most once, and they are in the order of the clocks.
    fn list(&self, texts: &[ConstraintText]) -> Result<List, Refutation> {
        let list = self.constraints(texts).ok_or_else(|| wrong(SAYS_NOTHING))?;
        let sides = list.0.iter().map(|c| (c.left, c.right));
        match ascend(sides) {
            true => Ok(list),
            false => Err(wrong(OTHER_FORM)),
        }
    }

    fn constraints(&self, texts: &[ConstraintText]) -> Option<List> {
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

    fn lost(&self, texts: &[LostText]) -> Result<Vec<Lost>, Refutation> {
        let lost = texts.iter().map(|text| {
            let lists = text.zones.iter().map(|zone| self.list(zone));
            let states: Vec<List> = lists.collect::<Result<_, _>>()?;
            match ascend(states.iter().map(key)) {
                true => Ok(Lost {
                    location: text.location,
                    states,
                }),
                false => Err(wrong(OTHER_FORM)),
            }
        });
        lost.collect()
    }

    fn pairs(&self, texts: &[PairText]) -> Result<Vec<Pair>, Refutation> {
        let pairs = texts.iter().map(|pair| {
            Ok(Pair {
                mutant: pair.mutant,
                model: pair.model,
                values: self.list(&pair.zone)?,
            })
        });
        let pairs: Vec<Pair> = pairs.collect::<Result<_, Refutation>>()?;
        let places = pairs.iter().map(|p| (p.mutant, p.model, key(&p.values)));
        match ascend(places) {
            true => Ok(pairs),
            false => Err(wrong(OTHER_FORM)),
        }
    }
}

/// Whether each entry is larger than the one before it, so that a list has one form only.
fn ascend<T: PartialOrd>(entries: impl Iterator<Item = T>) -> bool {
    entries.is_sorted_by(|before, after| before < after)
}

/// Returns the sort key of a list of constraints: its constraints, with a strict bound before the non-strict one.
fn key(list: &List) -> Vec<(usize, usize, i64, bool)> {
    let constraints = list.0.iter();
    constraints
        .map(|c| (c.left, c.right, c.most, !c.is_strict))
        .collect()
}

fn of_states(found: states::Wrong) -> Refutation {
    match found {
        states::Wrong::Stopped(stop) => Refutation::Stopped(stop),
        other => Refutation::Wrong(other.to_string()),
    }
}

const SAYS_NOTHING: &str = "the proof has redundant constraints";
const OTHER_FORM: &str = "the lists of the proof are not strictly ascending";

/// Checks a proof that a mutant has no good initial state.
///
/// # Errors
/// If it is no proof, with the reason.
pub(crate) fn inconsistent(
    mutant: &Automaton,
    rules: Rules,
    document: &Document,
    budget: &Budget,
) -> Result<(), Refutation> {
    let proof: BadStates = read(document)?;
    if proof.kind != "timed-inconsistency" {
        return Err(wrong("the proof is of another kind than the claim"));
    }
    let lost = Names::of(mutant, None).lost(&proof.lost)?;
    states::inconsistent(mutant, rules.is_pruned, &lost, budget).map_err(of_states)
}

/// Returns an automaton with its good states, if a document proves that its initial state is one of them.
///
/// # Errors
/// If it is no proof, with the reason.
pub(crate) fn consistent(
    automaton: Automaton,
    rules: Rules,
    document: &Document,
    budget: &Budget,
) -> Result<Side, Refutation> {
    let proof: BadStates = read(document)?;
    if proof.kind != "timed-consistency" {
        return Err(wrong("the proof is of another kind than the claim"));
    }
    let lost = Names::of(&automaton, None).lost(&proof.lost)?;
    let side = Side::shown(automaton, rules.is_pruned, &lost, budget).map_err(of_states)?;
    match side.is_consistent() {
        true => Ok(side),
        false => Err(wrong("the initial state is bad")),
    }
}

/// Checks a proof that a mutant refines the model. Returns the statement of the document about an open environment, which is not checked.
///
/// # Errors
/// If it is no proof, with the reason.
pub(crate) fn check(
    mutant: Automaton,
    model: &Side,
    rules: Rules,
    document: &Document,
    budget: &Budget,
) -> Result<Option<OpenText>, Refutation> {
    let proof: Proof = read(document)?;
    if proof.kind != "timed-refinement" {
        return Err(wrong("the proof is of another kind than the claim"));
    }
    let names = Names::of(&mutant, Some(&model.automaton));
    let pairs = names.pairs(&proof.pairs)?;
    let lost = Names::of(&mutant, None).lost(&proof.lost)?;
    let mutant = Side::shown(mutant, rules.is_pruned, &lost, budget).map_err(of_states)?;
    if !mutant.is_consistent() {
        return Err(wrong("the mutant is inconsistent"));
    }
    relation::check(&mutant, model, rules, &pairs, budget).map_err(|found| match found {
        Wrong::Stopped(stop) => Refutation::Stopped(stop),
        other => Refutation::Wrong(other.to_string()),
    })?;
    Ok(proof.open)
}
