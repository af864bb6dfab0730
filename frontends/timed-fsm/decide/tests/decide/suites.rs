//! Random machines with small domains of faults: complete suites, compared with all implementations one by one.

use std::fmt::Write;

use hyperkill_core::budget::Budget;
use hyperkill_frontend::{FrontendOptions, SourceFile};
use hyperkill_timed_fsm::choices::{MutationMachine, Selection};
use hyperkill_timed_fsm::machine::Machine;
use hyperkill_timed_fsm::{read_domain, read_machine};
use hyperkill_timed_fsm_decide::complete::{Options, Stimulus, Verified, complete, verify};
use hyperkill_timed_fsm_decide::fault::{ALL_COMPLETE, CompleteFault};
use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;

use crate::machines::{cases, random};
use crate::ticks;

/// The number of implementations up to which they are enumerated.
const MOST: usize = 1500;

/// Returns the text of an additional state that copies a random one with a later timeout.
fn twin(machine: &Machine, rng: &mut ChaCha8Rng) -> String {
    let state = &machine.states[rng.random_range(0..machine.states.len())];
    let mut text = String::from("state Extra { ");
    for (&input, answer) in &state.answers {
        let (input, output) = (&machine.inputs[input], &machine.outputs[answer.output]);
        let target = &machine.states[answer.target].name;
        write!(text, "{input} / {output} -> {target}; ").expect("a string takes all");
    }
    let after = state.timeout.map_or(3, |timeout| timeout.after);
    if let Some(timeout) = state.timeout {
        let target = &machine.states[timeout.target].name;
        write!(text, "after 1, 2, {after} -> {target}; ").expect("a string takes all");
    }
    let sooner = (1..after.max(2)).map(|length| length.to_string());
    let sooner = sooner.collect::<Vec<_>>().join(", ");
    text + &format!("}}\n{}.after: {sooner} -> Extra; ", state.name)
}

/// Returns the text of a random machine with faults, some of them in an additional state.
pub(crate) fn random_domain(seed: u64) -> String {
    let mut rng = ChaCha8Rng::seed_from_u64(seed ^ 0x5eed);
    let mut text = random(seed);
    let machine = read_machine(&text).expect("a machine");
    let (states, inputs) = (machine.states.len(), machine.inputs.len());
    text.push_str("faults { ");
    let extra = match rng.random_range(0..4) {
        0 => "state Extra { * / * -> s0;  a / x -> *;  after 1, 2, never -> *; }\n".to_owned(),
        1 => twin(&machine, &mut rng),
        _ => String::new(),
    };
    text.push_str(&extra);
    for _ in 0..rng.random_range(1..=8) {
        let state = rng.random_range(0..states);
        let input = ["a", "b"][rng.random_range(0..inputs)];
        let target = match rng.random_range(0..states + usize::from(!extra.is_empty())) {
            number if number == states => "Extra".to_owned(),
            number => format!("s{number}"),
        };
        let (after, more) = (rng.random_range(1..=6), rng.random_range(1..=3));
        let item = match rng.random_range(0..7) {
            0 => format!("*.{input}: transfer"),
            1 => format!("*.{input}: output"),
            2 => format!("s{state}.{input} / * -> {target}"),
            3 => format!(
                "s{state}.after: {after}, {}, never -> {target}",
                after + more
            ),
            4 => format!("s{state}.after: {after} -> *"),
            5 => format!("s{state}.{input} / * -> *"),
            _ => format!("*.after: {after}, {}, never", after + more),
        };
        write!(text, "{item}; ").expect("a string takes all");
    }
    text + "}\n"
}

/// Returns the random domain of a seed: its text, the machine and the domain. `None` if it cannot be read, or has many implementations.
pub(crate) fn small_domain(seed: u64) -> Option<(String, Machine, MutationMachine)> {
    let text = random_domain(seed);
    let sources = [SourceFile::new("m.tfsm", text.clone())];
    // An alternative that is no fault is an error.
    let (machine, mutation) = read_domain(&sources, &FrontendOptions::default()).ok()?;
    let sizes = || {
        let answers = mutation.answers.iter().flatten().map(Vec::len);
        answers.chain(mutation.timeouts.iter().map(Vec::len))
    };
    let all = sizes().try_fold(1_usize, |all, choices| {
        all.checked_mul(choices).filter(|all| *all <= MOST)
    });
    all.map(|_| (text, machine, mutation))
}

