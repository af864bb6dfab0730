//! Relational SMV models with deadlocks, compared with their texts: runs, verdicts, lengths, accepted inputs and locally allowed outputs.
//!
//! `HYPERKILL_CASES` sets the number of models, `HYPERKILL_FIRST` the first seed.

use std::collections::BTreeMap;

use hyperkill_tests::relational::{Found, Reading, compare};
use rayon::iter::{IntoParallelIterator, ParallelIterator};

/// The default number of models.
const CASES: u64 = 100;

fn number(name: &str, otherwise: u64) -> u64 {
    let asked = std::env::var(name).ok();
    asked.and_then(|n| n.parse().ok()).unwrap_or(otherwise)
}

#[test]
fn runs_of_relational_models_and_verdicts_on_their_mutants_are_those_of_paths_of_the_text() {
    let all: Vec<_> = (number("HYPERKILL_FIRST", 0)..)
        .take(number("HYPERKILL_CASES", CASES) as usize)
        .collect();
    let all: Vec<_> = all
        .into_par_iter()
        .map(|seed| compare(seed, 4, Reading::Paths))
        .collect();
    let mut mix: BTreeMap<Found, usize> = BTreeMap::new();
    let mut differences = Vec::new();
    for case in all {
        match case {
            Ok(found) => found
                .into_iter()
                .for_each(|f| *mix.entry(f).or_default() += 1),
            Err(what) => differences.push(what),
        }
    }
    println!("{mix:?}");
    assert!(
        differences.is_empty(),
        "{} differ\n{}",
        differences.len(),
        differences[..differences.len().min(3)].join("\n\n")
    );
    let often = |found: Found, least: usize| {
        let seen = mix.get(&found).copied().unwrap_or(0);
        assert!(seen >= least, "{found:?} {seen} times: {mix:?}");
    };
    for found in [
        Found::Definite,
        Found::Potential,
        Found::Equivalent,
        Found::Refuses,
        Found::NotDefinite,
        Found::Allowed,
        Found::Stuck,
    ] {
        often(found, 20);
    }
}

#[test]
fn a_last_state_that_needs_a_successor_is_noticed() {
    let differ = (0..20).filter(|&seed| compare(seed, 1, Reading::LookingAhead).is_err());
    assert!(differ.count() > 5);
}
