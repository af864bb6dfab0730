//! Complete suites of the machines of \[1\]: the number of mutants, and small suites that kill all of them.

use hyperkill_core::budget::Budget;
use hyperkill_frontend::domain::Cost;
use hyperkill_frontend::{FrontendOptions, MachineOptions, SourceFile};
use hyperkill_timed_fsm::choices::MutationMachine;
use hyperkill_timed_fsm::machine::Machine;
use hyperkill_timed_fsm::read_domain;
use hyperkill_timed_fsm_decide::complete::{Options, Outcome, Verified, complete, verify};

use crate::families::{RUNNING, Where, tftp};

fn domain(text: &str, chaos: Option<&str>) -> (Machine, MutationMachine) {
    let options = FrontendOptions {
        machines: MachineOptions {
            domain: chaos.map(str::to_owned),
            ..MachineOptions::default()
        },
        ..FrontendOptions::default()
    };
    let sources = [SourceFile::new("m.tfsm", text)];
    read_domain(&sources, &options).unwrap_or_else(|errors| panic!("{errors:?}\n{text}"))
}

fn counts(text: &str, chaos: Option<&str>) -> (String, u64) {
    let (_, mutation) = domain(text, chaos);
    (mutation.mutants().to_string(), mutation.mutated())
}

fn completed(text: &str, chaos: Option<&str>, options: Options) -> Outcome {
    let (machine, mutation) = domain(text, chaos);
    let outcome = complete(&machine, &mutation, &[], options, &Budget::unlimited());
    assert_eq!(outcome.end, Ok(()));
    outcome
}

fn longest(longest: usize) -> Options {
    Options {
        longest: Some(longest),
        ..Options::default()
    }
}

/// Returns the number of tests, the number of inputs of the longest and of all tests, and the time of all tests in units.
fn size(outcome: &Outcome) -> (usize, usize, usize, u64) {
    let lengths = || outcome.tests.iter().map(Vec::len);
    let time = outcome.tests.iter().flatten().map(|(delay, _)| delay);
    (
        outcome.tests.len(),
        lengths().max().unwrap_or(0),
        lengths().sum(),
        time.sum(),
    )
}

#[test]
fn domains_have_as_many_mutants_as_the_product_of_their_choices() {
    let power = |base: u64, exponent: u32, more: u64| {
        let count = hyperkill_timed_fsm::count::Count::one();
        let count = (0..exponent).fold(count, |count, _| count.times(base));
        count.times(more).less_one().to_string()
    };
    assert_eq!(counts(RUNNING, None), ("31".to_owned(), 5));
    let a = counts(&tftp(3, Some(Where::A)), None);
    assert_eq!(a, ("863547424767".to_owned(), 198));
    let b = counts(&tftp(3, Some(Where::B)), None);
    assert_eq!(b, ("416135131039868649471".to_owned(), 360));
    let c = counts(&tftp(3, None), Some("chaos:4:5"));
    assert_eq!(c, (power(28, 20, 24_u64.pow(4)), 632));
    assert_eq!(c.0, "29107546081962796329270418316722175");
    let a = counts(&tftp(15, Some(Where::A)), None);
    assert_eq!(a, (power(304, 31, 4_u64.pow(15)), 9438));
    let b = counts(&tftp(15, Some(Where::B)), None);
    assert_eq!((b.0.len(), b.1), (608, 73068));
}

#[test]
fn the_running_example_has_few_complete_tests_and_none_can_be_spared() {
    let short = completed(RUNNING, None, longest(4));
    println!("{:?} {:?}", size(&short), short.tests);
    assert!(
        short.tests.len() <= 4 && size(&short).1 <= 4,
        "{:?}",
        short.tests
    );
    let long = completed(RUNNING, None, longest(12));
    println!("{:?} {:?}", size(&long), long.tests);
    assert!(
        long.tests.len() <= 2 && size(&long).1 <= 12,
        "{:?}",
        long.tests
    );
    let (machine, mutation) = domain(RUNNING, None);
    for outcome in [short, long] {
        for without in 0..outcome.tests.len() {
            let mut fewer = outcome.tests.clone();
            fewer.remove(without);
            let budget = Budget::unlimited();
            let verified = verify(&machine, &mutation, &fewer, Options::default(), &budget);
            assert!(
                matches!(verified, Verified::Survivor(..)),
                "{without}: {fewer:?}"
            );
        }
    }
}

#[test]
fn the_transfer_protocol_has_few_complete_tests_whatever_the_domain() {
    for (name, text, chaos, most) in [
        ("A", tftp(3, Some(Where::A)), None, 7),
        ("B", tftp(3, Some(Where::B)), None, 14),
        ("C", tftp(3, None), Some("chaos:4:5"), 17),
    ] {
        let outcome = completed(&text, chaos, longest(5));
        let found = size(&outcome);
        println!("{name}: {found:?}, {} classes", outcome.shown.classes.len());
        assert!(found.0 <= most && found.1 <= 5, "{name}: {found:?}");
    }
}

#[test]
fn a_domain_without_mutants_is_complete_without_tests() {
    let text = RUNNING.split("faults").next().expect("a machine");
    for faults in ["faults { }", "faults { state Extra { * / * -> * } }"] {
        let outcome = completed(&format!("{text} {faults}"), None, Options::default());
        assert_eq!(outcome.tests, Vec::<Vec<_>>::new(), "{faults}");
    }
}

#[test]
fn long_timeouts_cost_what_short_ones_cost() {
    let door = |shut: u32, wide: u32| {
        format!(
            "machine door {{ input open;  output ok, beep;
               state Shut {{ open / ok -> Ajar }}
               state Ajar {{ open / beep -> Ajar;  after {shut} -> Shut }} }}
             faults {{ Ajar.after: {wide}, never;  Ajar.open: any }}"
        )
    };
    let [short, long] = [(3, 4), (3_000_000, 3_000_001)]
        .map(|(shut, wide)| completed(&door(shut, wide), None, Options::default()));
    assert_eq!(short.questions, long.questions);
    assert_eq!(short.tests.len(), long.tests.len());
    assert!(
        long.tests
            .iter()
            .flatten()
            .any(|(delay, _)| *delay == 3_000_000)
    );
}

#[test]
fn what_a_suite_should_have_little_of_it_has_not_more_of() {
    for (text, chaos, longest) in [
        (RUNNING.to_owned(), None, 4),
        (tftp(3, Some(Where::A)), None, 5),
        (tftp(3, Some(Where::B)), None, 5),
    ] {
        let of = |cost: Cost| {
            let options = Options {
                longest: Some(longest),
                cost,
                ..Options::default()
            };
            let found = completed(&text, chaos, options);
            let (machine, mutation) = domain(&text, chaos);
            let budget = Budget::unlimited();
            let verified = verify(
                &machine,
                &mutation,
                &found.tests,
                Options::default(),
                &budget,
            );
            assert!(matches!(verified, Verified::Complete(..)), "{cost:?}");
            size(&found)
        };
        let (tests, inputs, time) = (of(Cost::Tests), of(Cost::Inputs), of(Cost::Time));
        println!("{tests:?} {inputs:?} {time:?}");
        assert!(inputs.2 <= tests.2 && time.3 <= tests.3);
    }
}
