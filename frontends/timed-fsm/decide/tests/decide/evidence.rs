//! Proofs that suites are complete: accepted if they are, refused if anything in them was spoiled.

use crate::domains::{Checked, Decided};
use hyperkill_core::budget::Budget;
use hyperkill_core::suite::Step;
use hyperkill_frontend::decision::{Decider, Decision, Recheck, Rechecker};
use hyperkill_frontend::domain::{Aim, Completeness, Survivor};
use hyperkill_frontend::{FrontendOptions, MachineOptions, SourceFile};
use hyperkill_timed_fsm_decide::TimedDecision;
use hyperkill_timed_fsm_decide::fault::ALL_COMPLETE;
use hyperkill_timed_fsm_recheck::TimedRecheck;
use serde_json::Value as Document;

use crate::families::{RUNNING, Where, tftp};
use crate::machines::cases;
use crate::suites::{random_domain, small_domain};

/// Returns the decision and the recheck of a model.
fn procedures(
    text: &str,
    decision: TimedDecision,
    domain: Option<&str>,
) -> (Box<dyn Decider>, Box<dyn Rechecker>) {
    let sources = [SourceFile::new("m.tfsm", text)];
    let options = FrontendOptions {
        machines: MachineOptions {
            domain: domain.map(str::to_owned),
            ..MachineOptions::default()
        },
        ..FrontendOptions::default()
    };
    (
        decision.read(&sources, &options).expect("a model"),
        TimedRecheck.read(&sources, &options).expect("a model"),
    )
}

/// Returns tests of at most a number of inputs, and the proof that they are complete.
fn proved(decider: &dyn Decider, longest: usize) -> (Vec<Vec<Step>>, Document) {
    let aim = Aim {
        longest: Some(longest),
        ..Aim::default()
    };
    let found = decider.complete(aim, &[], &Budget::unlimited());
    let found = found.expect("a domain");
    match found.completeness {
        Completeness::Complete { proof, .. } => (found.tests, proof),
        other => panic!("{other:?}"),
    }
}

#[test]
fn proofs_of_the_machines_of_the_paper_are_accepted() {
    for (text, domain, longest) in [
        (RUNNING.to_owned(), None, 4),
        (tftp(3, Some(Where::A)), None, 5),
        (tftp(3, Some(Where::B)), None, 5),
        (tftp(3, None), Some("chaos:4:5"), 5),
    ] {
        let (decider, rechecker) = procedures(&text, TimedDecision::default(), domain);
        let (tests, proof) = proved(decider.as_ref(), longest);
        let checked = rechecker.recheck_complete(&tests, &proof, &Budget::unlimited());
        assert_eq!(
            checked,
            Ok(proof["classes"].as_array().unwrap().len()),
            "{text}"
        );
    }
}

#[test]
fn suites_for_the_models_of_the_repository_are_complete() {
    let kettle = include_str!("../../../../../tests/models/timed-fsm/kettle/model.tfsm");
    let download = include_str!("../../../../../tests/models/timed-fsm/download/model.tfsm");
    for (name, text) in [("kettle", kettle), ("download", download)] {
        let (decider, rechecker) = procedures(text, TimedDecision::default(), None);
        let found = decider.complete(Aim::default(), &[], &Budget::unlimited());
        let found = found.expect("a domain");
        let Completeness::Complete { proof, classes } = found.completeness else {
            panic!("{:?}", found.completeness);
        };
        let tests = found.tests;
        let steps: usize = tests.iter().map(Vec::len).sum();
        let time = tests.iter().filter_map(|test| test.last()?.at);
        let time: u64 = time.map(|at| at.floor()).sum();
        println!(
            "{name}: {} tests, {steps} steps, {time} units, {classes} classes",
            tests.len()
        );
        let checked = rechecker.recheck_complete(&tests, &proof, &Budget::unlimited());
        assert_eq!(checked, Ok(classes), "{name}");
    }
}

#[test]
fn proofs_are_accepted_and_those_of_fewer_or_shorter_tests_are_refused() {
    let (mut accepted, mut refused) = (0, 0);
    for seed in (0..cases(200)).filter(|seed| small_domain(*seed).is_some()) {
        let text = random_domain(seed);
        let (decider, rechecker) = procedures(&text, TimedDecision::default(), None);
        let (tests, proof) = proved(decider.as_ref(), 3);
        let check = |tests: &[Vec<Step>], proof: &Document| {
            rechecker.recheck_complete(tests, proof, &Budget::unlimited())
        };
        let what = format!("seed {seed}\n{text}\n{proof}");
        assert!(check(&tests, &proof).is_ok(), "{what}");
        accepted += 1;
        for index in 0..tests.len() {
            let mut fewer = tests.clone();
            fewer.remove(index);
            assert!(check(&fewer, &proof).is_err(), "without {index}: {what}");
            let mut shorter = tests.clone();
            shorter[index].pop();
            assert!(check(&shorter, &proof).is_err(), "{index} shorter: {what}");
            refused += 2;
        }
    }
    println!("{accepted} accepted, {refused} refused");
    assert!(accepted > 50 && refused > 50);
}

