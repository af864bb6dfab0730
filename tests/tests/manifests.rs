//! The models under `tests/models/smv`: what the checker says of every mutant is what their manifests expect.
//!
//! Manifests are the oracle's and people's, see [`hyperkill_tests::manifest`]. `UPDATE_EXPECTED=1` writes what the oracle
//! says into them, never what the checker says; the highlights stay.

use std::time::Instant;

use hyperkill_checker::budget::Budget;
use hyperkill_checker::rounds::{Options, Silent, decide_all};
use hyperkill_checker::validity::validity;
use hyperkill_checker::verdict::{self, Kill, Outcome};
use hyperkill_core::Lit;
use hyperkill_core::specialise::keep_mutants;
use hyperkill_tests::manifest::{Expected, Manifest, Strength, Verdict};
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

/// What the checker left open, or did not know to be shortest.
#[derive(Default)]
struct Tally {
    mutants: usize,
    undecided: Vec<String>,
    longer: usize,
}

impl Tally {
    /// Holds an outcome against what is expected.
    fn add(&mut self, expected: &Expected, outcome: &Outcome) {
        let who = format!(
            "{} ({}, line {})",
            expected.id, expected.change, expected.line
        );
        self.mutants += 1;
        match &outcome.verdict {
            verdict::Verdict::Killed(kill) => {
                assert_eq!(expected.verdict, Verdict::Killed, "{who}: killed");
                self.longer += usize::from(!agrees(kill, expected, &who));
            }
            verdict::Verdict::Equivalent(_) => {
                assert_eq!(expected.verdict, Verdict::Equivalent, "{who}: equivalent");
            }
            verdict::Verdict::Unknown { known_to, reason } => {
                if let Some(steps) = expected.steps {
                    assert!(*known_to < steps, "{who}: no test of {known_to} steps?");
                }
                let expected = (expected.verdict, expected.steps);
                self.undecided.push(format!(
                    "{who}: {reason}, known to {known_to}; expected {expected:?}"
                ));
            }
            other => panic!("{who}: {}", other.word()),
        }
    }
}

/// Whether a kill is as short as one can be; panics if it is not what is expected.
fn agrees(kill: &Kill, expected: &Expected, who: &str) -> bool {
    let steps = expected.steps.expect("killed mutants have a shortest test");
    if kill.shortest {
        assert_eq!(kill.steps(), steps, "{who}: said to be shortest");
    }
    assert!(kill.steps() >= steps, "{who}: {} steps", kill.steps());
    match (expected.strength, kill.strength) {
        // Nobody looked for a stronger test.
        (Some(Strength::Definite), verdict::Strength::Definite | verdict::Strength::Potential)
        | (Some(Strength::Potential), verdict::Strength::Potential)
        | (Some(Strength::Controllable), verdict::Strength::Controllable) => {}
        (expected, found) => panic!("{who}: strength {found}, expected {expected:?}"),
    }
    kill.steps() == steps
}

/// Decides all mutants of a model that are models themselves.
fn check(model: &Model) -> Tally {
    let manifest = manifest_of(model);
    let lits: Vec<Lit> = model.obligations.iter().map(|o| o.lit).collect();
    let found = validity(&model.system, &lits, &Budget::unlimited()).expect("no limit");
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
            live.push(selector);
        }
    }
    let system = keep_mutants(&model.system, &live);
    let options = Options {
        controllable: manifest.options.controllable_nd,
        turns: Some(manifest.options.turns),
        // Every mutant is to be decided for itself.
        fold_duplicates: false,
        ..Options::all(&system)
    };
    let report = decide_all(&system, &options, &Budget::unlimited(), &mut Silent)
        .unwrap_or_else(|error| panic!("{}: {error}", model.name));
    assert_eq!(report.outcomes.len(), live.len(), "{}", model.name);
    let mut tally = Tally::default();
    for outcome in &report.outcomes {
        tally.add(expected(&outcome.mutant.0), outcome);
    }
    tally
}

/// What a check found out, for people.
fn describe(model: &Model) -> String {
    let start = Instant::now();
    let tally = check(model);
    let mut text = format!(
        "{}: {} mutants, {} undecided, {} with a test longer than the shortest, {:.1} s",
        model.name,
        tally.mutants,
        tally.undecided.len(),
        tally.longer,
        start.elapsed().as_secs_f64()
    );
    for undecided in &tally.undecided {
        text += &format!("\n  undecided: {undecided}");
    }
    // Promised of deterministic models; with shared choices the others keep it too.
    assert!(
        tally.undecided.len() * 50 <= tally.mutants,
        "more than 2 %: {text}"
    );
    text
}

/// Its tests have up to 325 steps: it takes longer than all others together.
const TIMED: &str = "car-alarm-timed";

#[test]
fn the_checker_says_what_manifests_expect() {
    for model in smv_models().iter().filter(|model| model.name != TIMED) {
        println!("{}", describe(model));
    }
}

#[test]
fn the_checker_says_what_the_manifest_of_the_timed_car_alarm_expects() {
    println!(
        "{}",
        describe(&smv_model(&folder().join("smv").join(TIMED)))
    );
}
