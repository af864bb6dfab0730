//! Proofs that suites are complete: accepted if they are, refused if anything in them was spoiled.

use hyperkill_core::budget::Budget;
use hyperkill_core::suite::Step;
use hyperkill_frontend::decision::{Completeness, Decider, Decision, Recheck, Rechecker};
use hyperkill_frontend::{FrontendOptions, SourceFile};
use hyperkill_timed_fsm_decide::TimedDecision;
use hyperkill_timed_fsm_decide::fault::ALL_COMPLETE;
use hyperkill_timed_fsm_recheck::TimedRecheck;
use serde_json::Value as Document;

use crate::families::{RUNNING, Where, tftp};
use crate::machines::cases;
use crate::suites::{random_domain, small_domain};

/// What decides a model and what checks that.
fn procedures(
    text: &str,
    decision: TimedDecision,
    domain: Option<&str>,
) -> (Box<dyn Decider>, Box<dyn Rechecker>) {
    let sources = [SourceFile::new("m.tfsm", text)];
    let options = FrontendOptions {
        domain: domain.map(str::to_owned),
        ..FrontendOptions::default()
    };
    (
        decision.read(&sources, &options).expect("a model"),
        TimedRecheck.read(&sources, &options).expect("a model"),
    )
}

/// Tests of at most so many inputs and the proof that they are complete.
fn proved(decider: &dyn Decider, longest: usize) -> (Vec<Vec<Step>>, Document) {
    let found = decider.complete(Some(longest), &Budget::unlimited());
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
                let places = wide["classes"][class][groups].as_array_mut().unwrap();
                places.clear();
            }
            let checked = rechecker.recheck_complete(&[], &wide, &Budget::unlimited());
            let differs = !tests.is_empty();
            assert_eq!(checked.is_err(), differs, "seed {seed}\n{text}\n{proof}");
            refused += usize::from(differs);
        }
        if classes == 1 {
            let mut none = proof.clone();
            none["classes"].as_array_mut().unwrap().clear();
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
                // A wrong formula may leave what is found again and again.
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
