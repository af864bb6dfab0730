//! The examples of use inside other programs do what they say.

use std::fs;

use crate::support::{LOCK, Place};

#[allow(dead_code, unreachable_pub)]
#[path = "../../examples/commands.rs"]
mod commands;
#[allow(dead_code, unreachable_pub)]
#[path = "../../examples/engines.rs"]
mod engines;

#[test]
fn the_engines_decide_a_circuit_without_a_folder() {
    engines::main().unwrap();
    let wrong = engines::verdicts(b"aag no circuit").unwrap_err();
    assert!(!wrong.to_string().is_empty());
}

#[test]
fn whole_commands_run_inside_another_program() {
    let place = Place::with("lock.smv", LOCK);
    let killed = commands::killed(&place.path("lock.smv"), &place.path("out")).unwrap();
    assert!(killed.len() > 5, "{killed:?}");
    for id in &killed {
        assert!(id.starts_with("m-"), "{id}");
    }
    fs::write(place.path("lock.smv"), "MODULE").unwrap();
    let error = commands::killed(&place.path("lock.smv"), &place.path("again")).unwrap_err();
    assert!(
        error.to_string().contains("expected a module name"),
        "{error}"
    );
}
