//! Domains without symmetry, decided through their symmetric hulls.

use std::fmt::Write;

use crate::domains::{Checked, Decided};
use hyperkill_core::budget::Budget;
use hyperkill_frontend::decision::{Decision, Recheck, Refutation};
use hyperkill_frontend::domain::{Aim, Completeness};
use hyperkill_frontend::{FrontendOptions, SourceFile};
use hyperkill_timed_fsm::choices::MutationMachine;
use hyperkill_timed_fsm::machine::Machine;
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

/// Returns a random machine of three states that answers every input, with faults drawn one by one; `None` if it cannot be read.
fn uneven(seed: u64) -> Option<(String, Machine, MutationMachine)> {
    let mut rng = ChaCha8Rng::seed_from_u64(seed);
    let mut text = String::from("machine m { input a; output x, y;\n");
    for state in 0..3 {
        let output = ["x", "y"][rng.random_range(0..2)];
        let target = rng.random_range(0..3);
        write!(text, "state s{state} {{ a / {output} -> s{target};").expect("a string takes all");
        if rng.random_bool(0.5) {
            let target = rng.random_range(0..3);
            write!(text, "after 1 -> s{target}").expect("a string takes all");
        }
        text += "}\n";
    }
    text += "}\nfaults { ";
    for _ in 0..rng.random_range(2..=6) {
        let (state, target) = (rng.random_range(0..3), rng.random_range(0..3));
        let item = match rng.random_range(0..3) {
            0 => format!("s{state}.a / * -> s{target}; "),
            1 => format!("s{state}.a / x -> *; "),
            _ => format!("s{state}.after: 1, never -> s{target}; "),
        };
        text += &item;
    }
    text += "}\n";
    let sources = [SourceFile::new("m.tfsm", text.clone())];
    // An alternative that is no fault is an error.
    let (machine, mutation) = read_domain(&sources, &FrontendOptions::default()).ok()?;
    Some((text, machine, mutation))
}

fn options(planted: Option<CompleteFault>) -> Options {
    Options {
        always_name: true,
        longest: Some(2),
        planted,
        ..Options::default()
    }
}

fn is_complete(machine: &Machine, mutation: &MutationMachine, tests: &[Vec<Stimulus>]) -> bool {
    all(mutation).into_iter().all(|selection| {
        let implementation = mutation.machine(machine, &selection);
        let mut tests = tests.iter();
        tests.any(|test| kills(machine, &implementation, test))
            || ticks::shortest(machine, &implementation).is_none()
    })
}

fn found((_, machine, mutation): &(String, Machine, MutationMachine)) -> Outcome {
    complete(machine, mutation, &[], options(None), &Budget::unlimited())
}

#[test]
fn suites_found_through_the_hull_kill_all_of_the_domain_that_can_be_killed() {
    let (mut through, mut complete, mut open) = (0, 0, 0);
    for seed in 0..cases(60) {
        let Some(case) = uneven(seed) else {
            continue;
        };
        let outcome = found(&case);
        let (text, machine, mutation) = &case;
        assert_eq!(outcome.end, Ok(()));
        through += usize::from(outcome.shown.hull.is_some());
        assert!(
            is_complete(machine, mutation, &outcome.tests),
            "seed {seed}\n{text}\n{:?}",
            outcome.tests
        );
        // Fewer tests may be complete for the domain, though they are not for the hull.
        for without in 0..outcome.tests.len() {
            let mut fewer = outcome.tests.clone();
            fewer.remove(without);
            let budget = Budget::unlimited();
            let what = format!("seed {seed}\n{text}\n{fewer:?}");
            match verify(machine, mutation, &fewer, options(None), &budget) {
                Verified::Complete(..) => {
                    assert!(is_complete(machine, mutation, &fewer), "{what}");
                    complete += 1;
                }
                Verified::Survivor(selection, test) => {
                    let implementation = mutation.machine(machine, &selection);
                    assert!(kills(machine, &implementation, &test), "{what}\n{test:?}");
                    let mut fewer = fewer.iter();
                    let killed = fewer.any(|test| kills(machine, &implementation, test));
                    assert!(!killed, "{what}");
                    open += 1;
                }
                Verified::Open(stop) => panic!("{stop:?}: {what}"),
            }
        }
    }
    println!("{through} through the hull; of fewer tests {complete} complete, {open} not");
    assert!(through > 10 && complete > 0 && open > 10);
}

