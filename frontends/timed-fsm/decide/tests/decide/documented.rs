//! Fault domains as the book defines them: every mutant is listed and run by code that is independent of the front end, the decision and
//! the recheck. A suite that is called complete must kill every mutant that a test can kill.

use crate::domains::{Checked, Decided};
use hyperkill_core::budget::Budget;
use hyperkill_core::sort::Value;
use hyperkill_core::suite::Step;
use hyperkill_core::time::Time;
use hyperkill_frontend::decision::{Decider, Decision, Recheck, Rechecker};
use hyperkill_frontend::domain::{Aim, Completeness, DomainSize, Survivor};
use hyperkill_frontend::{FrontendOptions, MachineOptions, NamePredicate, SourceFile};
use hyperkill_timed_fsm_decide::TimedDecision;
use hyperkill_timed_fsm_decide::fault::CompleteFault;
use hyperkill_timed_fsm_recheck::TimedRecheck;
use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;

use crate::documented_data::{INPUTS, Machine, OUTPUTS};
use crate::documented_mutants::{Domain, Mutant};
use crate::documented_random;
use crate::machines::cases;

/// The number of machines up to which a domain is listed.
const MOST: u128 = 4000;

/// A test: inputs, each with the quarters of a unit before it.
type Test = Vec<(u64, usize)>;

/// A model with a domain that can be listed.
struct Case {
    text: String,
    own: Mutant,
    domain: Domain,
    inputs: usize,
    decider: Box<dyn Decider>,
    rechecker: Box<dyn Rechecker>,
}

/// Returns the text of a random machine with faults, the machine, and its domain by independent code.
fn listed(seed: u64) -> (String, Machine, Domain) {
    let mut rng = ChaCha8Rng::seed_from_u64(seed ^ 0xd0c5);
    let fine = rng.random_bool(0.6);
    let machine = documented_random::machine(&mut rng, fine);
    let mut text = machine.text();
    let faults = rng
        .random_bool(0.9)
        .then(|| documented_random::faults(&mut rng, &machine, fine));
    if let Some(faults) = &faults {
        text += &faults.text(machine.states.len());
    }
    let domain = Domain::new(&machine, faults.as_ref());
    (text, machine, domain)
}

impl Case {
    /// Reads the random model of a seed; `None` if the domain is too large, or a line cannot be read.
    fn new(seed: u64, planted: Option<CompleteFault>) -> Option<Case> {
        let (text, machine, domain) = listed(seed);
        let sources = [SourceFile::new("m.tfsm", text.clone())];
        let options = FrontendOptions::default();
        let decision =
            planted.map_or_else(TimedDecision::default, TimedDecision::with_fault_in_suites);
        let decider = decision.read(&sources, &options).ok()?;
        (domain.machines() <= MOST).then(|| Case {
            text,
            own: Mutant::of(&machine),
            inputs: machine.inputs,
            domain,
            decider,
            rechecker: TimedRecheck.read(&sources, &options).expect("a model"),
        })
    }

    /// Returns a mutant of the domain that passes all tests although another test kills it; `None` if there is none.
    fn alive(&self, tests: &[Test]) -> Option<Mutant> {
        let expected: Vec<Vec<usize>> = tests.iter().map(|test| self.own.run(test)).collect();
        let mutants = (0..self.domain.machines()).map(|number| self.domain.mutant(number));
        let mut passing = mutants.filter(|mutant| {
            let mut both = tests.iter().zip(&expected);
            both.all(|(test, expected)| mutant.run(test) == *expected)
        });
        passing.find(|mutant| mutant.differs(&self.own))
    }

    /// Returns a test as steps with the answers of the machine.
    fn steps(&self, test: &Test) -> Vec<Step> {
        let symbol =
            |name: &str, value: &str| vec![(name.to_owned(), Value::Symbol(value.to_owned()))];
        let outputs = self.own.run(test);
        let mut at = 0;
        let steps = test.iter().zip(outputs).map(|(&(delay, input), output)| {
            at += delay;
            Step {
                at: Time::fraction(at, 4).ok(),
                inputs: symbol("input", INPUTS[input]),
                outputs: symbol("output", OUTPUTS[output]),
                ..Step::default()
            }
        });
        steps.collect()
    }

    /// Returns a random test, up to the first input without an answer of the machine.
    fn random_test(&self, rng: &mut ChaCha8Rng) -> Test {
        let length = rng.random_range(1..=4);
        let test =
            (0..length).map(|_| (rng.random_range(0..=22), rng.random_range(0..self.inputs)));
        let mut test: Test = test.collect();
        test.truncate(self.own.run(&test).len());
        test
    }
}

