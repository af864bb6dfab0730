//! Random automata: zones agree with an exploration of regions, and so does the check of the evidence.

use hyperkill_core::budget::{Budget, Stop};
use hyperkill_core::timed::{Action, Automaton, Edge, Location, Rules};
use hyperkill_timed::fault;
use hyperkill_timed::game::good_states;
use hyperkill_timed::rational::Rational;
use hyperkill_timed::refine::{Found, Side, refine};
use hyperkill_timed::replay::{is_test_of, may_fail};

use crate::random::{automaton, cases, generator, mutant};
use crate::regions::{self, Says};

pub(crate) const RULES: [Rules; 4] = [
    Rules::STRICT,
    Rules::VERIFYTGA,
    Rules::DEFINITION_7,
    Rules {
        compares_alphabets: false,
        ..Rules::ECDAR
    },
];

/// Clocks and the largest constant of automata.
type Size = (usize, i64);

fn pair(seed: u64, sizes: &[Size]) -> (Automaton, Automaton) {
    let mut random = generator(seed);
    let (clocks, largest) = sizes[seed as usize % sizes.len()];
    let model = automaton(&mut random, clocks, largest);
    let changed = mutant(&mut random, &model, largest);
    (changed, model)
}

/// Returns a random mutant and model, of up to three clocks.
pub(crate) fn draw(seed: u64) -> (Automaton, Automaton) {
    pair(seed, &[(1, 3), (2, 2), (1, 5), (3, 1), (2, 1), (3, 2)])
}

/// Returns a small random mutant and model, and rules for them; small ones reveal planted faults soon.
pub(crate) fn draw_small(seed: u64) -> (Automaton, Automaton, Rules) {
    let (mutant, model) = pair(seed, &[(1, 3), (2, 2), (1, 5), (2, 1)]);
    (mutant, model, RULES[(seed / 4 % 4) as usize])
}

/// Returns the rules for the random pair of this seed.
pub(crate) fn rules(seed: u64) -> Rules {
    RULES[(seed / 6 % 4) as usize]
}

#[test]
fn a_state_is_good_if_and_only_if_its_region_is() {
    let (mut good, mut bad) = (0, 0);
    for seed in 0..cases(1500) {
        let (automaton, _) = draw(seed);
        let found = good_states(&automaton, &Budget::unlimited()).expect("no limit");
        let largest = regions::largest(&[&automaton]);
        for ((location, region), is_good) in regions::good(&automaton, largest) {
            let (values, over) = region.point();
            let point = values
                .iter()
                .map(|v| Rational::new((*v).into(), over.into()));
            let point: Option<Vec<Rational>> = point.collect();
            let says = found[location].contains(&point.expect("small numbers"));
            assert_eq!(
                says, is_good,
                "seed {seed}: {location} {region:?}\n{automaton:?}"
            );
            *(if is_good { &mut good } else { &mut bad }) += 1;
        }
    }
    println!("{good} good, {bad} bad");
    assert!(good > 1000 && bad > 1000);
}

/// Returns the result of zones in the form of the oracle. Traces are replayed.
fn says(mutant: &Automaton, model: &Automaton, rules: Rules) -> Option<Says> {
    let budget = Budget::unlimited();
    let side = |automaton: &Automaton| {
        Side::new(automaton.clone(), rules.is_pruned, &budget).expect("no limit")
    };
    let (mutant, model) = (side(mutant), side(model));
    if model.ambiguity().is_some() {
        return Some(Says::Ambiguous);
    }
    if !mutant.is_consistent() || !model.is_consistent() {
        return Some(Says::Inconsistent);
    }
    match refine(&mutant, &model, rules, None, &budget) {
        Found::Refines(_) => Some(Says::Refines),
        Found::Fails(trace) => {
            let replays = is_test_of(&model, &trace, rules) && may_fail(&mutant, &trace, rules);
            replays.then_some(Says::Fails(trace.events.len() + 1))
        }
        Found::Alphabets | Found::Open(..) => None,
    }
}

