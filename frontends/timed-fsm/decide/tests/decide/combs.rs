//! Combs \[1\]: the transitions that an execution of a mutation machine takes, timeouts that have not expired when an input comes among
//! them.
//! A mutant fails a test when it has all transitions of a comb that shows an unexpected output. The reference goes through all of them.

use std::collections::BTreeSet;

use hyperkill_core::budget::Budget;
use hyperkill_frontend::{FrontendOptions, SourceFile};
use hyperkill_timed_fsm::choices::{MutationMachine, Selection};
use hyperkill_timed_fsm::machine::Machine;
use hyperkill_timed_fsm::read_domain;
use hyperkill_timed_fsm_decide::complete::{Options, Stimulus, Verified, verify};
use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;

use crate::families::RUNNING;
use crate::machines::cases;
use crate::suites::{all, kills, small_domain};

/// A transition of a mutation machine: the state, the input (`None` for the timeout), and the index in the group.
type Transition = (usize, Option<usize>, usize);

/// The walk of an execution through the mutation machine.
#[derive(Clone)]
struct Walk {
    state: usize,
    own: usize,
    own_clock: u64,
    comb: Vec<Transition>,
}

struct Combs<'a> {
    machine: &'a Machine,
    mutation: &'a MutationMachine,
    test: &'a [Stimulus],
    revealing: Vec<Vec<Transition>>,
}

impl Combs<'_> {
    /// Returns the walk with a further transition; `None` if the comb would have two transitions of one group.
    fn with(walk: &Walk, transition: Transition) -> Option<Walk> {
        let (state, on, at) = transition;
        let mut others = walk.comb.iter();
        let agrees = others.all(|&(s, o, place)| (s, o) != (state, on) || place == at);
        let mut walk = walk.clone();
        walk.comb.push(transition);
        agrees.then_some(walk)
    }

    fn wait(&mut self, walk: &Walk, left: u64, step: usize) {
        for (at, choice) in self.mutation.timeouts[walk.state].iter().enumerate() {
            let Some(mut walk) = Combs::with(walk, (walk.state, None, at)) else {
                continue;
            };
            match choice.does {
                Some(timeout) if u64::from(timeout.after) <= left => {
                    walk.state = timeout.target;
                    self.wait(&walk, left - u64::from(timeout.after), step);
                }
                _ => self.input(&walk, step),
            }
        }
    }

    fn input(&mut self, walk: &Walk, step: usize) {
        let (delay, input) = self.test[step];
        let own = self.own_state(walk, delay);
        let Some(expected) = self.machine.states[own].answers.get(&input) else {
            return;
        };
        for (at, choice) in self.mutation.answers[walk.state][input].iter().enumerate() {
            let Some(mut walk) = Combs::with(walk, (walk.state, Some(input), at)) else {
                continue;
            };
            match choice.does {
                Some(answer) if answer.output == expected.output => {
                    if step + 1 < self.test.len() {
                        (walk.state, walk.own, walk.own_clock) =
                            (answer.target, expected.target, 0);
                        self.wait(&walk, self.test[step + 1].0, step + 1);
                    }
                }
                _ => self.revealing.push(walk.comb),
            }
        }
    }

    /// Returns the state of the specification after a delay, computed unit by unit.
    fn own_state(&self, walk: &Walk, delay: u64) -> usize {
        let (mut state, mut clock) = (walk.own, walk.own_clock);
        for _ in 0..delay {
            clock += 1;
            if let Some(timeout) = self.machine.states[state].timeout
                && u64::from(timeout.after) == clock
            {
                (state, clock) = (timeout.target, 0);
            }
        }
        state
    }
}

/// Returns all combs whose implementations fail a test.
fn revealing(
    machine: &Machine,
    mutation: &MutationMachine,
    test: &[Stimulus],
) -> Vec<Vec<Transition>> {
    let mut combs = Combs {
        machine,
        mutation,
        test,
        revealing: Vec::new(),
    };
    let start = Walk {
        state: 0,
        own: 0,
        own_clock: 0,
        comb: Vec::new(),
    };
    if let Some(&(delay, _)) = test.first() {
        combs.wait(&start, delay, 0);
    }
    combs.revealing
}

fn running() -> (Machine, MutationMachine) {
    let sources = [SourceFile::new("m.tfsm", RUNNING)];
    read_domain(&sources, &FrontendOptions::default()).expect("a domain")
}

const A: usize = 0;
const B: usize = 1;

/// Returns the five tests of Example 7 of \[1\]. Its times are stamps: (b,0.5)(a,1)(b,6.7)(a,7.2) waits half a unit twice, 5.7 units, and
/// half a unit.
fn five() -> [Vec<Stimulus>; 5] {
    [
        vec![(0, B), (0, A), (5, B), (0, A)],
        vec![(3, A)],
        vec![(4, A), (4, A)],
        vec![(0, B), (0, A), (0, B), (0, A)],
        vec![(0, B), (0, A), (0, A)],
    ]
}

