//! Random action systems: the checker agrees with the enumeration of runs on mutants, in both readings, and \[2\] agrees with an
//! enumeration of unsafe states.
//!
//! `HYPERKILL_CASES` sets the number of systems.

use std::collections::BTreeMap;
use std::ops::Range;

use hyperkill_action_systems::ActionSystemFrontend;
use hyperkill_checker::{Ask, Options, Silent, decide_all};
use hyperkill_core::SelectorId;
use hyperkill_core::budget::Budget;
use hyperkill_evidence::verdict::{InputEnabled, Outcome, Property};
use hyperkill_frontend::mutation::apply;
use hyperkill_frontend::{EventOptions, FrontendOptions, NamePredicate, SourceFile};
use hyperkill_tests::action_systems::{Reading, Search, Truth, compare, compare_by};
use hyperkill_tests::models::{Model, of_source};
use hyperkill_tests::{common_states, unsafe_states};
use rayon::prelude::*;

use crate::action_systems::{must_be_true, word};

#[path = "../../../frontends/action-systems/tests/action_systems/random.rs"]
pub(crate) mod random;

/// The largest number of positions of the subset construction for one mutant.
const POSITIONS: usize = 1 << 12;

/// A random system and its options, determined by the seed.
struct Case {
    seed: u64,
    text: String,
    has_inputs: bool,
    reading: Reading,
}

impl Case {
    fn new(seed: u64) -> Case {
        let has_inputs = seed % 2 == 1;
        Case {
            seed,
            text: random::system(seed, has_inputs),
            has_inputs,
            reading: Reading {
                states_are_seen: seed / 2 % 2 == 1,
                complete: seed / 4 % 3 == 2,
            },
        }
    }

    fn model(&self) -> Model {
        let observe = match self.reading.states_are_seen {
            true => "state",
            false => "outputs",
        };
        let options = FrontendOptions {
            operators: Some(NamePredicate::new(|_| true)),
            events: EventOptions {
                observe: Some(observe.to_owned()),
                complete: self.reading.complete,
                ..EventOptions::default()
            },
            ..FrontendOptions::default()
        };
        let source = SourceFile::new(format!("seed {}", self.seed), self.text.as_str());
        of_source(source, &ActionSystemFrontend, &options)
    }

    fn name(&self) -> &'static str {
        match (self.has_inputs, self.reading.complete) {
            (false, false) => "refinement",
            (true, false) => "inputs and outputs",
            (false, true) => "refinement, complete",
            (true, true) => "inputs and outputs, complete",
        }
    }
}

/// Returns at most `most` mutants of a model; which ones depends on the seed.
pub(crate) fn some(seed: u64, model: &Model, most: usize) -> Vec<SelectorId> {
    let count = model.system.selectors.len();
    let most = most.min(count);
    let start = usize::try_from(seed).unwrap_or(0);
    let chosen = (0..most).map(|k| SelectorId((start + k * count / most) % count));
    let mut chosen: Vec<SelectorId> = chosen.collect();
    chosen.sort();
    chosen
}

/// The numbers of events by kind.
pub(crate) type Counts = BTreeMap<String, usize>;

pub(crate) fn joined(mut all: Counts, others: Counts) -> Counts {
    for (what, count) in others {
        *all.entry(what).or_default() += count;
    }
    all
}

/// Returns the checker's outcomes for some mutants.
fn decided(model: &Model, mutants: &[SelectorId], ask: Ask) -> Vec<Outcome> {
    let options = Options {
        ask,
        turns: Some(4),
        mutants: mutants.to_vec(),
        fold_duplicates: false,
        ..Options::all(&model.system)
    };
    let report = decide_all(&model.system, &options, &Budget::unlimited(), &mut Silent);
    report
        .unwrap_or_else(|error| panic!("{}: {error}", model.name))
        .outcomes
}