/// Returns steps of a test as inputs with quarters of a unit before them.
fn quarters(test: &[Step]) -> Test {
    let mut before = 0;
    let given = test.iter().map(|step| {
        let (parts, unit) = step.at.expect("a time").parts();
        let at = parts * 4 / unit;
        let delay = at - before;
        before = at;
        let symbol = step.inputs[0].1.to_string();
        let input = INPUTS.iter().position(|name| *name == symbol);
        (delay, input.expect("an input"))
    });
    given.collect()
}

/// A machine with two adjacent guards that have the same answer.
const TWINS: &str = "machine m { input a; output x, y; state S0 { a in [0,2) / x -> S0;  a in [2,never) / x -> S0 } }\n";

#[test]
fn each_of_two_guards_that_do_the_same_may_answer_otherwise() {
    let size = |faults: &str| {
        let sources = [SourceFile::new(
            "m.tfsm",
            format!("{TWINS}faults {{ {faults} }}"),
        )];
        let options = FrontendOptions::default();
        let decider = TimedDecision::default()
            .read(&sources, &options)
            .expect("a model");
        let rechecker = TimedRecheck.read(&sources, &options).expect("a model");
        assert_eq!(decider.size(), rechecker.size(), "{faults}");
        let domain = decider.size().expect("a domain");
        (decider.contents().catalogue.len(), domain.mutants)
    };
    assert_eq!(size("S0.a: output"), (2, "3".to_owned()));
    assert_eq!(size("S0.a in [0,2): output"), (1, "1".to_owned()));
    assert_eq!(size("S0.a in [2,never): output"), (1, "1".to_owned()));
    assert_eq!(size("S0.a / y -> S0"), (1, "3".to_owned()));
    assert_eq!(size("S0.a in [1,3) / y -> S0"), (1, "3".to_owned()));
}

#[test]
fn domains_and_catalogues_are_as_large_as_the_book_says() {
    let (mut read, mut refused) = (0, 0);
    for seed in 0..cases(1500) {
        let (text, _, domain) = listed(seed);
        let sources = [SourceFile::new("m.tfsm", text.clone())];
        let options = FrontendOptions::default();
        let Ok(decider) = TimedDecision::default().read(&sources, &options) else {
            refused += 1;
            continue;
        };
        let what = format!("seed {seed}\n{text}");
        let rechecker = TimedRecheck.read(&sources, &options).expect("a model");
        let size = decider.size().expect("a domain");
        assert_eq!(size.mutants, domain.count().to_string(), "{what}");
        assert_eq!(rechecker.size(), Some(size), "{what}");
        assert_eq!(decider.contents().catalogue.len(), domain.single, "{what}");
        let written = decider.written("tfsm").expect("a form").expect("names");
        let again = [SourceFile::new("m.tfsm", written.clone())];
        let again = TimedRecheck.read(&again, &options).expect("a model");
        assert_eq!(again.size(), decider.size(), "{what}\n{written}");
        read += 1;
    }
    println!("{read} domains, {refused} refused");
    assert!(read > 2 * refused);
}

/// Returns the size of a domain by the decision and by the recheck; `None` if the text is no model, or a procedure has no size.
fn sizes(text: &str, options: &FrontendOptions) -> Option<[Option<DomainSize>; 2]> {
    let sources = [SourceFile::new("m.tfsm", text)];
    let decider = TimedDecision::default().read(&sources, options).ok()?;
    let rechecker = TimedRecheck.read(&sources, options).expect("a model");
    Some([decider.size(), rechecker.size()])
}

#[test]
fn both_procedures_read_the_same_domain_whatever_is_asked_for() {
    let names = ["transfer", "output", "timeout", "guard", "any"];
    let (mut asked, mut everything) = (0, 0);
    for seed in 0..cases(600) {
        let mut rng = ChaCha8Rng::seed_from_u64(seed ^ 0xa5ced);
        let chosen: Vec<&str> = names.into_iter().filter(|_| rng.random_bool(0.5)).collect();
        let options = FrontendOptions {
            operators: Some(NamePredicate::names(chosen.clone())),
            ..FrontendOptions::default()
        };
        let (text, machine, _) = listed(seed);
        for text in [&text, &machine.text()] {
            if let Some([decided, checked]) = sizes(text, &options) {
                assert!(decided.is_some(), "seed {seed}");
                assert_eq!(decided, checked, "seed {seed}, {chosen:?}\n{text}");
                asked += 1;
            }
        }
        let (states, longest) = (rng.random_range(4..=6), rng.random_range(0..=5));
        let options = FrontendOptions {
            machines: MachineOptions {
                domain: Some(format!("chaos:{states}:{longest}")),
                ..MachineOptions::default()
            },
            ..FrontendOptions::default()
        };
        let text = crate::machines::random(seed);
        let [decided, checked] = sizes(&text, &options).expect("no guards");
        assert!(
            decided.is_some() && decided == checked,
            "seed {seed}\n{text}"
        );
        everything += 1;
    }
    println!("{asked} domains of some operators, {everything} of everything");
    assert!(asked > 600);
}

