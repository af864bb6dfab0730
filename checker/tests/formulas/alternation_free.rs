//! Every formula without alternation gets an answer, the same as from a complete enumeration.

use std::collections::BTreeMap;

use hyperkill_checker::hyperltl::{Shown, Truth, Way, decide_formula};
use hyperkill_checker::schedule::formulas::Options;
use hyperkill_checker::schedule::reachability;
use hyperkill_core::budget::Budget;
use hyperkill_core::{ConditionalMutant, SelectorId};
use hyperkill_formulas::{Formula, Traces, parse};
use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;

use crate::random::{body, system};
use crate::tableau::has_traces;

pub(crate) fn cases(otherwise: u64) -> u64 {
    std::env::var("HYPERKILL_CASES").map_or(otherwise, |text| text.parse().expect("a number"))
}

pub(crate) fn options(turns: u32) -> Options {
    Options {
        reachability: reachability::Options {
            turns: Some(turns),
            ..reachability::Options::UNLIMITED
        },
    }
}

/// A random system, and a formula about it without alternation.
pub(crate) fn case(seed: u64) -> (ConditionalMutant, Formula, String) {
    let mut rng = ChaCha8Rng::seed_from_u64(seed);
    let model = system(&mut rng);
    let traces = &["p", "q", "r"]
        [..1 + usize::from(rng.random_bool(0.6)) + usize::from(rng.random_bool(0.1))];
    let size = rng.random_range(1..6);
    let said = body(&mut rng, &model, traces, size);
    let universal = rng.random_bool(0.5);
    let word = if universal { "forall" } else { "exists" };
    let text = format!("{word} {}. {said}", traces.join(" "));
    let formula = parse(&text).unwrap_or_else(|error| panic!("{text}: {error}"));
    (model, formula, text)
}

/// Whether the formula holds; `None` if the enumeration exceeds its limit.
pub(crate) fn expected(model: &ConditionalMutant, formula: &Formula, text: &str) -> Option<bool> {
    match text.starts_with("forall") {
        true => has_traces(model, &formula.negate()).map(|found| !found),
        false => has_traces(model, formula),
    }
}

#[test]
fn formulas_without_alternation_are_all_decided_as_an_enumeration_decides_them() {
    let mut seen: BTreeMap<&str, usize> = BTreeMap::new();
    for seed in 0..cases(1000) {
        let (model, formula, text) = case(seed);
        let Some(holds) = expected(&model, &formula, &text) else {
            *seen.entry("too large to enumerate").or_default() += 1;
            continue;
        };
        let budget = Budget::unlimited();
        let decided = decide_formula(
            &model,
            SelectorId(0),
            &formula,
            Traces::Infinite,
            &options(6),
            &budget,
        );
        let decided = decided.unwrap_or_else(|error| panic!("seed {seed}: {text}: {error}"));
        let expected = if holds { Truth::Holds } else { Truth::Fails };
        assert_eq!(decided.truth, expected, "seed {seed}: {text}\n{decided:?}");
        let how = match decided.shown {
            Some(Shown::Excluded(exclusion)) => match exclusion.way {
                Way::NoLasso => "excluded: no lasso",
                Way::Counted(_) => "excluded: counted",
            },
            Some(Shown::Traces(_)) => "traces",
            _ => "in another way",
        };
        *seen.entry(how).or_default() += 1;
    }
    println!("{seen:#?}");
    let of = |what: &str| seen.get(what).copied().unwrap_or(0);
    assert!(of("traces") * 4 > cases(1000) as usize, "{seen:?}");
    assert!(of("excluded: no lasso") + of("excluded: counted") > cases(1000) as usize / 20);
}
