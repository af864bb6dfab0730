//! Free inputs of tests, on random models: for all other values of them the model gives the same outputs, and the killed mutants do not.
//! Replays check this without knowledge of the analysis.

use hyperkill_certify::certify_free;
use hyperkill_checker::rounds::Silent;
use hyperkill_checker::testgen::{Effort, Form, SuiteTest, suite};
use hyperkill_checker::{Options, decide_all};
use hyperkill_core::budget::Budget;
use hyperkill_core::product::Variant;
use hyperkill_core::suite::TestKind;
use hyperkill_core::trace::{Stimulus, Trace, replay};
use hyperkill_core::{ConditionalMutant, SelectorId};
use hyperkill_tests::generate::of_any_kind;
use hyperkill_tests::unstructured::cases;
use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;

/// The number of random replacements of the free values, per test.
const TRIES: usize = 8;

fn tests(model: &ConditionalMutant) -> Vec<SuiteTest> {
    let options = Options {
        bound: Some(12),
        ..Options::all(model)
    };
    let budget = Budget::unlimited();
    let report = decide_all(model, &options, &budget, &mut Silent);
    let report = report.unwrap_or_else(|error| panic!("{}: {error}", model.name));
    let form = Form {
        kind: TestKind::Linear,
        effort: Effort::default(),
        timeout: None,
    };
    let suite = suite(model, &report, false, &form, &budget);
    suite.expect("runs of this model").tests
}

/// Returns, for each step and circuit input, whether it belongs to an input that `free` names for the step.
fn named(model: &ConditionalMutant, free: &[Vec<String>]) -> Vec<Vec<bool>> {
    let step = |names: &Vec<String>| {
        let mut bits = vec![false; model.aig.inputs().len()];
        let ports = model.inputs.iter();
        for port in ports.filter(|port| names.contains(&port.name)) {
            port.bits.iter().for_each(|&bit| bits[bit] = true);
        }
        bits
    };
    free.iter().map(step).collect()
}

fn shown(model: &ConditionalMutant, variant: Variant, run: &Stimulus) -> Trace {
    replay(model, variant, run).expect("a run of this model")
}

#[test]
fn whatever_free_inputs_are_a_test_is_passed_by_the_model_and_by_no_mutant_that_it_kills() {
    let (mut with, mut without, mut refused) = (0, 0, 0);
    // In the last system a killed mutant refuses an input after the difference.
    for seed in (0..cases(200)).chain([2796]) {
        let model = of_any_kind(seed);
        let mut rng = ChaCha8Rng::seed_from_u64(seed);
        for test in tests(&model) {
            let is_free = named(&model, &test.free);
            if !is_free.iter().flatten().any(|&is| is) {
                without += 1;
                continue;
            }
            with += 1;
            let killed = test
                .kills
                .iter()
                .map(|(id, _)| model.selector_of_mutant(&id.0));
            let killed: Vec<SelectorId> = killed.collect::<Option<_>>().expect("mutants");
            let expected = shown(&model, Variant::Original, &test.run);
            for _ in 0..TRIES {
                let mut run = test.run.clone();
                for (step, free) in run.steps.iter_mut().zip(&is_free) {
                    for (value, _) in step.iter_mut().zip(free).filter(|(_, free)| **free) {
                        *value = rng.random();
                    }
                }
                let found = shown(&model, Variant::Original, &run);
                let what = format!("seed {seed}, {}: {:?}", test.id, test.free);
                assert_eq!(found.broken_at, None, "{what}");
                assert_eq!(found.outputs, expected.outputs, "{what}");
                for &mutant in &killed {
                    let answered = shown(&model, Variant::Mutant(mutant), &run);
                    // Runs end at a refused input: only outputs of common steps can differ.
                    let mut steps = answered.outputs.iter().zip(&expected.outputs);
                    assert!(steps.any(|(one, other)| one != other), "{what}: {mutant}");
                }
            }
            certify_free(&model, &killed, &test.run.steps, &is_free)
                .unwrap_or_else(|error| panic!("seed {seed}, {}: {error}", test.id));
            let all = vec![vec![true; model.aig.inputs().len()]; test.run.steps.len()];
            refused += usize::from(certify_free(&model, &killed, &test.run.steps, &all).is_err());
        }
    }
    println!("{with} tests have free inputs, {without} none; of {refused} not all are");
    assert!(with > 50 && refused > 50, "{with}, {without}, {refused}");
}
