//! Mutants decided in slices of counted work. Each slice adds facts, and a step that ended without result is not repeated.

use std::collections::BTreeSet;

use hyperkill_checker::decide::Inquiry;
use hyperkill_checker::decide::facts::Facts;
use hyperkill_checker::engines::explicit::KnownSteps;
use hyperkill_checker::input_classes::SharedClasses;
use hyperkill_checker::rounds::{Options, Plan};
use hyperkill_checker::schedule::Engines;
use hyperkill_core::budget::Budget;
use hyperkill_core::{ConditionalMutant, work};
use hyperkill_evidence::verdict::Verdict;
use hyperkill_tests::generate::{Kind, conditional_mutant};
use hyperkill_tests::oracle::Oracle;
use hyperkill_tests::unstructured::cases;

fn inquiry<'m>(model: &'m ConditionalMutant, options: &Options) -> Inquiry<'m> {
    let plan = Plan::new(model, options, &Budget::unlimited());
    Inquiry {
        model,
        property: plan.property,
        original: plan.original,
        schedule: plan.mutants,
        others: None,
        seed: options.seed,
        classes: SharedClasses::default(),
        steps: KnownSteps::default(),
    }
}

#[test]
fn facts_kept_from_slice_to_slice_lead_to_the_verdicts_of_the_oracle() {
    let (mut killed, mut proved) = (0, 0);
    for seed in 0..cases(150) {
        let model = conditional_mutant(seed, Kind::Small);
        let inquiry = inquiry(&model, &Options::all(&model));
        for mutant in model.selector_ids() {
            let mut facts = Facts::default();
            for slice in 0..12 {
                let budget = Budget::unlimited().slice(16 << slice);
                let learned = inquiry.answered(mutant, facts, &budget);
                facts = learned.unwrap_or_else(|error| panic!("seed {seed}: {error}"));
            }
            let outcome = inquiry.decide(mutant, facts, &Budget::unlimited());
            let outcome = outcome.unwrap_or_else(|error| panic!("seed {seed}: {error}"));
            let oracle = Oracle::new(&model, mutant).expect("a small system");
            let kill = oracle.potential_kill().expect("a small system");
            match outcome.verdict {
                Verdict::Killed(_) => {
                    assert!(kill.is_some(), "seed {seed}, {mutant}");
                    killed += 1;
                }
                Verdict::Equivalent(_) | Verdict::RefusesInput { .. } => {
                    assert_eq!(kill, None, "seed {seed}, {mutant}");
                    proved += 1;
                }
                other => panic!("seed {seed}, {mutant}: {other:?}"),
            }
        }
    }
    assert!(killed > 0 && proved > 0, "{killed} killed, {proved} proved");
}

#[test]
fn a_step_that_ended_in_vain_is_not_taken_again() {
    let engines = Engines {
        bmc: true,
        induction: true,
        pdr: true,
        diagrams: true,
        simulation: true,
        ..Engines::NONE
    };
    let (mut open, mut repeated) = (0, false);
    for seed in 0..cases(150) {
        let model = conditional_mutant(seed, Kind::Choices);
        let options = Options {
            engines,
            ..Options::all(&model)
        };
        let inquiry = inquiry(&model, &options);
        if inquiry.schedule.pairs_are_kills {
            continue;
        }
        for mutant in model.selector_ids() {
            let answered = |facts| inquiry.answered(mutant, facts, &Budget::unlimited());
            let once = answered(Facts::default()).expect("evidence that checks");
            if inquiry.is_answered(&once) || once.candidate().is_some() {
                continue;
            }
            open += 1;
            let before = work::done();
            let twice = answered(once.clone()).expect("evidence that checks");
            assert_eq!(twice, once, "seed {seed}, {mutant}");
            assert_eq!(work::done(), before, "seed {seed}, {mutant}");
            let forgetful = Facts {
                in_vain: BTreeSet::new(),
                ..once
            };
            answered(forgetful).expect("evidence that checks");
            repeated |= work::done() != before;
        }
    }
    assert!(open > 0, "all mutants were answered");
    assert!(repeated, "no step costs anything");
}
