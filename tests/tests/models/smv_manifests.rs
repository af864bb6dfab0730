//! Models under `tests/models/smv`: the checker agrees with the manifests on every mutant.
//!
//! Manifests come from the oracle and from people, see [`hyperkill_tests::manifest`]. `UPDATE_EXPECTED=1` writes results of the oracle
//! into them, never results of the checker; highlights stay.
//!
//! Ignored tests are the slow tier: samples run in continuous integration, tests `of_all_mutants` by hand.

use std::collections::BTreeMap;
use std::time::{Duration, Instant};

use hyperkill_checker::validity::validity;
use hyperkill_checker::{Ask, Options, Silent, decide_all};
use hyperkill_core::budget::Budget;
use hyperkill_core::specialise::keep_mutants;
use hyperkill_core::{Lit, SelectorId};
use hyperkill_evidence::verdict::{self, Kill, Outcome, Potential, Property, Stronger};
use hyperkill_tests::manifest::{Expected, Manifest, Phi2, Phi3, Strength, Verdict};
use hyperkill_tests::models::{Model, folder, smv_model, smv_models};

fn manifest_of(model: &Model) -> Manifest {
    Manifest::read(model).unwrap_or_else(|error| panic!("{}/expected.json: {error}", model.name))
}

#[test]
fn manifests_say_what_the_oracle_says() {
    let update = std::env::var_os("UPDATE_EXPECTED").is_some();
    for model in smv_models() {
        let old = manifest_of(&model);
        let new = Manifest::of_oracle(&model, old.options.clone(), old.highlights.clone())
            .unwrap_or_else(|error| panic!("{}: {error}", model.name));
        if update {
            new.write(&model).expect("a manifest that can be written");
            continue;
        }
        for (old, new) in old.mutants.iter().zip(&new.mutants) {
            assert_eq!(old, new, "{}: UPDATE_EXPECTED=1 rewrites it", model.name);
        }
        assert_eq!(old, new, "{}: UPDATE_EXPECTED=1 rewrites it", model.name);
        assert!(new.highlights.len() >= 3, "{}: argue for more", model.name);
    }
}

/// The question to the checker.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Asked {
    /// The question of the manifest's options: choices may be shared.
    Options,
    /// All questions, with uncontrolled choices.
    Auto,
    /// φ2, with uncontrolled choices.
    Phi2,
    /// φ3, with uncontrolled choices.
    Phi3,
}

/// The known results about a mutant for a question.
struct Truth {
    /// The number of steps of the shortest test that kills, potentially or with shared choices; `None` if there is none.
    some: Option<usize>,
    /// The number of steps of the shortest test that kills definitely; `None` if there is none.
    definite: Option<usize>,
    /// Whether model and mutant share their choices.
    shared: bool,
}

impl Truth {
    fn of(asked: Asked, expected: &Expected) -> Truth {
        let shared = asked == Asked::Options && expected.strength == Some(Strength::Controllable);
        let some = match (asked, expected.phi2) {
            (Asked::Options, _) => expected.steps,
            (_, Some(Phi2::Killed(steps))) => Some(steps),
            (_, Some(Phi2::Equivalent)) => None,
            (_, None) => panic!("{}: the manifest does not answer φ2", expected.id),
        };
        let definite = match expected.phi3 {
            _ if shared => None,
            Some(Phi3::Killed(steps)) => Some(steps),
            Some(Phi3::NotDefinitelyKillable) => None,
            None => some,
        };
        Truth {
            some,
            definite,
            shared,
        }
    }
}

/// Statistics of the checker's results for a model.
#[derive(Default)]
struct Tally {
    mutants: usize,
    undecided: Vec<String>,
    /// The number of tests that are longer than a shortest one.
    longer: usize,
    /// The number of kills whose best strength is not known.
    unsettled: usize,
    /// The numbers of outcomes by verdict and engine.
    found_by: BTreeMap<(String, String), usize>,
    /// The time and the id of the slowest mutant.
    slowest: (Duration, String),
}