/// Returns all implementations of a domain.
pub(crate) fn all(mutation: &MutationMachine) -> Vec<Selection> {
    let mut found = vec![mutation.first()];
    let states = mutation.states.len();
    for state in 0..states {
        let groups = mutation.answers[state].len();
        for event in 0..=groups {
            let choices = match mutation.answers[state].get(event) {
                Some(group) => group.len(),
                None => mutation.timeouts[state].len(),
            };
            let more = found.iter().flat_map(|selection| {
                (0..choices).map(move |at| {
                    let mut selection = selection.clone();
                    match selection.answers[state].get_mut(event) {
                        Some(place) => *place = at,
                        None => selection.timeouts[state] = at,
                    }
                    selection
                })
            });
            found = more.collect();
        }
    }
    found
}

/// Returns the answers of a machine to a test, computed one half unit after the other. With `half`, each delay is half a unit longer.
pub(crate) fn shown(machine: &Machine, test: &[(u64, usize)], half: bool) -> Vec<Option<usize>> {
    let (mut state, mut clock) = (0, 0);
    let mut shown = Vec::new();
    for &(delay, input) in test {
        for _ in 0..2 * delay + u64::from(half) {
            clock += 1;
            if let Some(timeout) = machine.states[state].timeout
                && clock == 2 * timeout.after
            {
                (state, clock) = (timeout.target, 0);
            }
        }
        match machine.states[state].answers.get(&input) {
            Some(answer) => {
                shown.push(Some(answer.output));
                (state, clock) = (answer.target, 0);
            }
            None => {
                shown.push(None);
                return shown;
            }
        }
    }
    shown
}

pub(crate) fn kills(machine: &Machine, implementation: &Machine, test: &[Stimulus]) -> bool {
    let [whole, half] =
        [false, true].map(|half| shown(machine, test, half) != shown(implementation, test, half));
    assert_eq!(whole, half, "half a unit is never seen: {test:?}");
    whole
}

/// A machine with all implementations of its domain, and for each whether some test distinguishes it from the machine.
struct Listed {
    text: String,
    machine: Machine,
    mutation: MutationMachine,
    all: Vec<(Selection, Machine, bool)>,
}

impl Listed {
    fn new(seed: u64) -> Option<Listed> {
        let (text, machine, mutation) = small_domain(seed)?;
        let all = all(&mutation).into_iter().map(|selection| {
            let implementation = mutation.machine(&machine, &selection);
            let differs = ticks::shortest(&machine, &implementation).is_some();
            (selection, implementation, differs)
        });
        Some(Listed {
            all: all.collect(),
            text,
            machine,
            mutation,
        })
    }

    /// Whether these tests kill every implementation that some test kills.
    fn is_complete(&self, tests: &[Vec<Stimulus>]) -> bool {
        let mut differing = self.all.iter().filter(|(_, _, differs)| *differs);
        differing.all(|(_, implementation, _)| {
            let mut tests = tests.iter();
            tests.any(|test| kills(&self.machine, implementation, test))
        })
    }

    fn complete(&self, options: Options) -> Vec<Vec<Stimulus>> {
        let budget = Budget::unlimited();
        let outcome = complete(&self.machine, &self.mutation, &[], options, &budget);
        assert_eq!(outcome.end, Ok(()), "{}", self.text);
        outcome.tests
    }

    fn verify(&self, tests: &[Vec<Stimulus>], options: Options) -> Verified {
        verify(
            &self.machine,
            &self.mutation,
            tests,
            options,
            &Budget::unlimited(),
        )
    }
}