#[test]
fn a_class_that_allows_more_or_is_left_out_is_refused() {
    let mut refused = 0;
    for seed in (0..cases(120)).filter(|seed| small_domain(*seed).is_some()) {
        let text = random_domain(seed);
        let (decider, rechecker) = procedures(&text, TimedDecision::default(), None);
        let (tests, proof) = proved(decider.as_ref(), 3);
        let is_accepted = |proof: &Document| {
            let checked = rechecker.recheck_complete(&tests, proof, &Budget::unlimited());
            checked.is_ok()
        };
        let classes = proof["classes"].as_array().unwrap().len();
        for class in 0..classes {
            // Without the tests, classes alone must not do.
            let mut wide = proof.clone();
            for groups in ["answers", "timeouts"] {
                let places = wide["classes"][class][groups]
                    .as_array_mut()
                    .expect("a list");
                places.clear();
            }
            let checked = rechecker.recheck_complete(&[], &wide, &Budget::unlimited());
            let differs = !tests.is_empty();
            assert_eq!(checked.is_err(), differs, "seed {seed}\n{text}\n{proof}");
            refused += usize::from(differs);
        }
        if classes == 1 {
            let mut none = proof.clone();
            none["classes"].as_array_mut().expect("a list").clear();
            assert!(!is_accepted(&none), "seed {seed}\n{text}");
            refused += 1;
        }
    }
    assert!(refused > 50, "{refused}");
}

#[test]
fn what_a_wrong_search_says_is_refused() {
    for fault in ALL_COMPLETE {
        let refused = (0..2000)
            .filter(|seed| small_domain(*seed).is_some())
            .find(|seed| {
                let text = random_domain(*seed);
                let decision = TimedDecision::with_fault_in_suites(fault);
                let (decider, rechecker) = procedures(&text, decision, None);
                let budget = Budget::unlimited();
                // A wrong formula may admit the same solution again and again.
                let Some(Completeness::Complete { proof, .. }) = decider.completeness(&[], &budget)
                else {
                    let (right, _) = procedures(&text, TimedDecision::default(), None);
                    let (tests, _) = proved(right.as_ref(), 2);
                    let without = (0..tests.len()).map(|index| {
                        let mut fewer = tests.clone();
                        fewer.remove(index);
                        fewer
                    });
                    return without.into_iter().any(|fewer| {
                        match decider.completeness(&fewer, &budget) {
                            Some(Completeness::Complete { proof, .. }) => {
                                rechecker.recheck_complete(&fewer, &proof, &budget).is_err()
                            }
                            _ => false,
                        }
                    });
                };
                rechecker.recheck_complete(&[], &proof, &budget).is_err()
            });
        println!("{fault:?}: {refused:?}");
        assert!(refused.is_some(), "{fault:?}");
    }
}

/// A claim that a mutant passes some tests: its differences, a test that it fails, and the mutant.
struct Said {
    choices: Vec<String>,
    test: Vec<Step>,
    mutant: Document,
}

impl Said {
    fn of(completeness: Option<Completeness>) -> Option<Said> {
        match completeness {
            Some(Completeness::Survivor {
                choices,
                test,
                mutant,
            }) => Some(Said {
                choices,
                test,
                mutant,
            }),
            _ => None,
        }
    }

    fn is_accepted(&self, rechecker: &dyn Rechecker, tests: &[Vec<Step>]) -> bool {
        let survivor = Survivor {
            choices: &self.choices,
            test: &self.test,
            mutant: &self.mutant,
        };
        rechecker.recheck_survivor(tests, survivor).is_ok()
    }
}

#[test]
fn survivors_are_accepted_and_others_tests_and_choices_in_their_place_are_refused() {
    let (mut accepted, mut refused, mut extra) = (0, 0, 0);
    for seed in (0..cases(200)).filter(|seed| small_domain(*seed).is_some()) {
        let text = random_domain(seed);
        let (decider, rechecker) = procedures(&text, TimedDecision::default(), None);
        let (tests, _) = proved(decider.as_ref(), 3);
        for index in 0..tests.len() {
            let mut fewer = tests.clone();
            fewer.remove(index);
            let found = decider.completeness(&fewer, &Budget::unlimited());
            let said = Said::of(found).expect("each test is needed");
            let what = format!("seed {seed} without {index}\n{text}\n{}", said.mutant);
            let accepts =
                |said: &Said, tests: &[Vec<Step>]| said.is_accepted(rechecker.as_ref(), tests);
            assert!(accepts(&said, &fewer), "{what}");
            accepted += 1;
            extra += usize::from(text.contains("state Extra"));
            assert!(!accepts(&said, &tests), "it fails the other test: {what}");
            for spoiled in spoiled(&said) {
                assert!(!accepts(&spoiled, &fewer), "{}\n{what}", spoiled.mutant);
                refused += 1;
            }
        }
    }
    println!("{accepted} accepted, {refused} refused, {extra} with states of their own");
    assert!(accepted > 50 && refused > 200 && extra > 5);
}

/// Returns copies of a claim, each with an error in it.
fn spoiled(said: &Said) -> Vec<Said> {
    let again = |mutant: Document| Said {
        choices: said.choices.clone(),
        test: said.test.clone(),
        mutant,
    };
    let mut all = Vec::new();
    for groups in ["answers", "timeouts"] {
        for index in 0..said.mutant[groups].as_array().expect("a list").len() {
            let mut less = said.mutant.clone();
            less[groups].as_array_mut().expect("a list").remove(index);
            all.push(again(less));
            let mut other = said.mutant.clone();
            other[groups][index]["state"] = "nowhere".into();
            all.push(again(other));
            let mut twice = said.mutant.clone();
            let entry = twice[groups][index].clone();
            twice[groups].as_array_mut().expect("a list").push(entry);
            all.push(again(twice));
        }
    }
    let mut lines = again(said.mutant.clone());
    lines.choices.pop();
    all.push(lines);
    let mut shorter = again(said.mutant.clone());
    shorter.test.pop();
    all.push(shorter);
    let mut silent = again(said.mutant.clone());
    if let Some(last) = silent.test.last_mut() {
        last.mutant_outputs = Some(last.outputs.clone());
    }
    all.push(silent);
    all
}
