//! Tests that are run on many mutants at once have the same kills as tests run one by one.

use std::collections::{BTreeMap, BTreeSet};

use hyperkill_core::budget::Budget;
use hyperkill_core::timed::Automaton;
use hyperkill_timed::fault::{self, Fault};
use hyperkill_timed::played::{Test, play};
use hyperkill_timed::refine::{Ending, Found, Side, refine};
use hyperkill_timed::replay::{Kills, Trace, kills};

use crate::families::{family, side};
use crate::random::cases;
use crate::refinement::rules;

/// The guarantees of kills by the indices of test and mutant.
type Matrix = BTreeMap<(usize, usize), Kills>;

/// Returns a test for each mutant that fails: as traces with all ways in which a mutant may fail at its end.
fn tests(mutants: &[Automaton], model: &Side, seed: u64) -> Vec<Test> {
    let outputs = mutants.iter().flat_map(|mutant| mutant.actions(false));
    let outputs: BTreeSet<&str> = outputs.collect();
    let mut tests: Vec<Test> = Vec::new();
    for mutant in mutants {
        let own = side(mutant, rules(seed).is_pruned);
        if !own.is_consistent() {
            continue;
        }
        let Found::Fails(trace) = refine(&own, model, rules(seed), None, &Budget::unlimited())
        else {
            continue;
        };
        let endings = match &trace.ending {
            Ending::Refused(input) | Ending::Accepted(input) => vec![
                Ending::Refused(input.clone()),
                Ending::Accepted(input.clone()),
            ],
            Ending::Output(_) | Ending::Silence => {
                let outputs = outputs
                    .iter()
                    .map(|name| Ending::Output((*name).to_owned()));
                std::iter::once(Ending::Silence).chain(outputs).collect()
            }
        };
        let traces = endings.into_iter().map(|ending| Trace {
            ending,
            ..trace.clone()
        });
        tests.push(traces.collect());
    }
    tests
}

fn one_by_one(mutants: &[Automaton], model: &Side, seed: u64, tests: &[Test]) -> Matrix {
    let rules = rules(seed);
    let mut matrix = Matrix::new();
    for (number, mutant) in mutants.iter().enumerate() {
        let (own, free) = (side(mutant, rules.is_pruned), side(mutant, false));
        if !own.is_consistent() {
            continue;
        }
        for (test, traces) in tests.iter().enumerate() {
            let found = traces.iter();
            let found = found.filter_map(|trace| kills(model, &own, &free, trace, rules));
            let found = found.max_by_key(|kills| *kills == Kills::Surely);
            matrix.extend(found.map(|kills| ((test, number), kills)));
        }
    }
    matrix
}

/// Returns the kills of running the tests together, and the number of runs.
fn together(mutants: &[Automaton], model: &Side, seed: u64, tests: &[Test]) -> (Matrix, usize) {
    let mut matrix = Matrix::new();
    let mut hears = |test: usize, mutant: usize, kills| {
        assert_eq!(matrix.insert((test, mutant), kills), None);
    };
    let budget = Budget::unlimited();
    let plays = play(mutants, model, rules(seed), tests, &budget, &mut hears);
    (matrix, plays.expect("no limit"))
}

#[test]
fn tests_played_on_many_mutants_kill_those_that_they_kill_one_by_one() {
    let (mut kills, mut sure, mut plays, mut pairs) = (0, 0, 0, 0);
    for seed in 0..cases(300) {
        let Some((mutants, model)) = family(seed) else {
            continue;
        };
        let tests = tests(&mutants, &model, seed);
        let expected = one_by_one(&mutants, &model, seed, &tests);
        let (found, played) = together(&mutants, &model, seed, &tests);
        assert_eq!(found, expected, "seed {seed}\n{mutants:#?}\n{model:#?}");
        kills += found.len();
        sure += found.values().filter(|k| **k == Kills::Surely).count();
        plays += played;
        pairs += tests.len() * mutants.len();
    }
    println!("{kills} kills, {sure} of them sure; {plays} plays of {pairs} pairs");
    assert!(kills > 500 && sure > 50 && plays * 4 < pairs * 3);
}

#[test]
fn mutants_that_are_played_alike_without_being_so_are_noticed_by_playing_one_by_one() {
    let is_noticed = |seed: &u64| {
        let Some((mutants, model)) = family(*seed) else {
            return false;
        };
        let tests = tests(&mutants, &model, *seed);
        let wrong = fault::with(Some(Fault::MutantsPlayedAlike), || {
            together(&mutants, &model, *seed, &tests).0
        });
        wrong != one_by_one(&mutants, &model, *seed, &tests)
    };
    let noticed = (0..100).find(is_noticed);
    assert!(noticed.is_some());
}