#[test]
fn the_five_tests_of_the_paper_are_complete_and_without_the_last_two_mutants_survive() {
    let (machine, mutation) = running();
    let of = |tests: &[Vec<Stimulus>]| {
        verify(
            &machine,
            &mutation,
            tests,
            Options::default(),
            &Budget::unlimited(),
        )
    };
    let five = five();
    assert!(matches!(of(&five), Verified::Complete(..)));
    for fewer in [3, 4] {
        let Verified::Survivor(selection, test) = of(&five[..fewer]) else {
            panic!("{fewer} tests are no complete suite");
        };
        let mutant = mutation.machine(&machine, &selection);
        assert!(kills(&machine, &mutant, &test));
    }
    let all = all(&mutation);
    let differing = all.iter().filter(|selection| {
        let mutant = mutation.machine(&machine, selection);
        five.iter().any(|test| kills(&machine, &mutant, test))
    });
    assert_eq!((all.len(), differing.count()), (32, 31));
}

#[test]
fn a_test_of_the_paper_reveals_its_six_combs() {
    let (machine, mutation) = running();
    let found = revealing(&machine, &mutation, &five()[0]);
    let names = |&(state, on, at): &Transition| {
        let name = match (state, on, at) {
            (0, Some(B), 0) => "t2",
            (0, None, 0) => "t3",
            (0, None, 1) => "t16",
            (1, Some(A), 0) => "t5",
            (1, None, 0) => "t6",
            (2, Some(A), 0) => "t7",
            (2, Some(A), 1) => "t14",
            (2, Some(B), 0) => "t8",
            (2, Some(B), 1) => "t15",
            (2, None, 0) => "t9",
            (2, None, 1) => "t17",
            (3, Some(A), 0) => "t10",
            (3, Some(A), 1) => "t13",
            (3, None, 0) => "t12",
            other => panic!("{other:?}"),
        };
        name.to_owned()
    };
    let found = found
        .iter()
        .map(|comb| comb.iter().map(names).collect::<Vec<_>>().join(" "));
    let ends = ["t17 t8 t12 t10", "t17 t8 t12 t13", "t17 t15 t17 t14"];
    let expected = ["t3", "t16"]
        .into_iter()
        .flat_map(|first| ends.map(|end| format!("{first} t2 t6 t5 {end}")));
    assert_eq!(
        found.collect::<BTreeSet<String>>(),
        expected.collect::<BTreeSet<String>>()
    );
}

#[test]
fn mutants_fail_a_test_exactly_when_they_have_all_transitions_of_a_comb_that_it_reveals() {
    let (mut failing, mut passing) = (0, 0);
    for seed in 0..cases(150) {
        let Some((text, machine, mutation)) = small_domain(seed) else {
            continue;
        };
        let mut rng = ChaCha8Rng::seed_from_u64(seed);
        let inputs = machine.inputs.len();
        let test = (0..rng.random_range(1..=4))
            .map(|_| (rng.random_range(0..=5), rng.random_range(0..inputs)));
        let mut test: Vec<Stimulus> = test.collect();
        let answered = crate::suites::shown(&machine, &test, false);
        test.truncate(answered.iter().flatten().count());
        let combs = revealing(&machine, &mutation, &test);
        for selection in all(&mutation) {
            let has = |&(state, on, at): &Transition| match on {
                Some(input) => selection.answers[state][input] == at,
                None => selection.timeouts[state] == at,
            };
            let fails = combs.iter().any(|comb| comb.iter().all(has));
            let mutant = mutation.machine(&machine, &selection);
            let what = format!("seed {seed}: {test:?}\n{text}\n{selection:?}");
            assert_eq!(kills(&machine, &mutant, &test), fails, "{what}");
            let said = one(&machine, &mutation, &selection, &test);
            assert_eq!(said, fails, "{what}");
            failing += usize::from(fails);
            passing += usize::from(!fails);
        }
    }
    println!("{failing} fail, {passing} pass");
    assert!(failing > 1000 && passing > 1000);
}

/// Whether a suite of one test is complete for a domain with one implementation.
fn one(
    machine: &Machine,
    mutation: &MutationMachine,
    selection: &Selection,
    test: &[Stimulus],
) -> bool {
    let mut only = mutation.clone();
    for (groups, places) in only.answers.iter_mut().zip(&selection.answers) {
        for (group, &at) in groups.iter_mut().zip(places) {
            *group = vec![group[at]];
        }
    }
    for (group, &at) in only.timeouts.iter_mut().zip(&selection.timeouts) {
        *group = vec![group[at]];
    }
    let tests = [test.to_vec()];
    let budget = Budget::unlimited();
    match verify(machine, &only, &tests, Options::default(), &budget) {
        Verified::Survivor(..) => false,
        // The implementation conforms, or fails.
        Verified::Complete(shown) => shown.classes.is_empty(),
        Verified::Open(stop) => panic!("{stop:?}"),
    }
}