#[test]
fn complete_suites_kill_all_that_can_be_killed_and_lose_that_with_any_test() {
    let (mut domains, mut implementations, mut conforming, mut tests) = (0, 0, 0, 0);
    for seed in 0..cases(400) {
        let Some(listed) = Listed::new(seed) else {
            continue;
        };
        let what = format!("seed {seed}\n{}", listed.text);
        let options = Options {
            longest: Some(1 + (seed % 6) as usize),
            ..Options::default()
        };
        let suite = listed.complete(options);
        assert!(listed.is_complete(&suite), "{what}\n{suite:?}");
        for without in 0..suite.len() {
            let mut fewer = suite.clone();
            fewer.remove(without);
            assert!(
                !listed.is_complete(&fewer),
                "{without} of {suite:?}\n{what}"
            );
        }
        domains += 1;
        implementations += listed.all.len();
        conforming += listed.all.iter().filter(|(_, _, differs)| !differs).count();
        tests += suite.len();
    }
    println!(
        "{domains} domains, {implementations} implementations, {conforming} conform, {tests} tests"
    );
    assert!(domains > 100 && conforming > domains && implementations > 2 * conforming);
}

#[test]
fn a_given_suite_is_complete_when_each_implementation_says_so() {
    let (mut complete, mut open) = (0, 0);
    for seed in 0..cases(400) {
        let Some(listed) = Listed::new(seed) else {
            continue;
        };
        let mut rng = ChaCha8Rng::seed_from_u64(seed);
        let options = Options {
            longest: Some(3),
            ..Options::default()
        };
        let mut suite = listed.complete(options);
        if rng.random_bool(0.7) && !suite.is_empty() {
            let index = rng.random_range(0..suite.len());
            let test = &mut suite[index];
            let step = rng.random_range(0..test.len());
            match rng.random_bool(0.5) {
                true => test[step].0 += rng.random_range(1..=2),
                false => test.truncate(step),
            }
        }
        // A test shows nothing after the last answer of the specification.
        for test in &mut suite {
            let answered = shown(&listed.machine, test, false);
            test.truncate(answered.iter().flatten().count());
        }
        let what = format!("seed {seed}: {suite:?}\n{}", listed.text);
        match listed.verify(&suite, Options::default()) {
            Verified::Complete(..) => {
                assert!(listed.is_complete(&suite), "{what}");
                complete += 1;
            }
            Verified::Survivor(selection, test) => {
                let implementation = listed.mutation.machine(&listed.machine, &selection);
                assert!(
                    kills(&listed.machine, &implementation, &test),
                    "{what}\n{test:?}"
                );
                for test in &suite {
                    assert!(
                        !kills(&listed.machine, &implementation, test),
                        "{what}\n{test:?}"
                    );
                }
                open += 1;
            }
            Verified::Open(stop) => panic!("{stop:?}: {what}"),
        }
    }
    println!("{complete} complete, {open} not");
    assert!(complete > 40 && open > 20);
}

/// Whether a search with a planted fault finds a suite that is not complete, or none.
fn is_noticed(listed: &Listed, fault: CompleteFault) -> bool {
    let options = Options {
        planted: Some(fault),
        ..Options::default()
    };
    let budget = Budget::unlimited();
    let short = Options {
        longest: Some(2),
        ..Options::default()
    };
    let right = listed.complete(short);
    for without in 0..=right.len() {
        let mut fewer = right.clone();
        if without < right.len() {
            fewer.remove(without);
        }
        let said = match verify(&listed.machine, &listed.mutation, &fewer, options, &budget) {
            Verified::Complete(..) => true,
            Verified::Survivor(..) => false,
            Verified::Open(_) => return true,
        };
        if said != listed.is_complete(&fewer) {
            return true;
        }
    }
    false
}

#[test]
fn every_mistake_planted_into_the_search_is_noticed() {
    for fault in ALL_COMPLETE {
        let noticed = (0..4000).find(|seed| {
            let listed = Listed::new(*seed);
            listed.is_some_and(|listed| is_noticed(&listed, fault))
        });
        println!("{fault:?}: {noticed:?}");
        assert!(noticed.is_some(), "{fault:?}");
    }
}