#[test]
fn a_suite_that_is_called_complete_leaves_no_documented_mutant_alive() {
    let budget = Budget::unlimited();
    let (mut found, mut proved, mut open, mut mutants) = (0, 0, 0, 0);
    for seed in 0..cases(500) {
        let Some(case) = Case::new(seed, None) else {
            continue;
        };
        let what = format!("seed {seed}\n{}", case.text);
        mutants += case.domain.machines();
        let suite = case
            .decider
            .complete(Aim::default(), &[], &budget)
            .expect("a domain");
        let Completeness::Complete { proof, .. } = &suite.completeness else {
            panic!("{what}\n{:?}", suite.completeness);
        };
        let tests: Vec<Test> = suite.tests.iter().map(|test| quarters(test)).collect();
        let alive = case.alive(&tests);
        assert!(alive.is_none(), "{what}\n{tests:?}\n{alive:?}");
        let checked = case
            .rechecker
            .recheck_complete(&suite.tests, proof, &budget);
        assert!(checked.is_ok(), "{what}\n{checked:?}");
        found += 1;
        // Other suites: some tests of this one, and random ones.
        let mut rng = ChaCha8Rng::seed_from_u64(seed);
        let mut given: Vec<Test> = tests.into_iter().filter(|_| rng.random_bool(0.7)).collect();
        for _ in 0..rng.random_range(0..=6) {
            given.push(case.random_test(&mut rng));
        }
        given.retain(|test| !test.is_empty());
        let steps: Vec<Vec<Step>> = given.iter().map(|test| case.steps(test)).collect();
        let alive = case.alive(&given);
        match case.decider.completeness(&steps, &budget) {
            Some(Completeness::Complete { proof, .. }) => {
                assert!(alive.is_none(), "{what}\n{given:?}\n{alive:?}");
                let checked = case.rechecker.recheck_complete(&steps, &proof, &budget);
                assert!(checked.is_ok(), "{what}\n{checked:?}");
                proved += 1;
            }
            Some(Completeness::Survivor {
                choices,
                test,
                mutant,
            }) => {
                assert!(alive.is_some(), "{what}\n{given:?}\n{choices:?}");
                let survivor = Survivor {
                    choices: &choices,
                    test: &test,
                    mutant: &mutant,
                };
                let checked = case.rechecker.recheck_survivor(&steps, survivor);
                assert_eq!(checked, Ok(()), "{what}\n{choices:?}");
                open += 1;
            }
            other => panic!("{what}\n{other:?}"),
        }
    }
    println!("{found} suites found, {proved} given ones proved, {open} open; {mutants} machines");
    assert!(found > 200 && proved > 50 && open > 50);
}

#[test]
fn guards_merged_before_faults_are_noticed_by_the_recheck_and_by_listing_all_mutants() {
    let budget = Budget::unlimited();
    let (mut refused, mut alive, mut accepted) = (0, 0, 0);
    for seed in 0..150 {
        let Some(case) = Case::new(seed, Some(CompleteFault::GuardsMerged)) else {
            continue;
        };
        let suite = case
            .decider
            .complete(Aim::default(), &[], &budget)
            .expect("a domain");
        let Completeness::Complete { proof, .. } = &suite.completeness else {
            panic!("seed {seed}: {:?}", suite.completeness);
        };
        let tests: Vec<Test> = suite.tests.iter().map(|test| quarters(test)).collect();
        let is_refused = case
            .rechecker
            .recheck_complete(&suite.tests, proof, &budget)
            .is_err();
        let is_alive = case.alive(&tests).is_some();
        // A suite that the recheck accepts is complete, for every prover.
        assert!(is_refused || !is_alive, "seed {seed}\n{}", case.text);
        refused += usize::from(is_refused);
        alive += usize::from(is_alive);
        accepted += usize::from(!is_refused);
    }
    println!("{refused} refused, {alive} with mutants alive, {accepted} accepted");
    assert!(refused > 5 && alive > 5 && accepted > 20);
}
