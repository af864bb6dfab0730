//! Answers to formulas with one alternation agree with a complete oracle.

use std::collections::BTreeMap;

use hyperkill_checker::hyperltl::{Shown, Truth, decide_formula};
use hyperkill_checker::schedule::Engines;
use hyperkill_core::budget::Budget;
use hyperkill_core::{ConditionalMutant, SelectorId};
use hyperkill_formulas::{Formula, Traces, parse};
use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;

use crate::alternation_free::{cases, options};
use crate::determinised::withstands;
use crate::random::{body, system};

/// A random system, and a formula about it whose quantifiers change once.
pub(crate) fn case(seed: u64) -> (ConditionalMutant, Formula, String) {
    let mut rng = ChaCha8Rng::seed_from_u64(seed);
    let model = system(&mut rng);
    let (quantified, traces): (&str, &[&str]) = match rng.random_range(0..8) {
        0 => ("exists p q. forall r", &["p", "q", "r"]),
        1 => ("exists p. forall q r", &["p", "q", "r"]),
        2 => ("forall p q. exists r", &["p", "q", "r"]),
        3..=5 => ("exists p. forall q", &["p", "q"]),
        _ => ("forall p. exists q", &["p", "q"]),
    };
    let size = rng.random_range(1..5);
    let mut said = body(&mut rng, &model, traces, size);
    // Premises that give inner traces their inputs are built into copies.
    if traces.len() == 2 && rng.random_bool(0.25) {
        said = match quantified.starts_with("exists") {
            true => format!("(G (I[q] = I[p])) -> F ({said})"),
            false => format!("(G (I[q] = I[p])) & G ({said})"),
        };
    }
    let text = format!("{quantified}. {said}");
    let formula = parse(&text).unwrap_or_else(|error| panic!("{text}: {error}"));
    (model, formula, text)
}

/// Whether the formula holds; `None` if the oracle exceeds its limit.
pub(crate) fn expected(model: &ConditionalMutant, formula: &Formula, text: &str) -> Option<bool> {
    match text.starts_with("forall") {
        true => withstands(model, &formula.negate()).map(|withstood| !withstood),
        false => withstands(model, formula),
    }
}

#[test]
fn formulas_with_one_alternation_are_decided_as_a_complete_oracle_decides_them() {
    let mut seen: BTreeMap<&str, usize> = BTreeMap::new();
    let (mut listed, mut unknown) = (0, 0);
    for seed in 0..cases(300) {
        let (model, formula, text) = case(seed);
        let Some(holds) = expected(&model, &formula, &text) else {
            *seen.entry("too large to list").or_default() += 1;
            continue;
        };
        listed += 1;
        let budget = Budget::unlimited();
        let mutant = SelectorId(0);
        let (traces, options) = (Traces::Infinite, options(2));
        let decided = decide_formula(&model, mutant, &formula, traces, &options, &budget);
        let decided = decided.unwrap_or_else(|error| panic!("seed {seed}: {text}: {error}"));
        match decided.truth {
            Truth::Holds => assert!(holds, "seed {seed}: {text}\n{decided:?}"),
            Truth::Fails => assert!(!holds, "seed {seed}: {text}\n{decided:?}"),
            Truth::Unknown { .. } => unknown += 1,
        }
        let how = match decided.shown {
            Some(Shown::Traces(_)) => "traces",
            Some(Shown::Proof(_)) => "a proof by copies",
            Some(Shown::End(_)) => "the end of all traces",
            Some(Shown::Excluded(_)) => "an invariant",
            Some(Shown::Withstood(_)) => "traces that withstand all others",
            Some(Shown::Refuted(_)) => "responses",
            Some(Shown::Included(_)) => "a closed set",
            None => "unknown",
        };
        *seen.entry(how).or_default() += 1;
    }
    println!("{seen:#?}");
    assert!(listed * 10 > cases(300) * 8, "{seen:?}");
    assert!(unknown * 10 < listed, "{seen:?}");
}

/// A part that speaks of all inner traces beside one that speaks of those with the inputs of an outer one only.
fn case_of_all_and_some(seed: u64) -> (ConditionalMutant, Formula, String) {
    let mut rng = ChaCha8Rng::seed_from_u64(seed);
    let model = system(&mut rng);
    let mut part = || {
        let size = rng.random_range(0..3);
        body(&mut rng, &model, &["p", "q"], size)
    };
    let (all, some) = (part(), part());
    let text = match seed % 2 {
        0 => format!("exists p. forall q. (G ({all})) & ((G (I[q] = I[p])) -> F ({some}))"),
        _ => format!("forall p. exists q. (F ({all})) | ((G (I[q] = I[p])) & G ({some}))"),
    };
    let formula = parse(&text).unwrap_or_else(|error| panic!("{text}: {error}"));
    (model, formula, text)
}

#[test]
fn what_is_said_of_all_inner_traces_is_asked_of_all_of_them() {
    let mut decided = [0; 2];
    for seed in 0..cases(200) {
        let (model, formula, text) = case_of_all_and_some(seed);
        let Some(holds) = expected(&model, &formula, &text) else {
            continue;
        };
        let (mutant, traces) = (SelectorId(0), Traces::Infinite);
        let budget = Budget::unlimited();
        let found = decide_formula(&model, mutant, &formula, traces, &options(2), &budget);
        let found = found.unwrap_or_else(|error| panic!("seed {seed}: {text}: {error}"));
        if !matches!(found.truth, Truth::Unknown { .. }) {
            let found = found.truth == Truth::Holds;
            assert_eq!(found, holds, "seed {seed}: {text}");
            decided[usize::from(found)] += 1;
        }
    }
    println!("{decided:?}");
    assert!(decided.iter().all(|&count| count > 10), "{decided:?}");
}

#[test]
fn formulas_that_fail_are_decided_by_listing_states_alone() {
    let (mut by_sets, mut by_ways, mut refuted) = (0, 0, 0);
    let mut options = options(2);
    options.reachability.engines = Engines {
        explicit: true,
        ..Engines::NONE
    };
    for seed in 0..cases(300) {
        let (model, formula, text) = case(seed);
        let begins = text.starts_with("forall");
        let Some(holds) = expected(&model, &formula, &text) else {
            continue;
        };
        let budget = Budget::unlimited();
        let mutant = SelectorId(0);
        let traces = Traces::Infinite;
        let decided = decide_formula(&model, mutant, &formula, traces, &options, &budget);
        let decided = decided.unwrap_or_else(|error| panic!("seed {seed}: {text}: {error}"));
        refuted += usize::from(holds == begins);
        if let Some(Shown::Included(shown)) = decided.shown {
            assert_eq!(holds, begins, "seed {seed}: {text}");
            match shown.ways.is_empty() {
                true => by_sets += 1,
                false => by_ways += 1,
            }
        }
    }
    println!("{refuted} refuted: {by_sets} by sets, {by_ways} by ways");
    assert!(by_sets > 0 && by_ways > 0);
    assert!(
        (by_sets + by_ways) * 20 > refuted * 17,
        "{by_sets}, {by_ways} of {refuted}"
    );
}
