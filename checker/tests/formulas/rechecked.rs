//! Evidence passes a check that uses only the model, the formula and the evidence. Damaged evidence is rejected.

use std::collections::BTreeMap;

use hyperkill_checker::decide_formula;
use hyperkill_checker::hyperltl::{Beyond, Exclusion, Response, Shown, Truth, recheck};
use hyperkill_core::SelectorId;
use hyperkill_core::budget::Budget;
use hyperkill_formulas::Traces;
use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;

use crate::alternation_free::{self, cases, options};
use crate::exactly;

/// Returns the evidence with one part removed or changed.
fn damaged(rng: &mut ChaCha8Rng, shown: &Shown) -> Shown {
    let mut shown = shown.clone();
    let drop = |rng: &mut ChaCha8Rng, exclusion: &mut Exclusion| {
        let clauses = &mut exclusion.invariant;
        if !clauses.is_empty() {
            clauses.remove(rng.random_range(0..clauses.len()));
        }
    };
    match &mut shown {
        Shown::Traces(witness) => flip(rng, &mut witness.runs[0].steps),
        Shown::Withstood(shown) => match rng.random_bool(0.5) {
            true => drop(rng, &mut shown.1),
            false => flip(rng, &mut shown.0.runs[0].steps),
        },
        Shown::Excluded(exclusion) => drop(rng, exclusion),
        Shown::Refuted(refutation) => match rng.random_bool(0.5) {
            true => drop(rng, &mut refutation.exclusion),
            false => {
                let responses = &mut refutation.responses;
                responses.remove(rng.random_range(0..responses.len()));
            }
        },
        Shown::Included(inclusion) => match rng.random_bool(0.5) && !inclusion.ways.is_empty() {
            true => drop_one(rng, &mut inclusion.ways),
            false => drop_one(rng, &mut inclusion.sets),
        },
        Shown::Proof(_) | Shown::End(_) => {}
    }
    shown
}

fn drop_one<T>(rng: &mut ChaCha8Rng, of: &mut Vec<T>) {
    of.remove(rng.random_range(0..of.len()));
}

fn flip(rng: &mut ChaCha8Rng, steps: &mut [Vec<bool>]) {
    let step = rng.random_range(0..steps.len());
    let input = rng.random_range(0..steps[step].len());
    steps[step][input] = !steps[step][input];
}

#[test]
fn evidence_is_accepted_again_for_what_it_shows_and_for_nothing_else() {
    let mut refused: BTreeMap<&str, [usize; 2]> = BTreeMap::new();
    for seed in 0..cases(400) {
        let (model, formula, text) = match seed % 3 {
            0 => alternation_free::case(seed / 3),
            _ => exactly::case(seed - seed / 3),
        };
        let (mutant, traces) = (SelectorId(0), Traces::Infinite);
        let budget = Budget::unlimited();
        let decided = decide_formula(&model, mutant, &formula, traces, &options(2), &budget);
        let decided = decided.unwrap_or_else(|error| panic!("seed {seed}: {text}: {error}"));
        let Some(shown) = decided.shown else { continue };
        let holds = decided.truth == Truth::Holds;
        let check = |holds: bool, shown: &Shown| {
            recheck((&model, mutant), &formula, traces, holds, shown, &budget)
        };
        if let Err(error) = check(holds, &shown) {
            panic!("seed {seed}: {text}: {error}\n{shown:?}");
        }
        assert!(check(!holds, &shown).is_err(), "seed {seed}: {text}: both");
        let kind = match &shown {
            Shown::Traces(witness) if matches!(witness.beyond, Beyond::Loop(_)) => "lassos",
            Shown::Withstood(_) => "withstood",
            Shown::Excluded(exclusion) if !exclusion.invariant.is_empty() => "excluded",
            Shown::Refuted(of) if !of.responses.contains(&Response::Follows) => "refuted",
            Shown::Included(_) => "included",
            _ => continue,
        };
        let mut rng = ChaCha8Rng::seed_from_u64(seed);
        let count = refused.entry(kind).or_default();
        for _ in 0..4 {
            // Damaged evidence may still be valid: a part may be redundant, and another input may serve as well.
            let is_refused = check(holds, &damaged(&mut rng, &shown)).is_err();
            count[usize::from(is_refused)] += 1;
        }
    }
    println!("{refused:?}");
    for (kind, [accepted, refused]) in refused {
        assert!(
            refused * 10 > accepted,
            "{kind}: {accepted} of damaged evidence accepted, {refused} refused"
        );
    }
}