impl Tally {
    /// Compares an outcome with the expected result, and counts it.
    fn add(&mut self, asked: Asked, expected: &Expected, outcome: &Outcome) {
        let who = format!(
            "{asked:?} of {} ({}, line {})",
            expected.id, expected.change, expected.line
        );
        let truth = Truth::of(asked, expected);
        let mut word = outcome.verdict.word().to_owned();
        match &outcome.verdict {
            verdict::Verdict::Killed(kill) => {
                word = format!("{word} ({})", kill.strength);
                self.add_kill(asked, &truth, kill, &who);
            }
            verdict::Verdict::Equivalent(_) => {
                assert_eq!(truth.some, None, "{who}: equivalent");
            }
            verdict::Verdict::NotDefinitelyKillable { potential, .. } => {
                assert_eq!((asked, truth.definite), (Asked::Phi3, None), "{who}");
                match potential {
                    Potential::Killed(kill) => assert!(
                        truth.some.is_some_and(|steps| kill.steps() >= steps),
                        "{who}: {} steps",
                        kill.steps()
                    ),
                    Potential::Unsettled { known_to, .. } => {
                        not_before(truth.some, *known_to, &who)
                    }
                }
            }
            verdict::Verdict::Unknown { known_to, reason } => {
                let steps = match asked {
                    Asked::Phi3 => truth.definite,
                    _ => truth.some,
                };
                not_before(steps, *known_to, &who);
                self.undecided.push(format!(
                    "{who}: {reason}, known to {known_to}; expected {steps:?} steps"
                ));
            }
            other => panic!("{who}: {}", other.word()),
        }
        let engine = outcome.engine.map(|engine| engine.to_string());
        let found_by = (word, engine.unwrap_or_default());
        *self.found_by.entry(found_by).or_default() += 1;
        self.mutants += 1;
    }

    fn add_kill(&mut self, asked: Asked, truth: &Truth, kill: &Kill, who: &str) {
        let strength = kill.strength;
        let shared = strength == verdict::Strength::Controllable;
        assert_eq!(shared, truth.shared, "{who}: {strength}");
        assert_ne!(
            strength,
            verdict::Strength::Adaptive,
            "{who}: not asked for"
        );
        let definite = strength == verdict::Strength::Definite;
        assert!(definite || asked != Asked::Phi3, "{who}: {strength}");
        // A definite test cannot be shorter than the shortest one.
        let least = if definite { truth.definite } else { truth.some };
        let least = least.unwrap_or_else(|| panic!("{who}: killed ({strength})"));
        assert!(kill.steps() >= least, "{who}: {} steps", kill.steps());
        let shortest = match asked {
            Asked::Phi2 => truth.some.unwrap_or(least),
            _ => least,
        };
        if kill.shortest {
            assert_eq!(kill.steps(), shortest, "{who}: said to be shortest");
        }
        self.longer += usize::from(kill.steps() > shortest);
        match &kill.stronger {
            Stronger::Excluded(_) => assert_eq!(truth.definite, None, "{who}: excluded"),
            Stronger::Unsettled { known_to, .. } => {
                not_before(truth.definite, *known_to, who);
                self.unsettled += 1;
            }
            Stronger::NotAsked => {
                let asks = matches!(asked, Asked::Options | Asked::Auto);
                let settled = definite || shared || !asks;
                assert!(settled, "{who}: {strength}, and nobody asked for more");
            }
        }
    }
}

/// Asserts that no existing test was excluded: `known_to` is less than the steps of the shortest test, if there is any.
fn not_before(steps: Option<usize>, known_to: usize, who: &str) {
    assert!(
        steps.is_none_or(|steps| known_to < steps),
        "{who}: no test of {known_to} steps?"
    );
}

/// Decides every `stride`-th valid mutant of a model and compares the outcomes with the manifest.
fn check(model: &Model, asked: Asked, stride: usize) -> Tally {
    let manifest = manifest_of(model);
    let lits: Vec<Lit> = model.obligations.iter().map(|o| o.lit).collect();
    let found = validity(&model.checks, &lits, &Budget::unlimited()).expect("no limit");
    assert_eq!(found.original, Vec::<usize>::new(), "{}", model.name);
    let expected = |id: &str| -> &Expected {
        let mut mutants = manifest.mutants.iter();
        let expected = mutants.find(|expected| expected.id == id);
        expected.unwrap_or_else(|| panic!("{}: {id} is not in the manifest", model.name))
    };
    let mut live = Vec::new();
    for (selector, broken) in found.mutants.iter().enumerate() {
        let expected = expected(&model.system.selectors[selector].id.0);
        let invalid = expected.verdict == Verdict::Invalid;
        assert_eq!(broken.is_some(), invalid, "{}: {expected:?}", model.name);
        if !invalid {
            live.push(SelectorId(selector));
        }
    }
    let system = keep_mutants(&model.system, &live);
    let options = Options {
        ask: match asked {
            Asked::Options | Asked::Auto => Ask::Auto,
            Asked::Phi2 => Ask::Only(Property::Phi2),
            Asked::Phi3 => Ask::Only(Property::Phi3),
        },
        controllable: asked == Asked::Options && manifest.options.controllable_nd,
        turns: Some(manifest.options.turns),
        mutants: system.selector_ids().step_by(stride).collect(),
        // Each mutant must be decided separately.
        fold_duplicates: false,
        ..Options::all(&system)
    };
    let report = decide_all(&system, &options, &Budget::unlimited(), &mut Silent)
        .unwrap_or_else(|error| panic!("{}: {error}", model.name));
    let asked_for = options.mutants.len();
    assert_eq!(report.outcomes.len(), asked_for, "{}", model.name);
    let mut tally = Tally::default();
    for (outcome, &took) in report.outcomes.iter().zip(&report.times) {
        let expected = expected(&outcome.mutant.0);
        tally.add(asked, expected, outcome);
        tally.slowest = tally
            .slowest
            .max((took, format!("{}, line {}", expected.change, expected.line)));
    }
    tally
}

