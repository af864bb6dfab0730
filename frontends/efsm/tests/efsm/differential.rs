//! Compares the lowered system with the interpreter step by step, for all treatments of disabled events.

use std::collections::BTreeSet;

use hyperkill_core::SelectorId;
use hyperkill_core::product::Variant;
use hyperkill_efsm::read;
use hyperkill_frontend::mutation::apply;
use hyperkill_frontend::{EventOptions, FrontendOptions, SourceFile};
use hyperkill_guarded::fault::{Fault, OF_MACHINES, with};
use hyperkill_guarded::model::check;

use crate::random::{cases, machine};
use crate::steps::compare_steps;
use crate::support::{Circuit, everything, translated};

/// Checks the circuit of a text, and those of every `stride`-th of its mutants, against the interpreter on their texts. Returns the number
/// of compared steps.
fn compare(source: &SourceFile, complete: bool, stride: usize) -> usize {
    let options = everything(complete);
    let translation = translated(source, &options);
    let of_text = |text: &str, circuit: &Circuit, is_mutant: bool, what: &str| {
        let read =
            read(&SourceFile::new("text", text)).unwrap_or_else(|e| panic!("{e:#?}\n{text}"));
        let model = check(&read.system).unwrap_or_else(|e| panic!("{e:#?}\n{text}"));
        compare_steps(&model, circuit, (is_mutant, complete), what)
    };
    let original = Circuit::new(&translation, Variant::Original);
    let what = format!("the original of\n{}", source.text);
    let mut compared = of_text(&source.text, &original, false, &what);
    let live = translation
        .catalogue
        .iter()
        .filter(|(_, reason)| reason.is_none());
    for (index, (mutant, _)) in live.enumerate().step_by(stride) {
        let text = apply(&source.text, mutant).expect("a place of the text");
        let circuit = Circuit::new(&translation, Variant::Mutant(SelectorId(index)));
        let what = format!("{mutant:?} of\n{}", source.text);
        compared += of_text(&text, &circuit, true, &what);
    }
    compared
}

#[test]
fn random_machines_do_what_the_interpreter_says() {
    let mut compared = 0;
    for seed in 0..cases(30) {
        let source = SourceFile::new(format!("seed {seed}"), machine(seed));
        compared += compare(&source, seed % 3 == 0, 5);
    }
    println!("{compared} steps");
    assert!(compared > 500, "{compared}");
}

/// Whether the comparison of some random machine panics, that is, reports a difference, while the fault is planted.
fn is_noticed(fault: Fault) -> bool {
    let mut seeds = 0..800;
    seeds.any(|seed| {
        let source = SourceFile::new(format!("seed {seed}"), machine(seed));
        let compared = || {
            with(Some(fault), || {
                shows_outputs_only(&source);
                compare(&source, seed % 3 == 0, 11)
            })
        };
        std::panic::catch_unwind(std::panic::AssertUnwindSafe(compared)).is_err()
    })
}

/// Checks that no variable is an output if only outputs are observed.
fn shows_outputs_only(source: &SourceFile) {
    let options = FrontendOptions {
        events: EventOptions {
            observe: Some("outputs".to_owned()),
            ..EventOptions::default()
        },
        ..FrontendOptions::default()
    };
    let system = translated(source, &options).system;
    for variable in &system.states {
        let mut outputs = system.outputs.iter();
        assert!(
            outputs.all(|output| output.name != variable.name),
            "{}",
            variable.name
        );
    }
}

#[test]
fn every_planted_fault_is_noticed() {
    std::thread::scope(|scope| {
        let looks = OF_MACHINES.map(|fault| (fault, scope.spawn(move || is_noticed(fault))));
        for (fault, look) in looks {
            assert!(look.join().expect("a comparison"), "{fault:?}");
        }
    });
}

#[test]
fn who_sees_states_or_transitions_sees_outputs_too() {
    for seed in 0..30 {
        let source = SourceFile::new("m", machine(seed));
        let outputs = |observe: &str| {
            let options = FrontendOptions {
                events: EventOptions {
                    observe: Some(observe.to_owned()),
                    ..EventOptions::default()
                },
                ..FrontendOptions::default()
            };
            let system = translated(&source, &options).system;
            let names = system.outputs.into_iter().map(|output| output.name);
            names.collect::<BTreeSet<String>>()
        };
        let [least, state, most] = ["outputs", "state", "transition"].map(outputs);
        assert!(least.is_subset(&state) && state.is_subset(&most));
        assert!(most.contains("transition") && !state.contains("transition"));
    }
}
