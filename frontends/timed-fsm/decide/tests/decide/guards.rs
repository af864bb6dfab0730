//! Machines with guards: compares the decision with an exploration in quarters of a unit; the recheck accepts the evidence.

use crate::domains::{Checked, Decided};
use hyperkill_core::budget::Budget;
use hyperkill_core::suite::{Step, delays};
use hyperkill_core::time::Time;
use hyperkill_core::verdict::{Strength, Verdict};
use hyperkill_frontend::decision::Decision;
use hyperkill_frontend::domain::{Aim, Completeness, Survivor};
use hyperkill_frontend::{FrontendOptions, SourceFile};
use hyperkill_timed_fsm::machine::Machine;
use hyperkill_timed_fsm::pieces::Whole;
use hyperkill_timed_fsm::{read_domain, read_machine};
use hyperkill_timed_fsm_decide::TimedDecision;
use hyperkill_timed_fsm_decide::fault::{
    ALL_COMPLETE_OF_GUARDS, ALL_OF_GUARDS, CompleteFault, Fault,
};
use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;

use crate::guarded::{all, domain, machine, shortest, shown};
use crate::machines::{Read, cases};

/// The number of implementations up to which they are enumerated.
const MOST: usize = 3000;

/// Parts of a unit in the exploration. An open guard needs at most one moment inside a unit.
const QUARTERS: u32 = 4;

#[test]
fn every_verdict_about_guards_is_what_walking_through_time_says() {
    let (mut killed, mut equivalent, mut between) = (0, 0, 0);
    for seed in 0..cases(300) {
        let read = Read::new(&machine(seed, seed % 2 == 0), None);
        let budget = Budget::unlimited();
        for mutation in &read.model.mutations {
            let id = &mutation.mutant.id;
            let what = format!("seed {seed}, {:?}\n{}", mutation.mutant, read.text);
            let mutant = read.machine_of(&mutation.mutant);
            assert_eq!(mutant, read.model.machine.with(&mutation.meaning), "{what}");
            let verdict = read.decider.decide(id, None, &budget);
            let halves = shortest(&read.model.machine, &mutant, 2);
            let quarters = shortest(&read.model.machine, &mutant, QUARTERS);
            let inputs = |found: Option<(usize, u64)>| found.map(|(inputs, _)| inputs);
            assert_eq!(inputs(halves), inputs(quarters), "{what}");
            match (&verdict, halves) {
                (Verdict::Killed(kill), Some((inputs, time))) => {
                    let over = kill.model_run.last().and_then(|step| step.at);
                    assert_eq!(kill.steps(), inputs, "{what}");
                    assert_eq!(over, Time::fraction(time, 2).ok(), "{what}\n{kill:?}");
                    let test = &kill.model_run;
                    assert_eq!(read.decider.kills(test, id), Some(Strength::Definite));
                    between += usize::from(over.is_some_and(|over| over.parts().1 > 1));
                    killed += 1;
                }
                (Verdict::Equivalent(_), None) => equivalent += 1,
                _ => panic!("{what}\n{verdict:?} {halves:?}"),
            }
            let checked = read.rechecker.recheck(id, &verdict, &budget);
            assert_eq!(checked, Ok(()), "{what}\n{verdict:?}");
        }
    }
    println!("{killed} killed, {between} of them between units; {equivalent} equivalent");
    assert!(killed > 500 && equivalent > 50 && between > 20);
}

/// A model whose implementations can be enumerated.
struct Listed {
    read: Read,
    all: Vec<(Machine, bool)>,
}

impl Listed {
    fn new(seed: u64) -> Option<Listed> {
        let text = domain(seed, !seed.is_multiple_of(3));
        let sources = [SourceFile::new("m.tfsm", text.clone())];
        let options = FrontendOptions::default();
        let (_, mutation) = read_domain(&sources, &options).ok()?;
        let machine = read_machine(&text).ok()?;
        let all = all(&machine, &Whole::of(&mutation), MOST)?;
        let differs = |other: &Machine| shortest(&machine, other, 2).is_some();
        Some(Listed {
            all: all
                .into_iter()
                .map(|other| (other.clone(), differs(&other)))
                .collect(),
            read: Read::with(&text, &options, None),
        })
    }

    fn is_complete(&self, tests: &[Vec<Step>]) -> bool {
        let machine = &self.read.model.machine;
        let tests: Vec<Vec<(u64, usize)>> = tests.iter().map(|test| given(machine, test)).collect();
        let own: Vec<Vec<usize>> = tests.iter().map(|t| shown(machine, t, QUARTERS)).collect();
        let mut differing = self.all.iter().filter(|(_, differs)| *differs);
        differing.all(|(other, _)| {
            let mut tests = tests.iter().zip(&own);
            tests.any(|(test, own)| shown(other, test, QUARTERS) != *own)
        })
    }
}

