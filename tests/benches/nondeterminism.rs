//! Scaling of definite kills for a nondeterministic model. Run with `cargo bench -p hyperkill-tests --bench nondeterminism`.
//!
//! The model is the beverage machine of \[3\] with a mutant that fills one less: 2c+1 inputs for capacity c. Z3 reached its limit in
//! \[3\] at 13 inputs, which is capacity 6.

use divan::Bencher;
use hyperkill_checker::{Ask, Options, Silent, decide_all};
use hyperkill_core::ConditionalMutant;
use hyperkill_core::budget::Budget;
use hyperkill_evidence::verdict::{Property, Strength, Verdict};
use hyperkill_tests::models::{conditional_of, folder};

fn main() {
    divan::main();
}

const CAPACITIES: [usize; 6] = [2, 6, 20, 100, 300, 1000];

/// Returns the machine of capacity 2 from the models' folder, with another capacity and a mutant that fills one less.
fn machine(capacity: usize) -> ConditionalMutant {
    let file = folder().join("conditional/fills-one.smv");
    let text = std::fs::read_to_string(file).expect("a readable model");
    let text = text
        .replace("capacity := 2;", &format!("capacity := {capacity};"))
        .replace("mut ? 1 : capacity", "mut ? capacity - 1 : capacity");
    conditional_of("beverage", text)
}

/// Decides φ3, from the circuit to the test.
fn decide(bencher: Bencher<'_, '_>, capacity: usize, change: impl Fn(&mut Options) + Sync) {
    let model = machine(capacity);
    let mut options = Options::all(&model);
    options.ask = Ask::Only(Property::Phi3);
    change(&mut options);
    bencher.bench_local(|| {
        let report = decide_all(&model, &options, &Budget::unlimited(), &mut Silent)
            .expect("evidence that checks");
        match &report.outcomes[0].verdict {
            Verdict::Killed(kill) => {
                assert_eq!(kill.strength, Strength::Definite);
                assert!(kill.steps() >= 2 * capacity + 2, "{}", kill.steps());
                if options.shortest {
                    assert_eq!((kill.steps(), kill.shortest), (2 * capacity + 2, true));
                }
                kill.steps()
            }
            other => panic!("{other:?}"),
        }
    });
}

/// Finds any test.
#[divan::bench(args = CAPACITIES, sample_count = 1, sample_size = 1)]
fn some_test(bencher: Bencher, capacity: usize) {
    decide(bencher, capacity, |options| options.shortest = false);
}

/// Finds a test, and proves that no shorter one exists.
#[divan::bench(args = CAPACITIES, sample_count = 1, sample_size = 1)]
fn shortest_test(bencher: Bencher, capacity: usize) {
    decide(bencher, capacity, |_| {});
}

/// Finds any test without sets of explicit states.
#[divan::bench(args = CAPACITIES, sample_count = 1, sample_size = 1)]
fn some_test_by_solver(bencher: Bencher, capacity: usize) {
    decide(bencher, capacity, |options| {
        options.shortest = false;
        options.engines.explicit = false;
    });
}

/// Finds a shortest test without sets of explicit states.
#[divan::bench(args = CAPACITIES, sample_count = 1, sample_size = 1)]
fn shortest_test_by_solver(bencher: Bencher, capacity: usize) {
    decide(bencher, capacity, |options| {
        options.engines.explicit = false
    });
}
