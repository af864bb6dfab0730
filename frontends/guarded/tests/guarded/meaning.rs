//! The meaning of truth values and symbols, compared with the interpreter.

use hyperkill_core::bit_blast::bit_blast;
use hyperkill_core::product::Variant;
use hyperkill_core::sim::Simulator;
use hyperkill_core::sort::Value;
use hyperkill_frontend::FrontendOptions;
use hyperkill_guarded::interpret::{Occurrence, State, after, initial};
use hyperkill_guarded::lower::{Observed, Reading, lower};
use hyperkill_guarded::model::check;

use crate::language::system;

/// Returns the values of all variables after the first step, by the interpreter and by the circuit; `None` if the step is disabled.
fn first_step(guard: &str, value: &str) -> [Option<State>; 2] {
    let system = system(guard, value);
    let model = check(&system).unwrap_or_else(|errors| panic!("{guard}: {errors:#?}"));
    let offer = Occurrence {
        event: 0,
        values: Vec::new(),
    };
    let told = after(&model, &initial(&model), &offer).pop_first();
    let reading = Reading {
        observed: Observed::State,
        complete: true,
    };
    let lowered = lower(&model, reading, &mut [], &FrontendOptions::default()).expect("terms");
    let circuit = bit_blast(&lowered.system).expect("a circuit").model;
    let simulator = Simulator::for_variant(&circuit, Variant::Original);
    let mut lanes = simulator.lanes::<1>();
    lanes.reset(|_| [0]);
    lanes.eval();
    let mut values = circuit.outputs.iter().map(|port| {
        let bits = port
            .bits
            .iter()
            .map(|bit| lanes.value(circuit.aig.outputs[*bit].lit)[0] & 1 == 1);
        port.sort.decode(&bits.collect::<Vec<_>>())
    });
    let done = values.next() == Some(Value::bool(true));
    let shown = values.collect();
    [told, done.then_some(shown)]
}

#[test]
fn the_interpreter_and_the_circuit_agree_on_truth_values_and_symbols() {
    let guards = [
        ("true", true),
        ("mode == busy", true),
        ("mode != busy", false),
        ("busy == mode && !on", true),
        ("on || mode == done", false),
        ("on == (n < 2)", true),
        ("n + 1 > 2 == !on", true),
        ("-n * 2 <= -4", true),
        ("n - 1 - 1 == 0", true),
        ("n - (1 - 1) == 0", false),
    ];
    for (guard, holds) in guards {
        for value in ["true", "!on", "n == 2", "mode == idle", "on && true"] {
            let [told, shown] = first_step(guard, value);
            assert_eq!(told, shown, "({guard}) -> on = {value}");
            assert_eq!(told.is_some(), holds, "{guard}");
        }
    }
}

#[test]
fn kinds_that_do_not_fit_are_errors() {
    let cases = [
        ("n", "true", "a guard"),
        ("mode", "true", "a guard"),
        ("mode < busy", "true", "a number is expected"),
        ("mode == n", "true", "a symbol is expected"),
        ("on == 1", "true", "a truth value is expected"),
        ("!n == 1", "true", "a truth value is expected"),
        ("true", "n", "`on` is a truth value"),
        ("true", "idle", "`on` is a truth value"),
        ("other == mode", "true", "neither a variable"),
    ];
    for (guard, value, words) in cases {
        let system = system(guard, value);
        let errors = check(&system).expect_err("an error");
        assert!(errors[0].message.contains(words), "{guard}: {errors:?}");
    }
}
