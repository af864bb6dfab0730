//! Symmetric domains: suites found with named states are complete, and their proofs are accepted.

use crate::domains::{Checked, Decided};
use hyperkill_core::budget::Budget;
use hyperkill_frontend::decision::{Decision, Recheck};
use hyperkill_frontend::domain::{Aim, Completeness};
use hyperkill_frontend::{FrontendOptions, MachineOptions, SourceFile};
use hyperkill_timed_fsm::read_domain;
use hyperkill_timed_fsm_decide::TimedDecision;
use hyperkill_timed_fsm_decide::complete::{
    Options, Outcome, Stimulus, Verified, complete, verify,
};
use hyperkill_timed_fsm_decide::fault::CompleteFault;
use hyperkill_timed_fsm_recheck::TimedRecheck;
use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;

use crate::machines::cases;
use crate::suites::{all, kills};
use crate::ticks;

/// Returns a random machine that answers every input in all of its three states.
fn total(seed: u64) -> String {
    let mut rng = ChaCha8Rng::seed_from_u64(seed);
    let mut text = String::from("machine m { input a; output x, y;\n");
    for state in 0..3 {
        let output = ["x", "y"][rng.random_range(0..2)];
        let target = rng.random_range(0..3);
        text += &format!("state s{state} {{ a / {output} -> s{target};");
        if rng.random_bool(0.5) {
            text += &format!("after 1 -> s{}", rng.random_range(0..3));
        }
        text += "}\n";
    }
    text + "}\n"
}

fn options() -> FrontendOptions {
    FrontendOptions {
        machines: MachineOptions {
            domain: Some("chaos:3:1".to_owned()),
            ..MachineOptions::default()
        },
        ..FrontendOptions::default()
    }
}

fn named(text: &str, planted: Option<CompleteFault>) -> Outcome {
    let sources = [SourceFile::new("m.tfsm", text)];
    let (machine, mutation) = read_domain(&sources, &options()).expect("a domain");
    let options = Options {
        always_name: true,
        longest: Some(2),
        planted,
        ..Options::default()
    };
    complete(&machine, &mutation, &[], options, &Budget::unlimited())
}

/// Whether these tests kill every implementation that some test kills.
fn is_complete(text: &str, tests: &[Vec<Stimulus>]) -> bool {
    let sources = [SourceFile::new("m.tfsm", text)];
    let (machine, mutation) = read_domain(&sources, &options()).expect("a domain");
    all(&mutation).into_iter().all(|selection| {
        let implementation = mutation.machine(&machine, &selection);
        let mut tests = tests.iter();
        tests.any(|test| kills(&machine, &implementation, test))
            || ticks::shortest(&machine, &implementation).is_none()
    })
}

#[test]
fn suites_with_named_states_kill_all_that_can_be_killed() {
    let mut with_names = 0;
    for seed in 0..cases(20) {
        let text = total(seed);
        let outcome = named(&text, None);
        assert_eq!(outcome.end, Ok(()));
        with_names += usize::from(!outcome.shown.names.is_empty());
        assert!(
            is_complete(&text, &outcome.tests),
            "seed {seed}\n{text}\n{outcome:?}"
        );
    }
    assert!(with_names > 3, "{with_names}");
}

#[test]
fn names_that_are_kept_without_their_tests_are_noticed() {
    let noticed = (0..4000).find(|seed| {
        let text = total(*seed);
        let outcome = named(&text, Some(CompleteFault::NamesWithoutTests));
        let sources = [SourceFile::new("m.tfsm", text)];
        let (machine, mutation) = read_domain(&sources, &options()).expect("a domain");
        // Domains with few states use names only on request.
        let verified = verify(
            &machine,
            &mutation,
            &outcome.tests,
            Options::default(),
            &Budget::unlimited(),
        );
        matches!(verified, Verified::Survivor(..))
    });
    assert!(noticed.is_some());
}

#[test]
fn everything_in_seven_states_has_a_complete_suite_whose_proof_checks() {
    let states = 7;
    let mut text = String::from("machine bits { input a, b; output x, y;\n");
    for state in 0..states {
        // Two inputs distinguish most states, so the suite is small.
        let bit = |number: usize| ["x", "y"][state >> number & 1];
        let (next, other) = ((state + 1) % states, (2 * state + 3) % states);
        let (first, second) = (bit(0), bit(1));
        text += &format!(
            "state s{state} {{ a / {first} -> s{next}; b / {second} -> s{other}; after 2 -> s{next} }}\n"
        );
    }
    text += "}\n";
    let sources = [SourceFile::new("bits.tfsm", text)];
    let options = FrontendOptions {
        machines: MachineOptions {
            domain: Some(format!("chaos:{states}:2")),
            ..MachineOptions::default()
        },
        ..FrontendOptions::default()
    };
    let budget = Budget::unlimited();
    let decider = TimedDecision::default()
        .read(&sources, &options)
        .expect("a model");
    let found = decider
        .complete(Aim::default(), &[], &budget)
        .expect("a domain");
    let Completeness::Complete { proof, classes } = found.completeness else {
        panic!("{:?}", found.completeness);
    };
    println!("{} tests, {classes} classes", found.tests.len());
    assert!(
        proof["names"]
            .as_array()
            .is_some_and(|names| names.len() == states - 1)
    );
    let rechecker = TimedRecheck.read(&sources, &options).expect("a model");
    assert_eq!(
        rechecker.recheck_complete(&found.tests, &proof, &budget),
        Ok(classes)
    );
    // Tests that are given separate the same states.
    let given = decider.completeness(&found.tests, &budget);
    let Some(Completeness::Complete { proof: given, .. }) = given else {
        panic!("{given:?}");
    };
    assert!(
        rechecker
            .recheck_complete(&found.tests, &given, &budget)
            .is_ok()
    );
    // With two names less separated, or one name for two states, the proof must be rejected.
    let mut doubled = proof.clone();
    doubled["names"][1]["state"] = doubled["names"][0]["state"].clone();
    assert!(
        rechecker
            .recheck_complete(&found.tests, &doubled, &budget)
            .is_err()
    );
    let mut initial = proof.clone();
    initial["names"][0]["state"] = "s0".into();
    assert!(
        rechecker
            .recheck_complete(&found.tests, &initial, &budget)
            .is_err()
    );
    // A third of the tests neither separates all states nor is complete.
    let fewer = &found.tests[..found.tests.len() / 3];
    assert!(rechecker.recheck_complete(fewer, &proof, &budget).is_err());
    let mut unnamed = proof.clone();
    unnamed["names"].as_array_mut().unwrap().clear();
    assert!(
        rechecker
            .recheck_complete(fewer, &unnamed, &budget)
            .is_err()
    );
}
