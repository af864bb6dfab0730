//! Written machines are read back as the same machines: random machines with random domains, through `.tfsm` and through DOT.

use std::collections::BTreeMap;
use std::fmt::Write;

use hyperkill_frontend::{Frontend, FrontendOptions, MachineOptions, SourceFile};
use hyperkill_timed_fsm::choices::MutationMachine;
use hyperkill_timed_fsm::machine::Machine;
use hyperkill_timed_fsm::write::{dot, tfsm};
use hyperkill_timed_fsm::{TimedFsmFrontend, read_domain};
use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;

type Read = (Machine, MutationMachine);

fn read(name: &str, text: &str, chaos: Option<&str>) -> Option<Read> {
    let options = FrontendOptions {
        machines: MachineOptions {
            domain: chaos.map(str::to_owned),
            ..MachineOptions::default()
        },
        ..FrontendOptions::default()
    };
    let sources = vec![SourceFile::new(name, text)];
    let sources = TimedFsmFrontend.prepare(sources, &options).ok()?;
    read_domain(&sources, &options).ok()
}

/// The meaning of a text: the name of the initial state, and the multiplicity of each transition. A key has the state, the transition, and
/// whether it is the specification's. All have names, since a graph has no order.
type Meaning = (String, BTreeMap<(String, String, bool), u64>);

fn meaning((machine, domain): &Read) -> Meaning {
    let mut all = BTreeMap::new();
    for (state, name) in domain.states.iter().enumerate() {
        for (input, group) in domain.answers[state].iter().enumerate() {
            for (at, choice) in group.iter().enumerate() {
                let Some(answer) = choice.does else { continue };
                let output = &machine.outputs[answer.output];
                let target = &domain.states[answer.target];
                let does = format!("{} / {output} -> {target}", machine.inputs[input]);
                let is_own = at == 0 && state < domain.own_states;
                all.insert((name.clone(), does, is_own), choice.ways);
            }
        }
        for (at, choice) in domain.timeouts[state].iter().enumerate() {
            let does = choice.does.map_or("never".to_owned(), |timeout| {
                format!("{} -> {}", timeout.after, domain.states[timeout.target])
            });
            let is_own = at == 0 && state < domain.own_states;
            all.insert((name.clone(), does, is_own), choice.ways);
        }
    }
    (domain.states[0].clone(), all)
}

/// State names, of which most have to be quoted.
const STATES: [&str; 4] = ["Shut", "half open", "a -> b; [c]", "state"];

fn random(seed: u64) -> String {
    let mut rng = ChaCha8Rng::seed_from_u64(seed);
    let states = rng.random_range(1..=4);
    let quoted = |name: &str| format!("\"{name}\"");
    let mut text = String::from("machine m { input a, \"b c\"; output x, \"after\"; time ms\n");
    for state in &STATES[..states] {
        write!(text, "state {} {{ ", quoted(state)).expect("a string takes all");
        for input in ["a", "\"b c\""] {
            let output = ["x", "\"after\""][rng.random_range(0..2)];
            let target = quoted(STATES[rng.random_range(0..states)]);
            write!(text, "{input} / {output} -> {target}; ").expect("a string takes all");
        }
        if rng.random_bool(0.5) {
            let target = quoted(STATES[rng.random_range(0..states)]);
            let after = rng.random_range(1..5);
            write!(text, "after {after} -> {target}").expect("a string takes all");
        }
        text += "}\n";
    }
    text += "} faults { ";
    if rng.random_bool(0.4) {
        text += "state Extra { * / x -> *; after 3, never -> * } *.a / * -> Extra; ";
    }
    if rng.random_bool(0.4) {
        text += "*.after: 2, never -> *; ";
    }
    text + "*.\"b c\": output; *.a: transfer; *.after: 7, never }"
}

#[test]
fn machines_and_domains_are_read_back_from_both_forms() {
    let (mut domains, mut extra) = (0, 0);
    for seed in 0..150 {
        let text = random(seed);
        let Some(before) = read("m.tfsm", &text, None) else {
            continue;
        };
        let written = tfsm(&before.0, Some(&before.1));
        let again = read("m.tfsm", &written, None);
        let again = again.unwrap_or_else(|| panic!("seed {seed}\n{text}\n{written}"));
        assert_eq!(again.0, before.0, "seed {seed}\n{text}\n{written}");
        assert_eq!(
            meaning(&again),
            meaning(&before),
            "seed {seed}\n{text}\n{written}"
        );
        let graph = dot(&before.0, Some(&before.1)).expect("names that labels can hold");
        let again = read("m.dot", &graph, None);
        let again = again.unwrap_or_else(|| panic!("seed {seed}\n{text}\n{graph}"));
        let (mut found, mut expected) = (meaning(&again), meaning(&before));
        // An isolated state does not occur in a graph of edges.
        let unconnected = |(_, does, is_own): &(String, String, bool)| *is_own && does == "never";
        found.1.retain(|key, _| !unconnected(key));
        expected.1.retain(|key, _| !unconnected(key));
        assert_eq!(found, expected, "seed {seed}\n{text}\n{graph}");
        assert_eq!(
            again.1.mutants(),
            before.1.mutants(),
            "seed {seed}\n{text}\n{graph}"
        );
        domains += 1;
        extra += usize::from(before.1.states.len() > before.1.own_states);
    }
    println!("{domains} domains, {extra} with states of their own");
    assert!(domains > 100 && extra > 30);
}

#[test]
fn everything_is_as_many_mutants_when_it_is_written_out() {
    let text = "machine m { input a; output x, y; state S { a / x -> T; after 2 -> T } state T { a / y -> S } }";
    let before = read("m.tfsm", text, Some("chaos:3:2")).expect("a domain");
    let written = tfsm(&before.0, Some(&before.1));
    let again = read("m.tfsm", &written, None).expect("a domain");
    assert_eq!(meaning(&again), meaning(&before), "{written}");
    let graph = dot(&before.0, Some(&before.1)).expect("a graph");
    let again = read("m.dot", &graph, None).expect("a domain");
    assert_eq!(again.1.mutants(), before.1.mutants(), "{graph}");
}

#[test]
fn a_name_that_no_label_can_hold_is_refused_by_name() {
    let text = "machine m { input a; output \"x/y\"; state S { a / \"x/y\" -> S } }";
    let (machine, _) = read("m.tfsm", text, None).expect("a machine");
    let refused = dot(&machine, None).unwrap_err();
    assert_eq!((refused.what, refused.name.as_str()), ("output", "x/y"));
    // The name occurs in its declaration and in the answer.
    assert_eq!(tfsm(&machine, None).matches("\"x/y\"").count(), 2);
}