#[test]
fn an_automaton_refines_another_if_and_only_if_walking_through_regions_says_so() {
    let mut counts = [0; 5];
    for seed in 0..cases(1500) {
        let (mutant, model) = draw(seed);
        let rules = rules(seed);
        let found = says(&mutant, &model, rules);
        if found == Some(Says::Ambiguous) {
            counts[3] += 1;
            continue;
        }
        if found.is_none() && rules.one_successor_is_enough {
            continue;
        }
        let expected = regions::refines(&mutant, &model, rules);
        if expected == Says::TooLarge {
            counts[4] += 1;
            continue;
        }
        assert_eq!(
            found,
            Some(expected),
            "seed {seed}, {rules:?}\nmodel {model:#?}\nmutant {mutant:#?}"
        );
        match expected {
            Says::Refines => counts[0] += 1,
            Says::Fails(_) => counts[1] += 1,
            _ => counts[2] += 1,
        }
    }
    println!("refines, fails, inconsistent, ambiguous, too large: {counts:?}");
    assert!(counts[..4].iter().all(|count| *count > 20) && counts[4] * 20 < counts[0]);
}

#[test]
fn every_planted_fault_is_noticed_by_walking_through_regions() {
    for planted in fault::ALL {
        let differs = |seed: &u64| {
            let (mutant, model, rules) = draw_small(*seed);
            let sound = says(&mutant, &model, rules);
            if sound.is_none() || sound == Some(Says::Ambiguous) {
                return false;
            }
            let found = fault::with(Some(planted), || says(&mutant, &model, rules));
            let expected = regions::refines(&mutant, &model, rules);
            expected != Says::TooLarge && found != Some(expected)
        };
        let noticed = (0..40_000).find(differs);
        println!("{planted:?}: seed {noticed:?}");
        assert!(noticed.is_some(), "{planted:?} is never noticed");
    }
}

#[test]
fn edges_that_are_there_twice_change_nothing() {
    let mut compared = 0;
    for seed in 0..cases(200) {
        let (mutant, model) = draw(seed);
        let rules = rules(seed);
        let twice = |automaton: &Automaton| {
            let mut twice = automaton.clone();
            twice.edges.extend(automaton.edges.clone());
            twice
        };
        let once = says(&mutant, &model, rules);
        assert_eq!(
            once,
            says(&twice(&mutant), &twice(&model), rules),
            "seed {seed}\n{mutant:#?}\n{model:#?}"
        );
        compared += usize::from(matches!(once, Some(Says::Refines | Says::Fails(_))));
    }
    println!("{compared} compared");
    assert!(compared > 80);
}

#[test]
fn where_one_successor_is_enough_a_failure_behind_a_choice_of_inputs_is_left_open() {
    // The first choice of the mutant is one of outputs.
    let edge = |name: &str, is_input: bool, target: usize| Edge {
        source: 0,
        target,
        action: Action {
            name: name.to_owned(),
            is_input,
        },
        guard: Vec::new(),
        updates: Vec::new(),
    };
    let location = |name: &str| Location {
        name: name.to_owned(),
        invariant: Vec::new(),
    };
    let model = Automaton {
        clocks: vec!["x".to_owned()],
        locations: vec![location("l"), location("m")],
        initial: 0,
        edges: vec![edge("o", false, 1), edge("i", true, 1)],
        ..Automaton::default()
    };
    let mut mutant = model.clone();
    mutant
        .edges
        .extend([edge("o", false, 0), edge("i", true, 0)]);
    let budget = Budget::unlimited();
    let side =
        |automaton: &Automaton| Side::new(automaton.clone(), false, &budget).expect("no limit");
    let found = refine(
        &side(&mutant),
        &side(&model),
        Rules::DEFINITION_7,
        None,
        &budget,
    );
    assert!(matches!(found, Found::Open(_, Stop::Engines)), "{found:?}");
}
