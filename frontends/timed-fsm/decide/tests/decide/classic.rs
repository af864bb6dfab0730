//! Classic suites are complete for everything in so many states, as the search for complete suites says, and this one's are not larger.

use std::fmt::Write;

use hyperkill_core::budget::Budget;
use hyperkill_frontend::{FrontendOptions, SourceFile};
use hyperkill_timed_fsm::choices::MutationMachine;
use hyperkill_timed_fsm::machine::Machine;
use hyperkill_timed_fsm::read_domain;
use hyperkill_timed_fsm_decide::classic::{ALL, Everything, Method, Unsuited, suite};
use hyperkill_timed_fsm_decide::complete::{Options, Verified, complete, verify};
use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;

use crate::machines::cases;

/// A machine that answers every input in every state; timeouts up to a length, none if that is 0.
fn total(states: usize, longest: u32, seed: u64) -> String {
    let mut rng = ChaCha8Rng::seed_from_u64(seed);
    let mut text = String::from("machine m { input a, b; output x, y;\n");
    for state in 0..states {
        write!(text, "state s{state} {{ ").expect("a string takes all");
        for input in ["a", "b"] {
            let output = ["x", "y"][rng.random_range(0..2)];
            let target = rng.random_range(0..states);
            write!(text, "{input} / {output} -> s{target}; ").expect("a string takes all");
        }
        if longest > 0 && rng.random_bool(0.5) {
            let (after, target) = (rng.random_range(1..=longest), rng.random_range(0..states));
            write!(text, "after {after} -> s{target}").expect("a string takes all");
        }
        text += "}\n";
    }
    text + "}\n"
}

fn everything(text: &str, domain: Everything) -> (Machine, MutationMachine) {
    let options = FrontendOptions {
        domain: Some(format!("chaos:{}:{}", domain.states, domain.longest)),
        ..FrontendOptions::default()
    };
    let sources = [SourceFile::new("m.tfsm", text)];
    read_domain(&sources, &options).expect("a domain")
}

fn inputs(tests: &[Vec<(u64, usize)>]) -> usize {
    tests.iter().map(Vec::len).sum()
}

#[test]
fn classic_suites_are_complete_for_everything_and_ours_is_not_larger() {
    let budget = Budget::unlimited();
    let (mut looked, mut timed) = (0, 0);
    for seed in 0..cases(36) {
        let (states, longest, extra) = [
            (2, 0, 0),
            (3, 0, 0),
            (2, 1, 0),
            (2, 0, 1),
            (4, 0, 0),
            (3, 1, 0),
        ][(seed % 6) as usize];
        let text = total(states, longest, seed);
        let domain = Everything {
            states: states + extra,
            longest,
        };
        let (machine, mutation) = everything(&text, domain);
        let mut sizes = Vec::new();
        for method in ALL {
            let tests = match suite(&machine, domain, method, &budget) {
                Ok(tests) => tests,
                Err(Unsuited::Equivalent(..)) => continue,
                Err(other) => panic!("seed {seed}: {other:?}\n{text}"),
            };
            let verified = verify(&machine, &mutation, &tests, Options::default(), &budget);
            let what = format!("seed {seed} {method:?}\n{text}");
            assert!(
                matches!(verified, Verified::Complete(..)),
                "{what}\n{verified:?}"
            );
            sizes.push((method, tests.len(), inputs(&tests)));
        }
        if sizes.is_empty() {
            continue;
        }
        looked += 1;
        timed += usize::from(longest > 0);
        let [
            (_, w, _),
            (_, wp, _),
            (_, hsi, _),
            (Method::H, h, _),
            (Method::Spy, spy, _),
        ] = sizes[..]
        else {
            panic!("{sizes:?}");
        };
        assert!(
            wp <= w && hsi <= w && h <= w && spy <= w,
            "seed {seed}: {sizes:?}\n{text}"
        );
        let ours = complete(&machine, &mutation, &[], Options::default(), &budget);
        assert_eq!(ours.end, Ok(()));
        // Tests count first, then inputs.
        let size = (ours.tests.len(), inputs(&ours.tests));
        assert!(
            size <= (h, sizes[3].2),
            "seed {seed}: {sizes:?} {size:?}\n{text}"
        );
    }
    println!("{looked} machines, {timed} with timeouts");
    assert!(looked > 10 && timed > 3);
}

#[test]
fn what_becomes_of_the_suite_of_a_classic_method_has_no_more_tests_than_it() {
    let budget = Budget::unlimited();
    let mut begun = 0;
    for seed in 0..cases(24) {
        let (states, extra) = [(3, 0), (4, 0), (5, 0), (3, 1)][(seed % 4) as usize];
        let text = total(states, 0, seed);
        let domain = Everything {
            states: states + extra,
            longest: 0,
        };
        let (machine, mutation) = everything(&text, domain);
        for method in ALL {
            let Ok(start) = suite(&machine, domain, method, &budget) else {
                continue;
            };
            let outcome = complete(&machine, &mutation, &start, Options::default(), &budget);
            assert_eq!(outcome.end, Ok(()));
            let what = format!("seed {seed} {method:?}\n{text}");
            assert!(outcome.tests.len() <= start.len(), "{what}");
            let tests = &outcome.tests;
            let verified = verify(&machine, &mutation, tests, Options::default(), &budget);
            assert!(matches!(verified, Verified::Complete(..)), "{what}");
            begun += 1;
        }
    }
    println!("{begun} suites");
    assert!(begun > 50);
}

#[test]
fn machines_that_the_methods_are_not_for_are_refused() {
    let of = |text: &str, longest: u32| {
        let machine = hyperkill_timed_fsm::read_machine(text).expect("a machine");
        let domain = Everything {
            states: machine.states.len(),
            longest,
        };
        suite(&machine, domain, Method::H, &Budget::unlimited()).unwrap_err()
    };
    let gap = "machine m { input a, b; output x; state S { a / x -> S } }";
    assert_eq!(of(gap, 0), Unsuited::Incomplete(0, 1));
    let twins = "machine m { input a; output x; state S { a / x -> T } state T { a / x -> S } }";
    assert_eq!(of(twins, 0), Unsuited::Equivalent(0, 1));
    let single = "machine m { input a; output x; state S { a / x -> S; after 5 -> S } }";
    assert_eq!(of(single, u32::MAX), Unsuited::TooMany);
}
