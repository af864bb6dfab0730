//! Evidence that was spoiled is refused with a sentence.

use hyperkill_core::budget::Budget;
use hyperkill_core::mutant::MutantId;
use hyperkill_core::sort::Value;
use hyperkill_core::suite::{Step, delays};
use hyperkill_core::time::Time;
use hyperkill_core::verdict::{Reason, Verdict};
use hyperkill_frontend::decision::{OwnKill, OwnVerdict};
use serde_json::{Value as Document, json};

use crate::machines::{Read, random};

fn is_refused(read: &Read, id: &MutantId, verdict: &OwnVerdict, what: &str) {
    let checked = read.rechecker.recheck(id, verdict, &Budget::unlimited());
    let text = &read.text;
    assert!(
        checked.is_err(),
        "{what} is not noticed: {id}\n{text}\n{verdict:?}"
    );
}

/// Calls `look` with verdicts on mutants of some random machines.
fn each_verdict(mut look: impl FnMut(&Read, &MutantId, &OwnVerdict)) {
    for seed in 0..40 {
        let read = Read::new(&random(seed), None);
        for mutation in read.model.mutations.iter().step_by(4) {
            let id = &mutation.mutant.id;
            let verdict = read.decider.decide(id, None, &Budget::unlimited());
            look(&read, id, &verdict);
        }
    }
}

fn other_output(step: &mut Step) {
    for (_, value) in &mut step.outputs {
        let other = if *value == Value::Symbol("x".to_owned()) {
            "y"
        } else {
            "x"
        };
        *value = Value::Symbol(other.to_owned());
    }
}

#[test]
fn a_relation_that_lacks_a_pair_or_a_meeting_is_refused() {
    let mut spoiled = 0;
    each_verdict(|read, id, verdict| {
        let Verdict::Equivalent(document) = verdict else {
            return;
        };
        let pairs = document["pairs"].as_array().unwrap();
        for pair in 0..pairs.len() {
            let mut without = document.clone();
            without["pairs"].as_array_mut().unwrap().remove(pair);
            is_refused(read, id, &Verdict::Equivalent(without), "a pair");
            for meeting in 0..pairs[pair]["meets"].as_array().unwrap().len() {
                let mut without = document.clone();
                let meets = &mut without["pairs"][pair]["meets"];
                meets.as_array_mut().unwrap().remove(meeting);
                is_refused(read, id, &Verdict::Equivalent(without), "a meeting");
                let mut sooner = document.clone();
                let after = &mut sooner["pairs"][pair]["meets"][meeting]["after"];
                let Some(before) = after.as_u64().unwrap().checked_sub(1) else {
                    continue;
                };
                *after = json!(before);
                is_refused(read, id, &Verdict::Equivalent(sooner), "a delay");
                spoiled += 1;
            }
        }
    });
    assert!(spoiled > 50, "{spoiled}");
}

#[test]
fn a_relation_of_one_mutant_proves_nothing_about_one_that_is_killed() {
    for seed in 0..40 {
        let read = Read::new(&random(seed), None);
        let budget = Budget::unlimited();
        let ids = || read.model.mutations.iter().map(|m| &m.mutant.id);
        let verdicts = ids().map(|id| (id, read.decider.decide(id, None, &budget)));
        let (killed, equivalent): (Vec<_>, Vec<_>) =
            verdicts.partition(|(_, verdict)| matches!(verdict, Verdict::Killed(_)));
        for (id, _) in &killed {
            for (_, relation) in &equivalent {
                is_refused(&read, id, relation, "another mutant's relation");
            }
        }
    }
}

#[test]
fn a_run_with_another_output_or_with_stamps_taken_for_delays_is_refused() {
    let mut stamps = 0;
    each_verdict(|read, id, verdict| {
        let Verdict::Killed(kill) = verdict else {
            return;
        };
        let refused = |change: &dyn Fn(&mut OwnKill), what: &str| {
            let mut spoiled = kill.clone();
            change(&mut spoiled);
            is_refused(read, id, &Verdict::Killed(spoiled), what);
        };
        for step in 0..kill.steps() {
            refused(&|kill| other_output(&mut kill.model_run[step]), "an output");
            refused(&|kill| kill.model_run[step].outputs.clear(), "no output");
            refused(&|kill| kill.model_run[step].inputs.clear(), "no input");
            refused(&|kill| kill.model_run[step].at = None, "no time");
            if !kill.mutant_run[step].outputs.is_empty() {
                refused(
                    &|kill| other_output(&mut kill.mutant_run[step]),
                    "an output",
                );
            }
        }
        refused(
            &|kill| kill.mutant_run = kill.model_run.clone(),
            "the same run",
        );
        refused(&|kill| kill.sole_run = false, "several runs");
        let taken: Vec<Option<Time>> = delays(&kill.model_run);
        // Delays that fall are no stamps at all; others may be those of another test.
        if !taken.is_sorted() {
            let stamped = |kill: &mut OwnKill| {
                for run in [&mut kill.model_run, &mut kill.mutant_run] {
                    run.iter_mut()
                        .zip(&taken)
                        .for_each(|(step, delay)| step.at = *delay);
                }
            };
            refused(&stamped, "stamps");
            stamps += 1;
        }
    });
    assert!(stamps > 10, "{stamps}");
}

#[test]
fn malformed_documents_are_refused_with_a_sentence() {
    let text = "machine m { input a; output x, y; state S { a / x -> S; after 2 -> T } state T { a / x -> T } }";
    let read = Read::new(text, None);
    let id = &read.model.mutations[0].mutant.id;
    let meeting = |after: Document| json!({ "after": after, "model": "S", "mutant": "S" });
    let pair = |meets: Document| json!({ "model": "S", "mutant": "S", "meets": meets });
    let of = |pairs: Document| json!({ "kind": "timed-relation", "pairs": pairs });
    let malformed = [
        json!(null),
        json!([]),
        json!({}),
        json!({ "kind": "relation", "pairs": [] }),
        of(json!([])),
        of(json!([pair(json!([]))])),
        of(json!([pair(json!([])), pair(json!([]))])),
        of(json!([pair(json!([meeting(json!(-1))]))])),
        of(json!([pair(json!([meeting(json!(1.5))]))])),
        of(json!([pair(json!([meeting(json!("+1"))]))])),
        of(json!([pair(json!([meeting(json!("9".repeat(60)))]))])),
        of(json!([pair(json!([meeting(json!(u64::MAX))]))])),
        of(json!([pair(json!([meeting(json!(
            u128::MAX.to_string()
        ))]))])),
        of(json!([{ "model": "U", "mutant": "S", "meets": [] }])),
        of(json!([{ "model": "S", "mutant": "S", "meets": [], "more": 1 }])),
    ];
    for document in malformed {
        is_refused(
            &read,
            id,
            &Verdict::Equivalent(document),
            "a malformed document",
        );
    }
    is_refused(
        &read,
        id,
        &Verdict::Invalid("so".to_owned()),
        "an invalid mutant",
    );
    is_refused(&read, id, &Verdict::DuplicateOf(id.clone()), "a duplicate");
    let unknown = Verdict::Unknown {
        known_to: 1,
        reason: Reason::Bound,
    };
    is_refused(&read, &MutantId("m-none".to_owned()), &unknown, "no mutant");
}
