//! Random machines: compares the decision with an exploration of time; the recheck accepts the evidence.

use hyperkill_core::budget::Budget;
use hyperkill_core::time::Time;
use hyperkill_core::verdict::{Reason, Strength, Verdict};
use hyperkill_frontend::decision::OwnVerdict;
use hyperkill_timed_fsm_decide::fault::{self, Fault};

use crate::machines::{Read, cases, random};
use crate::ticks;

/// Whether a verdict agrees with the exploration of time: no test, or a shortest test with this number of inputs and half units.
fn agrees(verdict: &OwnVerdict, expected: Option<(usize, u64)>) -> bool {
    match (verdict, expected) {
        (Verdict::Killed(kill), Some((inputs, half_units))) => {
            let over = kill.model_run.last().and_then(|step| step.at);
            kill.steps() == inputs && Time::fraction(half_units, 2).ok() == over
        }
        (Verdict::Equivalent(_), None) => true,
        _ => false,
    }
}

#[test]
fn every_verdict_is_what_walking_through_time_says_and_is_accepted_by_the_recheck() {
    let (mut killed, mut equivalent, mut longest) = (0, 0, 0);
    for seed in 0..cases(300) {
        let read = Read::new(&random(seed), None);
        let budget = Budget::unlimited();
        for mutation in &read.model.mutations {
            let id = &mutation.mutant.id;
            let mutant = read.machine_of(&mutation.mutant);
            let text = &read.text;
            let what = format!("seed {seed}, {:?}\n{text}", mutation.mutant);
            assert_eq!(mutant, read.model.machine.with(&mutation.meaning), "{what}");
            let verdict = read.decider.decide(id, None, &budget);
            let expected = ticks::shortest(&read.model.machine, &mutant);
            assert!(
                agrees(&verdict, expected),
                "{what}\n{verdict:?} {expected:?}"
            );
            let checked = read.rechecker.recheck(id, &verdict, &budget);
            assert_eq!(checked, Ok(()), "{what}\n{verdict:?}");
            match verdict {
                Verdict::Killed(kill) => {
                    killed += 1;
                    longest = longest.max(kill.steps());
                    let shorter = kill.steps() - 1;
                    let open = Verdict::Unknown {
                        known_to: shorter,
                        reason: Reason::Bound,
                    };
                    let bounded = read.decider.decide(id, Some(shorter), &budget);
                    assert_eq!(bounded, open, "{what}");
                }
                _ => equivalent += 1,
            }
        }
    }
    println!("{killed} killed, by up to {longest} inputs; {equivalent} equivalent");
    assert!(killed > 500 && equivalent > 100 && longest > 3);
}

#[test]
fn a_test_kills_the_mutants_of_which_the_recheck_says_so() {
    let (mut kills, mut passes) = (0, 0);
    for seed in 0..cases(60) {
        let read = Read::new(&random(seed), None);
        let budget = Budget::unlimited();
        let ids = || read.model.mutations.iter().map(|m| &m.mutant.id);
        for id in ids().step_by(5) {
            let Verdict::Killed(kill) = read.decider.decide(id, None, &budget) else {
                continue;
            };
            let test = &kill.model_run;
            assert_eq!(read.decider.kills(test, id), Some(Strength::Definite));
            let all: Vec<_> = ids().collect();
            let at_once = read.decider.kills_of(test, &all);
            for (other, at_once) in all.into_iter().zip(at_once) {
                let killed = read.decider.kills(test, other);
                assert_eq!(killed, at_once, "seed {seed}, {other}");
                let checked = read
                    .rechecker
                    .recheck_kill(test, other, Strength::Definite, &budget);
                assert_eq!(killed.is_some(), checked.is_ok(), "seed {seed}, {other}");
                *(if killed.is_some() {
                    &mut kills
                } else {
                    &mut passes
                }) += 1;
            }
        }
    }
    assert!(kills > 500 && passes > 500, "{kills} {passes}");
}

/// Returns the number of wrong verdicts that the recheck refuses, and the number that the comparison detects.
fn noticed(fault: Fault) -> (usize, usize) {
    let (mut refused, mut differ) = (0, 0);
    for seed in 0..60 {
        let read = Read::new(&random(seed), Some(fault));
        let budget = Budget::unlimited();
        for mutation in read.model.mutations.iter().step_by(3) {
            let id = &mutation.mutant.id;
            let verdict = read.decider.decide(id, None, &budget);
            refused += usize::from(read.rechecker.recheck(id, &verdict, &budget).is_err());
            let mutant = read.machine_of(&mutation.mutant);
            let expected = ticks::shortest(&read.model.machine, &mutant);
            differ += usize::from(!agrees(&verdict, expected));
        }
    }
    (refused, differ)
}

#[test]
fn every_planted_fault_is_noticed_by_the_recheck_and_by_the_comparison() {
    for fault in fault::ALL {
        let (refused, differ) = noticed(fault);
        println!("{fault:?}: {refused} refused, {differ} differ");
        assert!(refused > 0, "{fault:?} is never refused");
        // A wrong run does not change how long a test is.
        assert!(
            differ > 0 || fault == Fault::ClockKeptOverInput,
            "{fault:?}"
        );
    }
}
