//! Benchmark from the text of a model to its suite, without files. Run with `cargo bench -p hyperkill-tests`.

use divan::Bencher;
use divan::counter::ItemsCount;
use hyperkill_checker::testgen::{Form, suite};
use hyperkill_checker::validity::validity;
use hyperkill_checker::{Options, Silent, decide_all};
use hyperkill_core::Lit;
use hyperkill_core::budget::Budget;
use hyperkill_tests::models::{folder, smv_model};

fn main() {
    divan::main();
}

/// Items are mutants with any verdict.
#[divan::bench(args = ["beverage", "beverage-20", "car-alarm", "elevator", "traffic-light", "fifo"], sample_count = 3, sample_size = 1)]
fn run(bencher: Bencher, name: &str) {
    let mutants = smv_model(&folder().join("smv").join(name)).catalogue.len();
    bencher.counter(ItemsCount::new(mutants)).bench(|| {
        let model = smv_model(&folder().join("smv").join(name));
        let obligations: Vec<Lit> = model.obligations.iter().map(|o| o.lit).collect();
        let budget = Budget::unlimited();
        let valid = validity(&model.checks, &obligations, &budget).expect("no limit");
        let mut options = Options::all(&model.system);
        options.controllable = name.starts_with("beverage");
        options
            .mutants
            .retain(|&mutant| valid.mutants[mutant.0].is_none());
        let report = decide_all(&model.system, &options, &budget, &mut Silent)
            .expect("evidence that checks");
        suite(&model.system, &report, true, &Form::default(), &budget)
            .expect("tests that fit")
            .tests
            .len()
    });
}