#[test]
fn survivors_of_the_hull_that_are_no_mutants_are_noticed() {
    let planted = options(Some(CompleteFault::HullForDomain));
    let noticed = (0..4000).find(|seed| {
        let Some(case) = uneven(*seed) else {
            return false;
        };
        let (_, machine, mutation) = &case;
        let tests = found(&case).tests;
        (0..tests.len()).any(|without| {
            let mut fewer = tests.clone();
            fewer.remove(without);
            let said = verify(machine, mutation, &fewer, planted, &Budget::unlimited());
            matches!(said, Verified::Survivor(..)) && is_complete(machine, mutation, &fewer)
        })
    });
    assert!(noticed.is_some());
}

/// Returns a machine with seven states that two inputs and their timeouts distinguish. Almost all transitions are faults; one is missing.
fn nearly_everything() -> String {
    let states = 7;
    let mut text = String::from("machine bits { input a, b; output x, y;\n");
    for state in 0..states {
        let bit = |number: usize| ["x", "y"][state >> number & 1];
        let (next, other) = ((state + 1) % states, (2 * state + 3) % states);
        let (first, second) = (bit(0), bit(1));
        writeln!(
            text,
            "state s{state} {{ a / {first} -> s{next}; b / {second} -> s{other}; after 2 -> s{next} }}"
        )
        .expect("a string takes all");
    }
    text += "}\nfaults { *.a: any; ";
    for state in 1..states {
        write!(text, "s{state}.b: any; ").expect("a string takes all");
    }
    text + "s0.b: output; *.after: 1, 2, never -> * }\n"
}

#[test]
fn single_transfers_and_outputs_are_looked_for_without_the_hull() {
    let text = nearly_everything();
    let text = hyperkill_timed_fsm::without_faults(&text);
    for faults in ["", "faults { *.*: transfer, output; *.after: 1, 3, never }"] {
        let sources = [SourceFile::new("m.tfsm", format!("{text}{faults}"))];
        let (machine, mutation) =
            read_domain(&sources, &FrontendOptions::default()).expect("a domain");
        let options = Options::default();
        let outcome = complete(&machine, &mutation, &[], options, &Budget::unlimited());
        assert_eq!(outcome.end, Ok(()), "{faults}");
        assert!(outcome.shown.hull.is_none(), "{faults}");
    }
}

#[test]
fn a_domain_that_is_nearly_everything_has_a_suite_whose_proof_speaks_of_its_hull() {
    let sources = [SourceFile::new("bits.tfsm", nearly_everything())];
    let options = FrontendOptions::default();
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
    assert_eq!(proof["hull"], true);
    let rechecker = TimedRecheck.read(&sources, &options).expect("a model");
    let recheck = |proof: &serde_json::Value| {
        rechecker.recheck_complete(&found.tests, proof, &Budget::unlimited())
    };
    assert_eq!(recheck(&proof), Ok(classes));
    // The names are those of the hull: in the domain itself states have no others.
    let mut without = proof.clone();
    without["hull"] = false.into();
    assert!(matches!(recheck(&without), Err(Refutation::Wrong(_))));
    // A third of the tests is complete for neither.
    let fewer = &found.tests[..found.tests.len() / 3];
    assert!(rechecker.recheck_complete(fewer, &proof, &budget).is_err());
    let given = decider.completeness(&found.tests, &budget);
    let Some(Completeness::Complete { proof: given, .. }) = given else {
        panic!("{given:?}");
    };
    assert!(recheck(&given).is_ok());
}