/// Returns the inputs of a test, each with the quarters of a unit before it.
fn given(machine: &Machine, test: &[Step]) -> Vec<(u64, usize)> {
    let given = test.iter().zip(delays(test)).map(|(step, delay)| {
        let (parts, scale) = delay.expect("a delay").parts();
        let symbol = step.inputs[0].1.to_string();
        let input = machine.inputs.iter().position(|name| *name == symbol);
        (
            parts * u64::from(QUARTERS) / scale,
            input.expect("an input"),
        )
    });
    given.collect()
}

#[test]
fn suites_for_guards_are_complete_and_lose_that_with_any_test() {
    let budget = Budget::unlimited();
    let (mut domains, mut implementations, mut conforming, mut survivors) = (0, 0, 0, 0);
    for seed in 0..cases(400) {
        let Some(listed) = Listed::new(seed) else {
            continue;
        };
        let read = &listed.read;
        let what = format!("seed {seed}\n{}", read.text);
        let size = read.decider.size().expect("a domain");
        let extra = usize::from(!read.text.contains("state Extra"));
        let nevers = read.text.contains("never -> *");
        let counted = (listed.all.len() - extra).to_string();
        assert!(
            size.mutants == counted || nevers,
            "{what}\n{} {counted}",
            size.mutants
        );
        let aim = Aim {
            longest: Some(1 + (seed % 5) as usize),
            ..Aim::default()
        };
        let found = read.decider.complete(aim, &[], &budget).expect("a domain");
        let Completeness::Complete { proof, .. } = &found.completeness else {
            panic!("{what}\n{:?}", found.completeness);
        };
        assert!(
            listed.is_complete(&found.tests),
            "{what}\n{:?}",
            found.tests
        );
        let checked = read
            .rechecker
            .recheck_complete(&found.tests, proof, &budget);
        assert!(checked.is_ok(), "{what}\n{checked:?}");
        for without in 0..found.tests.len() {
            let mut fewer = found.tests.clone();
            fewer.remove(without);
            assert!(!listed.is_complete(&fewer), "{without}\n{what}");
            let refused = read.rechecker.recheck_complete(&fewer, proof, &budget);
            assert!(refused.is_err(), "{without}\n{what}");
            let said = read.decider.completeness(&fewer, &budget);
            let Some(Completeness::Survivor {
                choices,
                test,
                mutant,
            }) = said
            else {
                panic!("{without}\n{what}\n{said:?}");
            };
            let survivor = Survivor {
                choices: &choices,
                test: &test,
                mutant: &mutant,
            };
            let checked = read.rechecker.recheck_survivor(&fewer, survivor);
            assert_eq!(checked, Ok(()), "{what}\n{choices:?} {test:?}");
            survivors += 1;
        }
        domains += 1;
        implementations += listed.all.len();
        conforming += listed.all.iter().filter(|(_, differs)| !differs).count();
    }
    println!("{domains} domains, {implementations} implementations, {conforming} conform");
    println!("{survivors} survivors");
    assert!(domains > 100 && conforming > domains && survivors > 100);
}

#[test]
fn given_suites_for_guards_are_judged_as_each_implementation_says() {
    let budget = Budget::unlimited();
    let (mut complete, mut open) = (0, 0);
    for seed in 0..cases(300) {
        let Some(listed) = Listed::new(seed) else {
            continue;
        };
        let read = &listed.read;
        let what = format!("seed {seed}\n{}", read.text);
        let found = read.decider.complete(Aim::default(), &[], &budget);
        let mut tests = found.expect("a domain").tests;
        let mut rng = ChaCha8Rng::seed_from_u64(seed);
        for test in &mut tests {
            if rng.random_bool(0.5) {
                continue;
            }
            // From some step on later by at least a quarter: all times between two units are equivalent.
            let from = rng.random_range(0..test.len());
            let late = Time::fraction(rng.random_range(1..=8), 4).expect("a time");
            for step in &mut test[from..] {
                step.at = step.at.and_then(|at| at.checked_add(late));
            }
            let machine = &read.model.machine;
            let answers = shown(machine, &given(machine, test), QUARTERS);
            test.truncate(answers.len());
            for (step, answer) in test.iter_mut().zip(answers) {
                let output = machine.outputs[answer].clone();
                step.outputs[0].1 = hyperkill_core::sort::Value::Symbol(output);
            }
        }
        match read.decider.completeness(&tests, &budget) {
            Some(Completeness::Complete { proof, .. }) => {
                assert!(listed.is_complete(&tests), "{what}\n{tests:?}");
                let checked = read.rechecker.recheck_complete(&tests, &proof, &budget);
                assert!(checked.is_ok(), "{what}\n{checked:?}");
                complete += 1;
            }
            Some(Completeness::Survivor { .. }) => {
                assert!(!listed.is_complete(&tests), "{what}\n{tests:?}");
                open += 1;
            }
            other => panic!("{what}\n{other:?}"),
        }
    }
    println!("{complete} complete, {open} not");
    assert!(complete > 30 && open > 20);
}