/// Compares the checker with the enumeration of runs on at most `most` mutants of the system with this seed. Returns the numbers of
/// verdicts.
fn compare_verdicts(seed: u64, most: usize) -> Counts {
    let case = Case::new(seed);
    let model = case.model();
    let mut counts = Counts::new();
    let mut count = |what: String| *counts.entry(what).or_default() += 1;
    let (mut mutants, mut truths) = (Vec::new(), Vec::new());
    let mut has_equivalent = false;
    for selector in some(seed, &model, most) {
        let mutant = &model.system.mutants[selector.0];
        let mutated = apply(&case.text, mutant).expect("a place of the text");
        match compare(&case.text, &mutated, case.reading, POSITIONS) {
            Some(truth) => {
                must_agree_with_others(&case, &mutated, &truth);
                // Most changes of a random system are equivalent; the checker decides one of these.
                let differs = truth.potential.is_some() || truth.refuses != Some([false, false]);
                if differs || !std::mem::replace(&mut has_equivalent, true) {
                    mutants.push(selector);
                    truths.push((mutated, truth));
                }
            }
            None => count("too many positions".to_owned()),
        }
    }
    for ask in [
        Ask::Auto,
        Ask::Only(Property::Phi2),
        Ask::Only(Property::Phi3),
    ] {
        let outcomes = decided(&model, &mutants, ask);
        assert_eq!(outcomes.len(), truths.len());
        for (outcome, (mutated, truth)) in outcomes.iter().zip(&truths) {
            let who = format!(
                "seed {seed}, {:?}, {ask:?}:\n{}\n{mutated}",
                case.reading, case.text
            );
            must_be_true(outcome, truth, &who);
            let asked = match ask {
                Ask::Auto => case.name().to_owned(),
                Ask::Only(property) => property.to_string(),
            };
            count(format!("{asked}: {}", word(outcome)));
            if outcome.verdict.kill().is_some_and(|kill| kill.shortest) {
                count(format!("{asked}: length of a shortest test"));
            }
            match outcome.input_enabled {
                InputEnabled::Equally(_) => count("both accept the same".to_owned()),
                InputEnabled::Differently { mutant_refuses, .. } => {
                    count(format!("mutant refuses more: {mutant_refuses}"));
                }
                InputEnabled::Unsettled => {}
            }
        }
    }
    counts
}

/// Checks that other oracles agree: the enumeration without subsumption and, if states are observed, a search over common states. With
/// observed states, a test ends one step after the nearest unsafe state that both reach together.
fn must_agree_with_others(case: &Case, mutated: &str, truth: &Truth) {
    let who = || {
        format!(
            "seed {}, {:?}:\n{}\n{mutated}",
            case.seed, case.reading, case.text
        )
    };
    if let Some(all) = compare_by(
        Search::All,
        &case.text,
        mutated,
        case.reading,
        POSITIONS / 8,
    ) {
        // Without subsumption, acceptance may exceed the limit on positions.
        let refuses = all.refuses.or(truth.refuses);
        assert_eq!(Truth { refuses, ..all }, *truth, "{}", who());
    }
    if case.has_inputs || case.reading.complete || !case.reading.states_are_seen {
        return;
    }
    let walked = common_states::compare(&case.text, mutated);
    assert_eq!(walked.potential, truth.potential, "{}", who());
    if walked.definite.is_some() {
        assert_eq!(walked.definite, truth.definite, "{}", who());
    }
    if walked.refuses.is_some() {
        assert_eq!(walked.refuses, truth.refuses, "{}", who());
    }
    let found = unsafe_states::list(&case.text, mutated);
    let together = found.nearest_together.map(|depth| depth + 1);
    assert_eq!(together, truth.potential, "{found:?} of {}", who());
    assert!(found.together <= found.reached, "{found:?} of {}", who());
    assert!(found.exists || found.reached == 0, "{found:?} of {}", who());
}

fn compare_all(seeds: Range<u64>, most: usize) -> Counts {
    let counts = seeds
        .into_par_iter()
        .map(|seed| compare_verdicts(seed, most));
    counts.reduce(Counts::new, joined)
}

/// Returns the counts as text, a line for each. If `is_usual`, each of these kinds must occur.
pub(crate) fn report(counts: &Counts, kinds: &[&str], is_usual: bool) -> String {
    for kind in kinds {
        let occurs = counts.contains_key(*kind) || !is_usual;
        assert!(occurs, "{kind} never occurs: {counts:?}");
    }
    let lines = counts.iter();
    let lines = lines.map(|(what, count)| format!("{count:8} {what}\n"));
    lines.collect()
}

/// The kinds of verdicts that occur among few systems, too.
const KINDS: [&str; 16] = [
    "refinement: killed (definite)",
    "refinement: killed (potential)",
    "refinement: refuses-input",
    "refinement: equivalent",
    "inputs and outputs: killed (definite)",
    "inputs and outputs: killed (potential)",
    "inputs and outputs: refuses-input",
    "inputs and outputs: equivalent",
    "refinement, complete: killed (definite)",
    "refinement, complete: killed (potential)",
    "refinement, complete: equivalent",
    "inputs and outputs, complete: killed (definite)",
    "phi2: killed (potential)",
    "phi3: not-definitely-killable",
    "refinement: length of a shortest test",
    "phi2: length of a shortest test",
];

/// Compares at most `most` mutants of each of `usual` systems, or of the number set by the environment, from the seed `first` on. Returns
/// the report.
fn compare_from(first: u64, usual: u64, most: usize) -> String {
    let systems = random::cases(usual);
    let counts = compare_all(first..first + systems, most);
    report(&counts, &KINDS, systems >= usual)
}

#[test]
fn the_checker_says_what_sets_of_runs_say_of_random_systems() {
    println!("{}", compare_from(0, 90, 10));
}

#[test]
#[ignore = "a minute"]
fn the_checker_says_what_sets_of_runs_say_of_a_thousand_random_systems() {
    println!("{}", compare_from(1_000, 1_000, 5));
}
