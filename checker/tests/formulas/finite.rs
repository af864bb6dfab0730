//! Answers to formulas over finite traces agree with complete enumerations.

use std::collections::BTreeMap;

use hyperkill_checker::hyperltl::{Beyond, Shown, Truth, decide_formula, recheck};
use hyperkill_checker::schedule::Engines;
use hyperkill_core::SelectorId;
use hyperkill_core::budget::Budget;
use hyperkill_formulas::{Formula, Traces, parse};
use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;

use crate::alternation_free::{case, cases, options};
use crate::exactly;
use crate::subsets::withstands_finite;
use crate::tableau::{has_finite_traces, has_traces};

/// The formula, where some of the next steps need not be there.
fn with_weak_steps(seed: u64, text: &str) -> (Formula, String) {
    let mut rng = ChaCha8Rng::seed_from_u64(seed);
    let parts: Vec<&str> = text.split("X (").collect();
    let text = (parts[1..].iter()).fold(parts[0].to_owned(), |text, part| {
        let next = if rng.random() { "wX (" } else { "X (" };
        text + next + part
    });
    let formula = parse(&text).unwrap_or_else(|error| panic!("{text}: {error}"));
    (formula, text)
}

#[test]
fn formulas_over_finite_traces_are_all_decided_as_an_enumeration_decides_them() {
    let mut seen: BTreeMap<&str, usize> = BTreeMap::new();
    let mut differ = 0;
    for seed in 0..cases(1000) {
        let (model, _, text) = case(seed);
        let (formula, text) = with_weak_steps(seed, &text);
        let asked = formula.as_asked();
        let Some(found) = has_finite_traces(&model, &asked) else {
            *seen.entry("too large to enumerate").or_default() += 1;
            continue;
        };
        differ += usize::from(has_traces(&model, &asked) == Some(!found));
        let holds = found != formula.begins_with_forall();
        let budget = Budget::unlimited();
        let (mutant, finite) = (SelectorId(0), Traces::Finite);
        let decided = decide_formula(&model, mutant, &formula, finite, &options(6), &budget);
        let decided = decided.unwrap_or_else(|error| panic!("seed {seed}: {text}: {error}"));
        let expected = if holds { Truth::Holds } else { Truth::Fails };
        assert_eq!(decided.truth, expected, "seed {seed}: {text}\n{decided:?}");
        let Some(shown) = decided.shown else {
            panic!("seed {seed}: nothing shows {text}");
        };
        let about = (&model, mutant);
        let check = |traces, holds| recheck(about, &formula, traces, holds, &shown, &budget);
        check(finite, holds).unwrap_or_else(|error| panic!("seed {seed}: {text}: {error}"));
        assert!(check(finite, !holds).is_err(), "seed {seed}: {text}");
        if let Shown::Traces(witness) = &shown {
            assert_eq!(witness.beyond, Beyond::Nothing, "seed {seed}: {text}");
            assert!(
                check(Traces::Infinite, holds).is_err(),
                "seed {seed}: {text}"
            );
        }
        let how = match shown {
            Shown::Traces(_) => "traces",
            Shown::Excluded(_) => "excluded",
            _ => "in another way",
        };
        *seen.entry(how).or_default() += 1;
    }
    println!("{seen:#?}, {differ} otherwise than over infinite traces");
    let few = cases(1000) as usize / 50;
    let of = |what: &str| seen.get(what).copied().unwrap_or(0);
    assert!(
        of("traces") > few && of("excluded") > few && differ > few,
        "{seen:?} {differ}"
    );
}

/// Formulas with one alternation, decided by these engines in so many turns: how, and how many are left open.
fn alternating(count: u64, engines: Engines, turns: u32) -> (BTreeMap<&'static str, usize>, usize) {
    let mut seen: BTreeMap<&str, usize> = BTreeMap::new();
    let mut differ = 0;
    let mut options = options(turns);
    options.reachability.engines = engines;
    for seed in 0..count {
        let (model, _, text) = exactly::case(seed);
        let (formula, text) = with_weak_steps(seed, &text);
        let Some(withstood) = withstands_finite(&model, &formula.as_asked()) else {
            *seen.entry("too large to enumerate").or_default() += 1;
            continue;
        };
        let holds = withstood != formula.begins_with_forall();
        let infinite = exactly::expected(&model, &formula, &text);
        differ += usize::from(infinite == Some(!holds));
        let budget = Budget::unlimited();
        let (mutant, finite) = (SelectorId(0), Traces::Finite);
        let decided = decide_formula(&model, mutant, &formula, finite, &options, &budget);
        let decided = decided.unwrap_or_else(|error| panic!("seed {seed}: {text}: {error}"));
        let Some(shown) = decided.shown else {
            *seen.entry("unknown").or_default() += 1;
            continue;
        };
        let expected = if holds { Truth::Holds } else { Truth::Fails };
        assert_eq!(decided.truth, expected, "seed {seed}: {text}\n{shown:?}");
        let check = |holds| recheck((&model, mutant), &formula, finite, holds, &shown, &budget);
        check(holds).unwrap_or_else(|error| panic!("seed {seed}: {text}: {error}"));
        assert!(check(!holds).is_err(), "seed {seed}: {text}");
        let how = match shown {
            Shown::Traces(_) => "traces",
            Shown::Proof(_) => "a proof by copies",
            Shown::Withstood(_) => "traces that withstand all others",
            Shown::Refuted(_) => "responses",
            Shown::Included(_) => "a closed set",
            Shown::End(_) | Shown::Excluded(_) => "in another way",
        };
        *seen.entry(how).or_default() += 1;
    }
    (seen, differ)
}

#[test]
fn formulas_with_one_alternation_over_finite_traces_are_decided_as_sets_decide_them() {
    let (seen, differ) = alternating(cases(400), Engines::ALL, 2);
    println!("{seen:#?}, {differ} otherwise than over infinite traces");
    let of = |what: &str| seen.get(what).copied().unwrap_or(0);
    let few = cases(400) as usize / 50;
    assert!(of("unknown") < few.max(1), "{seen:?}");
    assert!(of("traces that withstand all others") > few && of("responses") > few);
    assert!(differ > few, "{differ}");
}

#[test]
fn formulas_over_finite_traces_are_decided_by_listing_states_alone() {
    let engines = Engines {
        explicit: true,
        ..Engines::NONE
    };
    let (seen, _) = alternating(cases(400), engines, 2);
    println!("{seen:#?}");
    assert!(
        seen.get("a closed set").copied().unwrap_or(0) > cases(400) as usize / 5,
        "{seen:?}"
    );
}
