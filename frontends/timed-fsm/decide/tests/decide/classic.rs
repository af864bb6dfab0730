//! Classic suites are complete for all implementations with a number of states, as the search for complete suites confirms. Its own suites
//! are not larger.

use std::fmt::Write;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::time::Duration;

use hyperkill_core::budget::memory::NoMeter;
use hyperkill_core::budget::{Budget, Clock, Stop};
use hyperkill_frontend::{FrontendOptions, MachineOptions, SourceFile};
use hyperkill_timed_fsm::choices::MutationMachine;
use hyperkill_timed_fsm::machine::Machine;
use hyperkill_timed_fsm::read_domain;
use hyperkill_timed_fsm_decide::classic::{Everything, Method, Unsuited, suite};
use hyperkill_timed_fsm_decide::complete::{Options, Verified, complete, verify};
use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;

use crate::machines::cases;

/// Returns a random machine that answers every input in every state, with timeouts up to a length, or none if that is 0.
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
        machines: MachineOptions {
            domain: Some(format!("chaos:{}:{}", domain.states, domain.longest)),
            ..MachineOptions::default()
        },
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
        for method in Method::ALL {
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
        for method in Method::ALL {
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

/// A clock that advances by a millisecond at each reading.
#[derive(Default)]
struct Looks(AtomicU64);

impl Clock for Looks {
    fn now(&self) -> Duration {
        Duration::from_millis(self.0.fetch_add(1, Ordering::Relaxed))
    }
}

/// Returns a machine of three states and implementations of four, for which every method generates too many tests to wait for.
fn endless() -> (Machine, Everything) {
    let text = "machine m { input a, b; output x, y;
        state s0 { a / x -> s1;  b / y -> s0;  after 7 -> s1 }
        state s1 { a / y -> s2;  b / x -> s0;  after 5 -> s2 }
        state s2 { a / x -> s0;  b / x -> s1;  after 9 -> s0 } }";
    let machine = hyperkill_timed_fsm::read_machine(text).expect("a machine");
    let domain = Everything {
        states: 4,
        longest: 9,
    };
    (machine, domain)
}

#[test]
fn classic_methods_end_as_soon_as_the_time_is_over() {
    let (machine, domain) = endless();
    for method in Method::ALL {
        for looks in [3, 1_000, 20_000] {
            let clock = Arc::new(Looks::default());
            let budget = Budget::new(clock.clone(), Arc::new(AtomicBool::new(false)));
            let budget = budget.within(Some(Duration::from_millis(looks)));
            let found = suite(&machine, domain, method, &budget);
            assert_eq!(found, Err(Unsuited::Stopped(Stop::Time)), "{method:?}");
            // The first reading past the limit ends the work.
            let looked = clock.0.load(Ordering::Relaxed);
            assert!(looked <= looks + 2, "{method:?}: {looked} of {looks}");
        }
    }
}

#[test]
fn classic_methods_look_at_the_clock_for_every_test() {
    let text = total(3, 2, 5);
    let domain = Everything {
        states: 3,
        longest: 2,
    };
    let (machine, _) = everything(&text, domain);
    for method in Method::ALL {
        let clock = Arc::new(Looks::default());
        let budget = Budget::new(clock.clone(), Arc::new(AtomicBool::new(false)));
        let budget = budget.within(Some(Duration::MAX));
        let tests = suite(&machine, domain, method, &budget).expect("a suite");
        let looked = clock.0.load(Ordering::Relaxed);
        assert!(looked as usize > tests.len(), "{method:?}: {looked} looks");
    }
}

#[test]
fn classic_methods_end_when_their_memory_is_full() {
    let (machine, domain) = endless();
    let budget = Budget::unlimited().with_memory(500_000, u64::MAX, Arc::new(NoMeter));
    for method in Method::ALL {
        let found = suite(&machine, domain, method, &budget.job());
        assert_eq!(found, Err(Unsuited::Stopped(Stop::Memory)), "{method:?}");
    }
}