#[test]
fn inputs_at_bounds_come_in_the_unit_beside_in_which_the_answer_is_the_same() {
    let text = "machine m { input a; output x, y; state S {
        a in [0,1] / x -> S; a in (1,3) / y -> S; a in [3,4) / x -> S; a in [4,4] / y -> S; a in (4,never) / x -> S } }";
    let read = Read::new(text, None);
    let slot = |quarters: u64, output: &str| {
        let symbol = |name: &str, value: &str| {
            let value = hyperkill_core::sort::Value::Symbol(value.to_owned());
            vec![(name.to_owned(), value)]
        };
        let step = Step {
            at: Time::fraction(quarters, 4).ok(),
            inputs: symbol("input", "a"),
            outputs: symbol("output", output),
            ..Step::default()
        };
        let slots = read.decider.slots(&[step]).ok()?;
        Some((slots[0].units, slots[0].at_once, slots[0].is_beside))
    };
    assert_eq!(slot(0, "x"), Some((0, true, true)));
    assert_eq!(slot(2, "x"), Some((0, false, false)));
    assert_eq!(slot(4, "x"), Some((0, false, true)));
    assert_eq!(slot(5, "y"), Some((1, false, false)));
    assert_eq!(slot(8, "y"), Some((2, false, true)));
    assert_eq!(slot(12, "x"), Some((3, false, true)));
    assert_eq!(slot(16, "y"), None);
}

/// Returns the number of wrong verdicts that the recheck refuses, and the number that the exploration detects.
fn noticed(fault: Fault) -> (usize, usize) {
    let (mut refused, mut differ) = (0, 0);
    for seed in 0..60 {
        let read = Read::new(&machine(seed, true), Some(fault));
        let budget = Budget::unlimited();
        for mutation in &read.model.mutations {
            let id = &mutation.mutant.id;
            let verdict = read.decider.decide(id, None, &budget);
            refused += usize::from(read.rechecker.recheck(id, &verdict, &budget).is_err());
            let mutant = read.machine_of(&mutation.mutant);
            let expected = shortest(&read.model.machine, &mutant, 2);
            let found = verdict.kill().map(|kill| kill.steps());
            differ += usize::from(found != expected.map(|(inputs, _)| inputs));
        }
    }
    (refused, differ)
}

/// Returns the number of wrong suites that the recheck refuses, and the number that the enumeration of implementations detects.
fn noticed_in_suites(fault: CompleteFault) -> (usize, usize) {
    let (mut refused, mut incomplete) = (0, 0);
    let budget = Budget::unlimited();
    for seed in 0..60 {
        let Some(listed) = Listed::new(seed) else {
            continue;
        };
        let sources = [SourceFile::new("m.tfsm", listed.read.text.clone())];
        let wrong = TimedDecision::with_fault_in_suites(fault);
        let wrong = wrong.read(&sources, &FrontendOptions::default());
        let found = wrong
            .expect("a model")
            .complete(Aim::default(), &[], &budget);
        let found = found.expect("a domain");
        let Completeness::Complete { proof, .. } = &found.completeness else {
            panic!("seed {seed}: {:?}", found.completeness);
        };
        let rechecker = &listed.read.rechecker;
        let checked = rechecker.recheck_complete(&found.tests, proof, &budget);
        refused += usize::from(checked.is_err());
        incomplete += usize::from(!listed.is_complete(&found.tests));
    }
    (refused, incomplete)
}

#[test]
fn every_mistake_planted_about_guards_is_noticed_by_the_recheck_and_by_walking_through_time() {
    for fault in ALL_OF_GUARDS {
        let (refused, differ) = noticed(fault);
        println!("{fault:?}: {refused} refused, {differ} differ");
        assert!(refused > 0 && differ > 0, "{fault:?}");
    }
    for fault in ALL_COMPLETE_OF_GUARDS {
        let (refused, incomplete) = noticed_in_suites(fault);
        println!("{fault:?} in suites: {refused} refused, {incomplete} not complete");
        assert!(refused > 0 && incomplete > 0, "{fault:?}");
    }
}