/// Compares every `stride`-th valid mutant of a model with the manifest. Returns a description of the results.
fn describe(model: &Model, asked: Asked, stride: usize) -> String {
    let start = Instant::now();
    let tally = check(model, asked, stride);
    let mut text = format!(
        "{}, {asked:?}: {} mutants (one of {stride}), {} undecided, {} with a test longer than the shortest, {} perhaps stronger, {:.1} s",
        model.name,
        tally.mutants,
        tally.undecided.len(),
        tally.longer,
        tally.unsettled,
        start.elapsed().as_secs_f64()
    );
    for ((word, engine), count) in &tally.found_by {
        text += &format!("\n  {count:4} {word} {engine}");
    }
    let (took, who) = &tally.slowest;
    text += &format!("\n  at most {:.1} s each ({who})", took.as_secs_f64());
    for undecided in &tally.undecided {
        text += &format!("\n  undecided: {undecided}");
    }
    assert!(
        tally.undecided.len() * 50 <= tally.mutants,
        "more than 2 %: {text}"
    );
    text
}

/// The name of a model with tests of up to 325 steps: it takes longer than all others together.
const TIMED: &str = "car-alarm-timed";
/// The name of the same model with windows.
const WINDOWS: &str = "car-alarm-window";

#[test]
fn the_checker_says_what_manifests_expect() {
    let quick = |model: &&Model| ![TIMED, WINDOWS].contains(&model.name.as_str());
    for model in smv_models().iter().filter(quick) {
        println!("{}", describe(model, Asked::Options, 1));
    }
}

#[test]
fn the_checker_says_what_the_manifest_of_the_timed_car_alarm_expects() {
    let model = smv_model(&folder().join("smv").join(TIMED));
    println!("{}", describe(&model, Asked::Options, 1));
}

#[test]
fn the_checker_says_of_beverage_machines_what_the_manifests_expect_of_uncontrolled_choices() {
    for name in ["beverage", "beverage-5", "beverage-20"] {
        let model = smv_model(&folder().join("smv").join(name));
        for asked in [Asked::Auto, Asked::Phi2, Asked::Phi3] {
            println!("{}", describe(&model, asked, 1));
        }
    }
}

fn describe_windows(asked: Asked, stride: usize) -> String {
    let model = smv_model(&folder().join("smv").join(WINDOWS));
    describe(&model, asked, stride)
}

/// The stride of the sample of mutants.
const SAMPLED: usize = 8;

#[test]
#[ignore = "slow tier"]
fn the_checker_says_of_a_sample_what_the_manifest_of_the_car_alarm_with_windows_expects_of_phi2() {
    println!("{}", describe_windows(Asked::Phi2, SAMPLED));
}

#[test]
#[ignore = "slow tier"]
fn the_checker_says_of_a_sample_what_the_manifest_of_the_car_alarm_with_windows_expects_of_phi3() {
    println!("{}", describe_windows(Asked::Phi3, SAMPLED));
}

#[test]
#[ignore = "slow tier"]
fn the_checker_says_of_a_sample_what_the_manifest_of_the_car_alarm_with_windows_expects_of_both() {
    println!("{}", describe_windows(Asked::Auto, SAMPLED));
}

#[test]
#[ignore = "slow tier"]
fn the_checker_says_of_a_sample_what_the_manifest_of_the_car_alarm_with_windows_expects_of_shared_choices()
 {
    println!("{}", describe_windows(Asked::Options, SAMPLED));
}

#[test]
#[ignore = "takes up to an hour"]
fn the_checker_says_of_all_mutants_what_the_manifest_of_the_car_alarm_with_windows_expects() {
    for asked in [Asked::Phi2, Asked::Phi3, Asked::Auto, Asked::Options] {
        println!("{}", describe_windows(asked, 1));
    }
}
